/* Faults of streams, and of links that lose some of what passes. What a stream that has broken
 * brings may be read after what the next one brings, or never, or by another life; TCP repeats
 * nothing, but members do, and what is in between may. */
#include "faults_parts.h"

static uint32_t all_count(const struct sim *sim)
{
    return sim_host_count(sim) + sim_witness_count(sim);
}

static void keep_streams(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_break_streams(sim, from, to, 0, 0, 0);
}

/* Of one host, both ways, or of all. */
static void break_streams(struct sim *sim, struct random *random, uint32_t break_ppm,
                          uint32_t repeat_ppm)
{
    const uint32_t host = any_host(sim, random);
    const bool all = draw(random, 0, 1) == 0;
    const uint32_t late_ms = draw(random, 0, 1) == 0 ? draw_u32(random, 1, 500)
                                                     : draw_u32(random, 500, 20000);
    const uint64_t ms = draw(random, 500, 15000);

    for (uint32_t from = 0; from < all_count(sim); from++) {
        for (uint32_t to = 0; to < all_count(sim); to++) {
            if (from != to && (all || from == host || to == host)) {
                sim_break_streams(sim, from, to, break_ppm, repeat_ppm, late_ms);
                sim_after(sim, ms, keep_streams, from, to);
            }
        }
    }
}

/* A middlebox forgets connections, or ends those that are idle: both processes live on. */
void strike_streams_that_break(struct sim *sim, struct random *random)
{
    const uint32_t ppm = draw_u32(random, 50000, 900000);

    break_streams(sim, random, ppm, 0);
    fault_crowd(sim, random);
}

/* What was sent before the end of a stream is sent once more by the next one; meanwhile one end of
 * it, or several, may be others. */
void strike_streams_that_repeat(struct sim *sim, struct random *random)
{
    const uint32_t break_ppm = draw(random, 0, 1) == 0 ? 0 : draw_u32(random, 50000, 500000);
    const uint32_t repeat_ppm = draw_u32(random, 100000, 1000000);
    const uint32_t first = any_host(sim, random);
    const uint32_t restarts = draw_u32(random, 0, 3);

    break_streams(sim, random, break_ppm, repeat_ppm);
    fault_crowd(sim, random);
    for (uint32_t i = 0; i < restarts; i++) {
        const uint64_t at_ms = draw(random, 0, 3000);
        const uint32_t down_ms = draw_u32(random, 0, 500);
        sim_after(sim, at_ms, fault_crash_and_return, (first + i) % sim_host_count(sim), down_ms);
    }
}

static void mend(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_lose_some(sim, from, to, 0);
}

static void lose_some_for(struct sim *sim, uint32_t from, uint32_t to, uint32_t ppm, uint64_t ms)
{
    sim_lose_some(sim, from, to, ppm);
    sim_after(sim, ms, mend, from, to);
}

/* A line, a port of a switch or one of several ways is half broken, and for long: one link in one
 * direction or both, or all to one host, whose own messages arrive. */
void strike_bad_link(struct sim *sim, struct random *random)
{
    const uint32_t to = any_host(sim, random);
    const uint32_t from = another_host(sim, random, to);
    const uint32_t ppm = draw_u32(random, 100000, 950000);
    const uint64_t ms = draw(random, 1000, 30000);
    const uint64_t ways = draw(random, 0, 2);

    for (uint32_t i = 0; i < all_count(sim); i++) {
        if (i != to && (i == from || ways == 0)) {
            lose_some_for(sim, i, to, ppm, ms);
        }
    }
    if (ways == 1) {
        lose_some_for(sim, to, from, ppm, ms);
    }
}

static void permit(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_refuse_streams(sim, from, to, false);
}

/* A firewall is loaded that answers in a host's name that nobody listens there, to one other or to
 * all; perhaps for a moment. Datagrams pass, or some of them. */
void strike_refused_connections(struct sim *sim, struct random *random)
{
    const uint32_t any = any_host(sim, random);
    const uint32_t from = another_host(sim, random, any);
    const uint32_t coordinator = sim_coordinator(sim, any);
    const bool is_any = draw(random, 0, 1) == 0 || coordinator == SIM_NOBODY;
    const uint32_t to = is_any ? any : coordinator;
    const uint64_t ms = draw(random, 0, 1) == 0 ? draw(random, 20, 500) : draw(random, 500, 15000);
    const bool all = draw(random, 0, 2) != 0;
    const bool loses = draw(random, 0, 2) == 0;
    const uint32_t ppm = draw_u32(random, 50000, 900000);

    for (uint32_t i = 0; i < all_count(sim); i++) {
        if (i == to || (!all && i != from)) {
            continue;
        }
        sim_refuse_streams(sim, i, to, true);
        sim_after(sim, ms, permit, i, to);
        if (loses) {
            lose_some_for(sim, i, to, ppm, ms);
        }
    }
}

/* --- Deceptions, one after another, or while something else happens --- */

static void refuse(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_refuse_streams(sim, from, to, true);
}

static void unhear(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_cut_datagrams(sim, to, from);
}

static void hear_again(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_datagrams(sim, to, from);
}

static void mute(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_cut_one_way(sim, to, from);
}

static void unmute(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, to, from);
}

/* Some are told for a while that nobody listens at `to`, and do not hear it either, as it may be:
 * its coordinator and one other, all, or each by chance. Of the rest some are deaf to it, and tell
 * those of a doubt who do not watch it. */
static void deceive(struct sim *sim, struct random *random, uint32_t to, uint64_t at_ms,
                    uint64_t ms)
{
    const uint32_t coordinator = sim_coordinator(sim, to);
    const uint32_t one = another_host(sim, random, to);
    const uint64_t how = draw(random, 0, 3);
    const bool is_heard = draw(random, 0, 2) == 0;
    const bool some_are_deaf = draw(random, 0, 1) == 0;

    for (uint32_t i = 0; i < all_count(sim); i++) {
        const uint64_t fate = draw(random, 0, 3);
        const bool is_told = how == 0 ? i == one || i == coordinator : how == 1 || fate == 0;
        if (i != to && is_told) {
            sim_after(sim, at_ms, refuse, i, to);
            sim_after(sim, at_ms + ms, permit, i, to);
        }
        if (i != to && is_told && !is_heard) {
            sim_after(sim, at_ms, unhear, i, to);
            sim_after(sim, at_ms + ms, hear_again, i, to);
        }
        if (i != to && !is_told && some_are_deaf && fate == 1) {
            sim_after(sim, at_ms, mute, i, to);
            sim_after(sim, at_ms + ms, unmute, i, to);
        }
    }
}

static uint64_t deception_ms(struct sim *sim, struct random *random)
{
    const uint64_t heartbeat_ms = sim_timing(sim).heartbeat_ms;

    return draw(random, 0, 1) == 0 ? draw(random, 20, heartbeat_ms)
                                   : draw(random, heartbeat_ms, 4 * heartbeat_ms);
}

/* Any, or a coordinator. */
static uint32_t who_is_doubted(struct sim *sim, struct random *random)
{
    const uint32_t any = any_host(sim, random);
    const uint32_t coordinator = sim_coordinator(sim, any);

    return draw(random, 0, 2) != 0 || coordinator == SIM_NOBODY ? any : coordinator;
}

/* D9k: the firewall is put right and loaded once more, before or just after those have ended their
 * watch who were deceived the first time; now for others, perhaps. */
void strike_refused_again(struct sim *sim, struct random *random)
{
    const uint32_t to = who_is_doubted(sim, random);
    const uint64_t times = draw(random, 2, 4);
    uint64_t at_ms = 0;

    for (uint64_t i = 0; i < times; i++) {
        const uint64_t ms = deception_ms(sim, random);
        deceive(sim, random, to, at_ms, ms);
        at_ms += ms + draw(random, 0, 4 * sim_timing(sim).heartbeat_ms);
    }
}

/* D9c: somebody comes, goes or moves just then, so that others are neighbours. */
void strike_refused_in_a_turn(struct sim *sim, struct random *random)
{
    const uint32_t heartbeat_ms = (uint32_t)sim_timing(sim).heartbeat_ms;
    const uint32_t to = who_is_doubted(sim, random);
    const uint64_t at_ms = draw(random, 0, 3 * heartbeat_ms);
    const uint64_t ms = deception_ms(sim, random);
    const uint64_t turns = draw(random, 1, 4);

    deceive(sim, random, to, at_ms, ms);
    for (uint64_t i = 0; i < turns; i++) {
        const uint32_t other = another_host(sim, random, to);
        const uint32_t down_ms = draw_u32(random, 0, 3 * heartbeat_ms);
        switch (draw(random, 0, 4)) {
        case 0:
            strike_leave(sim, random);
            break;
        case 1:
            strike_drain(sim, random);
            break;
        case 2:
            sim_transfer(sim, to, other);
            break;
        default:
            fault_crash_and_return(sim, other, down_ms);
            break;
        }
    }
}

/* A rule that refuses connections and lets datagrams pass is loaded everywhere, or between two
 * sites, by one host after the other or by all at once. */
void strike_refused_everywhere(struct sim *sim, struct random *random)
{
    const uint64_t sides = draw(random, 0, 1) == 0 ? 0 : random_u64(random);
    const uint64_t ms = draw(random, 0, 1) == 0 ? draw(random, 20, 1000)
                                                : draw(random, 1000, 20000);
    const uint64_t apart_ms = draw(random, 0, 1) == 0 ? 0 : draw(random, 1, 5000);

    for (uint32_t to = 0; to < all_count(sim); to++) {
        const uint64_t at_ms = draw(random, 0, apart_ms);
        const uint64_t end_ms = at_ms + ms;
        for (uint32_t from = 0; from < all_count(sim); from++) {
            const bool apart = (sides >> (from % 64) & 1) != (sides >> (to % 64) & 1);
            if (from != to && (sides == 0 || apart)) {
                sim_after(sim, at_ms, refuse, from, to);
                sim_after(sim, end_ms, permit, from, to);
            }
        }
    }
}

static void translate_no_more(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_translate_no_more(sim, host);
}

/* A gateway is put before some hosts that lets their datagrams seem to come from a port of its own,
 * or from another one behind it; what is sent to them arrives as before. Some start meanwhile. */
void strike_translated_source(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    const uint32_t count = draw(random, 0, 1) == 0 ? 1 : draw_u32(random, 1, all_count(sim));
    const uint32_t other = another_host(sim, random, first);
    const bool nowhere = draw(random, 0, 1) == 0;
    const uint64_t ms = draw(random, 500, 20000);

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t host = (first + i) % all_count(sim);
        sim_translate(sim, host, nowhere ? host : other);
        sim_after(sim, ms, translate_no_more, host, 0);
    }
    fault_crowd(sim, random);
}

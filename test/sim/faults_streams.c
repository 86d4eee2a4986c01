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

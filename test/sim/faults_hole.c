/* A hole between one host and some of the others: nothing long passes there, or nothing of some
 * kinds, and all else does. Those others start again, so that they have to be let in, and whoever
 * is on both sides of the hole hands on to them what does not get through it (U4d). */
#include "faults_parts.h"

enum {
    AGAIN_MS = 600, /* between two who start again one after the other */
    WIDE = 0,       /* everything passes */
    KINDS_LOST = 2, /* of messages, at once */
    LOSERS_MAX = 4, /* hosts to or from which they are lost */
};

/* --- Between whom --- */

static uint32_t one(uint32_t host)
{
    return UINT32_C(1) << host;
}

static uint32_t count_of(uint32_t set)
{
    return (uint32_t)__builtin_popcount(set);
}

static uint32_t running_hosts(const struct sim *sim)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        set |= sim_is_running(sim, i) ? one(i) : 0;
    }
    return set;
}

/* Who is to coordinate after that one, if it runs. */
static uint32_t next_after(const struct sim *sim, uint32_t acting)
{
    const struct view *view = core_view(sim_core(sim, acting));

    for (uint32_t i = 0; view->member_count > 1 && i < sim_host_count(sim); i++) {
        if (sim_is_running(sim, i) &&
            id_equal(&core_self(sim_core(sim, i))->id, &view->members[1].id)) {
            return i;
        }
    }
    return acting;
}

/* So many of the set, but for those. */
static uint32_t draw_some(struct random *random, uint32_t set, uint32_t count)
{
    uint32_t some = 0;

    for (; count > 0 && (set & ~some) != 0; count--) {
        uint32_t left = set & ~some;
        for (uint64_t skip = random_below(random, count_of(left)); skip > 0; skip--) {
            left &= left - 1;
        }
        some |= left & ~(left - 1);
    }
    return some;
}

/* Mostly so many voters that the others are no quorum, for then their votes are needed; or any. One
 * member stays that is on both sides. */
static uint32_t draw_others(struct sim *sim, struct random *random, uint32_t spared)
{
    const uint32_t hosts = running_hosts(sim) & ~spared;
    const uint32_t voters = listed_hosts(sim) & hosts;
    const uint32_t needed = (count_of(listed_hosts(sim)) + 1) / 2;
    const bool any = draw(random, 0, 3) == 0 || voters == 0;
    const uint32_t more = draw_u32(random, 0, 1);
    const uint32_t count = any ? draw_u32(random, 1, sim_host_count(sim)) : needed + more;
    const uint32_t others = draw_some(random, any ? hosts : voters, count);

    return others == hosts ? others & (others - 1) : others;
}

/* --- What does not pass --- */

static void widen(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_narrow_one_way(sim, from, to, WIDE);
}

static void lose_nothing(struct sim *sim, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    sim_lose_nothing(sim);
}

static void narrow(struct sim *sim, uint32_t from, uint32_t to, uint32_t bytes, uint64_t ms)
{
    sim_narrow_one_way(sim, from, to, bytes);
    if (ms != FOR_GOOD) {
        sim_after(sim, ms, widen, from, to);
    }
}

/* What is too long: to them, from them, or both. Who leads is to hear of those who come, and a
 * candidate that is to win for good hears what they have accepted. */
static void narrow_between(struct sim *sim, struct random *random, const struct hole *hole)
{
    const uint64_t drawn = draw(random, 0, 3);
    const uint64_t ways = hole->of_candidate && hole->ms == FOR_GOOD ? 1 : drawn;
    const uint32_t least = hole->ms == FOR_GOOD ? DATAGRAM_FRAME_BYTES_MAX : HOLE_LEAST;
    const uint32_t to_them = draw_u32(random, least, HOLE_MOST);
    const uint32_t from_them = draw_u32(random, REQUEST_HOLE, HOLE_MOST);

    sim_set_segments(sim, draw(random, 0, 3) == 0 ? SMALL_SEGMENTS : LARGE_SEGMENTS);
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if ((hole->others & one(i)) != 0 && ways != 2) {
            narrow(sim, hole->host, i, to_them, hole->ms);
        }
        if ((hole->others & one(i)) != 0 && ways != 1) {
            narrow(sim, i, hole->host, from_them, hole->ms);
        }
    }
}

/* What is proposed, or what voters say to that. */
static void lose_between(struct sim *sim, struct random *random, const struct hole *hole)
{
    static const enum message_type types[][KINDS_LOST] = {{MESSAGE_PREPARE, MESSAGE_PREPARE},
                                                          {MESSAGE_PREPARE, MESSAGE_COMMIT},
                                                          {MESSAGE_PREPARE, MESSAGE_VIEW},
                                                          {MESSAGE_VOTE, MESSAGE_VOTE}};
    const bool no_votes = hole->of_candidate && hole->ms == FOR_GOOD;
    const enum message_type *lost = types[random_below(random, no_votes ? 3 : 4)];

    sim_lose_nothing(sim); /* Of an earlier strike. */
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        for (uint32_t k = 0; k < KINDS_LOST && (hole->others & one(i)) != 0; k++) {
            const bool back = lost[k] == MESSAGE_VOTE;
            if (k == 0 || lost[k] != lost[0]) {
                sim_lose(sim, back ? i : hole->host, back ? hole->host : i, lost[k], UINT32_MAX);
            }
        }
    }
    if (hole->ms != FOR_GOOD) {
        sim_after(sim, hole->ms, lose_nothing, 0, 0);
    }
}

/* --- Who starts again --- */

static void restart(struct sim *sim, struct random *random, const struct hole *hole)
{
    const bool at_once = draw(random, 0, 1) == 0;
    uint64_t after_ms = 0;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const char *tag = fault_draw_tag(random);
        const uint32_t down_ms = draw_u32(random, 1, 300);
        sim_tag(sim, i, tag);
        if ((hole->others & one(i)) == 0) {
            sim_set_tags(sim, i, tag);
        } else {
            sim_after(sim, after_ms, fault_crash_and_return, i, down_ms);
            after_ms += at_once ? 0 : AGAIN_MS;
        }
    }
}

struct hole fault_make_hole(struct sim *sim, struct random *random, uint64_t ms)
{
    const uint32_t acting = acting_or_any(sim, random);
    const bool of_candidate = draw(random, 0, 2) == 0;
    const bool of_kinds = draw(random, 0, 3) == 0;
    struct hole hole = {.host = acting, .ms = ms, .of_candidate = of_candidate};

    if (!sim_is_acting(sim, acting)) {
        return hole;
    }
    hole.host = of_candidate ? next_after(sim, acting) : acting;
    hole.others = draw_others(sim, random, one(hole.host) | one(acting));
    if (of_kinds && count_of(hole.others) <= LOSERS_MAX) {
        lose_between(sim, random, &hole);
    } else {
        narrow_between(sim, random, &hole);
    }
    restart(sim, random, &hole);
    if (of_candidate) {
        const uint64_t after_ms = draw(random, 0, 1000);
        const uint32_t down_ms = draw_u32(random, 1, 3000);
        sim_after(sim, after_ms, fault_crash_and_return, acting, down_ms);
    }
    return hole;
}

void strike_narrow_path_to_some(struct sim *sim, struct random *random)
{
    if (sim_has_founded(sim)) {
        fault_make_hole(sim, random, draw(random, 500, 20000));
    }
}

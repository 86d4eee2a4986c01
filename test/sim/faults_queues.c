/* Faults of queues that are full: what comes then is lost, and nobody is told. */
#include "faults_parts.h"

/* Hosts and witnesses. */
static uint32_t all_count(const struct sim *sim)
{
    return sim_host_count(sim) + sim_witness_count(sim);
}

/* Mostly who coordinates, who has the most to send. */
static uint32_t busy_host(struct sim *sim, struct random *random)
{
    const uint32_t any = any_host(sim, random);
    const uint32_t coordinator = sim_coordinator(sim, any);
    const bool is_any = draw(random, 0, 2) == 0;

    return is_any || coordinator == SIM_NOBODY ? any : coordinator;
}

void fault_crowd(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    const uint32_t count = draw_u32(random, 0, sim_host_count(sim) - 1);
    const uint32_t down_ms = draw_u32(random, 0, 1500);
    const uint64_t how = draw(random, 0, 3);

    for (uint32_t i = 0; how < 2 && i < count; i++) {
        fault_crash_and_return(sim, (first + i) % sim_host_count(sim), down_ms);
    }
    for (uint32_t i = 0; how == 2 && i < count; i++) {
        strike_long_tags(sim, random);
    }
}

static void quicken(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_slow_streams(sim, from, to, 0, 0, 0);
}

/* Who reads what is long more slowly than it comes: one host, or all. A newer view takes the place
 * of one that waits (U3a), and what there is no room for is lost. */
void strike_slow_reader(struct sim *sim, struct random *random)
{
    static const uint32_t rooms[] = {1, 2, 4, 16, 64};
    const uint32_t host = any_host(sim, random);
    const uint32_t pace_ms = draw(random, 0, 1) == 0 ? draw_u32(random, 5, 100)
                                                     : draw_u32(random, 100, 2000);
    const uint32_t taken = draw(random, 0, 1) == 0 ? 0 : draw_u32(random, 1, 8);
    const uint32_t room = rooms[random_below(random, sizeof rooms / sizeof rooms[0])];
    const uint64_t ms = draw(random, 500, 20000);
    const uint64_t ways = draw(random, 0, 3);

    for (uint32_t from = 0; from < all_count(sim); from++) {
        for (uint32_t to = 0; to < all_count(sim); to++) {
            if (from != to && (ways == 0 || (ways == 1 ? from == host : to == host))) {
                sim_slow_streams(sim, from, to, pace_ms, taken, room);
                sim_after(sim, ms, quicken, from, to);
            }
        }
    }
    fault_crowd(sim, random);
}

static void widen(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_slow(sim, host, 0);
    sim_limit_buffer(sim, host, 0);
    sim_resume(sim, host);
}

/* A process does not look for a while, or now and then alone, and the buffer of its socket is full:
 * the first that came are there, and nothing newer. */
void strike_full_buffer(struct sim *sim, struct random *random)
{
    const uint32_t host = busy_host(sim, random);
    const uint32_t room = draw_u32(random, 1, 16);
    const bool stops = draw(random, 0, 1) == 0;
    const uint64_t turn_ms = draw(random, 20, 800);
    const uint64_t ms = stops ? draw(random, 50, 6000) : draw(random, 500, 10000);

    sim_limit_buffer(sim, host, room);
    if (stops) {
        sim_pause(sim, host);
    } else {
        sim_slow(sim, host, turn_ms);
    }
    sim_after(sim, ms, widen, host, 0);
    fault_crowd(sim, random);
}

/* Lets those have no more than `most`, for so long. */
static void limit_for(struct sim *sim, uint32_t host, bool all, sim_call *limit, uint32_t most,
                      uint64_t ms)
{
    for (uint32_t i = 0; i < all_count(sim); i++) {
        if (all || i == host) {
            limit(sim, i, most);
            sim_after(sim, ms, limit, i, 0);
        }
    }
}

/* Its step has more to send than there is room for, or its socket takes no more: the first few
 * leave, always the same ones perhaps. */
void strike_crowded_sender(struct sim *sim, struct random *random)
{
    const uint32_t host = busy_host(sim, random);
    const uint32_t most = draw_u32(random, 1, 5);
    const bool all = draw(random, 0, 3) == 0;
    const uint64_t ms = draw(random, 200, 15000);

    limit_for(sim, host, all, sim_limit_sends, most, ms);
    fault_crowd(sim, random);
}

/* It has no descriptors left, or no place in its pool: those to whom it holds no lifeline are sent
 * nothing long. */
void strike_few_streams(struct sim *sim, struct random *random)
{
    const uint32_t host = busy_host(sim, random);
    const uint32_t most = draw_u32(random, 1, 2);
    const bool all = draw(random, 0, 1) == 0;
    const uint64_t ms = draw(random, 500, 15000);

    limit_for(sim, host, all, sim_limit_streams, most, ms);
    fault_crowd(sim, random);
}

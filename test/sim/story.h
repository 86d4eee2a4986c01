/* What every story of the simulator needs: the cast, some bounds, and the usual beginning.
 *
 * A story is told once for each of several seeds, so that delays and jitter fall differently;
 * what must hold, must hold in each. */
#ifndef SIM_STORY_H
#define SIM_STORY_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "sim.h"

/* athens, byzantium, cyrene, delphi, ephesus, node6, ... */
enum { A, B, C, D, E, F, G };

enum {
    STORY_SEEDS = 10,
    SETTLE_MS = 3000, /* joining, repairing, coming back: with retries that back off to 2 s */
    FAST_MS = 100,    /* a killed process is out: closed lifeline, refused connection, claim */
    REPAIR_MS = 600,  /* two heartbeats of the lan profile, and their jitter (V5) */
    LOST_MS = 1088 + 408 + 150 + 340, /* T_lost, T_half, T_verify and a round of the lan profile */
    FRESH_MS = 979 + 340,             /* T_fresh and a round */
    PATIENT_MS = 3000,                /* less than T_stall of the lan profile */
    STALLED_MS = 10000,               /* more than it */
    MINUTE_MS = 60000,
};

/* The first seed; DOYEN_STORY_SEED names another (scripts/swarm --partitions). */
static inline uint64_t story_first_seed(void)
{
    const char *seed = getenv("DOYEN_STORY_SEED");

    return seed == NULL ? 1 : strtoull(seed, NULL, 10);
}

#define Story(suite, name)                                                                         \
    static void tell_##suite##_##name(uint64_t seed);                                              \
    Test(suite, name)                                                                              \
    {                                                                                              \
        const uint64_t first__ = story_first_seed();                                               \
        for (uint64_t seed = first__; seed < first__ + STORY_SEEDS; seed++) {                      \
            tell_##suite##_##name(seed);                                                           \
        }                                                                                          \
    }                                                                                              \
    static void tell_##suite##_##name(uint64_t seed)

#define story_check(condition, seed)                                                               \
    cr_assert((condition), "seed %llu: " #condition, (unsigned long long)(seed))

#define story_sees(sim, host, text, seed)                                                          \
    cr_assert_str_eq(sim_view_text((sim), (host)), (text), "seed %llu, in the view of " #host,     \
                     (unsigned long long)(seed))

/* A cluster with these options, its hosts started one after the other, that agrees and has had the
 * time to connect everybody with everybody. */
static inline struct sim *story_of(const struct sim_options *options)
{
    struct sim *sim = sim_new(options);
    sim_start_in_order(sim, 300);
    cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu: no cluster to begin with",
              (unsigned long long)options->seed);
    sim_run(sim, 200);
    return sim;
}

static inline struct sim *story_of_five(uint64_t seed)
{
    return story_of(&(struct sim_options){.seed = seed, .host_count = 5});
}

#endif

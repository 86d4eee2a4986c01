/* Stories of who votes under guard strict: the first hosts do, and others later. */
#ifndef SIM_STORY_VOTERS_H
#define SIM_STORY_VOTERS_H

#include "core/model/voter_lists.h"
#include "story.h"

/* The first hosts vote; each has a disk, and no two may act (S9). The options say what else the
 * cluster has. */
static inline struct sim_options story_voters(uint64_t seed, uint32_t hosts, uint32_t voters,
                                              struct sim_options options)
{
    options.seed = seed;
    options.host_count = hosts;
    options.seed_count = voters;
    options.voter_count = voters;
    options.disks = true;
    options.exclusive = true;
    options.guard = (struct guard){GUARD_STRICT, voters};
    return options;
}

static inline struct sim *story_of_voters(uint64_t seed, uint32_t hosts, uint32_t voters,
                                          struct sim_options options)
{
    options = story_voters(seed, hosts, voters, options);
    return story_of(&options);
}

/* None of them has been started. */
static inline struct sim *story_before_voters(uint64_t seed, uint32_t hosts, uint32_t voters)
{
    const struct sim_options options = story_voters(seed, hosts, voters,
                                                    (struct sim_options){.seed = seed});

    return sim_new(&options);
}

/* The same, and nothing else. */
static inline struct sim *story_of_voters_alone(uint64_t seed, uint32_t hosts, uint32_t voters)
{
    return story_of_voters(seed, hosts, voters, (struct sim_options){.seed = seed});
}

/* "ABD", as the set of these hosts. */
static inline uint32_t story_set(const char *hosts)
{
    uint32_t set = 0;

    for (; *hosts != '\0'; hosts++) {
        set |= UINT32_C(1) << (*hosts - 'A');
    }
    return set;
}

static inline bool story_are_listed(const struct sim *sim, uint32_t set)
{
    const struct voter_lists *lists = sim_lists(sim);
    uint32_t count = 0;

    for (uint32_t host = 0; host < 32; host++) {
        if ((set & UINT32_C(1) << host) == 0) {
            continue;
        }
        const uint8_t place = voter_lists_find_name(lists, sim_name(sim, host));
        if (place == VOTER_NONE || lists->voters[place].witness != (host >= sim_host_count(sim))) {
            return false;
        }
        count++;
    }
    return lists->count == count;
}

/* Are they the voters soon, and nobody else, settled, and in the view of each of them? */
static inline bool story_vote_alone(struct sim *sim, uint32_t set, uint64_t limit_ms)
{
    for (uint64_t ms = 0; ms < limit_ms; ms += 10) {
        if (story_are_listed(sim, set) && sim_has_settled(sim)) {
            return true;
        }
        sim_run(sim, 10);
    }
    return false;
}

#endif

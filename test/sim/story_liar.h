/* Stories of a liar: those to whom it lies, for how long, and what has come of it. */
#ifndef SIM_STORY_LIAR_H
#define SIM_STORY_LIAR_H

#include "liar.h"
#include "story_voters.h"

enum { LIES_TOLD = 200 };

#define story_holds(sim, seed)                                                                     \
    cr_assert(sim_failure(sim) == NULL, "seed %llu: %s", (unsigned long long)(seed),               \
              sim_failure(sim))

static inline struct sim *lenient_five(uint64_t seed)
{
    return story_of(&(struct sim_options){.seed = seed, .host_count = 5, .lenient = true});
}

/* Four, of whom three vote; delphi does not. */
static inline struct sim *lenient_voters(uint64_t seed)
{
    return story_of_voters(seed, 4, 3, (struct sim_options){.lenient = true});
}

/* That lie, to everybody every 20 ms for three seconds. */
static inline struct lies lies_of(uint64_t seed, struct lie lie)
{
    return (struct lies){
        .lie = lie, .to = UINT64_MAX, .gap_ms = 20, .each_time = 1, .ms = 3000, .seed = seed};
}

/* How often anything happened that nothing true was the cause of. */
static inline uint64_t happenings(const struct sim *sim)
{
    return sim_notices(sim, SIM_ANY, NOTICE_VIEW) + sim_notices(sim, SIM_ANY, NOTICE_GONE) +
           sim_notices(sim, SIM_ANY, NOTICE_SUSPECT) + sim_notices(sim, SIM_ANY, NOTICE_ACTING) +
           sim_notices(sim, SIM_ANY, NOTICE_CLAIM) + sim_notices(sim, SIM_ANY, NOTICE_PHASE);
}

#endif

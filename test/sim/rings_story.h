/* What the stories on watch rings share: the usual beginnings, and who is which host. */
#ifndef SIM_RINGS_STORY_H
#define SIM_RINGS_STORY_H

#include "core/core.h"
#include "story.h"

enum { HOSTS = 20 };

static inline struct sim *story_guarded(uint64_t seed, struct guard guard)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = HOSTS, .guard = guard, .disks = true});

    sim_start_together(sim);
    cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu: no cluster to begin with",
              (unsigned long long)seed);
    sim_run(sim, SETTLE_MS);
    return sim;
}

static inline struct sim *story_on_rings(uint64_t seed)
{
    return story_guarded(seed, (struct guard){.policy = GUARD_NONE});
}

static inline uint32_t host_of_member(const struct sim *sim, const struct node_id *id)
{
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        if (sim_is_running(sim, host) && id_equal(&core_self(sim_core(sim, host))->id, id)) {
            return host;
        }
    }
    return UINT32_MAX;
}

static inline uint32_t host_at_age(const struct sim *sim, uint32_t place)
{
    const uint32_t host = sim_is_running(sim, A) ? A : B;

    return host_of_member(sim, &core_view(sim_core(sim, host))->members[place].id);
}

/* So many hosts that have just agreed, with guard none. */
static inline struct sim *just_formed(uint64_t seed, uint32_t hosts)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = hosts});

    sim_start_together(sim);
    cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu: no cluster to begin with",
              (unsigned long long)seed);
    return sim;
}

#endif

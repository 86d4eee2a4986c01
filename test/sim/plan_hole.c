/* The end of a plan in which nothing long passes between one host and some of the others for good,
 * who start again: they are let in, or another one leads that lets them in (H91). Where that is one
 * of those, to which the one behind the hole cannot say that it is ready, this one may be out. */
#include "plan_parts.h"

/* Of one voter that is silent nobody can tell on whose side the hole is (L3b). */
enum { VOTERS_LEAST = 3 };

static bool leads_one_of(struct sim *sim, uint32_t others)
{
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        if ((others >> host & 1) != 0 && sim_is_acting(sim, host)) {
            return true;
        }
    }
    return false;
}

const char *plan_check_hole(const struct plan *plan, struct sim *sim)
{
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x484f4c45));
    if (!sim_all_vote(sim) || voter_lists_length(sim_lists(sim)) < VOTERS_LEAST ||
        !sim_converges(sim, plan_heal_ms_max(plan))) {
        return NULL; /* Too few voters are left, or who leads is heard no more. */
    }
    const struct hole hole = fault_make_hole(sim, &random, FOR_GOOD);
    if (hole.others == 0) {
        return NULL;
    }
    sim_run(sim, 2 * plan_quiet_ms(plan));
    bool converges = sim_converges(sim, plan_heal_ms_max(plan));
    if (!converges && leads_one_of(sim, hole.others)) {
        sim_break(sim, hole.host);
        converges = sim_converges(sim, plan_heal_ms_max(plan));
    }
    return converges ? NULL : "Y6: a hole between one and some who start again keeps these out";
}

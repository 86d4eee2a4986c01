/* The end of a plan in which some paths are cut for good, each in one direction: if so many hear
 * one another both ways that the guard could be met among them, somebody acts (E7f, Z7c). */
#include "plan_parts.h"

enum {
    HOSTS_LEAST = 3,
    HOSTS_MOST = 8, /* all their sets are looked at */
};

/* A bit for each host that it does not reach. */
struct cuts {
    uint32_t from[HOSTS_MOST];
};

static struct cuts draw_cuts(const struct plan *plan, struct random *random)
{
    const uint64_t percent = random_between(random, 10, 60);
    struct cuts cuts = {.from = {0}};

    for (uint32_t from = 0; from < plan->hosts; from++) {
        for (uint32_t to = 0; to < plan->hosts; to++) {
            const bool cut = from != to && random_below(random, 100) < percent;
            cuts.from[from] |= cut ? UINT32_C(1) << to : 0;
        }
    }
    return cuts;
}

static void cut(const struct plan *plan, struct sim *sim, const struct cuts *cuts)
{
    for (uint32_t from = 0; from < plan->hosts; from++) {
        for (uint32_t to = 0; to < plan->hosts; to++) {
            if ((cuts->from[from] >> to & 1) != 0) {
                sim_cut_one_way(sim, from, to);
            }
        }
    }
}

static bool hear_one_another(const struct plan *plan, const struct cuts *cuts, uint32_t set)
{
    for (uint32_t host = 0; host < plan->hosts; host++) {
        if ((set >> host & 1) != 0 && (cuts->from[host] & set) != 0) {
            return false;
        }
    }
    return true;
}

/* Whose records are a quorum of the lists. */
static bool have_quorum(const struct plan *plan, const struct sim *sim, uint32_t set)
{
    const struct voter_lists *lists = sim_lists(sim);
    voter_set places = 0;

    for (uint32_t host = 0; host < plan->hosts; host++) {
        if ((set >> host & 1) == 0) {
            continue;
        }
        const struct voter_state voter = core_voter(sim_core(sim, host), 0);
        const uint8_t place = voter.status == VOTER_FOUNDED
                                  ? voter_lists_find(lists, &voter.record_id)
                                  : VOTER_NONE;
        places |= place == VOTER_NONE ? 0 : UINT32_C(1) << place;
    }
    return voter_lists_agree(lists, places);
}

/* They hold one view, in which one of them is the coordinator or next: of one before them who is
 * heard and gets no answers nothing is asked. */
static bool hold_one_view(const struct plan *plan, const struct sim *sim, uint32_t set)
{
    const struct view *view = NULL;
    bool first = false;

    for (uint32_t host = 0; host < plan->hosts; host++) {
        if ((set >> host & 1) == 0) {
            continue;
        }
        if (!sim_is_running(sim, host) || sim_phase(sim, host) != PHASE_MEMBER) {
            return false;
        }
        const struct core *core = sim_core(sim, host);
        if (view != NULL && core_view(core)->hash != view->hash) {
            return false;
        }
        view = core_view(core);
        first |= view_find(view, &core_self(core)->id) <= 1;
    }
    return first;
}

static bool could_act(const struct plan *plan, const struct sim *sim, uint32_t set)
{
    const uint32_t count = (uint32_t)__builtin_popcount(set);

    if (count < 2 || !hold_one_view(plan, sim, set)) {
        return false;
    }
    const struct core *core = sim_core(sim, (uint32_t)__builtin_ctz(set));
    return plan->guard.policy == GUARD_STRICT ? have_quorum(plan, sim, set)
                                              : count >= core_guard(core, sim_now_ms(sim)).needed;
}

static bool should_act(const struct plan *plan, const struct sim *sim, const struct cuts *cuts)
{
    for (uint32_t set = 1; set < UINT32_C(1) << plan->hosts; set++) {
        if (hear_one_another(plan, cuts, set) && could_act(plan, sim, set)) {
            return true;
        }
    }
    return false;
}

static uint32_t who_acts(const struct plan *plan, const struct sim *sim)
{
    uint32_t host = 0;

    while (host < plan->hosts && !sim_is_acting(sim, host)) {
        host++;
    }
    return host < plan->hosts ? host : SIM_NOBODY;
}

/* Nor is anything asked of those who hold different views by then. */
static bool acts_in_time(const struct plan *plan, struct sim *sim, const struct cuts *cuts)
{
    for (uint64_t ms = 0; ms < plan_heal_ms_max(plan); ms += 100) {
        if (who_acts(plan, sim) != SIM_NOBODY) {
            return true;
        }
        sim_run(sim, 100);
    }
    return !should_act(plan, sim, cuts);
}

/* Where members decide they may split, and so may only where the plan says that they may. */
static bool may_be_cut(const struct plan *plan, const struct sim *sim)
{
    return plan->hosts >= HOSTS_LEAST && plan->hosts <= HOSTS_MOST && !sim_witness_votes(sim) &&
           (plan->guard.policy == GUARD_STRICT || (plan->kinds & FAULT_SPLITS) != 0) &&
           who_acts(plan, sim) != SIM_NOBODY;
}

const char *plan_check_cuts(const struct plan *plan, struct sim *sim, struct random *random)
{
    if (!may_be_cut(plan, sim)) {
        return NULL;
    }
    const struct cuts cuts = draw_cuts(plan, random);
    cut(plan, sim, &cuts);
    sim_run(sim, 2 * plan_timing(plan).lost_ms);
    if (!acts_in_time(plan, sim, &cuts)) {
        return "Y2: paths that are cut in one direction keep all from acting";
    }
    sim_run(sim, 2 * plan_quiet_ms(plan));
    sim_heal(sim);
    return sim_converges(sim, plan_heal_ms_max(plan))
               ? NULL
               : "Y1: they do not agree after paths were cut in one direction";
}

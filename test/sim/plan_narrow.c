/* The end of a plan in which nothing long passes to or from a host for good (H90, L5): the others
 * go on without it, and it is in, or out. */
#include <string.h>

#include "plan_parts.h"

enum { TWO_HOLES_LEAST = 6 }; /* hosts */

/* Of many hosts two sit behind a black hole, in some plans; but of voters one. */
static uint32_t also_broken(const struct plan *plan)
{
    const bool two = plan->seed % 4 == 1 && plan->hosts >= TWO_HOLES_LEAST &&
                     plan->guard.policy != GUARD_STRICT;

    return two ? (plan->broken + 1 + (uint32_t)(plan->seed / 4 % 2)) % plan->hosts : SIM_NOBODY;
}

static bool is_narrow(const struct plan *plan, uint32_t host)
{
    return host == plan->broken % plan->hosts || host == also_broken(plan);
}

/* Who acts, but for a broken one in a view of its own; SIM_NOBODY: none does, or more than one. */
static uint32_t acting_beside(const struct plan *plan, struct sim *sim)
{
    uint32_t acting = SIM_NOBODY;

    for (uint32_t host = 0; host < plan->hosts; host++) {
        bool alone = is_narrow(plan, host) && strchr(sim_view_text(sim, host), ' ') == NULL;
        if (sim_is_acting(sim, host) && !alone) {
            if (acting != SIM_NOBODY) {
                return SIM_NOBODY;
            }
            acting = host;
        }
    }
    return acting;
}

/* Can the guard that the coordinator goes by, which an operator may have changed, be met by those
 * who are left when it has gone, too? Names that failed often come in late (R4a). */
static bool suffice(const struct plan *plan, const struct sim *sim, uint32_t coordinator)
{
    uint32_t left = 0;

    for (uint32_t host = 0; host < plan->hosts; host++) {
        left += sim_is_running(sim, host) && host != coordinator && !is_narrow(plan, host) &&
                sim_age(sim, coordinator, host) != 0;
    }
    bool counted = plan->guard.policy != GUARD_STRICT; /* It counts voters. */
    uint32_t needed = core_guard(sim_core(sim, coordinator), sim_now_ms(sim)).needed;
    return left > 1 && sim_can_do_without(sim, plan->broken % plan->hosts, coordinator) &&
           (!counted || left >= needed);
}

/* Otherwise each holds the view of the others, or they have left it out (L5b). */
static bool lists_who_is_behind(const struct plan *plan, const struct sim *sim)
{
    return sim_is_behind(sim, plan->broken % plan->hosts) ||
           (also_broken(plan) != SIM_NOBODY && sim_is_behind(sim, also_broken(plan)));
}

static const char *check_the_narrowed(const struct plan *plan, struct sim *sim)
{
    sim_run(sim, 2 * plan_quiet_ms(plan));
    if (!sim_converges(sim, plan_heal_ms_max(plan))) {
        return "Y6: one behind a black hole keeps the others from agreeing";
    }
    for (uint64_t ms = 0; ms < plan_heal_ms_max(plan) && lists_who_is_behind(plan, sim);
         ms += 100) {
        sim_run(sim, 100);
    }
    return lists_who_is_behind(plan, sim)
               ? "Y6: one behind a black hole stays in a view that it lacks"
               : NULL;
}

/* Others start again, all or one, so that the view grows too long for the one behind the hole. */
static void restart_beside(const struct plan *plan, struct sim *sim, struct random *random,
                           uint32_t count)
{
    const uint32_t broken = plan->broken % plan->hosts;

    for (uint32_t host = 0; host < plan->hosts && count > 0; host++) {
        if (!is_narrow(plan, host) && host != sim_coordinator(sim, broken) &&
            sim_is_running(sim, host) && sim_can_do_without(sim, broken, host)) {
            sim_crash(sim, host);
            sim_run(sim, random_between(random, 0, 300));
            sim_start(sim, host);
            sim_run(sim, random_between(random, 0, 1) == 0 ? 0 : 600);
            count--;
        }
    }
}

/* The others, but for the coordinator, are away when the hole comes: who is behind it knows that
 * one alone, and not who comes back. */
static void return_beside(const struct plan *plan, struct sim *sim, struct random *random)
{
    const uint32_t broken = plan->broken % plan->hosts;
    const uint32_t coordinator = sim_coordinator(sim, broken);
    bool away[HOSTS_MAX] = {false};

    for (uint32_t host = 0; host < plan->hosts; host++) {
        if (host != broken && host != coordinator && sim_is_running(sim, host)) {
            sim_crash(sim, host);
            away[host] = true;
        }
    }
    sim_run(sim, 2 * plan_timing(plan).lost_ms);
    fault_narrow(sim, random, broken);
    for (uint32_t host = 0; host < plan->hosts; host++) {
        if (away[host]) {
            sim_start(sim, host);
        }
    }
}

/* A round after the view, and once more each T_fresh and round, the coordinator is told by one that
 * watches it that somebody is behind (L5a, D9d). From then on it waits for T_stall, and goes by
 * what the next round says (L5b). All that by clocks that may be too slow. */
static uint64_t left_out_within_ms(const struct plan *plan)
{
    const struct timing timing = plan_timing(plan);
    const uint64_t ms = timing.stall_ms + timing.fresh_ms + 4 * timing.heartbeat_ms;

    return ms * 1000000 / (1000000 - CLOCK_RATE_PPM_MAX);
}

/* Whom nothing new reaches is left out, while the same one coordinates. */
static bool is_out_in_time(const struct plan *plan, struct sim *sim)
{
    const uint32_t broken = plan->broken % plan->hosts;
    const uint32_t acting = acting_beside(plan, sim);

    if (!sim_is_running(sim, broken)) {
        return true;
    }
    const uint64_t hash = core_view(sim_core(sim, broken))->hash;
    sim_run(sim, left_out_within_ms(plan));
    return acting == SIM_NOBODY || acting == broken || acting_beside(plan, sim) != acting ||
           core_view(sim_core(sim, broken))->hash != hash || !sim_is_behind(sim, broken);
}

/* Of its view others may be dead, and cannot be removed as long as nobody accepts that. */
static bool leads_too_few(const struct plan *plan, const struct sim *sim)
{
    const uint32_t broken = plan->broken % plan->hosts;
    uint32_t living = 0;

    if (!sim_is_running(sim, broken) || sim_phase(sim, broken) != PHASE_MEMBER) {
        return false;
    }
    const struct view *view = core_view(sim_core(sim, broken));
    for (uint32_t host = 0; host < plan->hosts; host++) {
        living += sim_is_running(sim, host) &&
                  view_find(view, &core_self(sim_core(sim, host))->id) != VIEW_NONE;
    }
    return living <= 2;
}

/* One that led when the hole came, and still does, lets in whoever comes, or gives way (L3b, U4d).
 * Of one that leads itself alone, or one other, nothing is asked: newcomers and one member, who may
 * be behind holes themselves, move no coordinator. */
static const char *check_a_narrow_coordinator(const struct plan *plan, struct sim *sim,
                                              struct random *random)
{
    const bool one_alone = plan->seed % 2 == 0;

    restart_beside(plan, sim, random, one_alone ? 1 : UINT32_MAX);
    sim_run(sim, 2 * plan_quiet_ms(plan));
    return sim_converges(sim, plan_heal_ms_max(plan)) || leads_too_few(plan, sim)
               ? NULL
               : "Y6: a coordinator behind a black hole lets nobody in";
}

/* The life of the broken one, if that knows that it is behind (L5c); none otherwise. */
static struct node_id life_that_is_behind(const struct plan *plan, const struct sim *sim)
{
    const uint32_t broken = plan->broken % plan->hosts;

    if (!sim_is_running(sim, broken) || sim_phase(sim, broken) != PHASE_MEMBER) {
        return (struct node_id){.bytes = {0}};
    }
    const struct core *core = sim_core(sim, broken);
    const struct node_id life = core_self(core)->id;
    const uint32_t position = view_find(core_view(core), &life);
    return core_peer(core, position, sim_now_ms(sim)).behind ? life
                                                             : (struct node_id){.bytes = {0}};
}

/* C1d: who has been told for T_fresh of a view that it lacks, and now hears of its members from
 * strangers alone, leads no part of its own beside them. */
static bool leads_itself_beside(const struct plan *plan, struct sim *sim,
                                const struct node_id *life)
{
    const uint32_t broken = plan->broken % plan->hosts;

    for (uint64_t ms = 0; ms < plan_timing(plan).stall_ms; ms += 100) {
        if (sim_is_acting(sim, broken) && strchr(sim_view_text(sim, broken), ' ') == NULL &&
            id_equal(&core_self(sim_core(sim, broken))->id, life)) {
            return true;
        }
        sim_run(sim, 100);
    }
    return false;
}

/* One host sits behind a black hole for good; others start again, and then the coordinator dies:
 * one of the rest acts soon, and they agree (H90). */
const char *plan_check_narrow(const struct plan *plan, struct sim *sim, struct random *random)
{
    static const uint64_t waits_ms[] = {300, 700, 2000, 6000, 12000};
    const uint32_t broken = plan->broken % plan->hosts;
    const struct timing timing = plan_timing(plan);

    const bool led = sim_coordinator(sim, broken) == broken;
    const bool one_alone = plan->seed % 2 == 0;
    const bool away = plan->seed % 4 == 3 && !led && plan->guard.policy == GUARD_NONE;
    if (away) {
        return_beside(plan, sim, random);
    } else {
        fault_narrow(sim, random, broken);
    }
    if (also_broken(plan) != SIM_NOBODY) {
        fault_narrow(sim, random, also_broken(plan));
    }
    if (!led && !away) {
        restart_beside(plan, sim, random, one_alone ? 1 : UINT32_MAX);
    }
    if (one_alone && !plan->terms && !plan->mixed && sim_converges(sim, plan_heal_ms_max(plan)) &&
        !is_out_in_time(plan, sim)) {
        return "Y6: one behind a black hole is not left out in time";
    }
    sim_run(sim, 2 * timing.lost_ms + waits_ms[random_below(random, 5)]);
    uint32_t acting = acting_beside(plan, sim);
    if (led && acting == broken && also_broken(plan) == SIM_NOBODY) {
        return check_a_narrow_coordinator(plan, sim, random);
    }
    if (acting == SIM_NOBODY || is_narrow(plan, acting) || !suffice(plan, sim, acting)) {
        return NULL; /* One behind the hole coordinates, or too few are left to act. */
    }
    const struct node_id behind = life_that_is_behind(plan, sim);
    sim_crash(sim, acting);
    sim_run(sim, timing.lost_ms);
    /* Whom the one behind the hole does not know, and whom it cannot show its view either, for that
     * is too long, too, finds it stalled. */
    const uint64_t until_ms = sim_now_ms(sim) + timing.stall_ms + timing.lost_ms;
    while (acting_beside(plan, sim) == SIM_NOBODY && sim_now_ms(sim) < until_ms) {
        sim_run(sim, 10);
    }
    const uint32_t next = acting_beside(plan, sim);
    if (next == SIM_NOBODY) {
        return "Y6: one behind a black hole keeps the others from acting";
    }
    if (!id_is_none(&behind) && leads_itself_beside(plan, sim, &behind)) {
        return "C1d: one that knows that it is behind leads itself beside the others";
    }
    if (is_narrow(plan, next)) {
        fault_let_requests_pass(sim, next);
    }
    return check_the_narrowed(plan, sim);
}

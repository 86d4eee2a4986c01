/* What operators do where somebody who has the key has ended a history (Z18c), as docs/security.md
 * tells them; or where they have lost more than half of the voters themselves. */
#include "liar.h"
#include "plan_parts.h"

/* Of those who were not tried, one whose record has accepted the highest view. */
static uint32_t highest_of(const struct plan *plan, const struct sim *sim, const bool *tried)
{
    uint32_t highest = SIM_NOBODY;

    for (uint32_t host = 0; host < plan->hosts; host++) {
        if (!tried[host] && (highest == SIM_NOBODY || sim_has_higher_record(sim, host, highest))) {
            highest = host;
        }
    }
    return highest;
}

/* Whoever has a record that says for which history, of several the one with the highest view.
 * Returns who goes on, or SIM_NOBODY. */
static uint32_t gives_up_the_others(const struct plan *plan, struct sim *sim)
{
    bool tried[256] = {false};

    for (uint32_t round = 0; round < plan->hosts; round++) {
        const uint32_t host = highest_of(plan, sim, tried);
        const bool ran = sim_is_running(sim, host);
        tried[host] = true;
        if (ran && sim_has_record(sim, host)) {
            sim_crash(sim, host);
        }
        if (sim_may_recover(sim, host)) {
            sim_recover(sim, host);
            sim_start(sim, host);
            return host;
        }
        if (ran && !sim_is_running(sim, host)) {
            sim_start(sim, host);
        }
    }
    return SIM_NOBODY;
}

static uint32_t soon_acting(const struct plan *plan, struct sim *sim)
{
    for (uint64_t ms = 0; ms < plan_heal_ms_max(plan); ms += 100) {
        if (plan_acting_host(plan, sim) != SIM_NOBODY) {
            return plan_acting_host(plan, sim);
        }
        sim_run(sim, 100);
    }
    return SIM_NOBODY;
}

/* Those who look for a history that nobody has come in without the record that names it. Nor does
 * anybody else vote by a record of before, where one was given up. */
static void take_records_away(const struct plan *plan, struct sim *sim, uint32_t acting, bool all)
{
    const uint64_t lineage = core_view(sim_core(sim, acting))->lineage;

    for (uint32_t host = 0; host < plan->hosts; host++) {
        const bool is_in = sim_is_running(sim, host) && sim_phase(sim, host) == PHASE_MEMBER &&
                           core_view(sim_core(sim, host))->lineage == lineage;
        if (host != acting && sim_is_running(sim, host) && (all || !is_in)) {
            sim_crash(sim, host);
            sim_lose_record(sim, host);
            sim_start(sim, host);
        }
    }
}

bool plan_recovers(const struct plan *plan, struct sim *sim)
{
    sim_heal(sim); /* By another key: nobody lies any more. */
    const bool none_acts = plan_acting_host(plan, sim) == SIM_NOBODY;
    const uint32_t goes_on = none_acts ? gives_up_the_others(plan, sim) : SIM_NOBODY;
    if (none_acts && goes_on == SIM_NOBODY) {
        return false;
    }
    if (soon_acting(plan, sim) == SIM_NOBODY && none_acts) {
        if (liar_has_lied(sim)) {
            /* It began another founding (Z18a), and members of the one before hold it up (F2c). */
            take_records_away(plan, sim, goes_on, true);
        } else { /* By another clock; they have retired its record, and so it knows (Z18c). */
            (void)gives_up_the_others(plan, sim);
        }
    }
    if (soon_acting(plan, sim) == SIM_NOBODY) {
        return false;
    }
    sim_run(sim, plan_quiet_ms(plan));
    const uint32_t acting = soon_acting(plan, sim);
    if (acting == SIM_NOBODY) {
        return false;
    }
    take_records_away(plan, sim, acting, none_acts);
    return sim_converges(sim, plan_heal_ms_max(plan));
}

/* All are stopped, and nobody finds a record (docs/strict.md). */
bool plan_founds_anew(const struct plan *plan, struct sim *sim)
{
    sim_note(sim, "the founding cannot end");
    for (uint32_t host = 0; host < plan->hosts; host++) {
        sim_crash(sim, host);
    }
    for (uint32_t host = 0; host < plan->hosts; host++) {
        sim_reinstall(sim, host);
        sim_start(sim, host);
    }
    return sim_converges(sim, plan_heal_ms_max(plan));
}

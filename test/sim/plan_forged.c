/* The end of a plan in which somebody lied: single frames, and series of them, in whosever name,
 * told to a cluster at rest. What they do is over a while after the last one (H48), and they leave
 * who is in, that somebody acts, the terms, and who votes. */
#include "liar.h"
#include "plan_parts.h"

enum {
    FORGED_FRAMES = 4,
    SERIES_LEAST = 2, /* frames */
    SERIES_MOST = 5,
};

/* A frame, and how long nothing is told after it. */
struct told {
    struct lie lie;
    const char *tag; /* that its receiver's operator wants then, so that a view is made; or NULL */
    uint64_t quiet_ms;
};

static uint64_t draw(struct random *random, uint64_t low, uint64_t high)
{
    return random_between(random, low, high);
}

/* Wishes of operators stay, whoever says them (docs/security.md). */
static bool is_wish(enum lie_kind kind)
{
    return kind == LIE_LEAVES || kind == LIE_MOVES || kind == LIE_TERMS || kind == LIE_ANYTHING;
}

static bool has_rules(const struct sim *sim, uint32_t host, const struct rules *rules)
{
    const struct rules has = sim_rules(sim, host);

    return rules_equal(&has, rules);
}

/* Voters come near an epoch that was raised for one member by half a leap in each T_stall, which
 * may take up to two T_stall longer (docs/security.md, V7c). */
static uint64_t come_near_ms(const struct plan *plan, const struct sim *sim)
{
    const uint64_t halves = sim_epochs_apart(sim) / SAID_LEAP_MAX;
    const uint64_t longer = halves <= 1 ? 0 : halves - 1;

    return (longer < 2 ? longer : 2) * plan_timing(plan).stall_ms;
}

/* The last of several: it may install what those before it have only led to. */
static void wait_after_all(const struct plan *plan, struct sim *sim, uint64_t quiet_ms)
{
    const uint64_t arrives_ms = plan_timing(plan).heartbeat_ms;

    sim_run(sim, arrives_ms);
    sim_run(sim, quiet_ms - arrives_ms + come_near_ms(plan, sim));
}

/* One after the other, and then all is as before; but whoever this plan has had down again and
 * again is let in more slowly (R4a). */
static const char *check_told(const struct plan *plan, struct sim *sim, struct random *random,
                              const struct told *told, uint32_t count, struct outcome *outcome)
{
    const uint32_t acting = plan_acting_host(plan, sim);

    if (acting == SIM_NOBODY || !sim_agrees(sim)) {
        return NULL;
    }
    const struct rules rules = sim_rules(sim, acting);
    const uint64_t number = core_view(sim_core(sim, acting))->voters.number;
    for (uint32_t i = 0; i < count; i++) {
        outcome->forged += liar_tell(sim, random, &told[i].lie);
        if (told[i].tag != NULL && told[i].lie.to < plan->hosts) {
            sim_run(sim, 1);
            sim_set_tags(sim, told[i].lie.to, told[i].tag);
        }
        if (i > 0 && i + 1 == count) {
            wait_after_all(plan, sim, told[i].quiet_ms);
        } else {
            sim_run(sim, told[i].quiet_ms);
        }
    }
    if (!sim_agrees(sim) && !(outcome->downs > 1 && sim_converges(sim, plan_heal_ms_max(plan)))) {
        return "Y4: they do not agree after forged frames";
    }
    const uint32_t now = plan_acting_host(plan, sim);
    if (now == SIM_NOBODY) {
        return "Y2: nobody acts after forged frames";
    }
    if (!has_rules(sim, now, &rules)) {
        return "A3: forged frames have changed the terms";
    }
    return plan->target == 0 && core_view(sim_core(sim, now))->voters.number != number
               ? "Z11: forged frames have changed the voters"
               : NULL;
}

static void draw_name(const struct plan *plan, struct random *random, struct lie *lie)
{
    lie->name = (enum forged_name)draw(random, FORGED_NONE + 1, FORGED_NAMES - 1);
    lie->to = (uint32_t)draw(random, 0, plan->hosts + plan->witnesses - 1);
}

const char *plan_check_forged_frames(const struct plan *plan, struct sim *sim,
                                     struct outcome *outcome)
{
    struct random random;
    const char *wrong = NULL;

    random_seed(&random, plan->seed ^ UINT64_C(0x464f524745));
    liar_pauses(sim, true);
    sim_run(sim, liar_bound_ms(sim)); /* What others said before is over. */
    for (uint32_t round = 0; round < FORGED_FRAMES && wrong == NULL; round++) {
        struct told told = {.lie.kind = (enum lie_kind)draw(&random, 0, LIE_KINDS - 1),
                            .quiet_ms = liar_bound_ms(sim)};
        draw_name(plan, &random, &told.lie);
        if (!is_wish(told.lie.kind)) {
            wrong = check_told(plan, sim, &random, &told, 1, outcome);
        }
    }
    liar_pauses(sim, false);
    return wrong;
}

/* --- Series --- */

/* Those that have numbers, or speak of records. */
static enum lie_kind draw_kind(struct random *random)
{
    static const enum lie_kind kinds[] = {
        LIE_OWN_VIEWS, LIE_VIEWS,  LIE_PROPOSALS, LIE_NACKS,     LIE_NACKS, LIE_CLAIMS, LIE_BALLOTS,
        LIE_VOTES,     LIE_GRANTS, LIE_JOINS,     LIE_HANDOVERS, LIE_PINGS, LIE_PINGS,  LIE_MERGES};

    return kinds[random_below(random, sizeof kinds / sizeof kinds[0])];
}

/* Mostly so long that a span of T_stall has passed, and adds up with the next (V7a). */
static uint64_t draw_quiet_ms(const struct plan *plan, struct random *random)
{
    const uint64_t stall_ms = plan_timing(plan).stall_ms;

    return draw(random, 0, 3) == 0 ? draw(random, 1, stall_ms)
                                   : draw(random, stall_ms, stall_ms * 3 / 2);
}

/* Often to who acts, who remembers most. */
static struct lie draw_lie(const struct plan *plan, const struct sim *sim, struct random *random)
{
    const uint32_t acting = plan_acting_host(plan, sim);
    struct lie lie = {.kind = draw_kind(random), .to_limits = true};

    draw_name(plan, random, &lie);
    if (draw(random, 0, 2) == 0 && acting != SIM_NOBODY) {
        lie.to = acting;
    }
    return lie;
}

/* The same again and again, and in some in the end something else: of another kind, in another
 * name, or to another. */
static uint32_t draw_series(const struct plan *plan, struct sim *sim, struct random *random,
                            struct told *told)
{
    const uint32_t count = (uint32_t)draw(random, SERIES_LEAST, SERIES_MOST);
    const struct lie same = draw_lie(plan, sim, random);
    const struct lie other = draw_lie(plan, sim, random);
    const uint64_t anew = draw(random, 0, 1) == 0 ? 0 : draw(random, 1, 7);
    const bool changes = draw(random, 0, 1) == 0;

    for (uint32_t i = 0; i < count; i++) {
        told[i] = (struct told){.lie = same, .quiet_ms = draw_quiet_ms(plan, random)};
        told[i].tag = !changes ? NULL : i % 2 == 0 ? "role=db" : "";
    }
    struct told *last = &told[count - 1];
    last->lie.kind = (anew & 1) != 0 ? other.kind : same.kind;
    last->lie.name = (anew & 2) != 0 ? other.name : same.name;
    last->lie.to = (anew & 4) != 0 ? other.to : same.to;
    last->quiet_ms = liar_bound_ms(sim);
    return count;
}

/* One that the others can do without, a voter where there are any, so that each that is left is
 * asked for; SIM_NOBODY: nobody is. */
static uint32_t draw_down(const struct plan *plan, struct sim *sim, struct random *random)
{
    const uint32_t first = (uint32_t)random_below(random, plan->hosts);
    const bool is_one_down = draw(random, 0, 1) == 0;

    for (uint32_t i = 0; is_one_down && i < plan->hosts; i++) {
        const uint32_t host = (first + i) % plan->hosts;
        if (sim_is_running(sim, host) && sim_can_do_without(sim, host, host) &&
            (sim_is_voter(sim, host) || sim_voter_count(sim) == 0)) {
            return host;
        }
    }
    return SIM_NOBODY;
}

static const char *check_series(const struct plan *plan, struct sim *sim, struct random *random,
                                struct outcome *outcome)
{
    struct told told[SERIES_MOST];
    const uint32_t down = draw_down(plan, sim, random);

    if (down != SIM_NOBODY) {
        outcome->downs++;
        sim_crash(sim, down);
        sim_run(sim, plan_quiet_ms(plan));
    }
    const uint32_t count = draw_series(plan, sim, random, told);
    const char *wrong = check_told(plan, sim, random, told, count, outcome);
    if (down != SIM_NOBODY) {
        sim_start(sim, down);
    }
    if (wrong == NULL && !sim_converges(sim, plan_heal_ms_max(plan))) {
        wrong = "Y4: a node that was down during forged frames is not let in";
    }
    return wrong;
}

const char *plan_check_forged_series(const struct plan *plan, struct sim *sim,
                                     struct outcome *outcome)
{
    struct random random;
    const char *wrong = NULL;

    if (plan->series == 0) {
        return NULL;
    }
    random_seed(&random, plan->seed ^ UINT64_C(0x46534552494553));
    liar_pauses(sim, true);
    sim_run(sim, liar_bound_ms(sim));
    for (uint32_t n = 0; n < plan->series && wrong == NULL && sim_failure(sim) == NULL; n++) {
        wrong = check_series(plan, sim, &random, outcome);
    }
    liar_pauses(sim, false);
    if (wrong == NULL) {
        sim_run(sim, plan_quiet_ms(plan));
        sim_trust(sim);
    }
    return wrong;
}

#include "plan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "liar.h"
#include "plan_parts.h"
#include "roles.h"

enum {
    ROUNDS_MAX = 5,
    RESTS_MAX = 3,     /* looks, each a while after the one before */
    CUT_MS = 30000,    /* of a run that measures how fast a partition heals */
    RETURN_MS = 10000, /* until a leaver is started again, and in */
    CODEC_SEEDS = 16,  /* of so many runs one has the codec write and read every message */
    UNANSWERED_ONE_IN = 8,
    BINDING_FRAMES = 20,
};

struct timing plan_timing(const struct plan *plan)
{
    return timing_of(plan->profile);
}

uint64_t plan_heal_ms_max(const struct plan *plan)
{
    return plan_timing(plan).flap_ms * 5 / 2;
}

uint64_t plan_quiet_ms(const struct plan *plan)
{
    return plan_timing(plan).stall_ms;
}

static uint64_t draw(struct random *random, uint64_t low, uint64_t high)
{
    return random_between(random, low, high);
}

/* The shortest that any host of the plan goes by; 0: all go by the usual one. */
static uint64_t silent_ms_min(const struct plan *plan)
{
    const uint64_t shorter_ms = plan_timing(plan).silent_ms * 3 / 5;
    const uint64_t local_ms = timing_of(PROFILE_LOCAL).silent_ms;

    if (!plan->mixed && !plan->hastens) {
        return plan->terms || plan->liars ? shorter_ms : 0;
    }
    return shorter_ms < local_ms ? shorter_ms : local_ms;
}

static struct sim *cluster_of(const struct plan *plan, FILE *trace)
{
    return sim_new(&(struct sim_options){
        .seed = plan->seed,
        .host_count = plan->hosts,
        .witness_count = plan->witnesses,
        .capacity = plan->full ? plan->hosts : 0,
        .seed_count = plan->seeds < plan->hosts ? plan->seeds : plan->hosts,
        .profile = plan->profile,
        .watchers = plan->watchers,
        .fanout = plan->fanout,
        .guard = plan->guard,
        .voter_count = plan->guard.policy == GUARD_STRICT ? plan->guard.count : 0,
        .voters_target = plan->target,
        .expect = plan->expect < plan->hosts ? plan->expect : plan->hosts,
        .exclusive = plan->guard.policy == GUARD_STRICT,
        .disks = true,
        .roles = plan->roles,
        .silent_ms = silent_ms_min(plan),
        .mixed = plan->mixed,
        .successors = plan->successors,
        .disorder = plan->guard.policy != GUARD_STRICT &&
                    (plan->kinds != FAULT_HARMLESS || plan->heal_parts != 0),
        .spares_codec = plan->seed % CODEC_SEEDS != 0,
        .spares_hash = plan->spares_hash,
        .lenient = true,
        .trace = trace,
    });
}

static void start_all(const struct plan *plan, struct sim *sim)
{
    for (uint32_t host = 0; host < plan->hosts; host++) {
        sim_start(sim, host);
        if (!plan->together) {
            sim_run(sim, random_below(sim_random(sim), 500));
        }
    }
}

static void start_witnesses(struct sim *sim)
{
    for (uint32_t n = 0; n < sim_witness_count(sim); n++) {
        if (!sim_is_running(sim, sim_witness(sim, n))) {
            sim_start(sim, sim_witness(sim, n));
        }
    }
}

static void strike_all(const struct plan *plan, struct sim *sim, struct outcome *outcome)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);
    uint64_t start_ms = sim_now_ms(sim);

    for (uint32_t i = 0; i < plan->strike_count && sim_failure(sim) == NULL; i++) {
        const struct strike *strike = &plan->strikes[i];
        struct random random;
        if (strike->off) {
            continue;
        }
        uint64_t passed_ms = sim_now_ms(sim) - start_ms;
        sim_run(sim, strike->at_ms > passed_ms ? strike->at_ms - passed_ms : 0);
        random_seed(&random, strike->seed);
        sim_note(sim, table[strike->fault].name);
        table[strike->fault].strike(sim, &random);
        outcome->struck[strike->fault]++;
    }
    uint64_t passed_ms = sim_now_ms(sim) - start_ms;
    if (plan->end_ms > passed_ms) {
        sim_run(sim, plan->end_ms - passed_ms);
    }
}

uint32_t plan_acting_host(const struct plan *plan, const struct sim *sim)
{
    uint32_t host = 0;

    while (host < plan->hosts && !sim_is_acting(sim, host)) {
        host++;
    }
    return host < plan->hosts ? host : SIM_NOBODY;
}

static uint64_t sound_views(const struct plan *plan, const struct sim *sim)
{
    uint64_t views = 0;
    for (uint32_t host = 0; host < plan->hosts; host++) {
        views += host == plan->broken % plan->hosts ? 0 : sim_notices(sim, host, NOTICE_VIEW);
    }
    return views;
}

/* Whose requests arrive, and whose answers are lost, costs a view now and then where voters decide,
 * but no epoch (U1b, R4a). */
static bool asks_in_vain(const struct plan *plan)
{
    return plan->guard.policy == GUARD_STRICT && plan->breakage >= BREAK_NO_DATAGRAMS &&
           plan->breakage <= BREAK_NO_DATAGRAMS_OUT;
}

/* Whatever the broken one goes through, nobody else is removed for it, and they find together
 * again each time (Y6). */
static const char *check_the_others(const struct plan *plan, struct sim *sim)
{
    /* What follows from its being broken has followed; and whoever left before is back. */
    uint64_t settled_ms = 3 * plan_quiet_ms(plan);
    const uint32_t broken = plan->broken % plan->hosts;
    sim_run(sim, settled_ms > RETURN_MS ? settled_ms : RETURN_MS);
    if (!sim_converges(sim, plan_heal_ms_max(plan))) {
        return "Y6: the others do not agree";
    }
    uint64_t installed = sound_views(plan, sim);
    uint64_t removals = sim_sound_removals(sim);
    /* Then others come yet (Z17). */
    const bool few_vote = plan->target > 0 && voter_lists_length(sim_lists(sim)) < plan->target;
    /* A stranger that goes on lying has a voter promise up to sixteen epochs in T_stall (Z2k), and
     * above each that a deaf one is bound to the coordinator makes a view (Z5c). */
    const bool bound = plan->haunted && plan->guard.policy == GUARD_STRICT;
    const bool in_vain = asks_in_vain(plan);
    const uint32_t acted = plan_acting_host(plan, sim);
    const uint64_t epoch = acted == SIM_NOBODY ? 0 : sim_epoch(sim, acted);

    sim_run(sim, 2 * plan_quiet_ms(plan));
    const uint32_t acts = plan_acting_host(plan, sim);
    if (in_vain && !bound && !few_vote && acted != SIM_NOBODY && acted != broken &&
        acts != SIM_NOBODY && sim_epoch(sim, acts) != epoch) {
        return "Y6: a node that is broken makes epochs change for ever";
    }
    if (sound_views(plan, sim) != installed && !in_vain) {
        /* One that is too slow to act has handed over (Z7b), or a drained one had waited for a
         * moment in which a slow one was in time (E7c): from then on there is quiet. */
        installed = sound_views(plan, sim);
        sim_run(sim, 2 * plan_quiet_ms(plan));
    }
    if (sim_sound_removals(sim) != removals) {
        return "Y6: a node that is broken has others removed";
    }
    if (!sim_converges(sim, plan_quiet_ms(plan))) {
        return "Y6: a node that is broken keeps the others from agreeing";
    }
    if (plan->breakage != BREAK_FLAPPING && plan->breakage != BREAK_LOOPING && !in_vain && !bound &&
        !few_vote && sound_views(plan, sim) != installed) {
        return "Y6: a node that is broken makes views change for ever";
    }
    return NULL;
}

/* Somebody else dies beside one that is slow: the rest find together without it (H47). */
static const char *check_a_loss(const struct plan *plan, struct sim *sim, struct random *random)
{
    uint32_t host = (uint32_t)(plan->broken + draw(random, 1, plan->hosts - 1)) % plan->hosts;

    if (!sim_can_do_without(sim, plan->broken % plan->hosts, host)) {
        return NULL;
    }
    if (sim_is_running(sim, host)) {
        sim_crash(sim, host);
    }
    return sim_converges(sim, plan_heal_ms_max(plan)) ? NULL
                                                      : "Y6: one that is slow holds up the others";
}

/* Of a loop that is slow, yet not so slow that its node is found lost, or that by its own clock,
 * which may be too fast, it takes itself for asleep each time (D4b). */
static uint64_t draw_turn_ms(const struct plan *plan, struct random *random)
{
    struct timing timing = plan->hastens ? timing_of(PROFILE_LOCAL) : plan_timing(plan);

    if (plan->terms || plan->liars) {
        timing_override(&timing, timing.heartbeat_ms * 3 / 5, 0); /* The shortest that there are. */
    }
    uint64_t turn_ms = draw(random, timing.batch_ms, timing_turn_ms(&timing));
    uint64_t most_ms = timing_turn_ms(&timing) * 1000000 / (1000000 + CLOCK_RATE_PPM_MAX);

    return turn_ms < most_ms ? turn_ms : most_ms;
}

/* An old message may come again at any time, and raise a doubt, which passes; so may one that a
 * broken stream has held up, for longer than it takes them to agree. While a stranger asks to be
 * let in under a member's name, the coordinator watches that one (I2), and not afterwards. */
static bool comes_to_rest(const struct plan *plan, struct sim *sim)
{
    bool rests = sim_watches_its_neighbours(sim);

    liar_pauses(sim, true);
    if (!rests) {
        sim_run(sim, sim_late_ms(sim));
    }
    for (int look = 1; !rests && look < RESTS_MAX; look++) {
        sim_run(sim, plan_quiet_ms(plan));
        rests = sim_watches_its_neighbours(sim);
    }
    liar_pauses(sim, false);
    return rests;
}

/* A record that is lost may be one that was about to be needed (Z11), too. */
static bool has_lost_quorum(const struct plan *plan, const struct sim *sim)
{
    return sim_has_lost_quorum(sim) ||
           (plan->guard.policy == GUARD_STRICT && sim_has_founded(sim) && !sim_have_quorum(sim));
}

/* Whoever was said to leave has no place of its own, and where members that were made up keep all
 * others, an operator has to say that they are nowhere (docs/security.md). */
static bool converges_after_lies(const struct plan *plan, struct sim *sim, uint64_t ms)
{
    return sim_converges(sim, ms) ||
           (liar_has_betrayed(sim) && sim_forgets_invented(sim) && sim_converges(sim, ms)) ||
           (sim_founding_is_stuck(sim) && plan_founds_anew(plan, sim)) ||
           ((liar_may_have_ended_history(sim) || has_lost_quorum(plan, sim)) &&
            plan_recovers(plan, sim));
}

/* Others may have been asked for in its name, or its own in vain: then it asks again T_stall later
 * (E8c). Long ones go by a stream, perhaps behind what was lost there before everything healed. */
static bool shows_wanted_tags(const struct plan *plan, struct sim *sim)
{
    const uint64_t ms_max = 4 * plan_quiet_ms(plan) + RESENT_MS_MAX;

    for (uint64_t ms = 0; ms < ms_max && !sim_shows_wanted_tags(sim); ms += 100) {
        sim_run(sim, 100);
    }
    return sim_shows_wanted_tags(sim);
}

/* To an epoch to which lies have bound a voter the others come by half a leap in each T_stall, and
 * those who do not vote after them, when they are shown a view of it (V7c). */
static uint64_t leaps_apart(const struct sim *sim)
{
    return sim_epochs_apart(sim) / SAID_LEAP_MAX;
}

static const char *check_end(const struct plan *plan, struct sim *sim, struct outcome *outcome)
{
    uint64_t start_ms = sim_now_ms(sim);

    /* What was under way when the last fault ended may still have its consequences, so the first
     * agreement need not be the last. */
    const uint64_t leaps = leaps_apart(sim);
    const uint64_t rounds_max = ROUNDS_MAX + leaps;
    for (uint64_t round = 0; round < rounds_max; round++) {
        if (!converges_after_lies(plan, sim,
                                  plan_heal_ms_max(plan) + leaps * plan_quiet_ms(plan))) {
            return "Y1: they do not agree after everything healed";
        }
        outcome->heal_ms = sim_now_ms(sim) - start_ms;
        uint64_t installed = sim_notices(sim, SIM_ANY, NOTICE_VIEW);
        sim_run(sim, plan_quiet_ms(plan));
        if (sim_notices(sim, SIM_ANY, NOTICE_VIEW) == installed && sim_agrees(sim)) {
            if (!shows_wanted_tags(plan, sim)) {
                return "E8c: a member has other tags than its operator wants";
            }
            if (!comes_to_rest(plan, sim)) {
                return "Y5: in quiet somebody is watched who is no neighbour, or a neighbour is not";
            }
            return sim_suspects_any(sim) ? "Y5: in quiet somebody is suspected" : NULL;
        }
    }
    return "Y5: views go on changing after everything healed";
}

/* Each part has at least one host; which, is drawn. */
static void cut_into(struct sim *sim, uint32_t parts)
{
    uint32_t part[256];
    uint32_t count = sim_host_count(sim);

    for (uint32_t i = 0; i < count; i++) {
        part[i] = i < parts ? i : (uint32_t)random_below(sim_random(sim), parts);
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)random_below(sim_random(sim), i);
        uint32_t other = part[i - 1];
        part[i - 1] = part[k];
        part[k] = other;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (part[i] != part[k]) {
                sim_cut(sim, i, k);
            }
        }
    }
}

static const char *run_heal(const struct plan *plan, struct sim *sim, struct outcome *outcome)
{
    start_all(plan, sim);
    if (!sim_converges(sim, 2 * plan_quiet_ms(plan))) {
        return "Y1: no cluster to begin with";
    }
    sim_run(sim, 1000 + random_below(sim_random(sim), 1000));
    cut_into(sim, plan->heal_parts);
    sim_run(sim, CUT_MS + random_below(sim_random(sim), 1000));
    if (sim_failure(sim) != NULL) {
        return NULL;
    }
    sim_heal(sim);
    return check_end(plan, sim, outcome);
}

/* F3: if the cluster is gone, fewer than expected would wait for ever, and rightly so. */
static void start_those_expected(const struct plan *plan, struct sim *sim)
{
    for (uint32_t host = 0; plan->expect > 0 && host < plan->hosts; host++) {
        if (!sim_is_running(sim, host)) {
            sim_start(sim, host);
        }
    }
}

/* Whatever was said of the terms, an operator changes them. */
static bool can_change_terms(const struct plan *plan, struct sim *sim)
{
    const struct timing timing = plan_timing(plan);
    uint32_t host = 0;

    while (!sim_is_running(sim, host)) {
        host++;
        if (host == plan->hosts) {
            return true; /* The last of them has left. */
        }
    }
    struct rules rules = sim_rules(sim, host);
    rules.heartbeat_ms = timing.heartbeat_ms * (rules.heartbeat_ms == timing.heartbeat_ms ? 4 : 5) /
                         5;
    rules.lost_ms = timing.lost_ms;
    if (!sim_may_change_terms(sim, &rules)) {
        return true;
    }
    sim_change_terms(sim, host, &rules);
    for (uint64_t ms = 0; ms < plan_heal_ms_max(plan) && !sim_has_terms(sim, &rules); ms += 100) {
        sim_run(sim, 100);
    }
    return sim_has_terms(sim, &rules);
}

/* The voters of before but for one, with a member in its place where there is one. 0: there is
 * nobody to do without, or to take for it. */
static uint32_t next_voters(const struct plan *plan, const struct sim *sim)
{
    uint32_t listed = 0;
    uint32_t others = 0;

    for (uint32_t host = 0; host < plan->hosts; host++) {
        const uint32_t one = UINT32_C(1) << host;
        listed |= sim_is_voter(sim, host) ? one : 0;
        others |= sim_is_running(sim, host) && !sim_is_voter(sim, host) ? one : 0;
    }
    return (listed & (listed - 1)) | (others & ~(others - 1));
}

/* Whatever was said of the voters, an operator changes them, where those who are left suffice. */
static bool can_change_voters(const struct plan *plan, struct sim *sim)
{
    const struct voter_lists *lists = sim_lists(sim);
    const uint32_t host = plan_acting_host(plan, sim);
    const uint32_t wished = next_voters(plan, sim);

    if (host == SIM_NOBODY || wished == 0 || !sim_all_vote(sim)) {
        return true;
    }
    const uint64_t number = lists->number;
    for (uint64_t ms = 0; ms < plan_heal_ms_max(plan); ms += 100) {
        if (ms % 2000 == 0) { /* Asked again, as an operator would (Z11f). */
            sim_change_voters(sim, host, wished, 0);
        }
        sim_run(sim, 100);
        const uint32_t acting = plan_acting_host(plan, sim);
        lists = acting == SIM_NOBODY ? NULL : &core_view(sim_core(sim, acting))->voters;
        if (lists != NULL && lists->number > number && !voter_lists_are_joint(lists)) {
            return true; /* A record may lack it until the next view (Z5a). */
        }
    }
    return false;
}

/* Does anybody act, and could he give a role to whoever stands for it (K7)? */
static bool serves(const struct plan *plan, const struct sim *sim)
{
    const uint32_t acting = plan_acting_host(plan, sim);

    return acting != SIM_NOBODY && core_may_grant(sim_core(sim, acting));
}

/* For so long a voter's record may keep others from acting, or from granting (Z15b, Z15c). A
 * witness has no terms to measure by (Z16b). */
static uint64_t bound_before_ms(const struct sim *sim)
{
    uint64_t longest_ms = sim_witness_count(sim) > 0 ? 2 * LEASE_MS_MAX : 0;

    for (uint32_t host = 0; host < sim_host_count(sim) + sim_witness_count(sim); host++) {
        struct vote_record record = {0};
        if (sim_is_running(sim, host)) {
            core_record(sim_core(sim, host), &record);
        }
        longest_ms = record.hold_ms + record.lease_ms > longest_ms
                         ? record.hold_ms + record.lease_ms
                         : longest_ms;
    }
    return longest_ms;
}

/* Z15: what voters were said to be bound to shows only when somebody has to take over. After a few
 * frames of those that they go by who acts is gone: at once, and somebody takes over in the end; or
 * when what frames do is over, and that takes no longer than ever. */
static const char *check_bound_voters(const struct plan *plan, struct sim *sim)
{
    static const enum lie_kind kinds[] = {LIE_PINGS, LIE_PINGS, LIE_CLAIMS, LIE_BALLOTS,
                                          LIE_PROPOSALS};
    const struct timing timing = plan_timing(plan);
    const uint64_t usual_ms = 2 * timing.lost_ms + timing.lease_ms + timing_hold_ms(&timing) +
                              4 * timing.claim_ms + 2 * timing.stall_ms + bound_before_ms(sim);
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x424f554e44));
    if (plan->guard.policy != GUARD_STRICT || !sim_agrees(sim)) {
        return NULL;
    }
    const bool at_once = draw(&random, 0, 1) == 0;
    liar_pauses(sim, true);
    for (uint64_t frames = draw(&random, 1, BINDING_FRAMES); frames > 0; frames--) {
        struct lie lie = {.kind = kinds[random_below(&random, sizeof kinds / sizeof kinds[0])]};
        lie.name = (enum forged_name)draw(&random, FORGED_NONE + 1, FORGED_NAMES - 1);
        lie.to = (uint32_t)draw(&random, 0, plan->hosts + plan->witnesses - 1);
        liar_tell(sim, &random, &lie);
        sim_run(sim, 10);
    }
    sim_run(sim, at_once ? 0 : liar_bound_ms(sim));
    const uint32_t acting = plan_acting_host(plan, sim);
    const uint64_t limit_ms = usual_ms + (at_once ? plan_heal_ms_max(plan) : 0);
    uint64_t ms = 0;
    if (acting != SIM_NOBODY && sim_can_do_without(sim, acting, acting)) {
        sim_crash(sim, acting);
        for (; ms < limit_ms && !serves(plan, sim); ms += 10) {
            sim_run(sim, 10);
        }
        sim_start(sim, acting);
    }
    liar_pauses(sim, false);
    return ms < limit_ms ? NULL : "Z15: nobody takes over as ever after what voters were told";
}

/* L3a: who acts by leases of voters was not replaced, whatever is said in its members' names. */
static const char *check_drawn_away(const struct plan *plan, struct sim *sim)
{
    const uint32_t acting = plan_acting_host(plan, sim);
    uint64_t ms = 2 * plan_timing(plan).lost_ms;

    if (plan->guard.policy != GUARD_STRICT || acting == SIM_NOBODY || !sim_agrees(sim)) {
        return NULL;
    }
    const struct node_id life = core_self(sim_core(sim, acting))->id;
    liar_pauses(sim, true);
    for (; ms > 10 && id_equal(&core_self(sim_core(sim, acting))->id, &life); ms -= 10) {
        liar_draws_away(sim, acting);
        sim_run(sim, 10);
    }
    liar_pauses(sim, false);
    return ms > 10 ? "L3a: who acted is out, as its members were said to have moved" : NULL;
}

/* Z9f: in the name of who lets it in, a node that has no vote is shown views that nobody made. */
static bool forge_welcome(const struct plan *plan, struct sim *sim, uint32_t host)
{
    const struct lie lie = {.kind = LIE_VIEWS, .name = FORGED_COORDINATOR, .to = host};
    const bool is_meant = plan->guard.policy == GUARD_STRICT && host == plan->seed % plan->hosts &&
                          !sim_may_have_a_vote(sim, host);
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x57454c43));
    for (uint64_t ms = 0; is_meant && ms < plan_quiet_ms(plan) && sim_is_running(sim, host) &&
                          core_phase(sim_core(sim, host)) == PHASE_JOINING;
         ms++) {
        liar_tell(sim, &random, &lie);
        sim_run(sim, 1);
    }
    return is_meant;
}

/* Nobody is held for silent, or locked out, for what was said: whoever is started again comes in.
 * Those who go on end no history from here on, for only up to here an operator looks after it. */
static const char *check_after_lies(const struct plan *plan, struct sim *sim,
                                    struct outcome *outcome)
{
    const char *wrong = plan_check_forged_frames(plan, sim, outcome);

    if (wrong == NULL) {
        wrong = check_drawn_away(plan, sim);
    }
    if (wrong == NULL) {
        wrong = check_bound_voters(plan, sim);
    }
    if (wrong != NULL || !converges_after_lies(plan, sim, plan_heal_ms_max(plan))) {
        return wrong != NULL ? wrong
                             : "Y4: they do not agree after what was said in members' names";
    }
    liar_leaves_history(sim);
    sim_run(sim, plan_quiet_ms(plan));
    if (sim_suspects_any(sim)) {
        return "Y5: a member is still suspected after the lies";
    }
    if (sim_witness_count(sim) > 0) {
        sim_run(sim, UINT64_C(2) * LEASE_MS_MAX); /* So long one may be bound (Z16b). */
    }
    sim_trust(sim);
    for (uint32_t host = 0; host < plan->hosts; host++) {
        if (!sim_is_running(sim, host)) {
            continue;
        }
        sim_crash(sim, host);
        sim_start(sim, host);
        const bool forged = forge_welcome(plan, sim, host);
        if (!converges_after_lies(plan, sim, plan_heal_ms_max(plan))) {
            return "Y4: a node that was started again after the lies is not let in";
        }
        if (forged) {
            sim_trust(sim);
        }
        sim_run(sim, 500);
    }
    if (plan->terms && sim_failure(sim) == NULL && !can_change_terms(plan, sim)) {
        return "A1: terms cannot be changed after the lies";
    }
    if (plan->guard.policy == GUARD_STRICT && sim_failure(sim) == NULL &&
        !can_change_voters(plan, sim)) {
        return "Z11: voters cannot be changed after the lies";
    }
    return sim_failure(sim) == NULL ? plan_check_forged_series(plan, sim, outcome) : NULL;
}

/* In some plans nothing else is wrong in the end but that the coordinator's questions are lost for
 * good, or what answers them. */
static bool is_unanswered(const struct plan *plan)
{
    return plan->seed % UNANSWERED_ONE_IN == 3 && plan->breakage == BREAK_NOTHING &&
           !plan->narrowed && !plan->haunted && !plan->liars;
}

/* Somebody acts again, if there is anybody whom it may stand down for (E7d, Z7b): or it does
 * itself, as what members say of roles shows that they hear it. */
static const char *check_the_unanswered(const struct plan *plan, struct sim *sim)
{
    const uint32_t former = plan_acting_host(plan, sim);

    if (former == SIM_NOBODY || core_successor(sim_core(sim, former)) == VIEW_NONE) {
        return NULL;
    }
    if (plan->seed / UNANSWERED_ONE_IN % 2 == 0) {
        sim_lose(sim, former, SIM_ANY, MESSAGE_PING, UINT32_MAX);
    } else {
        sim_lose(sim, SIM_ANY, former, MESSAGE_PONG, UINT32_MAX);
    }
    sim_run(sim, 2 * plan_timing(plan).lost_ms);
    for (uint64_t ms = 0; ms < plan_heal_ms_max(plan); ms += 100) {
        if (plan_acting_host(plan, sim) != SIM_NOBODY) {
            return NULL;
        }
        sim_run(sim, 100);
    }
    return "Y2: a coordinator whose questions are lost keeps the others from acting";
}

/* Could one of those who do not vote so far stand in? */
static bool has_spare(const struct plan *plan, const struct sim *sim, uint32_t acting)
{
    const struct view *view = core_view(sim_core(sim, acting));

    for (uint32_t host = 0; host < plan->hosts; host++) {
        const uint32_t position = view_find_name(view, sim_name(sim, host));
        if (position != VIEW_NONE && !view->members[position].drained &&
            sim_is_running(sim, host) && !sim_is_voter(sim, host)) {
            return true;
        }
    }
    return false;
}

/* By a record that the lists name. */
static bool has_its_vote(const struct sim *sim, uint32_t host)
{
    if (!sim_is_running(sim, host)) {
        return false;
    }
    const struct voter_state voter = core_voter(sim_core(sim, host), 0);

    return voter.status == VOTER_FOUNDED &&
           voter_lists_find(sim_lists(sim), &voter.record_id) != VOTER_NONE;
}

/* Z17: one of them that is not there any more, or is without its record, is replaced, and there are
 * no fewer. Who is down already has left, and will be back (fault_end_all). */
static const char *check_the_target(const struct plan *plan, struct sim *sim)
{
    const uint32_t acting = plan_acting_host(plan, sim);
    uint32_t lost = 0;

    while (lost < plan->hosts &&
           (lost == acting || !sim_is_running(sim, lost) || !sim_is_voter(sim, lost) ||
            !sim_can_do_without(sim, lost, lost))) {
        lost++;
    }
    if (lost == plan->hosts || acting == SIM_NOBODY || !has_spare(plan, sim, acting)) {
        return NULL;
    }
    const uint32_t count = voter_lists_length(sim_lists(sim));
    sim_crash(sim, lost);
    if (plan->seed % 2 == 0) {
        sim_lose_record(sim, lost);
        sim_start(sim, lost);
    }
    const uint64_t limit_ms = 3 * plan_timing(plan).replace_ms;
    uint64_t ms = 0;
    while (ms < limit_ms && sim_is_voter(sim, lost) && !has_its_vote(sim, lost)) {
        sim_run(sim, 1000);
        ms += 1000;
    }
    /* Or the spare one made up what was lacking of the target before that one was overdue. */
    const uint32_t now = plan_acting_host(plan, sim);
    const bool had_none = now != SIM_NOBODY && !has_spare(plan, sim, now);
    return (ms < limit_ms || had_none) && voter_lists_length(sim_lists(sim)) >= count
               ? NULL
               : "Z17: a voter that is gone for good, or has lost its record, is not replaced";
}

static const char *run_faults(const struct plan *plan, struct sim *sim, struct outcome *outcome)
{
    struct random random;

    start_all(plan, sim);
    start_witnesses(sim);
    strike_all(plan, sim, outcome);
    if (sim_failure(sim) != NULL) {
        return NULL;
    }
    random_seed(&random, plan->seed ^ UINT64_C(0x454e44));
    fault_end_all(sim, &random);
    start_witnesses(sim);
    if (plan->haunted) {
        fault_haunt(sim, &random, plan->haunting);
    }
    start_those_expected(plan, sim);
    const char *wrong = check_end(plan, sim, outcome);
    if (wrong == NULL && liar_has_lied(sim)) {
        wrong = check_after_lies(plan, sim, outcome);
    }
    if (wrong == NULL) {
        wrong = roles_settle(sim);
    }
    uint32_t broken = plan->broken % plan->hosts;
    /* A witness holds no base, so what it is asked and shown is long. */
    if (wrong == NULL && plan->narrowed && sim_can_do_without(sim, broken, broken) &&
        !sim_witness_votes(sim)) {
        wrong = plan_check_narrow(plan, sim, &random);
    }
    if (wrong == NULL && is_unanswered(plan)) {
        wrong = check_the_unanswered(plan, sim);
    } else if (wrong == NULL && plan->target > 0 && !plan->liars && !plan->narrowed &&
               plan->breakage == BREAK_NOTHING) {
        wrong = check_the_target(plan, sim);
    }
    /* Who is left without answers there stays so, and a hole would break a second one for good. */
    if (wrong == NULL && plan->holed && !is_unanswered(plan) && !sim_witness_votes(sim)) {
        wrong = plan_check_hole(plan, sim);
    }
    if (plan->breakage == BREAK_NOTHING || !sim_can_do_without(sim, broken, broken) ||
        (plan->breakage == BREAK_FLAPPING && sim_witness_votes(sim))) {
        return wrong; /* Too few voters change no view. With a witness one that is cut off acts on,
                         and removes those whom it does not hear. */
    }
    if (wrong == NULL) {
        fault_break(sim, plan->breakage, broken, draw_turn_ms(plan, &random));
        wrong = check_the_others(plan, sim);
    }
    if (wrong == NULL && plan->breakage == BREAK_SLOW) {
        wrong = check_a_loss(plan, sim, &random);
    }
    return wrong;
}

/* A2: majorities of whatever sizes share a member, also while the size changes; what is left is
 * what one guard allows, too (G3). Where members' answers are made up across a cut, each part may
 * well count the other. */
static const char *check_majorities(const struct plan *plan, struct sim *sim)
{
    bool too_long = sim_two_acted_longest_ms(sim) > 2 * plan_timing(plan).lost_ms;

    return plan->terms && plan->guard.policy == GUARD_MAJORITY && too_long &&
                   !liar_has_betrayed(sim)
               ? "A2: two parts acted, each by a majority"
               : NULL;
}

static void note_two_acted(struct two_acted_sum *sum, struct sim *sim)
{
    uint64_t longest_ms = sim_two_acted_longest_ms(sim);

    sum->virtual_ms += sim_now_ms(sim);
    sum->ms += sim_two_acted_ms(sim);
    sum->longest_ms = longest_ms > sum->longest_ms ? longest_ms : sum->longest_ms;
}

void plan_run(const struct plan *plan, struct outcome *outcome, FILE *trace)
{
    struct sim *sim = cluster_of(plan, trace);
    const char *wrong = plan->heal_parts != 0 ? run_heal(plan, sim, outcome)
                                              : run_faults(plan, sim, outcome);

    if (wrong == NULL) {
        wrong = check_majorities(plan, sim);
    }
    if (wrong == NULL && plan->guard.policy == GUARD_STRICT && !sim_may_two_act(sim) &&
        sim_two_acted_longest_ms(sim) > 0) {
        wrong = "S9: two acted at once";
    }
    outcome->failure[0] = '\0';
    if (sim_failure(sim) != NULL) {
        wrong = sim_failure(sim);
    }
    if (wrong != NULL) {
        int length = snprintf(outcome->failure, sizeof outcome->failure, "%s", wrong);
        for (uint32_t i = 0; i < sim_host_count(sim) && length < 800; i++) {
            length += snprintf(outcome->failure + length, sizeof outcome->failure - (size_t)length,
                               "%s%s", i == 0 ? "; views: " : " | ", sim_view_text(sim, i));
        }
    }
    note_two_acted(
        &outcome->two_acted[sim_may_two_act(sim) ? TWO_ACTED_EXCUSED : plan->guard.policy], sim);
    outcome->steps += sim_steps(sim);
    outcome->virtual_ms += sim_now_ms(sim);
    outcome->merges += sim_notices(sim, SIM_ANY, NOTICE_MERGE);
    outcome->trace_hash = sim_trace_hash(sim);
    sim_free(sim);
}

void outcome_rule(const char *failure, char text[8])
{
    for (const char *at = failure; *at != '\0'; at++) {
        bool letter = strchr("ACDEFGIJKLMRSUVYZ", *at) != NULL;
        if (letter && isdigit((unsigned char)at[1]) && (at == failure || at[-1] == ' ')) {
            size_t length = isdigit((unsigned char)at[2]) ? 3 : 2;
            memcpy(text, at, length);
            text[length] = '\0';
            return;
        }
    }
    snprintf(text, 8, "%s", failure[0] == '\0' ? "" : "crash");
}

/* What the oracle is told, and in which order it looks after each step. Held here are the rules
 * about lives and their phases: I1, F2, S12 and S13. */
#include "oracle_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/model/lineage.h"
#include "liar.h"

void oracle_fail(struct sim *sim, const struct host *host, const char *format, ...)
{
    struct oracle *oracle = &sim->oracle;
    if (oracle->failure[0] != '\0') {
        return; /* What comes after the first is mostly its consequence. */
    }

    char letter[LETTER_BYTES];
    int length = snprintf(oracle->failure, sizeof oracle->failure,
                          "at %" PRIu64 ".%03" PRIu64 " ms, node %s: ", sim->now_us / 1000,
                          sim->now_us % 1000, host_letter(host_index(sim, host), letter));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(oracle->failure + length, sizeof oracle->failure - (size_t)length, format, arguments);
    va_end(arguments);

    if (!sim->options.lenient) {
        fprintf(stderr, "seed %" PRIu64 " broke a rule %s\n", sim->options.seed, oracle->failure);
        abort();
    }
}

/* F3: as many as the founder was told to expect have asked it lately, itself included. What it
 * heard counts, not who waits still: a JOIN may have come late, or lain in the socket of a process
 * that was stopped. */
static void check_company(struct sim *sim, const struct host *host)
{
    uint64_t now_ms = host_now_ms(sim, host);
    uint64_t lately_ms = 4 * host->timing.retry_ms_max;
    uint32_t count = 1;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        uint64_t asked_ms = host_heard(host, i)->asked_ms;
        count += &sim->hosts[i] != host && asked_ms != 0 && now_ms < asked_ms + lately_ms;
    }
    if (count < sim->options.expect && !liar_has_lied(sim)) {
        oracle_fail(sim, host, "F3: founds where %u of %u expected have met", count,
                    sim->options.expect);
    }
}

/* F2, where nothing was done that could hide a cluster: nobody founds while a seed has been a
 * member for so long that it must have answered. Where voters decide, who begins anew goes on with
 * the same chain of views. */
static void check_founding(struct sim *sim, const struct host *host)
{
    uint64_t long_us = 4 * sim->timing.discover_ms * US_PER_MS;

    for (uint32_t i = 0;
         !sim->options.disorder && !sim->options.exclusive && i < sim->options.seed_count; i++) {
        const struct host *seed = &sim->hosts[i];
        if (seed != host && seed->running && !seed->leaves && seed->witness.phase == PHASE_MEMBER &&
            sim->now_us > seed->witness.phase_us + long_us) {
            oracle_fail(sim, host, "F2: founds beside the cluster of %s", seed->name);
        }
    }
}

/* What holds as long as nobody lies. */
static void check_honest(struct sim *sim, struct host *host, const struct view *view)
{
    bool first = !host->witness.has_view;

    oracle_check_content(sim, host, view, true);
    if (!liar_has_betrayed(sim)) {
        oracle_check_rules(sim, host, view);
    }
    if (host_is_exclusive(sim, host)) {
        oracle_check_register(sim, host, view);
    }
    if (id_equal(&view->members[0].id, &core_self(host->core)->id)) {
        oracle_check_agreed(sim, host, view);
        oracle_check_base(sim, host, view);
    }
    if (first && view->cause == CAUSE_FOUND) {
        check_founding(sim, host);
        check_company(sim, host);
    }
    if (view->cause != CAUSE_MERGE && !sim->options.disorder) {
        oracle_check_ages_given(sim, host, view);
        if (!first) {
            oracle_check_memory(sim, host, view);
        }
    }
}

static void on_install(struct sim *sim, struct host *host, const struct view *view,
                       const struct effects *effects)
{
    bool first = !host->witness.has_view;
    uint32_t joined = 0;
    uint32_t gone = 0;

    oracle_check_lies(sim, host, view);
    oracle_check_rise(sim, host, view);
    oracle_check_shape(sim, host, view);
    if (!sim->oracle.suspended) {
        check_honest(sim, host, view);
    }
    oracle_remember_view(sim, host, view, &joined, &gone);
    if (!first) {
        oracle_check_notices(sim, host, effects, joined, gone);
    }
    sim->changed = true;
}

static void forget(struct sim *sim, struct host *host)
{
    struct witness *witness = &host->witness;

    witness->life = core_self(host->core)->id;
    witness->has_view = false;
    witness->next_age = 0;
    witness->known_us = 0;
    witness->hash = 0;
    witness->count = 0;
    if (oracle_host_of(&sim->oracle, &witness->life) == SIM_NOBODY) {
        oracle_add_life(&sim->oracle, &witness->life, host_index(sim, host));
    } else {
        oracle_fail(sim, host, "I1: a life under an id that was used before");
    }
}

void oracle_on_start(struct sim *sim, struct host *host)
{
    host->witness.phase = PHASE_JOINING;
    host->witness.acting = false;
    const struct rules rules = terms_rules(core_terms_configured(host->core));
    oracle_on_rules(&sim->oracle, &rules);
    forget(sim, host);
}

void oracle_on_sent_view(struct sim *sim, struct host *host, const struct view *view)
{
    bool stranger;

    /* A lie that was accepted as a proposal comes back with a grant. */
    if (!sim->oracle.suspended && !liar_made(sim, view, &stranger)) {
        oracle_check_content(sim, host, view, false);
    }
}

void oracle_on_ack(struct sim *sim, struct host *host, const struct view_id *id)
{
    struct oracle *oracle = &sim->oracle;
    const struct node_id *self = &core_self(host->core)->id;
    struct record *record = oracle_record_of(oracle, id);

    oracle_note_accepted(oracle, self, id);
    if (record != NULL && id_equal(&record->merged.coordinator, self)) {
        record->loser_agreed = true;
    }
}

static void on_phase(struct sim *sim, struct host *host, enum phase phase)
{
    if (host->witness.phase == PHASE_STOPPED) {
        oracle_fail(sim, host, "S13: left, and is in phase %d again", (int)phase);
    }
    host->witness.phase = phase;
    host->witness.phase_us = sim->now_us;
    sim->changed = true;
}

static inline bool says_it_acts(const struct sim *sim, const struct host *host)
{
    if (!core_is_acting(host->core, host_now_ms(sim, host))) {
        return false;
    }
    const struct member *coordinator = core_coordinator(host->core);
    return coordinator != NULL && id_equal(&coordinator->id, &host->witness.life);
}

static void look_at_acting(struct sim *sim, struct host *host)
{
    struct witness *witness = &host->witness;
    bool acting = says_it_acts(sim, host);

    if (acting != witness->acting || (acting && sim->now_us >= witness->known_us)) {
        oracle_look_until(sim, host, acting);
    }
    if (acting) {
        oracle_check_acting(sim, host);
    }
    if (acting != witness->acting) {
        witness->acting = acting;
        sim->changed = true;
        if (acting && !sim->options.disorder && sim->now_us >= sim->oracle.released_us &&
            (sim->options.exclusive || !sim->oracle.suspended)) {
            oracle_check_one_acts(sim, host);
        }
    }
}

static void begin_anew_at(struct sim *sim, struct host *host)
{
    struct witness *witness = &host->witness;

    host->granted = (struct granted){0};
    host->shown = (struct view_id){0};
    witness->record = NULL;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (host->heard[i] != NULL) {
            host->heard[i]->number = 0; /* A lie that was handed on may have raised it. */
            host->heard[i]->follows_number = 0;
        }
    }
    if (host->running && witness->has_view) {
        oracle_memorize_anew(witness, core_view(host->core));
        oracle_check_content(sim, host, core_view(host->core), true);
        witness->record = oracle_record_of(&sim->oracle, &witness->view);
    }
}

void oracle_begin_anew(struct sim *sim)
{
    oracle_forget_views(&sim->oracle);
    for (uint32_t i = 0; i < sim->host_count; i++) {
        begin_anew_at(sim, &sim->hosts[i]);
    }
    sim->oracle.suspended = false;
    sim->oracle.trusted_us = sim->now_us;
}

void oracle_before_step(struct sim *sim, struct host *host)
{
    /* Its clock has gone on since: it may not say more for that. */
    if (host->witness.acting) {
        oracle_look_until(sim, host, says_it_acts(sim, host));
    }
}

/* Z2a: who never lived got no answer, and so could prove nothing (Z2k). Nobody's promise is that
 * of a record that an operator made, which binds for as long as leases may be counted yet (Z18b).
 */
static void check_bound_to_nobody(struct sim *sim, const struct host *host)
{
    const struct voter_state voter = core_voter(host->core, host_now_ms(sim, host));

    if (voter.until_ms > 0 && !id_is_none(&voter.promise.life) &&
        oracle_life(&sim->oracle, &voter.promise.life)->host_plus_1 == 0) {
        oracle_fail(sim, host, "Z2a: is leased for %" PRIu64 " ms more to a life that never was",
                    voter.until_ms);
    }
}

/* V4i: of a history that succeeds its own nobody has a view in its name. */
static void check_not_ended_by_itself(struct sim *sim, const struct host *host)
{
    const struct witness *witness = &host->witness;
    const struct view_id accepted = core_voter(host->core, host_now_ms(sim, host)).accepted;

    if (witness->has_view && id_equal(&accepted.coordinator, &witness->life) &&
        lineage_succeeds(accepted.lineage, witness->view.lineage)) {
        oracle_fail(sim, host, "V4i: its history was ended by a view in its own name");
    }
}

/* Z11i: of who votes now one learns from who was asked, and a voter is retired by that alone
 * (Z11h). One that was only proposed, or that never promised anything (Z8i), is wished for again.
 */
static void check_not_retired_by_a_lie(struct sim *sim, const struct host *host)
{
    const struct vote_record *record = record_disk_find(&host->record);
    bool stranger;

    if (record != NULL && record->state == VOTE_RECORD_RETIRED && record->accepted != NULL &&
        record->promise.epoch != 0 && id_equal(&record->id, &host->witness.voted) &&
        liar_made(sim, record->accepted, &stranger) && !liar_may_have_ended_history(sim)) {
        oracle_fail(sim, host, "Z11i: its record was retired by a view that nobody made");
    }
}

void oracle_after_step(struct sim *sim, struct host *host, const struct effects *effects)
{
    struct witness *witness = &host->witness;
    const struct core *core = host->core;
    const struct view *view = core_view(core);
    enum phase phase = core_phase(core);

    if (!id_equal(&core_self(core)->id, &witness->life)) {
        check_not_ended_by_itself(sim, host);
        oracle_on_life_over(sim, host);
        forget(sim, host);
        sim->changed = true;
    }
    if (phase != witness->phase) {
        on_phase(sim, host, phase);
    }
    if (!view_is_empty(view)) {
        struct view_id id = view_id_of(view);
        if (!witness->has_view || witness->view.lineage != id.lineage ||
            !view_id_equal(&witness->view, &id) || witness->hash != view->hash) {
            on_install(sim, host, view, effects);
        }
    } else if (phase == PHASE_MEMBER || phase == PHASE_LEAVING) {
        oracle_fail(sim, host, "S12: a member without a view");
    }
    look_at_acting(sim, host);
    if (sim->options.guard.policy == GUARD_STRICT && liar_has_lied(sim)) {
        check_bound_to_nobody(sim, host);
        check_not_retired_by_a_lie(sim, host);
    }
}

/* What a step sends borrows the views of the core, so the step must not give them up any more. */
static void check_shown(struct sim *sim, const struct host *host, const struct effect *effect)
{
    const struct view *shown = effect->type == EFFECT_SEND ? message_view(effect->message) : NULL;

    if (shown != NULL && view_is_empty(shown) && !view_is_of_founders(shown)) {
        oracle_fail(sim, host, "U1: a message shows a view that was given up in the same step");
    }
}

void oracle_on_effect(struct sim *sim, const struct host *host, const struct effect *effect)
{
    check_shown(sim, host, effect);
    if ((effect->type == EFFECT_SEND || effect->type == EFFECT_LINK_OPEN ||
         effect->type == EFFECT_KERNEL_ASK) &&
        id_equal(&effect->peer, &core_self(host->core)->id)) {
        oracle_fail(sim, host, "V6c: does to itself what it does to others, effect %d",
                    (int)effect->type);
    }
}

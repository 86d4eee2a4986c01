#include "control/facts/facts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text.h"
#include "words/acting.h"
#include "words/voter_text.h"

/* Makes room for the peers of the largest view so far. */
static bool facts_make_room(struct facts *facts, uint32_t count)
{
    if (count <= facts->peer_capacity) {
        return true;
    }
    struct peer_state *peers = realloc(facts->peers, count * sizeof *peers);
    if (peers == NULL) {
        return false;
    }
    facts->peers = peers;
    bool *silent = realloc(facts->silent, count * sizeof *silent);
    if (silent == NULL) {
        return false;
    }
    facts->silent = silent;
    facts->peer_capacity = count;
    return true;
}

/* A node that rejoins under a new id keeps its journal: for cursors that is one life. */
static uint32_t life_of(const struct node_id *id)
{
    return (uint32_t)id->bytes[0] << 24 | (uint32_t)id->bytes[1] << 16 |
           (uint32_t)id->bytes[2] << 8 | id->bytes[3];
}

void facts_init(struct facts *facts, struct node *node)
{
    *facts = (struct facts){.node = node,
                            .started_ms = node_now_ms(node),
                            .life = life_of(&core_self(node_core(node))->id)};
    voter_lists_from_names(&facts->founders, &node_config(node)->voters);
}

struct cursor facts_cursor(const struct facts *facts)
{
    return (struct cursor){.life = facts->life, .number = facts->cursor};
}

/* Acting is what a client may rely on, so it ends with the last millisecond that is certain. */
static void collect_acting(struct facts *facts, uint64_t kept_ms)
{
    const uint64_t until_ms = node_acting_until_ms(facts->node, facts->now_ms);

    facts->acting_ms = acting_left_ms(until_ms, facts->now_ms + kept_ms);
    facts->acting = facts->acting_ms > 0;
    facts->withdrawn = node_lease(facts->node)->withdrawn ||
                       core_has_handed_over(node_core(facts->node));
    facts->advisory = guard_asks(&facts->guard.guard).advisory;
}

bool facts_collect(struct facts *facts, uint64_t kept_ms)
{
    struct node *node = facts->node;
    const struct core *core = node_core(node);
    const struct view *view = core_view(core);
    const uint64_t now_ms = node_now_ms(node);

    assert(view->gone_count <= GONE_MAX);

    if (!facts_make_room(facts, view->member_count)) {
        return false;
    }
    facts->config = node_config(node);
    facts->journal = node_journal(node);
    facts->counters = core_counters(core);
    facts->traffic = node_traffic(node);
    facts->refusals = node_refusals(node);
    facts->self = core_self(core);
    facts->view = view;
    facts->coordinator = core_coordinator(core);
    facts->phase = core_phase(core);
    facts->merging = core_is_merging(core);
    facts->reign = core_reign(core, now_ms);
    facts->acting_said_ms = core_acting_said_ms_ago(core, now_ms);
    facts->guard = core_guard(core, now_ms);
    facts->terms = core_terms(core);
    facts->started = core_terms_configured(core);
    facts->agreed = core_agreed(core);
    facts->voters = view->voters.count > 0 ? &view->voters : &facts->founders;
    facts->voter = core_voter(core, now_ms);
    facts->record_name = node_foreign_record(node, &facts->record_cluster);
    facts->autopilot = core_autopilot(core);
    facts->voter_times = node_voter_times(node);
    for (uint8_t i = 0; i < view->voters.count; i++) {
        facts->contacts[i] = core_voter_contact(core, i, now_ms);
    }
    facts->acked = core_acked(core);
    facts->cursor = journal_cursor(facts->journal);
    facts->now_ms = now_ms;
    facts->uptime_ms = now_ms - facts->started_ms;
    collect_acting(facts, kept_ms);
    const uint32_t self = view_find(view, &facts->self->id);
    core_peers(core, now_ms, facts->peers);
    for (uint32_t i = 0; i < view->member_count; i++) {
        const enum hearing hearing = self == VIEW_NONE ? HEARING_YES
                                                       : core_hearing(core, self, i, now_ms);
        facts->silent[i] = hearing == HEARING_SILENT || hearing == HEARING_SUSPECT;
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        facts->gone_ms[i] = core_gone_ms(core, i, now_ms);
    }
    return true;
}

const char *facts_voter_text(const struct facts *facts)
{
    return facts->voter.status == VOTER_DAMAGED && facts->record_name != NULL
               ? VOTER_FOREIGN_TEXT
               : voter_status_text(facts->voter.status);
}

void facts_deinit(struct facts *facts)
{
    free(facts->peers);
    free(facts->silent);
    *facts = (struct facts){0};
}

const char *facts_name_of_age(const struct view *view, uint64_t age)
{
    const uint32_t position = view_find_age(view, age);

    if (position != VIEW_NONE) {
        return view->members[position].name;
    }
    for (uint32_t i = view->gone_count; i-- > 0;) {
        if (view->gone[i].age == age) {
            return view->gone[i].name;
        }
    }
    return NULL;
}

uint32_t facts_find_gone(const struct view *view, const char *name)
{
    for (uint32_t i = view->gone_count; i-- > 0;) {
        if (text_equal(view->gone[i].name, name)) {
            return i;
        }
    }
    return VIEW_NONE;
}

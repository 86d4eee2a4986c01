#include "control/documents/whole_facts.h"

#include <string.h>

#include "base/text.h"
#include "control/documents/voter_count.h"
#include "control/events/sentence.h"
#include "control/text/json.h"
#include "control/text/text_builder.h"
#include "words/address_text.h"
#include "words/way_text.h"

/* What the facts borrow, until they are judged. */
struct borrowed {
    struct text_builder turned_away;
    char seeds[NODE_SEED_WORDS_MAX];
    char address[ADDRESS_GONE_TEXT_MAX];
    json_t *bad_links;
    char way[WAY_TEXT_MAX];
    char way_next[WAY_TEXT_MAX];
};

/* --- Not in ---------------------------------------------------------------------------------- */

static void collect_joining(const struct facts *facts, struct borrowed *borrowed,
                            struct whole_facts *whole)
{
    const struct journal_entry *refusal = journal_refusal(facts->journal);
    const char *key = node_key_words(facts->node);

    whole->waiting = core_waiting(node_core(facts->node), facts->now_ms);
    whole->has_other_seed = node_has_other_seed(facts->node);
    if (refusal != NULL) {
        entry_sentence(refusal, &borrowed->turned_away);
        text_builder_add_bytes(&borrowed->turned_away, "", 1);
        whole->turned_away = borrowed->turned_away.failed ? "it was turned away: see its log"
                                                          : borrowed->turned_away.bytes;
    }
    whole->other_key = key[0] == '\0' ? NULL : key;
    whole->seeds = node_seed_words(facts->node, borrowed->seeds) ? borrowed->seeds : NULL;
}

/* --- Who is there ---------------------------------------------------------------------------- */

/* Is it watched by this node, and not heard, or suspected? */
static bool is_silent(const struct facts *facts, uint32_t position)
{
    return facts->silent[position] || facts->peers[position].verdict != VERDICT_NONE;
}

static void collect_members(const struct facts *facts, uint32_t self, struct whole_facts *whole)
{
    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        whole->heard += !is_silent(facts, i);
        if (i == self) {
            whole->behind = facts->peers[i].behind;
        } else if (facts->peers[i].behind && !is_silent(facts, i)) {
            whole->members_behind++;
            whole->member_behind = facts->view->members[i].name;
        }
        if (i != self && facts->peers[i].verdict != VERDICT_NONE) {
            whole->suspects++;
            whole->suspect = facts->view->members[i].name;
        } else if (facts->silent[i]) {
            whole->silent++;
            whole->silent_name = facts->view->members[i].name;
        }
    }
}

static void collect_coordinator(const struct facts *facts, uint32_t self, struct whole_facts *whole)
{
    whole->coordinator = view_coordinator(facts->view)->name;
    whole->coordinates = self == 0;
    whole->reign = facts->reign;
    whole->handed_over = core_has_handed_over(node_core(facts->node));
    if (self != 0) {
        whole->coordinator_silent = is_silent(facts, 0);
        whole->coordinator_heard_ms = facts->peers[0].heard_ms_ago;
    }
}

/* Has it neither left, nor come back, nor been forgotten on purpose, which is done under a majority
 * and leaves no accusers (A4)? */
static bool is_missing(const struct facts *facts, uint32_t position)
{
    const struct view *view = facts->view;
    const struct gone *gone = &view->gone[position];
    const bool may_be_forgotten = facts->guard.guard.policy == GUARD_MAJORITY;
    const bool failed = gone->reason == GONE_FAILED &&
                        (gone->accuser_count > 0 || !may_be_forgotten);

    for (uint32_t i = position + 1; i < view->gone_count; i++) {
        if (text_equal(view->gone[i].name, gone->name)) {
            return false; /* An earlier life of one that is listed. */
        }
    }
    return (failed || gone->reason == GONE_MOVED || gone->reason == GONE_BEHIND) &&
           view_find_name(view, gone->name) == VIEW_NONE;
}

/* The last view in which half of the members or more went at once; NULL: there was none. */
static const struct view_record *last_split(const struct facts *facts)
{
    for (size_t i = journal_history_count(facts->journal); i > 0; i--) {
        const struct view_record *record = journal_history(facts->journal, i - 1);
        if (record->split_lost > 0) {
            return record;
        }
    }
    return NULL;
}

/* Did it go with those of the split (M8)? */
static bool went_then(const struct facts *facts, const struct view_record *split, uint32_t position)
{
    const uint64_t fresh_ms = core_timing(node_core(facts->node))->fresh_ms;
    const uint64_t at_ms = facts->now_ms - facts->gone_ms[position];

    return split != NULL && at_ms + fresh_ms >= split->now_ms && at_ms <= split->now_ms + fresh_ms;
}

/* Its host's kernel said that the process is gone: it acts nowhere. */
static bool has_ended(const struct gone *gone)
{
    return gone->reason == GONE_FAILED && gone->verdict == VERDICT_DEAD;
}

static void collect_missing(const struct facts *facts, struct whole_facts *whole)
{
    const struct view_record *split = last_split(facts);

    for (uint32_t i = 0; i < facts->view->gone_count; i++) {
        if (!is_missing(facts, i)) {
            continue;
        }
        const bool alive = !has_ended(&facts->view->gone[i]);
        whole->split_missing += alive && went_then(facts, split, i);
        whole->missing_alive += alive;
        if (whole->missing < WHOLE_NAMED_MAX) {
            whole->missing_names[whole->missing] = facts->view->gone[i].name;
        }
        whole->missing++;
        if (whole->missing_name == NULL || facts->gone_ms[i] <= whole->missing_ms) {
            whole->missing_name = facts->view->gone[i].name;
            whole->missing_ms = facts->gone_ms[i];
            whole->missing_behind = facts->view->gone[i].reason == GONE_BEHIND;
        }
    }
    if (split != NULL) {
        whole->split_lost = split->split_lost;
        whole->split_of = split->split_of;
        whole->split_ms = facts->now_ms - split->now_ms;
    }
}

/* --- The voters ------------------------------------------------------------------------------ */

static void collect_voters(const struct facts *facts, const struct voter_survey *survey,
                           struct whole_facts *whole)
{
    const struct voter_tally tally = voter_count(facts, survey);

    whole->voters = tally.count;
    whole->voters_asked = voter_survey_waiting(survey, facts);
    whole->voters_heard = tally.heard;
    whole->voters_ended = tally.ended;
    whole->voters_lack = tally.lacking;
    whole->voter_lack = tally.lack;
}

/* --- Links ----------------------------------------------------------------------------------- */

static void collect_links(const struct facts *facts, const struct links *links,
                          struct borrowed *borrowed, struct whole_facts *whole)
{
    borrowed->bad_links = links_bad_json(links, facts);
    whole->bad_links = (uint32_t)json_array_size(borrowed->bad_links);
    whole->bad_link = json_string_value(
        json_object_get(json_array_get(borrowed->bad_links, 0), "detail"));
}

/* --- Ways ------------------------------------------------------------------------------------ */

/* Says so if something is wrong with the way there. */
static bool take_way(const struct facts *facts, const struct node_id *life, const char *name,
                     const struct address *address, struct borrowed *borrowed)
{
    const enum way_fault fault = node_way(facts->node, life);

    (void)way_text(fault, name, address, borrowed->way);
    (void)way_remedy(fault, name, address, borrowed->way_next);
    return fault != WAY_SOUND;
}

/* The first that something is wrong with, of the members and of those who are gone. */
static bool find_way(const struct facts *facts, struct borrowed *borrowed)
{
    const struct view *view = facts->view;
    char where[ADDRESS_TEXT_MAX];
    struct address to;

    if (facts->phase == PHASE_JOINING && node_is_forbidden(facts->node, &to)) {
        (void)way_text(WAY_UDP_FORBIDDEN, address_text(&to, where), &to, borrowed->way);
        (void)way_remedy(WAY_UDP_FORBIDDEN, where, &to, borrowed->way_next);
        return true;
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        if (!id_equal(&member->id, &facts->self->id) &&
            take_way(facts, &member->id, member->name, &member->address, borrowed)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        if (is_missing(facts, i) &&
            take_way(facts, &gone->id, gone->name, &gone->address, borrowed)) {
            return true;
        }
    }
    return false;
}

/* --- All of it ------------------------------------------------------------------------------- */

void whole_now(const struct facts *facts, const struct links *links,
               const struct voter_survey *survey, struct whole *whole)
{
    struct borrowed borrowed = {.bad_links = NULL};
    struct address another;
    struct whole_facts collected = {.phase = facts->phase,
                                    .members = facts->view->member_count,
                                    .guard = facts->guard,
                                    .merging = facts->merging,
                                    .voters = voter_lists_length(facts->voters),
                                    .faults = node_fault_count(facts->node),
                                    .starved = facts->traffic->starved};

    if (node_address_is_gone(facts->node, &another)) {
        collected.address_gone = address_gone_text(&facts->config->advertise, &another,
                                                   borrowed.address);
    }
    if (facts->phase == PHASE_JOINING) {
        collect_joining(facts, &borrowed, &collected);
    }
    if (!view_is_empty(facts->view)) {
        const uint32_t self = view_find(facts->view, &facts->self->id);
        collect_members(facts, self, &collected);
        collect_coordinator(facts, self, &collected);
        collect_missing(facts, &collected);
        collect_voters(facts, survey, &collected);
        collect_links(facts, links, &borrowed, &collected);
    }
    if (find_way(facts, &borrowed)) {
        collected.way = borrowed.way;
        collected.way_next = borrowed.way_next;
    } else if (facts->phase == PHASE_MEMBER && node_seed_words(facts->node, borrowed.seeds)) {
        collected.way = borrowed.seeds;
        collected.way_next = "this node is alone: give it the --cluster and the --key of that one, "
                             "or take it from the seeds";
    }
    whole_judge(&collected, whole);
    text_builder_deinit(&borrowed.turned_away);
    json_decref(borrowed.bad_links);
}

json_t *whole_json(const struct whole *whole)
{
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "state", json_of_word(whole_state_text(whole->state))) &&
            json_put(object, "severity", json_of_word(whole_severity_text(whole->severity))) &&
            json_put(object, "sentence", json_of_word(whole->sentence)) &&
            json_put(object, "next", json_of_word(whole->next)));
}

#include "control/documents/report_voters.h"

#include <inttypes.h>

#include "base/text.h"
#include "control/documents/voter_count.h"
#include "control/text/json.h"
#include "words/terms_text.h"
#include "words/voter_text.h"

static bool has_record(const struct voter_state *voter)
{
    return !id_is_none(&voter->record_id);
}

static json_t *promise_json(const struct facts *facts, const struct ballot *promise)
{
    if (promise->epoch == 0) {
        return json_null();
    }
    const uint32_t position = view_find(facts->view, &promise->life);
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "epoch", json_of_u64(promise->epoch)) &&
            json_put(object, "life", json_of_id(&promise->life)) &&
            json_put(
                object, "name",
                json_of_word(position == VIEW_NONE ? NULL : facts->view->members[position].name)));
}

static json_t *accepted_json(const struct view_id *accepted)
{
    if (id_is_none(&accepted->coordinator)) {
        return json_null();
    }
    json_t *object = json_object();

    return json_finished(object, json_put(object, "epoch", json_of_u64(accepted->epoch)) &&
                                     json_put(object, "version", json_of_u64(accepted->version)));
}

/* This node knows its own record; of the others' what they said of it. */
static bool put_own_record(json_t *object, const struct facts *facts)
{
    const struct voter_state *voter = &facts->voter;

    return json_put(object, "lineage",
                    has_record(voter) ? json_sprintf("%016" PRIx64, voter->lineage)
                                      : json_null()) &&
           json_put(object, "promise", promise_json(facts, &voter->promise)) &&
           json_put(object, "accepted", accepted_json(&voter->accepted)) &&
           json_put(object, "until_ms",
                    voter->promise.epoch == 0 ? json_null() : json_of_number(voter->until_ms)) &&
           json_put(object, "synced",
                    has_record(voter) ? json_boolean(voter->synced) : json_null()) &&
           json_put(object, "sync_ms",
                    voter->syncs == 0 ? json_null() : json_of_number(voter->sync_ms_ago));
}

/* What it has promised only itself shows. */
static bool put_unknown(json_t *object)
{
    static const char *const keys[] = {"lineage",  "promise", "accepted",
                                       "until_ms", "synced",  "sync_ms"};
    bool complete = true;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        complete = complete && json_put(object, keys[i], json_null());
    }
    return complete;
}

/* As the view names it; while it names none, the own one is known all the same. */
static json_t *record_json(const struct facts *facts, const struct listed_voter *listed,
                           bool is_self)
{
    if (!id_is_none(&listed->record)) {
        return json_of_id(&listed->record);
    }
    return is_self && has_record(&facts->voter) ? json_of_id(&facts->voter.record_id) : json_null();
}

static const char *list_text(const struct facts *facts, const struct listed_voter *listed)
{
    if (!voter_lists_are_joint(facts->voters)) {
        return "now";
    }
    return listed->before && listed->now ? "both" : listed->before ? "old" : "new";
}

/* Where it is; of a witness as the view names it. */
static json_t *address_json(const struct facts *facts, const struct listed_voter *listed,
                            uint32_t position)
{
    return listed->witness         ? json_of_address(&listed->address)
           : position == VIEW_NONE ? json_null()
                                   : json_of_address(&facts->view->members[position].address);
}

/* When it answered the coordinator last; null for members, who are heard all the time. */
static json_t *answered_json(const struct facts *facts, const struct voter_survey *survey,
                             uint8_t voter)
{
    const struct witness_said said = voter_survey_witness(survey, facts, voter);

    return facts->voters->voters[voter].witness && said.is_known && said.answered_ms != NEVER_MS
               ? json_of_number(said.answered_ms)
               : json_null();
}

static json_t *voter_json(const struct facts *facts, const struct voter_survey *survey,
                          uint8_t voter)
{
    const struct listed_voter *listed = &facts->voters->voters[voter];
    const uint32_t position = view_find_name(facts->view, listed->name);
    const bool is_member = position != VIEW_NONE;
    const bool is_self = !listed->witness && text_equal(listed->name, facts->self->name);
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "name", json_of_word(listed->name)) &&
            json_put(object, "list", json_of_word(list_text(facts, listed))) &&
            json_put(object, "self", json_boolean(is_self)) &&
            json_put(object, "member", json_boolean(is_member)) &&
            json_put(object, "witness", json_boolean(listed->witness)) &&
            json_put(object, "heard",
                     json_boolean(
                         listed->witness
                             ? voter_survey_witness(survey, facts, voter).answers
                             : is_self || (is_member ? !facts->silent[position]
                                                     : voter_count_hears(facts, survey, voter)))) &&
            json_put(object, "last_answered_ms", answered_json(facts, survey, voter)) &&
            json_put(object, "address", address_json(facts, listed, position)) &&
            json_put(object, "voter", json_of_word(voter_survey_status(survey, facts, voter))) &&
            json_put(object, "record_id", record_json(facts, listed, is_self)) &&
            (is_self ? put_own_record(object, facts) : put_unknown(object)));
}

static json_t *voters_json(const struct facts *facts, const struct voter_survey *survey)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint8_t i = 0; i < facts->voters->count && complete; i++) {
        complete = json_array_append_new(array, voter_json(facts, survey, i)) == 0;
    }
    return json_finished(array, complete);
}

static json_t *names_json(const struct voter_lists *lists, bool before)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint8_t i = 0; i < lists->count && complete; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        if (before ? voter->before : voter->now) {
            complete = json_array_append_new(array, json_of_word(voter->name)) == 0;
        }
    }
    return json_finished(array, complete);
}

/* The two lists while there are two. */
static json_t *change_json(const struct voter_lists *lists)
{
    if (!voter_lists_are_joint(lists)) {
        return json_null();
    }
    json_t *object = json_object();

    return json_finished(object, json_put(object, "from", names_json(lists, true)) &&
                                     json_put(object, "to", names_json(lists, false)));
}

/* Of the list that lacks most; null under another guard. */
static bool put_counts(json_t *object, const struct facts *facts, const struct voter_survey *survey)
{
    const struct voter_tally tally = voter_count(facts, survey);
    const bool none = tally.count == 0;

    return json_put(object, "number", json_of_u64(facts->voters->number)) &&
           json_put(object, "change", change_json(facts->voters)) &&
           json_put(object, "count", json_of_number(tally.count)) &&
           json_put(object, "voting", json_of_number(voter_count_voting(&tally))) &&
           json_put(object, "needed", none ? json_null() : json_of_number(tally.needed)) &&
           json_put(object, "spare",
                    none ? json_null() : json_of_number(voter_count_spare(&tally)));
}

/* Z17: only who coordinates knows more than the target. */
static bool put_autopilot(json_t *object, const struct autopilot_state *state)
{
    const bool waits = state->goes[0] != '\0';

    return json_put(object, "target",
                    state->target == 0 ? json_null() : json_of_number(state->target)) &&
           json_put(object, "lacking", json_boolean(state->lacks)) &&
           json_put(object, "replaces", json_of_word(waits ? state->goes : NULL)) &&
           json_put(object, "replaces_in_ms", waits ? json_of_number(state->in_ms) : json_null()) &&
           json_put(object, "stands_in",
                    json_of_word(state->comes[0] != '\0' ? state->comes : NULL));
}

/* How the writes of the record went, in this process; null for no voter. */
static json_t *disk_json(const struct facts *facts)
{
    if (facts->voter.status == VOTER_NOT) {
        return json_null();
    }
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "syncs", json_of_number(facts->voter.syncs)) &&
                    json_put(object, "failures", json_of_number(facts->voter.sync_failures)) &&
                    json_put(object, "last_us", json_of_number(facts->voter_times.last_us)) &&
                    json_put(object, "slowest_us", json_of_number(facts->voter_times.slowest_us)));
}

/* Does the coordinator act, as far as this node knows? */
static bool voters_acting(const struct facts *facts)
{
    return facts->coordinator != NULL && facts->reign != REIGN_IDLE;
}

json_t *report_voters(const struct facts *facts, const struct voter_survey *survey)
{
    char policy[GUARD_TEXT_MAX];
    json_t *object = json_object();

    guard_text(&facts->guard.guard, policy);
    return json_finished(
        object,
        json_put(object, "schema", json_integer(1)) &&
            json_put(object, "cluster", json_of_word(facts->config->cluster)) &&
            json_put(object, "self", json_of_word(facts->self->name)) &&
            json_put(object, "policy", json_of_word(policy)) &&
            json_put(object, "acting", json_boolean(voters_acting(facts))) &&
            put_counts(object, facts, survey) && put_autopilot(object, &facts->autopilot) &&
            json_put(object, "waiting", json_of_number(voter_survey_waiting(survey, facts))) &&
            json_put(object, "voters", voters_json(facts, survey)) &&
            json_put(object, "disk", disk_json(facts)));
}

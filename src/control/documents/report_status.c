#include "control/documents/report_status.h"

#include "base/version.h"
#include "control/documents/acting.h"
#include "control/documents/report_past.h"
#include "control/documents/report_refusals.h"
#include "control/documents/report_terms.h"
#include "control/documents/whole_facts.h"
#include "control/text/json.h"
#include "control/text/time_text.h"
#include "proto/wire.h"
#include "runtime/host/clock.h"
#include "runtime/options/options.h"
#include "runtime/options/value.h"
#include "runtime/sealing/key_file.h"
#include "words/notice_text.h"
#include "words/terms_text.h"
#include "words/voter_text.h"

static json_t *view_json(const struct facts *facts)
{
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "epoch", json_of_u64(facts->view->epoch)) &&
                    json_put(object, "version", json_of_u64(facts->view->version)) &&
                    json_put(object, "acked", json_of_number(facts->acked)) &&
                    json_put(object, "members", json_of_number(facts->view->member_count)));
}

static json_t *guard_json(const struct facts *facts)
{
    char policy[GUARD_TEXT_MAX];
    json_t *object = json_object();

    guard_text(&facts->guard.guard, policy);
    return json_finished(object,
                         json_put(object, "policy", json_of_word(policy)) &&
                             json_put(object, "size", json_of_guard_size(&facts->guard.guard)) &&
                             json_put(object, "needed", json_of_number(facts->guard.needed)) &&
                             json_put(object, "fresh", json_of_number(facts->guard.fresh)) &&
                             json_put(object, "met", json_boolean(facts->guard.met)));
}

static json_t *counts_json(const struct facts *facts)
{
    uint64_t suspects = 0;
    uint64_t failed = 0;
    uint64_t left = 0;
    json_t *object = json_object();

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        suspects += facts->peers[i].verdict != VERDICT_NONE;
    }
    for (uint32_t i = 0; i < facts->view->gone_count; i++) {
        left += facts->view->gone[i].reason == GONE_LEFT;
        failed += facts->view->gone[i].reason != GONE_LEFT;
    }
    return json_finished(object,
                         json_put(object, "members", json_of_number(facts->view->member_count)) &&
                             json_put(object, "suspect", json_of_number(suspects)) &&
                             json_put(object, "failed", json_of_number(failed)) &&
                             json_put(object, "left", json_of_number(left)));
}

static json_t *lifelines_json(const struct facts *facts, const struct links *links)
{
    uint64_t up = 0;
    json_t *object = json_object();
    json_t *down = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        if (id_equal(&facts->view->members[i].id, &facts->self->id)) {
            continue;
        }
        if (facts->peers[i].linked) {
            up++;
        } else if (!facts->peers[i].unknown) {
            complete &= json_array_append_new(down, json_of_word(facts->view->members[i].name)) ==
                        0;
        }
    }
    complete &= json_put(object, "up", json_of_number(up));
    complete &= json_put(object, "down", down);
    complete &= json_put(object, "bad", links_bad_json(links, facts));
    return json_finished(object, complete);
}

/* The faults that POST /v1/fault has put in force. */
static json_t *faults_json(const struct node *node)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < node_fault_count(node); i++) {
        const struct node_fault fault = node_fault_at(node, i);
        json_t *object = json_object();
        if (!json_put(object, "name", json_of_word(fault.name)) ||
            !json_put(object, "drop", json_boolean(fault.drop)) ||
            !json_put(object, "delay_ms", json_of_number(fault.delay_ms))) {
            json_decref(object);
            object = NULL;
        }
        complete &= json_array_append_new(array, object) == 0;
    }
    return json_finished(array, complete);
}

/* Lists only the reasons that occurred: zeros say nothing. */
static json_t *reasons_json(const uint64_t *counts, unsigned count,
                            const char *(*word)(unsigned reason))
{
    json_t *object = json_object();
    bool complete = true;

    for (unsigned i = 0; i < count; i++) {
        if (counts[i] > 0) {
            complete &= json_put(object, word(i), json_of_number(counts[i]));
        }
    }
    return json_finished(object, complete);
}

static const char *refusal_name_of(unsigned reason)
{
    return refusal_name((enum refusal)reason);
}

static const char *wire_text_of(unsigned reason)
{
    return wire_error_text((enum wire_error)reason);
}

static const char *seal_text_of(unsigned reason)
{
    return seal_result_text((enum seal_result)reason);
}

static const char *beat_text_of(unsigned reason)
{
    return beat_refusal_text((enum beat_refusal)reason);
}

static const char *user_text_of(unsigned reason)
{
    return user_refusal_text((enum user_refusal)reason);
}

static const char *message_text_of(unsigned type)
{
    return message_text((enum message_type)type);
}

static json_t *counters_json(const struct facts *facts)
{
    const struct core_counters *core = facts->counters;
    const struct node_traffic *traffic = facts->traffic;
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "received",
                         reasons_json(core->received, MESSAGE_TYPE_COUNT, message_text_of)) &&
                    json_put(object, "sent",
                             reasons_json(core->sent, MESSAGE_TYPE_COUNT, message_text_of)) &&
                    json_put(object, "refused",
                             reasons_json(core->refused, REFUSED_COUNT, refusal_name_of)) &&
                    json_put(object, "malformed",
                             reasons_json(traffic->malformed, WIRE_ERROR_COUNT, wire_text_of)) &&
                    json_put(object, "without_base", json_of_number(traffic->without_base)) &&
                    json_put(object, "skipped", json_of_number(traffic->skipped)) &&
                    json_put(object, "not_opened",
                             reasons_json(traffic->sealed_refused, SEAL_RESULTS, seal_text_of)) &&
                    json_put(object, "beats_in", json_of_number(traffic->beats_in)) &&
                    json_put(object, "beats_out", json_of_number(traffic->beats_out)) &&
                    json_put(object, "beats_refused",
                             reasons_json(traffic->beats_refused, BEAT_REFUSALS, beat_text_of)) &&
                    json_put(object, "beats_wait", json_boolean(traffic->beats_wait)) &&
                    json_put(object, "without_key", json_of_number(traffic->plain_refused)) &&
                    json_put(object, "strangers_cut", json_of_number(traffic->strangers_cut)) &&
                    json_put(object, "challenges_out", json_of_number(traffic->challenges_out)) &&
                    json_put(object, "counts_asked", json_of_number(traffic->counts_asked)) &&
                    json_put(object, "hints_out", json_of_number(traffic->hints_out)) &&
                    json_put(object, "datagrams_in", json_of_number(traffic->datagrams_in)) &&
                    json_put(object, "datagrams_out", json_of_number(traffic->datagrams_out)) &&
                    json_put(object, "bytes_in", json_of_number(traffic->bytes_in)) &&
                    json_put(object, "bytes_out", json_of_number(traffic->bytes_out)) &&
                    json_put(object, "frames_in", json_of_number(traffic->frames_in)) &&
                    json_put(object, "frames_out", json_of_number(traffic->frames_out)) &&
                    json_put(object, "streams_open", json_of_number(traffic->streams_open)) &&
                    json_put(object, "streams_refused", json_of_number(traffic->streams_refused)) &&
                    json_put(object, "user_in", json_of_number(traffic->user_in)) &&
                    json_put(object, "user_out", json_of_number(traffic->user_out)) &&
                    json_put(object, "user_refused",
                             reasons_json(traffic->user_refused, USER_REFUSALS, user_text_of)) &&
                    json_put(object, "starved", json_of_number(traffic->starved)) &&
                    json_put(object, "send_failed", json_of_number(traffic->send_failed)) &&
                    json_put(object, "sends_cut", json_of_number(core->sends_cut)) &&
                    json_put(object, "views_installed", json_of_number(core->views_installed)) &&
                    json_put(object, "mismatches", json_of_number(core->mismatches)) &&
                    json_put(object, "late_wakeups", json_of_number(core->late_wakeups)) &&
                    json_put(object, "relayed", json_of_number(core->relayed)));
}

/* What this node can open; which of them is used depends on the other end. */
static json_t *algorithms_json(const struct keyring *ring)
{
    json_t *algorithms = json_array();
    bool complete = algorithms != NULL;

    for (int i = ALGORITHM_CHACHA20_POLY1305; ring != NULL && i < ALGORITHM_END; i++) {
        const enum algorithm algorithm = (enum algorithm)i;
        complete = complete && (!cipher_is_here(algorithm) ||
                                json_array_append_new(
                                    algorithms, json_of_word(algorithm_text(algorithm))) == 0);
    }
    return json_finished(algorithms, complete);
}

/* Is what this node sends sealed, and with which key? */
static json_t *security_json(const struct facts *facts)
{
    const struct keyring *ring = node_keys(facts->node);
    json_t *keys = json_array();
    json_t *object = json_object();
    char text[FINGERPRINT_TEXT_MAX];
    bool complete = keys != NULL;

    for (uint32_t i = 0; ring != NULL && i < ring->count; i++) {
        complete = complete &&
                   json_array_append_new(
                       keys, json_of_word(fingerprint_text(ring->keys[i].fingerprint, text))) == 0;
    }
    const char *auth = ring == NULL                         ? NULL
                       : facts->config->auth == AUTH_ACCEPT ? "accept"
                                                            : "require";
    return json_finished(
        object, json_put(object, "keys", keys) && complete &&
                    json_put(object, "auth", json_of_word(auth)) &&
                    json_put(object, "algorithms", algorithms_json(ring)) &&
                    json_put(object, "insecure", json_boolean(config_is_insecure(facts->config))));
}

/* The newest view of the history, as one change; null before the first. */
static json_t *last_change_json(const struct facts *facts)
{
    const size_t count = journal_history_count(facts->journal);
    if (count == 0) {
        return json_null();
    }

    const struct view_record *record = journal_history(facts->journal, count - 1);
    char time[TIME_TEXT_MAX];
    json_t *object = json_object();
    return json_finished(
        object, json_put(object, "time", json_of_word(time_text(record->wall_ms, time))) &&
                    json_put(object, "since_ms", json_of_number(facts->now_ms - record->now_ms)) &&
                    json_put(object, "epoch", json_of_u64(record->epoch)) &&
                    json_put(object, "version", json_of_u64(record->version)) &&
                    json_put(object, "cause", json_of_word(view_cause_text(record->cause))) &&
                    json_put(object, "change", json_of_word(record->change)));
}

/* What a node that has not joined yet waits for; null in a member. */
static json_t *waiting_json(const struct facts *facts)
{
    const struct waiting_state waiting = core_waiting(node_core(facts->node), facts->now_ms);
    json_t *object = json_object();

    if (facts->phase != PHASE_JOINING) {
        json_decref(object);
        return json_null();
    }
    return json_finished(
        object, json_put(object, "expect",
                         waiting.expect == 0 ? json_null() : json_of_number(waiting.expect)) &&
                    json_put(object, "met", json_of_number(waiting.met)) &&
                    json_put(object, "may_found", json_boolean(waiting.may_found)));
}

/* J2d: who speaks no later version than the members are written to in, though this node does. */
static json_t *held_back_by(const struct facts *facts, struct versions common)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        const struct member *member = &facts->view->members[i];
        if (common.high < facts->self->versions.high && member->versions.high == common.high) {
            complete = complete && json_array_append_new(array, json_of_word(member->name)) == 0;
        }
    }
    return json_finished(array, complete);
}

static json_t *protocol_json(const struct facts *facts)
{
    const struct versions common = versions_common(view_versions(facts->view, VIEW_NONE),
                                                   facts->self->versions);
    char speaks[VERSIONS_TEXT_MAX];
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "version", json_of_number(common.high + 1U)) &&
                    json_put(object, "speaks",
                             json_of_word(versions_text(&facts->self->versions, speaks))) &&
                    json_put(object, "held_back_by", held_back_by(facts, common)));
}

/* How far they were changed; GET /v1/terms has them. */
static json_t *terms_json(const struct facts *facts)
{
    json_t *object = json_object();

    return json_finished(object,
                         json_put(object, "number", json_of_u64(facts->agreed->number)) &&
                             json_put(object, "settled", json_boolean(!facts->agreed->joint)) &&
                             json_put(object, "drift", json_boolean(terms_drift(facts))));
}

/* For how long another coordinator has not been heard; null while it is, and where nobody knows. */
static json_t *unheard_json(const struct facts *facts)
{
    const bool is_other = !view_is_empty(facts->view) &&
                          !id_equal(&facts->view->members[0].id, &facts->self->id);

    return is_other && facts->silent[0] && facts->peers[0].heard_ms_ago != NEVER_MS
               ? json_of_number(facts->peers[0].heard_ms_ago)
               : json_null();
}

/* How old the word is that somebody acts. */
static json_t *said_json(const struct facts *facts)
{
    return facts->acting_said_ms == NEVER_MS ? json_null() : json_of_number(facts->acting_said_ms);
}

/* Under guard strict: how many there are, are heard, are known not to vote, and have not said. */
static json_t *voters_json(const struct whole *whole)
{
    json_t *object = json_object();

    if (whole->voters == 0) {
        json_decref(object);
        return json_null();
    }
    return json_finished(object, json_put(object, "count", json_of_number(whole->voters)) &&
                                     json_put(object, "heard", json_of_number(whole->heard)) &&
                                     json_put(object, "lacking", json_of_number(whole->lacking)) &&
                                     json_put(object, "spare", json_of_number(whole->spare)) &&
                                     json_put(object, "waiting", json_of_number(whole->waiting)));
}

/* Whose record it has found instead of its own. */
static json_t *record_of_json(const struct facts *facts)
{
    json_t *object = json_object();

    if (facts->record_name == NULL) {
        json_decref(object);
        return json_null();
    }
    return json_finished(object,
                         json_put(object, "name", json_of_word(facts->record_name)) &&
                             json_put(object, "cluster", json_of_word(facts->record_cluster)));
}

json_t *report_status(const struct facts *facts, const struct links *links,
                      const struct whole *whole, const struct node *node)
{
    json_t *object = json_object();
    const struct member *coordinator = facts->coordinator;
    char cursor[CURSOR_TEXT_MAX];

    return json_finished(
        object,
        json_put(object, "schema", json_integer(1)) &&
            json_put(object, "version", json_of_word(DOYEN_VERSION)) &&
            json_put(object, "cluster", json_of_word(facts->config->cluster)) &&
            json_put(object, "self", json_of_word(facts->self->name)) &&
            json_put(object, "id", json_of_id(&facts->self->id)) &&
            json_put(object, "incarnation", json_of_u64(facts->self->incarnation)) &&
            json_put(object, "address", json_of_address(&facts->self->address)) &&
            json_put(object, "profile", json_of_word(profile_text(facts->terms->profile))) &&
            json_put(object, "watchers", json_of_number(facts->config->watchers)) &&
            json_put(object, "fanout", json_of_number(facts->config->fanout)) &&
            json_put(object, "protocol", protocol_json(facts)) &&
            json_put(object, "terms", terms_json(facts)) &&
            json_put(object, "security", security_json(facts)) &&
            json_put(object, "whole", whole_json(whole)) &&
            json_put(object, "phase", json_of_word(phase_text(facts->phase))) &&
            json_put(object, "uptime_ms", json_of_number(facts->uptime_ms)) &&
            json_put(object, "cursor", json_of_word(cursor_text(facts_cursor(facts), cursor))) &&
            json_put(object, "epoch", json_of_u64(facts->view->epoch)) &&
            json_put(object, "view", view_json(facts)) &&
            json_put(object, "coordinator",
                     json_of_word(coordinator == NULL ? NULL : coordinator->name)) &&
            json_put(object, "coordinator_unheard_ms", unheard_json(facts)) &&
            acting_put(object, facts) && json_put(object, "acting_said_ms", said_json(facts)) &&
            json_put(object, "merging", json_boolean(facts->merging)) &&
            json_put(object, "guard", guard_json(facts)) &&
            json_put(object, "voter", json_of_word(facts_voter_text(facts))) &&
            json_put(object, "record_of", record_of_json(facts)) &&
            json_put(object, "voters", voters_json(whole)) &&
            json_put(object, "counts", counts_json(facts)) &&
            json_put(object, "links", lifelines_json(facts, links)) &&
            json_put(object, "faults", faults_json(node)) &&
            json_put(object, "last_change", last_change_json(facts)) &&
            json_put(object, "waiting", waiting_json(facts)) &&
            json_put(object, "join_refused", report_join_refused(facts)) &&
            json_put(object, "refusals", report_refusal_counts(facts)) &&
            json_put(object, "counters", counters_json(facts)));
}

json_t *report_coordinator(const struct facts *facts)
{
    const struct member *coordinator = facts->coordinator;
    json_t *object = json_object();
    bool complete = json_put(object, "schema", json_integer(1)) &&
                    json_put(object, "coordinator",
                             json_of_word(coordinator == NULL ? NULL : coordinator->name)) &&
                    json_put(object, "self", json_of_word(facts->self->name)) &&
                    json_put(object, "is_self",
                             json_boolean(coordinator != NULL &&
                                          id_equal(&coordinator->id, &facts->self->id))) &&
                    acting_put(object, facts) &&
                    json_put(object, "epoch", json_of_u64(facts->view->epoch)) &&
                    json_put(object, "version", json_of_u64(facts->view->version));

    if (coordinator != NULL) {
        complete = complete && json_put(object, "id", json_of_id(&coordinator->id)) &&
                   json_put(object, "address", json_of_address(&coordinator->address)) &&
                   json_put(object, "age", json_of_number(coordinator->age));
    }
    return json_finished(object, complete);
}

/* What the lease page says, for those who cannot map it. */
json_t *report_lease(const struct facts *facts)
{
    const uint64_t until_ms = node_acting_until_ms(facts->node, facts->now_ms);
    const uint64_t span_ms = core_acting_span_ms(node_core(facts->node));
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "schema", json_integer(1)) &&
            json_put(object, "self", json_of_word(facts->self->name)) &&
            json_put(object, "id", json_of_id(&facts->self->id)) &&
            json_put(object, "lineage", json_of_lineage(facts->view->lineage)) &&
            json_put(object, "epoch", json_of_u64(facts->view->epoch)) &&
            acting_put(object, facts) &&
            json_put(object, "deadline_ns",
                     facts->acting ? json_of_u64(until_ms * CLOCK_NS_PER_MS) : json_null()) &&
            json_put(object, "clock", json_string("CLOCK_BOOTTIME")) &&
            json_put(object, "span_ms", json_of_number(span_ms)) &&
            json_put(object, "renewal_ms",
                     json_of_number(timing_round_ms(core_timing(node_core(facts->node))))) &&
            json_put(object, "withdrawn", json_boolean(facts->withdrawn)));
}

json_t *report_version(void)
{
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "schema", json_integer(1)) &&
                    json_put(object, "name", json_string("doyend")) &&
                    json_put(object, "version", json_of_word(DOYEN_VERSION)) &&
                    json_put(object, "protocol", json_of_number(wire_versions().high + 1U)) &&
                    json_put(object, "api", json_string("v1")));
}

#include "base/version.h"
#include "control/report.h"
#include "control/words.h"
#include "proto/wire.h"
#include "runtime/options.h"
#include "runtime/value.h"
#include "words/message_text.h"
#include "words/notice_text.h"
#include "words/terms_text.h"

bool report_set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *finished(json_t *object, bool complete)
{
    if (complete) {
        return object;
    }
    json_decref(object);
    return NULL;
}

static json_t *view_json(const struct facts *facts)
{
    json_t *object = json_object();

    return finished(object,
                    report_set(object, "epoch", json_of_u64(facts->view->epoch)) &&
                        report_set(object, "version", json_of_u64(facts->view->version)) &&
                        report_set(object, "acked", json_of_number(facts->acked)) &&
                        report_set(object, "members", json_of_number(facts->view->member_count)));
}

static json_t *guard_json(const struct facts *facts)
{
    char policy[GUARD_TEXT_MAX];
    json_t *object = json_object();

    guard_text(&facts->guard.guard, policy);
    return finished(object,
                    report_set(object, "policy", json_of_word(policy)) &&
                        report_set(object, "size", json_of_guard_size(&facts->guard.guard)) &&
                        report_set(object, "needed", json_of_number(facts->guard.needed)) &&
                        report_set(object, "fresh", json_of_number(facts->guard.fresh)) &&
                        report_set(object, "met", json_boolean(facts->guard.met)));
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
    return finished(object,
                    report_set(object, "members", json_of_number(facts->view->member_count)) &&
                        report_set(object, "suspect", json_of_number(suspects)) &&
                        report_set(object, "failed", json_of_number(failed)) &&
                        report_set(object, "left", json_of_number(left)));
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
        } else {
            complete &= json_array_append_new(down, json_of_word(facts->view->members[i].name)) ==
                        0;
        }
    }
    complete &= report_set(object, "up", json_of_number(up));
    complete &= report_set(object, "down", down);
    complete &= report_set(object, "bad", links_bad_json(links, facts));
    return finished(object, complete);
}

/* What POST /v1/fault has put in force. */
static json_t *faults_json(const struct node *node)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < node_fault_count(node); i++) {
        const struct node_fault fault = node_fault_at(node, i);
        json_t *object = json_object();
        if (!report_set(object, "name", json_of_word(fault.name)) ||
            !report_set(object, "drop", json_boolean(fault.drop)) ||
            !report_set(object, "delay_ms", json_of_number(fault.delay_ms))) {
            json_decref(object);
            object = NULL;
        }
        complete &= json_array_append_new(array, object) == 0;
    }
    return finished(array, complete);
}

/* Only the reasons that were met: a list of zeros says nothing. */
static json_t *reasons_json(const uint64_t *counts, unsigned count,
                            const char *(*word)(unsigned reason))
{
    json_t *object = json_object();
    bool complete = true;

    for (unsigned i = 0; i < count; i++) {
        if (counts[i] > 0) {
            complete &= report_set(object, word(i), json_of_number(counts[i]));
        }
    }
    return finished(object, complete);
}

static const char *drop_text_of(unsigned reason)
{
    return drop_reason_text((enum drop_reason)reason);
}

static const char *wire_text_of(unsigned reason)
{
    return wire_error_text((enum wire_error)reason);
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

    return finished(
        object,
        report_set(object, "received",
                   reasons_json(core->received, MESSAGE_TYPE_COUNT, message_text_of)) &&
            report_set(object, "sent",
                       reasons_json(core->sent, MESSAGE_TYPE_COUNT, message_text_of)) &&
            report_set(object, "dropped", reasons_json(core->dropped, DROP_COUNT, drop_text_of)) &&
            report_set(object, "malformed",
                       reasons_json(traffic->malformed, WIRE_ERROR_COUNT, wire_text_of)) &&
            report_set(object, "datagrams_in", json_of_number(traffic->datagrams_in)) &&
            report_set(object, "datagrams_out", json_of_number(traffic->datagrams_out)) &&
            report_set(object, "bytes_in", json_of_number(traffic->bytes_in)) &&
            report_set(object, "bytes_out", json_of_number(traffic->bytes_out)) &&
            report_set(object, "frames_in", json_of_number(traffic->frames_in)) &&
            report_set(object, "frames_out", json_of_number(traffic->frames_out)) &&
            report_set(object, "streams_open", json_of_number(traffic->streams_open)) &&
            report_set(object, "streams_refused", json_of_number(traffic->streams_refused)) &&
            report_set(object, "starved", json_of_number(traffic->starved)) &&
            report_set(object, "send_failed", json_of_number(traffic->send_failed)) &&
            report_set(object, "sends_cut", json_of_number(core->sends_cut)) &&
            report_set(object, "views_installed", json_of_number(core->views_installed)) &&
            report_set(object, "mismatches", json_of_number(core->mismatches)) &&
            report_set(object, "late_wakeups", json_of_number(core->late_wakeups)) &&
            report_set(object, "relayed", json_of_number(core->relayed)));
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
    return finished(
        object,
        report_set(object, "time", json_of_word(time_text(record->wall_ms, time))) &&
            report_set(object, "since_ms", json_of_number(facts->now_ms - record->now_ms)) &&
            report_set(object, "epoch", json_of_u64(record->epoch)) &&
            report_set(object, "version", json_of_u64(record->version)) &&
            report_set(object, "cause", json_of_word(view_cause_text(record->cause))) &&
            report_set(object, "change", json_of_word(record->change)));
}

json_t *report_status(const struct facts *facts, const struct links *links, const struct node *node)
{
    json_t *object = json_object();
    const struct member *coordinator = facts->coordinator;

    return finished(
        object,
        report_set(object, "schema", json_integer(1)) &&
            report_set(object, "version", json_of_word(DOYEN_VERSION)) &&
            report_set(object, "cluster", json_of_word(facts->config->cluster)) &&
            report_set(object, "self", json_of_word(facts->self->name)) &&
            report_set(object, "id", json_of_id(&facts->self->id)) &&
            report_set(object, "incarnation", json_of_u64(facts->self->incarnation)) &&
            report_set(object, "address", json_of_address(&facts->self->address)) &&
            report_set(object, "profile", json_of_word(profile_text(facts->config->profile))) &&
            report_set(object, "phase", json_of_word(phase_text(facts->phase))) &&
            report_set(object, "uptime_ms", json_of_number(facts->uptime_ms)) &&
            report_set(object, "cursor", json_of_u64(facts->cursor)) &&
            report_set(object, "view", view_json(facts)) &&
            report_set(object, "coordinator",
                       json_of_word(coordinator == NULL ? NULL : coordinator->name)) &&
            report_set(object, "acting", json_boolean(facts->acting)) &&
            report_set(object, "merging", json_boolean(facts->merging)) &&
            report_set(object, "guard", guard_json(facts)) &&
            report_set(object, "counts", counts_json(facts)) &&
            report_set(object, "links", lifelines_json(facts, links)) &&
            report_set(object, "faults", faults_json(node)) &&
            report_set(object, "last_change", last_change_json(facts)) &&
            report_set(object, "join_refused", report_join_refused(facts)) &&
            report_set(object, "counters", counters_json(facts)));
}

json_t *report_coordinator(const struct facts *facts)
{
    const struct member *coordinator = facts->coordinator;
    json_t *object = json_object();
    bool complete = report_set(object, "schema", json_integer(1)) &&
                    report_set(object, "coordinator",
                               json_of_word(coordinator == NULL ? NULL : coordinator->name)) &&
                    report_set(object, "self", json_of_word(facts->self->name)) &&
                    report_set(object, "is_self",
                               json_boolean(coordinator != NULL &&
                                            id_equal(&coordinator->id, &facts->self->id))) &&
                    report_set(object, "acting", json_boolean(facts->acting)) &&
                    report_set(object, "epoch", json_of_u64(facts->view->epoch)) &&
                    report_set(object, "version", json_of_u64(facts->view->version));

    if (coordinator != NULL) {
        complete = complete && report_set(object, "id", json_of_id(&coordinator->id)) &&
                   report_set(object, "address", json_of_address(&coordinator->address)) &&
                   report_set(object, "age", json_of_number(coordinator->age));
    }
    return finished(object, complete);
}

json_t *report_version(void)
{
    json_t *object = json_object();

    return finished(object, report_set(object, "schema", json_integer(1)) &&
                                report_set(object, "name", json_string("doyend")) &&
                                report_set(object, "version", json_of_word(DOYEN_VERSION)) &&
                                report_set(object, "protocol", json_integer(WIRE_VERSION)) &&
                                report_set(object, "api", json_string("v1")));
}

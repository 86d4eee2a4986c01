#include "control/resources/resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "control/documents/health.h"
#include "control/documents/metrics.h"
#include "control/documents/report_config.h"
#include "control/documents/report_doctor.h"
#include "control/documents/report_keys.h"
#include "control/documents/report_leader.h"
#include "control/documents/report_links.h"
#include "control/documents/report_owning.h"
#include "control/documents/report_partitions.h"
#include "control/documents/report_past.h"
#include "control/documents/report_peers.h"
#include "control/documents/report_recording.h"
#include "control/documents/report_status.h"
#include "control/documents/report_targets.h"
#include "control/documents/report_terms.h"
#include "control/documents/report_voters.h"
#include "control/documents/whole_facts.h"
#include "control/page/page.h"
#include "control/page/page_file.h"
#include "control/requests/elect_request.h"
#include "control/requests/fault_request.h"
#include "control/requests/move_request.h"
#include "control/requests/tags_request.h"
#include "control/requests/terms_request.h"
#include "control/requests/voters_request.h"
#include "control/resources/argument.h"
#include "control/resources/campaign_answer.h"
#include "control/resources/server.h"
#include "runtime/host/clock.h"
#include "runtime/options/value.h"
#include "words/notice_text.h"

/* The page's scripts, styles and picture. */
#define PAGE_FOLDER "/page/"

/* --- The answers --- */

static struct answer answer_members(struct request *request)
{
    struct snapshot *snapshot = &request->server->control->snapshot;
    struct document *document = snapshot_share(snapshot);

    if (document == NULL) {
        return answer_busy("too much is waiting for clients that read slowly");
    }
    return answer_document(
        document, (struct cursor){.life = snapshot->facts->life, .number = snapshot->cursor});
}

/* Voters are asked, too, for whoever asks next. */
static void collect_whole(struct control *control, struct whole *whole)
{
    voter_survey_ask(&control->voter_survey, &control->facts, VOTER_ASK_MS);
    whole_now(&control->facts, &control->links, &control->voter_survey, whole);
}

static struct answer answer_status(struct request *request)
{
    struct control *control = request->server->control;
    struct whole whole;

    collect_whole(control, &whole);
    return answer_json(MHD_HTTP_OK,
                       report_status(&control->facts, &control->links, &whole, control->node));
}

static struct answer answer_links(struct request *request)
{
    struct control *control = request->server->control;

    return answer_json(MHD_HTTP_OK, report_links(&control->facts, &control->links));
}

static struct answer answer_coordinator(struct request *request)
{
    return answer_json(MHD_HTTP_OK, report_coordinator(&request->server->control->facts));
}

static struct answer answer_is_coordinator(struct request *request)
{
    const struct facts *facts = &request->server->control->facts;

    if (facts->acting) {
        return answer_json(MHD_HTTP_OK, report_coordinator(facts));
    }
    if (facts->coordinator == NULL) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting",
                              "doyen status shows what this node waits for",
                              "there is no coordinator: this node is in phase %s",
                              phase_text(facts->phase));
    }
    if (!id_equal(&facts->coordinator->id, &facts->self->id)) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting",
                              "doyen coordinator has its address", "the coordinator is %s",
                              facts->coordinator->name);
    }
    if (!facts->guard.met) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting",
                              "doyen members shows who is missing",
                              "this node coordinates, but its guard wants %u members heard lately "
                              "and there are %u",
                              facts->guard.needed, facts->guard.fresh);
    }
    if (facts->withdrawn) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting",
                              "doyen coordinator says who coordinates next",
                              "this node %s, and has given up its right to act",
                              facts->phase == PHASE_LEAVING ? "leaves" : "hands over");
    }
    if (facts->merging) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting", "ask again in a moment",
                              "another part is absorbing this node's part");
    }
    return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting", "ask again in a moment",
                          "this node coordinates, but is not sure yet that it was not asleep");
}

static struct answer answer_voters(struct request *request)
{
    struct control *control = request->server->control;

    voter_survey_ask(&control->voter_survey, &control->facts, VOTER_ASK_MS);
    return answer_json(MHD_HTTP_OK, report_voters(&control->facts, &control->voter_survey));
}

static struct answer answer_lease_page(struct request *request)
{
    struct control *control = request->server->control;
    struct answer answer = {.status = MHD_HTTP_SWITCHING_PROTOCOLS};

    if (!request->server->over_unix) {
        return answer_problem(MHD_HTTP_FORBIDDEN, "not over TCP",
                              "ask at the control socket, or without Upgrade",
                              "the lease page is memory, and is lent on the Unix socket only");
    }
    if (core_is_handing_over(node_core(control->node))) {
        return answer_busy("this node is handing over: ask again when that is done");
    }
    answer.response = lease_clients_response(&control->lease_clients);
    if (answer.response == NULL) {
        return answer_busy(node_lease(control->node)->memory.fd < 0
                               ? "this host has no sealed memory to lend a lease page in"
                               : "there are as many readers of the lease page as this node allows");
    }
    return answer;
}

static struct answer answer_lease(struct request *request)
{
    return argument_wants_protocol(request, LEASE_PROTOCOL)
               ? answer_lease_page(request)
               : answer_json(MHD_HTTP_OK, report_lease(&request->server->control->facts));
}

static struct answer answer_history(struct request *request)
{
    const struct control *control = request->server->control;

    return answer_json(MHD_HTTP_OK, report_history(&control->facts, &control->past));
}

static struct answer answer_journal(struct request *request)
{
    const struct control *control = request->server->control;
    struct text_builder text = {0};

    report_journal(&control->facts, &control->past, &text);
    return answer_text(MHD_HTTP_OK, &text, "application/json");
}

static struct answer answer_unknown_member(const struct facts *facts, unsigned status,
                                           const char *name)
{
    const char *near = report_suggest(facts, name);
    char hint[NAME_BYTES_MAX + 64] = "doyen members has the names";

    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    }
    return answer_problem(status, "no such member", hint, "no member is called %.200s", name);
}

static struct answer answer_why(struct request *request)
{
    struct control *control = request->server->control;
    const struct facts *facts = &control->facts;
    const char *name = argument_value(request, "node");

    if (name == NULL) {
        struct whole whole;
        collect_whole(control, &whole);
        return answer_json(MHD_HTTP_OK, report_why(facts, &whole, &control->past));
    }
    if (report_knows(facts, &control->past, name)) {
        return answer_json(MHD_HTTP_OK,
                           report_why_member(facts, &control->links, &control->past, name));
    }
    return answer_unknown_member(facts, MHD_HTTP_NOT_FOUND, name);
}

/* Each request asks some more of the members that were not asked yet; ?begin asks all anew. */
static struct answer answer_peers(struct request *request)
{
    struct control *control = request->server->control;
    struct inquiry *inquiry = node_inquiry(control->node);

    if (argument_is_given(request, "begin") && !inquiry_begin(inquiry)) {
        return answer_json(MHD_HTTP_OK, NULL);
    }
    inquiry_ask(inquiry);
    return answer_json(MHD_HTTP_OK,
                       report_peers(&control->facts, inquiry, &control->hearing_stability));
}

/* ?begin=MS begins a measurement of that length, unless one runs. */
static struct answer answer_doctor(struct request *request)
{
    struct control *control = request->server->control;
    const char *text = argument_value(request, "begin");
    struct complaint complaint;
    struct whole whole;
    uint32_t span_ms = 0;

    if (argument_is_given(request, "begin")) {
        if (text == NULL ||
            !value_number(text, MEASURE_MS_MIN, MEASURE_MS_MAX, &span_ms, &complaint)) {
            return answer_problem(MHD_HTTP_BAD_REQUEST, "bad argument", "write ?begin=5000",
                                  "begin: a measurement takes %d to %d milliseconds",
                                  MEASURE_MS_MIN, MEASURE_MS_MAX);
        }
        if (!measure_begin(&control->measure, span_ms)) {
            return answer_json(MHD_HTTP_OK, NULL);
        }
    }
    collect_whole(control, &whole);
    return answer_json(MHD_HTTP_OK, report_doctor(&control->facts, &control->measure,
                                                  node_inquiry(control->node), &whole));
}

enum {
    ROLES_PAUSE_MS = 20, /* a round that began so lately serves the next who asks, too */
    ROLES_PAUSE_TCP_MS = 1000,
};

/* As with /v1/peers. Whoever asks for the first time begins a round. Over TCP, where anybody may
 * ask, a round is begun once a second at most. */
static struct answer answer_roles(struct request *request)
{
    struct control *control = request->server->control;
    struct role_survey *survey = &control->role_survey;
    const uint64_t pause_ms = request->server->over_unix ? ROLES_PAUSE_MS : ROLES_PAUSE_TCP_MS;

    if ((survey->slots == NULL || argument_is_given(request, "begin")) &&
        !role_survey_begin(survey, pause_ms)) {
        return answer_json(MHD_HTTP_OK, NULL);
    }
    role_survey_ask(survey);
    return answer_json(MHD_HTTP_OK, role_survey_report(survey, &control->facts));
}

static struct answer answer_counters(struct request *request)
{
    const struct control *control = request->server->control;

    return answer_json(MHD_HTTP_OK, counter_past_json(&control->counter_past, &control->facts));
}

static struct answer answer_version(struct request *request)
{
    (void)request;
    return answer_json(MHD_HTTP_OK, report_version());
}

/* The headers are those of GET. No watcher is added, because nobody would read its stream. */
static struct answer answer_head_of_events(void)
{
    struct answer answer = {
        .status = MHD_HTTP_OK,
        .response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)};

    if (answer.response != NULL) {
        (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CONTENT_TYPE,
                                      "text/event-stream");
    }
    return answer;
}

/* Browsers send Last-Event-ID when they reconnect; ?since= is easier by hand. */
static struct answer answer_events(struct request *request)
{
    struct control *control = request->server->control;
    struct cursor since = {0};
    const char *text = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                                   "Last-Event-ID");

    if (request->is_head) {
        return answer_head_of_events();
    }
    if (text == NULL) {
        text = argument_value(request, "since");
    }
    if (text != NULL && !cursor_parse(text, &since)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "not a cursor",
                              "give the id of the last event seen as it was, or nothing to begin "
                              "with a snapshot",
                              "'%.60s' is not the id of an event", text);
    }
    struct answer answer = {.status = MHD_HTTP_OK,
                            .response = watchers_add(&control->watchers, request->connection,
                                                     text == NULL ? NULL : &since)};
    if (answer.response == NULL) {
        return answer_busy("there are as many watchers of the events as this node allows");
    }
    (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CONTENT_TYPE,
                                  "text/event-stream");
    (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    return answer;
}

static struct answer answer_leave(struct request *request)
{
    json_t *object = json_object();

    node_leave(request->server->control->node);
    if (json_object_set_new(object, "leaving", json_true()) != 0) {
        json_decref(object);
        object = NULL;
    }
    return answer_json(MHD_HTTP_ACCEPTED, object);
}

static struct answer answer_transfer(struct request *request)
{
    const struct facts *facts = &request->server->control->facts;
    const char *name = argument_value(request, "to");

    if (name != NULL && !view_is_empty(facts->view) &&
        view_find_name(facts->view, name) == VIEW_NONE) {
        return answer_unknown_member(facts, MHD_HTTP_NOT_FOUND, name);
    }
    return move_request_transfer(facts, name);
}

/* The member that is named, or this node. */
static struct answer drain(struct request *request, bool drained)
{
    const struct facts *facts = &request->server->control->facts;
    const char *name = argument_value(request, "node");

    if (facts->phase != PHASE_MEMBER) {
        return move_request_not_a_member(facts);
    }
    const uint32_t position = view_find_name(facts->view, name == NULL ? facts->self->name : name);
    if (position == VIEW_NONE) {
        return answer_unknown_member(facts, MHD_HTTP_NOT_FOUND, name);
    }
    return move_request_drain(facts, position, drained);
}

static struct answer answer_leader(struct request *request)
{
    return answer_json(MHD_HTTP_OK, report_leader(&request->server->control->facts));
}

static struct answer answer_partitions(struct request *request)
{
    return answer_json(MHD_HTTP_OK, report_partitions(&request->server->control->facts,
                                                      argument_value(request, "key")));
}

static struct answer answer_partitions_hold(struct request *request)
{
    return owning_request_hold(&request->server->control->facts);
}

static struct answer answer_partitions_ready(struct request *request)
{
    return owning_request_ready(&request->server->control->facts,
                                argument_value(request, "partitions"));
}

static struct answer answer_partitions_done(struct request *request)
{
    return owning_request_done(&request->server->control->facts,
                               argument_value(request, "partitions"));
}

static struct answer answer_elect(struct request *request)
{
    return elect_request(&request->server->control->facts, argument_value(request, "stand"));
}

static struct answer answer_keys(struct request *request)
{
    return answer_json(MHD_HTTP_OK, report_keys(&request->server->control->facts));
}

static struct answer rotate(struct request *request, enum rotation_kind kind)
{
    struct control *control = request->server->control;
    struct rotation rotation = {.kind = kind};
    struct complaint complaint;

    if (kind != ROTATION_RELOAD) {
        const char *key = argument_value(request, "key");
        if (!fingerprint_parse(key, &rotation.fingerprint)) {
            return answer_problem(MHD_HTTP_BAD_REQUEST, "not a key",
                                  "doyen keys has the fingerprints",
                                  "'%.20s' is no fingerprint of four hexadecimal digits", key);
        }
    }
    if (!node_rotate(control->node, &rotation, &complaint)) {
        return answer_problem(MHD_HTTP_CONFLICT, "keys not changed",
                              "doyen keys shows who holds which key", "%s", complaint.text);
    }
    return answer_keys(request);
}

static struct answer answer_keys_reload(struct request *request)
{
    return rotate(request, ROTATION_RELOAD);
}

static struct answer answer_keys_use(struct request *request)
{
    return rotate(request, ROTATION_USE);
}

static struct answer answer_keys_remove(struct request *request)
{
    return rotate(request, ROTATION_REMOVE);
}

static struct answer answer_drain(struct request *request)
{
    return drain(request, true);
}

static struct answer answer_undrain(struct request *request)
{
    return drain(request, false);
}

static struct answer answer_forget(struct request *request)
{
    return move_request_forget(&request->server->control->facts, argument_value(request, "node"));
}

static struct answer answer_terms(struct request *request)
{
    return answer_json(MHD_HTTP_OK, report_terms(&request->server->control->facts));
}

static struct answer answer_change_terms(struct request *request)
{
    return terms_request(&request->server->control->facts, request->body.bytes,
                         request->body.length);
}

static struct answer answer_change_voters(struct request *request)
{
    struct control *control = request->server->control;

    voter_survey_ask(&control->voter_survey, &control->facts, VOTER_ASK_MS);
    return voters_request(&control->facts, &control->voter_survey, request->body.bytes,
                          request->body.length);
}

static struct answer answer_tags(struct request *request)
{
    return tags_request(&request->server->control->facts, request->body.bytes,
                        request->body.length);
}

static bool fault_apply(const struct fault_request *fault, struct node *node)
{
    switch (fault->kind) {
    case FAULT_DROP:
        return node_fault_drop(node, fault->names, fault->name_count);
    case FAULT_DELAY:
        return node_fault_delay(node, fault->names[0], fault->delay_ms);
    case FAULT_CLEAR:
        node_fault_clear(node);
        return true;
    }
    return false;
}

static struct answer answer_fault(struct request *request)
{
    struct control *control = request->server->control;
    struct fault_request fault;
    char why[FAULT_WHY_MAX];

    if (!node_config(control->node)->faults) {
        return answer_problem(MHD_HTTP_FORBIDDEN, "faults are off",
                              "start doyend with --faults, on a cluster for trying things out",
                              "this node was started without --faults");
    }
    if (!fault_request_parse(&fault, request->body.bytes, request->body.length, why)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "not a fault",
                              "doyen fault --help says which there are", "%s", why);
    }
    for (uint32_t i = 0; i < fault.name_count; i++) {
        if (text_equal(fault.names[i], control->facts.self->name)) {
            fault_request_deinit(&fault);
            return answer_problem(MHD_HTTP_BAD_REQUEST, "not a fault",
                                  "name the members at the other end of the links",
                                  "%s is this node itself: there is no link to it",
                                  control->facts.self->name);
        }
        if (!node_fault_knows(control->node, fault.names[i])) {
            struct answer answer = answer_unknown_member(&control->facts, MHD_HTTP_NOT_FOUND,
                                                         fault.names[i]);
            fault_request_deinit(&fault);
            return answer;
        }
    }
    const bool applied = fault_apply(&fault, control->node);
    json_t *body = json_incref(fault.body);
    fault_request_deinit(&fault);
    if (!applied) {
        json_decref(body);
        return answer_problem(MHD_HTTP_CONFLICT, "fault not applied",
                              "doyen fault clear ends all, then ask again",
                              "the view changed meanwhile, or too many faults are in force");
    }
    return answer_json(MHD_HTTP_OK, body);
}

/* `whole` is NULL where it is not asked for. */
static struct answer answer_health(const struct request *request, const struct health *health,
                                   const struct whole *whole)
{
    struct text_builder text = {0};

    health_write(health, argument_is_given(request, "verbose"), whole, &text);
    return answer_text(health_is_good(health) ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, &text,
                       "text/plain; charset=utf-8");
}

static struct answer answer_livez(struct request *request)
{
    const struct health health = health_live(&request->server->control->facts);

    return answer_health(request, &health, NULL);
}

static struct answer answer_readyz(struct request *request)
{
    const struct health health = health_ready(&request->server->control->facts);
    struct whole whole;

    if (!argument_is_given(request, "verbose")) {
        return answer_health(request, &health, NULL);
    }
    collect_whole(request->server->control, &whole);
    return answer_health(request, &health, &whole);
}

/* What is not in the facts. */
static void collect_metrics(const struct control *control, struct metrics *metrics)
{
    const struct keyring *ring = node_keys(control->node);

    metrics->key_count = ring == NULL ? 0 : ring->count;
    for (uint32_t i = 0; i < metrics->key_count; i++) {
        metrics->keys[i] = node_key(control->node, i);
    }
    for (uint32_t i = 0; i < control->server_count; i++) {
        const struct server *server = &control->servers[i];
        *(server->over_unix ? &metrics->connections_unix
                            : &metrics->connections_tcp) = server->connections;
    }
    metrics->watchers = control->watchers.count;
    metrics->lease_clients = control->lease_clients.count;
    metrics->margin = node_lease(control->node)->margin;
    metrics->leader = elector_leader(node_elector(control->node));
    metrics->keeper = node_partitions(control->node);
    metrics_collect_roles(metrics, node_roles(control->node));
}

static struct answer answer_metrics(struct request *request)
{
    struct control *control = request->server->control;
    struct whole whole;
    struct metrics metrics = {.facts = &control->facts,
                              .whole = &whole,
                              .log = control->log,
                              .process = process_meter_read(&control->meter)};
    struct text_builder text = {0};

    collect_whole(control, &whole);
    collect_metrics(control, &metrics);
    metrics_write(&metrics, &text);
    return answer_text(MHD_HTTP_OK, &text, METRICS_TYPE);
}

/* All members are taken to have that port: this node does not know those of the others. */
static struct answer answer_targets(struct request *request)
{
    const struct facts *facts = &request->server->control->facts;
    const char *text = argument_value(request, "port");
    uint32_t port = facts->config->http_on ? facts->config->http.port : 0;
    struct complaint complaint;

    if (text != NULL && !value_number(text, 1, UINT16_MAX, &port, &complaint)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "bad argument", "write ?port=9100",
                              "port=%.100s is no port", text);
    }
    if (port == 0) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "bad argument",
                              "write ?port=8420, or start doyend with --http",
                              "which port is meant is not clear, as this node has no --http");
    }
    return answer_json(MHD_HTTP_OK, report_targets(facts, (uint16_t)port));
}

static struct answer answer_config(struct request *request)
{
    return answer_json(MHD_HTTP_OK, report_config(&request->server->control->facts));
}

static struct answer answer_recording(struct request *request)
{
    struct text_builder text = {0};

    report_recording(&request->server->control->facts, &text);
    return answer_text(MHD_HTTP_OK, &text, "application/json");
}

static struct answer answer_page(struct request *request)
{
    struct control *control = request->server->control;
    struct whole whole;

    collect_whole(control, &whole);
    return page_answer(&control->facts, &whole, clock_wall_ms());
}

static struct answer answer_page_file(struct request *request)
{
    return page_file_answer(request->connection, request->path + strlen(PAGE_FOLDER));
}

/* --- The table --- */

const struct resource resource_table[] = {
    {"/", METHOD_GET, ANYWHERE, CACHE_MOMENT, NULL, answer_page},
    {PAGE_FOLDER, METHOD_GET, FOLDER, CACHE_NOTHING, NULL, answer_page_file},
    {"/v1/members", METHOD_GET, ANYWHERE, CACHE_SNAPSHOT, NULL, answer_members},
    {"/v1/status", METHOD_GET, ANYWHERE, CACHE_MOMENT, NULL, answer_status},
    {"/v1/coordinator", METHOD_GET, ANYWHERE, CACHE_MOMENT, NULL, answer_coordinator},
    {"/v1/is-coordinator", METHOD_GET, PROBE, CACHE_MOMENT, NULL, answer_is_coordinator},
    {"/livez", METHOD_GET, PROBE | FLAG, CACHE_MOMENT, "verbose", answer_livez},
    {"/readyz", METHOD_GET, PROBE | FLAG, CACHE_MOMENT, "verbose", answer_readyz},
    {"/metrics", METHOD_GET, ANYWHERE, CACHE_MOMENT, NULL, answer_metrics},
    {"/v1/targets", METHOD_GET, ANYWHERE, CACHE_MOMENT, "port", answer_targets},
    {"/v1/lease", METHOD_GET, ANYWHERE, CACHE_NOTHING, NULL, answer_lease},
    {"/v1/links", METHOD_GET, ANYWHERE, CACHE_MOMENT, NULL, answer_links},
    {"/v1/history", METHOD_GET, ANYWHERE, CACHE_UNTIL_CHANGE, NULL, answer_history},
    {"/v1/journal", METHOD_GET, ANYWHERE, CACHE_UNTIL_CHANGE, NULL, answer_journal},
    {"/v1/counters", METHOD_GET, ANYWHERE, CACHE_MOMENT, NULL, answer_counters},
    {"/v1/keys", METHOD_GET, ANYWHERE, CACHE_NOTHING, NULL, answer_keys},
    {"/v1/voters", METHOD_GET, ANYWHERE, CACHE_NOTHING, NULL, answer_voters},
    {"/v1/voters", METHOD_POST, UNIX_ONLY | BODY, CACHE_NOTHING, NULL, answer_change_voters},
    {"/v1/leader", METHOD_GET, ANYWHERE, CACHE_NOTHING, NULL, answer_leader},
    {"/v1/partitions", METHOD_GET, ANYWHERE, CACHE_NOTHING, "key", answer_partitions},
    {"/v1/why", METHOD_GET, ANYWHERE, CACHE_MOMENT, "node", answer_why},
    {"/v1/peers", METHOD_GET, UNIX_ONLY | FLAG, CACHE_NOTHING, "begin", answer_peers},
    {"/v1/doctor", METHOD_GET, UNIX_ONLY, CACHE_NOTHING, "begin", answer_doctor},
    {"/v1/roles", METHOD_GET, ANYWHERE | FLAG, CACHE_NOTHING, "begin", answer_roles},
    {"/v1/config", METHOD_GET, UNIX_ONLY, CACHE_NOTHING, NULL, answer_config},
    {"/v1/recording", METHOD_GET, UNIX_ONLY | GUARDED, CACHE_NOTHING, NULL, answer_recording},
    {"/v1/version", METHOD_GET, ANYWHERE, CACHE_UNTIL_CHANGE, NULL, answer_version},
    {"/v1/events", METHOD_GET, ANYWHERE, CACHE_NOTHING, "since", answer_events},
    {"/v1/leave", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, NULL, answer_leave},
    {"/v1/transfer", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, "to", answer_transfer},
    {"/v1/drain", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, "node", answer_drain},
    {"/v1/forget", METHOD_POST, UNIX_ONLY | NEEDED, CACHE_NOTHING, "node", answer_forget},
    {"/v1/undrain", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, "node", answer_undrain},
    {"/v1/terms", METHOD_GET, UNIX_ONLY, CACHE_NOTHING, NULL, answer_terms},
    {"/v1/terms", METHOD_POST, UNIX_ONLY | BODY, CACHE_NOTHING, NULL, answer_change_terms},
    {"/v1/tags", METHOD_POST, UNIX_ONLY | BODY, CACHE_NOTHING, NULL, answer_tags},
    {"/v1/partitions/hold", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, NULL, answer_partitions_hold},
    {"/v1/partitions/ready", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, "partitions",
     answer_partitions_ready},
    {"/v1/partitions/done", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, "partitions",
     answer_partitions_done},
    {"/v1/elect", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, "stand", answer_elect},
    {"/v1/keys/reload", METHOD_POST, UNIX_ONLY, CACHE_NOTHING, NULL, answer_keys_reload},
    {"/v1/keys/use", METHOD_POST, UNIX_ONLY | NEEDED, CACHE_NOTHING, "key", answer_keys_use},
    {"/v1/keys/remove", METHOD_POST, UNIX_ONLY | NEEDED, CACHE_NOTHING, "key", answer_keys_remove},
    {"/v1/campaign", METHOD_POST, UNIX_ONLY | BODY, CACHE_NOTHING, NULL, campaign_answer},
    {"/v1/value", METHOD_POST, UNIX_ONLY | BODY, CACHE_NOTHING, NULL, campaign_answer_value},
    {"/v1/resign", METHOD_POST, UNIX_ONLY | NEEDED, CACHE_NOTHING, "role", campaign_answer_resign},
    {"/v1/fault", METHOD_POST, UNIX_ONLY | BODY, CACHE_NOTHING, NULL, answer_fault},
};
const size_t resource_count = sizeof resource_table / sizeof resource_table[0];

_Static_assert(sizeof resource_table / sizeof resource_table[0] <= RESOURCES_MAX,
               "each resource has a place for its cached answer");

unsigned method_parse(const char *method)
{
    if (text_equal(method, MHD_HTTP_METHOD_GET) || text_equal(method, MHD_HTTP_METHOD_HEAD)) {
        return METHOD_GET;
    }
    return text_equal(method, MHD_HTTP_METHOD_POST) ? METHOD_POST : 0;
}

static bool resource_has_path(const struct resource *resource, const char *path)
{
    return (resource->traits & FOLDER) != 0
               ? strncmp(path, resource->path, strlen(resource->path)) == 0
               : text_equal(path, resource->path);
}

unsigned resource_methods(const char *path)
{
    unsigned methods = 0;

    for (size_t i = 0; i < resource_count; i++) {
        methods |= resource_has_path(&resource_table[i], path) ? resource_table[i].methods : 0;
    }
    return methods;
}

enum route resource_find(const char *path, unsigned method, bool over_unix,
                         const struct resource **found)
{
    *found = NULL;
    for (size_t i = 0; i < resource_count; i++) {
        const struct resource *resource = &resource_table[i];
        if (!resource_has_path(resource, path)) {
            continue;
        }
        *found = *found == NULL ? resource : *found;
        if ((resource->methods & method) != 0) {
            *found = resource; /* One path may be read, and changed. */
            break;
        }
    }
    if (*found == NULL) {
        return ROUTE_UNKNOWN;
    }
    if (((*found)->methods & method) == 0) {
        return ROUTE_WRONG_METHOD;
    }
    return ((*found)->traits & UNIX_ONLY) != 0 && !over_unix ? ROUTE_UNIX_ONLY : ROUTE_FOUND;
}

bool resource_is_lasting(const struct request *request, const struct resource *resource)
{
    return (resource->answer == answer_events && !request->is_head) ||
           (resource->answer == answer_lease && argument_wants_protocol(request, LEASE_PROTOCOL)) ||
           (resource->answer == campaign_answer &&
            argument_wants_protocol(request, CAMPAIGN_PROTOCOL));
}

bool resource_is_change(const struct resource *resource)
{
    return resource->methods == METHOD_POST;
}

bool resource_is_guarded(const struct resource *resource)
{
    return resource_is_change(resource) || (resource->traits & GUARDED) != 0;
}

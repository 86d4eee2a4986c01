#include "control/resources.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "control/fault_request.h"
#include "control/report.h"
#include "control/server.h"
#include "control/sheet.h"
#include "control/words.h"
#include "words/notice_text.h"

/* Until something changes. */
#define KEEP_LONG UINT64_MAX

/* --- The answers --- */

static const char *visitor_argument(const struct visitor *visitor, const char *name)
{
    return MHD_lookup_connection_value(visitor->connection, MHD_GET_ARGUMENT_KIND, name);
}

static struct answer answer_busy(const char *detail)
{
    return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                          "close connections that are not needed, or ask again in a moment", "%s",
                          detail);
}

static struct answer answer_members(struct visitor *visitor)
{
    struct control *control = visitor->server->control;
    struct document *document = control_snapshot(control);

    if (document == NULL) {
        return answer_busy("too much is waiting for clients that read slowly");
    }
    return answer_document(document, control->snapshot_cursor);
}

/* The matrix of the same moment as the facts, or NULL when memory ran out. */
static const struct links *take_links(struct control *control)
{
    return links_take(&control->links, node_core(control->node), control->facts.now_ms)
               ? &control->links
               : NULL;
}

static struct answer answer_status(struct visitor *visitor)
{
    struct control *control = visitor->server->control;
    const struct links *links = take_links(control);

    return answer_json(MHD_HTTP_OK,
                       links == NULL ? NULL : report_status(&control->facts, links, control->node));
}

static struct answer answer_links(struct visitor *visitor)
{
    struct control *control = visitor->server->control;
    const struct links *links = take_links(control);

    return answer_json(MHD_HTTP_OK, links == NULL ? NULL : links_json(links, &control->facts));
}

static struct answer answer_coordinator(struct visitor *visitor)
{
    return answer_json(MHD_HTTP_OK, report_coordinator(&visitor->server->control->facts));
}

static struct answer answer_is_coordinator(struct visitor *visitor)
{
    const struct facts *facts = &visitor->server->control->facts;

    if (facts->acting) {
        return answer_json(MHD_HTTP_OK, report_coordinator(facts));
    }
    if (facts->coordinator == NULL) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting",
                              "GET /v1/status shows what this node waits for",
                              "there is no coordinator: this node is in phase %s",
                              phase_text(facts->phase));
    }
    if (!id_equal(&facts->coordinator->id, &facts->self->id)) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting",
                              "GET /v1/coordinator has its address", "the coordinator is %s",
                              facts->coordinator->name);
    }
    if (!facts->guard.met) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting",
                              "GET /v1/members shows who is missing",
                              "this node coordinates, but its guard wants %u members heard lately "
                              "and there are %u",
                              facts->guard.needed, facts->guard.fresh);
    }
    if (facts->merging) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting", "ask again in a moment",
                              "this node's part is being taken up by another one");
    }
    return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not acting", "ask again in a moment",
                          "this node coordinates, but is not sure yet that it was not asleep");
}

static struct answer answer_history(struct visitor *visitor)
{
    return answer_json(MHD_HTTP_OK, report_history(&visitor->server->control->facts));
}

static struct answer answer_unknown_member(const struct facts *facts, unsigned status,
                                           const char *name)
{
    const char *near = report_suggest(facts, name);
    char hint[NAME_BYTES_MAX + 64] = "doyen members, or GET /v1/members, has the names";

    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    }
    return answer_problem(status, "no such member", hint, "no member is called %.200s", name);
}

static struct answer answer_why(struct visitor *visitor)
{
    const struct facts *facts = &visitor->server->control->facts;
    const char *name = visitor_argument(visitor, "node");

    if (name == NULL) {
        return answer_json(MHD_HTTP_OK, report_why(facts));
    }
    if (report_knows(facts, name)) {
        const struct links *links = take_links(visitor->server->control);
        return answer_json(MHD_HTTP_OK,
                           links == NULL ? NULL : report_why_member(facts, links, name));
    }
    return answer_unknown_member(facts, MHD_HTTP_NOT_FOUND, name);
}

static struct answer answer_version(struct visitor *visitor)
{
    (void)visitor;
    return answer_json(MHD_HTTP_OK, report_version());
}

/* Last-Event-ID is what browsers send when they come back; ?since= is easier by hand. */
static struct answer answer_events(struct visitor *visitor)
{
    struct control *control = visitor->server->control;
    uint64_t since = 0;
    const char *text = MHD_lookup_connection_value(visitor->connection, MHD_HEADER_KIND,
                                                   "Last-Event-ID");

    if (text == NULL) {
        text = visitor_argument(visitor, "since");
    }
    if (text != NULL && !cursor_parse(text, &since)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "not a cursor",
                              "give the id of the last event seen, or nothing to begin with a "
                              "snapshot",
                              "Last-Event-ID or since is not a number");
    }
    struct answer answer = {
        .status = MHD_HTTP_OK,
        .response = watchers_add(&control->watchers, visitor->connection, text != NULL, since)};
    if (answer.response == NULL) {
        return answer_busy("there are as many watchers of the events as this node allows");
    }
    if (control->watchers.count == 1 && !uv_is_active((uv_handle_t *)&control->beat)) {
        uv_timer_again(&control->beat);
    }
    (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CONTENT_TYPE,
                                  "text/event-stream");
    (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    return answer;
}

static struct answer answer_leave(struct visitor *visitor)
{
    json_t *object = json_object();

    visitor->server->control->leave_wanted = true;
    if (json_object_set_new(object, "leaving", json_true()) != 0) {
        json_decref(object);
        object = NULL;
    }
    return answer_json(MHD_HTTP_ACCEPTED, object);
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

static struct answer answer_fault(struct visitor *visitor)
{
    struct control *control = visitor->server->control;
    struct fault_request fault;
    char why[FAULT_WHY_MAX];

    if (!node_config(control->node)->faults) {
        return answer_problem(MHD_HTTP_FORBIDDEN, "faults are off",
                              "start doyend with --faults, on a cluster for trying things out",
                              "this node was started without --faults");
    }
    if (!fault_request_parse(&fault, visitor->body.bytes, visitor->body.length, why)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "not a fault",
                              "send {\"drop\": [\"NAME\"]}, {\"delay\": {\"name\": \"NAME\", "
                              "\"ms\": 100}} or {\"clear\": true}",
                              "%s", why);
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
            struct answer answer = answer_unknown_member(&control->facts, MHD_HTTP_BAD_REQUEST,
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
                              "send {\"clear\": true} and ask again",
                              "the view changed meanwhile, or too many faults are in force");
    }
    return answer_json(MHD_HTTP_OK, body);
}

/* --- The table --- */

const struct resource resource_table[] = {
    {"/v1/members", METHOD_GET, false, 0, NULL, answer_members},
    {"/v1/status", METHOD_GET, false, 0, NULL, answer_status},
    {"/v1/coordinator", METHOD_GET, false, 0, NULL, answer_coordinator},
    {"/v1/is-coordinator", METHOD_GET, false, 0, NULL, answer_is_coordinator},
    {"/v1/links", METHOD_GET, false, 0, NULL, answer_links},
    {"/v1/history", METHOD_GET, false, KEEP_LONG, NULL, answer_history},
    {"/v1/why", METHOD_GET, false, KEEP_LONG, "node", answer_why},
    {"/v1/version", METHOD_GET, false, KEEP_LONG, NULL, answer_version},
    {"/v1/events", METHOD_GET, false, 0, "", answer_events},
    {"/v1/leave", METHOD_POST, true, 0, "", answer_leave},
    {"/v1/fault", METHOD_POST, true, 0, "", answer_fault},
};
const size_t resource_count = sizeof resource_table / sizeof resource_table[0];

_Static_assert(sizeof resource_table / sizeof resource_table[0] <= RESOURCES_MAX,
               "each resource has a place for its kept answer");

unsigned method_parse(const char *method)
{
    if (text_equal(method, MHD_HTTP_METHOD_GET) || text_equal(method, MHD_HTTP_METHOD_HEAD)) {
        return METHOD_GET;
    }
    return text_equal(method, MHD_HTTP_METHOD_POST) ? METHOD_POST : 0;
}

enum route resource_find(const char *path, unsigned method, bool over_unix,
                         const struct resource **found)
{
    *found = NULL;
    for (size_t i = 0; i < resource_count; i++) {
        if (text_equal(path, resource_table[i].path)) {
            *found = &resource_table[i];
            break;
        }
    }
    if (*found == NULL) {
        return ROUTE_UNKNOWN;
    }
    if (((*found)->methods & method) == 0) {
        return ROUTE_WRONG_METHOD;
    }
    return (*found)->unix_only && !over_unix ? ROUTE_UNIX_ONLY : ROUTE_FOUND;
}

/* --- Requests that no resource answers --- */

static struct answer answer_unknown(const char *path)
{
    const char *paths[RESOURCES_MAX];
    char hint[512] = "there are";

    for (size_t i = 0; i < resource_count; i++) {
        paths[i] = resource_table[i].path;
    }
    const char *near = suggest_nearest(path, paths, resource_count);
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    } else {
        for (size_t i = 0; i < resource_count; i++) {
            const size_t length = strlen(hint);
            snprintf(hint + length, sizeof hint - length, " %s", paths[i]);
        }
    }
    return answer_problem(MHD_HTTP_NOT_FOUND, "no such resource", hint, "there is no %.200s", path);
}

static struct answer answer_wrong_method(const struct resource *resource, const char *method)
{
    const bool get = resource->methods == METHOD_GET;
    struct answer answer = answer_problem(MHD_HTTP_METHOD_NOT_ALLOWED, "method not allowed",
                                          get ? "use GET" : "use POST", "%s is not for %.32s",
                                          resource->path, method);

    if (answer.response != NULL) {
        (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_ALLOW,
                                      get ? "GET, HEAD" : "POST");
    }
    return answer;
}

static struct answer answer_unix_only(const struct visitor *visitor,
                                      const struct resource *resource)
{
    char hint[CONFIG_PATH_MAX + 64];

    snprintf(hint, sizeof hint, "ask at the control socket %s on its host",
             node_config(visitor->server->control->node)->control);
    return answer_problem(MHD_HTTP_FORBIDDEN, "not over TCP", hint,
                          "%s is served on the Unix socket only", resource->path);
}

/* Closes the connection, which makes room for another. */
static struct answer answer_turned_away(void)
{
    struct answer answer = answer_busy("there are as many connections as this node allows");

    if (answer.response != NULL) {
        (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    return answer;
}

/* Headers as for GET; a watcher is not made for it, because nobody would read its stream. */
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

/* --- Answering --- */

static enum MHD_Result send_answer(struct visitor *visitor, struct answer answer)
{
    if (answer.response == NULL) {
        return MHD_NO;
    }
    const enum MHD_Result result = MHD_queue_response(visitor->connection, answer.status,
                                                      answer.response);
    MHD_destroy_response(answer.response);
    return result;
}

/* Puts the request off to a turn of the loop that can afford it. */
static enum MHD_Result visitor_wait(struct visitor *visitor)
{
    struct control *control = visitor->server->control;

    visitor->next_waiting = NULL;
    if (control->last_waiting != NULL) {
        control->last_waiting->next_waiting = visitor;
    } else {
        control->first_waiting = visitor;
    }
    control->last_waiting = visitor;
    MHD_suspend_connection(visitor->connection);
    return MHD_YES;
}

/* May this request make a document in this turn? */
static bool visitor_may_render(struct visitor *visitor)
{
    struct control *control = visitor->server->control;

    if (visitor->called) {
        visitor->called = false; /* Its share was set aside when it was called. */
        return true;
    }
    if (control->renderings_left == 0) {
        return false;
    }
    control->renderings_left--;
    return true;
}

static bool resource_varies(const struct visitor *visitor, const struct resource *resource)
{
    return resource->varies_by != NULL && (resource->varies_by[0] == '\0' ||
                                           visitor_argument(visitor, resource->varies_by) != NULL);
}

/* What was made for another request moments ago is the same document as long as nothing has
 * changed and the clock shows the same millisecond (or the resource allows more). */
static enum MHD_Result resource_answer(struct visitor *visitor, const struct resource *resource)
{
    struct control *control = visitor->server->control;
    struct kept *kept = &control->kept[resource - resource_table];
    const uint64_t cursor = journal_cursor(node_journal(control->node));
    const uint64_t now_ms = node_now_ms(control->node);
    const bool varies = resource_varies(visitor, resource);

    if (!varies && kept->answer.response != NULL && kept->cursor == cursor &&
        now_ms - kept->made_ms <= resource->keep_ms) {
        visitor->called = false;
        return MHD_queue_response(visitor->connection, kept->answer.status, kept->answer.response);
    }
    if (!visitor_may_render(visitor)) {
        return visitor_wait(visitor);
    }
    if (!facts_take(&control->facts, control->node, control->opened_ms)) {
        return MHD_NO;
    }
    struct answer answer = resource->answer(visitor);
    if (varies || answer.response == NULL) {
        return send_answer(visitor, answer);
    }
    if (kept->answer.response != NULL) {
        MHD_destroy_response(kept->answer.response);
    }
    *kept = (struct kept){.answer = answer, .cursor = cursor, .made_ms = now_ms};
    return MHD_queue_response(visitor->connection, answer.status, answer.response);
}

enum MHD_Result resources_answer(struct visitor *visitor, const char *path, const char *method)
{
    const struct resource *resource = NULL;

    if (visitor->turned_away) {
        return send_answer(visitor, answer_turned_away());
    }
    switch (resource_find(path, method_parse(method), visitor->server->over_unix, &resource)) {
    case ROUTE_UNKNOWN:
        return send_answer(visitor, answer_unknown(path));
    case ROUTE_WRONG_METHOD:
        return send_answer(visitor, answer_wrong_method(resource, method));
    case ROUTE_UNIX_ONLY:
        return send_answer(visitor, answer_unix_only(visitor, resource));
    case ROUTE_FOUND:
        break;
    }
    assert(resource != NULL);
    if (resource->answer == answer_events && text_equal(method, MHD_HTTP_METHOD_HEAD)) {
        return send_answer(visitor, answer_head_of_events());
    }
    return resource_answer(visitor, resource);
}

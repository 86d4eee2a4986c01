/* The control socket as any HTTP client sees it: documents, headers, and errors that help. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"

enum { MALFORMED_MS = 500 }; /* empty lines alone are waited on: they may precede a request */

/* What a request is answered with, parsed. */
struct reply {
    int status;
    char type[64];
    char allow[64];
    char cursor[32];
    size_t body_length;
    json_t *json;
};

static struct reply reply_of(int fd, const char *method, const char *path, const char *headers)
{
    struct http_answer answer;
    struct reply reply = {.status = 0};

    cr_assert(http_ask(fd, method, path, headers, LIMIT_MS, &answer), "no answer to %s %s", method,
              path);
    reply.status = answer.status;
    reply.body_length = strlen(answer.body);
    reply.json = json_loads(answer.body, 0, NULL);
    (void)http_header(&answer, "Content-Type", reply.type, sizeof reply.type);
    (void)http_header(&answer, "Allow", reply.allow, sizeof reply.allow);
    (void)http_header(&answer, "X-Doyen-Cursor", reply.cursor, sizeof reply.cursor);
    http_answer_deinit(&answer);
    return reply;
}

static int dial(struct cluster *cluster, const char *name)
{
    const int fd = dial_unix(cluster_daemon(cluster, name)->control);

    cr_assert_geq(fd, 0);
    return fd;
}

static struct cluster *athens_alone(const char *const *arguments)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", "athens", arguments);
    assert_agreement(cluster, "athens");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "athens"), "acting")));
    return cluster;
}

/* A problem has a title, its status, what is the matter, and what to do about it. */
static void assert_problem(struct reply *reply, int status, const char *hint)
{
    cr_assert_eq(reply->status, status);
    cr_assert_str_eq(reply->type, "application/problem+json");
    cr_assert_eq(number_of(reply->json, "status"), (uint64_t)status);
    cr_assert_str_not_empty(text_of(reply->json, "title"));
    cr_assert_str_not_empty(text_of(reply->json, "detail"));
    assert_text_has(text_of(reply->json, "hint"), hint);
    json_decref(reply->json);
}

/* Each answer that says `acting` says under which epoch, for how long, and what that is worth. */
Story(http, whoever_asks_is_told_how_long_this_node_may_act)
{
    static const char *const paths[] = {"/v1/members", "/v1/status", "/v1/coordinator",
                                        "/v1/is-coordinator"};
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "athens"), "acting")));
    const int other = dial(cluster, "byzantium");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply reply = reply_of(fd, "GET", paths[i], NULL);
        cr_assert_eq(reply.status, 200, "%s", paths[i]);
        cr_assert_gt(number_of(reply.json, "acting_ms"), 0, "%s", paths[i]);
        cr_assert_str_eq(text_of(reply.json, "acting_is"), "advisory", "%s", paths[i]);
        cr_assert_str_eq(text_of(reply.json, "epoch"), "1", "%s", paths[i]);
        json_decref(reply.json);
    }
    for (size_t i = 0; i < 3; i++) {
        struct reply reply = reply_of(other, "GET", paths[i], NULL);
        cr_assert(json_is_false(json_object_get(reply.json, "acting")), "%s", paths[i]);
        cr_assert(json_is_integer(json_object_get(reply.json, "acting_ms")), "%s", paths[i]);
        cr_assert_eq(number_of(reply.json, "acting_ms"), 0, "%s", paths[i]);
        json_decref(reply.json);
    }
    close(other);
    close(fd);
}

Story(http, each_resource_is_a_json_document_over_one_connection)
{
    static const char *const paths[] = {
        "/v1/members", "/v1/status",  "/v1/coordinator", "/v1/is-coordinator",
        "/v1/history", "/v1/version", "/v1/why",         "/v1/why?node=athens"};
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply reply = reply_of(fd, "GET", paths[i], NULL);
        cr_assert_eq(reply.status, 200, "%s", paths[i]);
        cr_assert_str_eq(reply.type, "application/json", "%s", paths[i]);
        cr_assert_eq(number_of(reply.json, "schema"), 1, "%s", paths[i]);
        json_decref(reply.json);
    }
    close(fd);
}

Story(http, members_has_all_that_is_promised)
{
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");
    struct reply reply = reply_of(fd, "GET", "/v1/members", NULL);
    const json_t *members = json_object_get(reply.json, "members");
    const json_t *athens = json_array_get(members, 0);

    cr_assert_str_eq(text_of(reply.json, "cluster"), "doyen");
    cr_assert_str_eq(text_of(reply.json, "self"), "athens");
    cr_assert_str_eq(text_of(reply.json, "phase"), "member");
    cr_assert_str_eq(text_of(reply.json, "cursor"), reply.cursor);
    cr_assert_str_eq(text_of(json_object_get(reply.json, "view"), "epoch"), "1");
    cr_assert_str_eq(text_of(json_object_get(reply.json, "view"), "version"), "1");
    cr_assert(json_is_integer(json_object_get(json_object_get(reply.json, "view"), "acked")));
    cr_assert_str_eq(text_of(json_object_get(reply.json, "guard"), "policy"), "none");
    cr_assert_str_eq(text_of(athens, "address"), cluster_daemon(cluster, "athens")->address);
    cr_assert_eq(strlen(text_of(athens, "id")), 32);
    cr_assert(json_is_string(json_object_get(athens, "incarnation")), "64 bits go as text");
    cr_assert(json_is_integer(json_object_get(athens, "heard_ms")));
    cr_assert(json_is_object(json_object_get(athens, "tags")));
    cr_assert(json_is_array(json_object_get(reply.json, "gone")));
    json_decref(reply.json);
    close(fd);
}

Story(http, head_answers_with_the_headers_alone)
{
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    for (int i = 0; i < 2; i++) { /* Twice: a body that came all the same would be read here. */
        struct reply reply = reply_of(fd, "HEAD", "/v1/members", NULL);
        cr_assert_eq(reply.status, 200);
        cr_assert_eq(reply.body_length, 0);
        cr_assert_str_eq(reply.type, "application/json");
        json_decref(reply.json);
    }
    struct reply events = reply_of(fd, "HEAD", "/v1/events", NULL);
    cr_assert_eq(events.status, 200);
    json_decref(events.json);
    close(fd);
}

Story(http, what_is_not_there_is_answered_with_a_hint)
{
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    struct reply near = reply_of(fd, "GET", "/v1/member", NULL);
    assert_problem(&near, 404, "/v1/members");
    struct reply far = reply_of(fd, "GET", "/somewhere/else", NULL);
    assert_problem(&far, 404, "/v1/status");
    struct reply nobody = reply_of(fd, "GET", "/v1/why?node=athenz", NULL);
    assert_problem(&nobody, 404, "athens");
    close(fd);
}

Story(http, a_method_that_does_not_fit_is_refused_with_those_that_do)
{
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    struct reply post = reply_of(fd, "POST", "/v1/members", "Content-Length: 0\r\n");
    cr_assert_str_eq(post.allow, "GET, HEAD");
    assert_problem(&post, 405, "GET");
    struct reply get = reply_of(fd, "GET", "/v1/leave", NULL);
    cr_assert_str_eq(get.allow, "POST");
    assert_problem(&get, 405, "POST");
    struct reply other = reply_of(fd, "DELETE", "/v1/members", NULL);
    assert_problem(&other, 405, "GET");
    close(fd);
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

/* --http serves what can be read, and nothing that changes anything. */
Story(http, over_tcp_there_is_only_reading)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = cluster_port(cluster);

    cluster_start(cluster, "athens", "athens",
                  ARGS("--http", text_kept("%s:%u", cluster->host, port), "--faults"));
    assert_agreement(cluster, "athens");
    const int fd = dial_tcp(cluster->host, port);
    cr_assert_geq(fd, 0);
    struct reply members = reply_of(fd, "GET", "/v1/members", NULL);
    cr_assert_eq(members.status, 200);
    json_decref(members.json);
    struct reply leave = reply_of(fd, "POST", "/v1/leave", "Content-Length: 0\r\n");
    assert_problem(&leave, 403, cluster_daemon(cluster, "athens")->control);
    struct reply fault = reply_of(fd, "POST", "/v1/fault", "Content-Length: 0\r\n");
    assert_problem(&fault, 403, cluster_daemon(cluster, "athens")->control);
    close(fd);
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

/* Asks for the members under that name; returns the answer's status. */
static int status_for_host(struct cluster *cluster, uint16_t port, const char *host)
{
    struct http_answer answer = {.status = 0};
    const int fd = dial_tcp(cluster->host, port);

    cr_assert_geq(fd, 0);
    cr_assert(send_text(fd, text_kept("GET /v1/members HTTP/1.1\r\nHost: %s\r\n\r\n", host)));
    cr_assert(http_read(fd, false, LIMIT_MS, &answer));
    const int status = answer.status;
    http_answer_deinit(&answer);
    close(fd);
    return status;
}

/* What a web page makes a browser ask for, under a name of the page's own. */
Story(http, over_tcp_a_foreign_host_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = cluster_port(cluster);

    cluster_start(
        cluster, "athens", "athens",
        ARGS("--http", text_kept("%s:%u", cluster->host, port), "--http-host", "doyen.corp"));
    assert_agreement(cluster, "athens");
    cr_assert_eq(status_for_host(cluster, port, "evil.example"), 421);
    cr_assert_eq(status_for_host(cluster, port, text_kept("%s:%u", cluster->host, port)), 200);
    cr_assert_eq(status_for_host(cluster, port, "doyen.corp"), 200);
    cr_assert_eq(status_for_host(cluster, port, "athens"), 200);
}

Story(http, faults_are_for_those_who_asked_for_them)
{
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    struct reply reply = reply_of(fd, "POST", "/v1/fault", "Content-Length: 0\r\n");
    assert_problem(&reply, 403, "--faults");
    close(fd);
}

static const char *state_of(struct cluster *cluster, const char *node, const char *member)
{
    return text_of(entry_of(cluster_members(cluster, node), "members", member), "state");
}

/* D7: athens does not hear cyrene any more; byzantium does, so it stays. Then all is well again. */
Story(http, faults_can_be_tried_out_and_cleared)
{
    struct cluster *cluster = cluster_new(ARGS("--faults", "--profile", "local"));

    cluster_form(cluster, "athens byzantium cyrene");
    cr_assert_eq(doyen(cluster, "athens", ARGS("fault", "drop", "cyrena")).code, 1);
    cr_assert_eq(doyen(cluster, "athens", ARGS("fault", "drop", "cyrene")).code, 0);
    assert_soon(strcmp(state_of(cluster, "athens", "cyrene"), "suspect") == 0);
    cr_assert_str_eq(state_of(cluster, "byzantium", "cyrene"), "alive");
    cr_assert_eq(doyen(cluster, "athens", ARGS("fault", "clear")).code, 0);
    assert_agreement(cluster, "athens byzantium cyrene");
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), "1.3 athens/1 byzantium/2 cyrene/3");
}

/* A name in a body would otherwise be passed over, and another member be meant. */
Story(http, what_takes_no_body_refuses_one_and_changes_nothing)
{
    static const char *const paths[] = {"leave", "transfer", "drain", "undrain", "keys/reload"};
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct http_answer answer;
        cr_assert(send_text(fd, text_kept("POST /v1/%s HTTP/1.1\r\nHost: x\r\n"
                                          "Content-Length: 15\r\n\r\n{\"to\":\"athens\"}",
                                          paths[i])));
        cr_assert(http_read(fd, false, LIMIT_MS, &answer));
        cr_assert_eq(answer.status, 400, "%s", answer.text);
        assert_text_has(answer.body, "takes no body");
        http_answer_deinit(&answer);
    }
    close(fd);
    assert_agreement(cluster, "athens");
}

/* What is refused is told what it was to be. */
Story(http, terms_of_another_kind_are_refused_with_what_is_wanted)
{
    static const struct {
        const char *body;
        const char *detail;
    } cases[] = {
        {"{\"forget_failed\": 3}", "forget_failed is true or false"},
        {"{\"size\": \"5\"}", "size: give a number from 1 to 4096, without quotes"},
        {"{\"heartbeat_ms\": \"250ms\"}",
         "heartbeat_ms is a whole number of milliseconds, 5 to 60000"},
        {"{\"guard\": true}", "the guard is none, a number, or majority"},
        {"{\"voters\": 3}", "\\\"voters\\\" is none of guard"},
    };
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct http_answer answer;
        cr_assert(send_text(fd, text_kept("POST /v1/terms HTTP/1.1\r\nHost: x\r\n"
                                          "Content-Length: %zu\r\n\r\n%s",
                                          strlen(cases[i].body), cases[i].body)));
        cr_assert(http_read(fd, false, LIMIT_MS, &answer));
        cr_assert_eq(answer.status, 400, "%s", answer.text);
        assert_text_has(answer.body, cases[i].detail);
        http_answer_deinit(&answer);
    }
    close(fd);
}

Story(http, leave_is_accepted_on_the_control_socket)
{
    struct cluster *cluster = athens_alone(NO_ARGS);
    const int fd = dial(cluster, "athens");

    struct reply reply = reply_of(fd, "POST", "/v1/leave", "Content-Length: 0\r\n");
    cr_assert_eq(reply.status, 202);
    json_decref(reply.json);
    close(fd);
    cr_assert_eq(cluster_await_end(cluster, "athens"), 0);
    cr_assert_neq(access(cluster_daemon(cluster, "athens")->control, F_OK), 0,
                  "the socket's file goes with it");
}

/* A request that is none is answered 400, or its connection closed; the next one is served. */
Story(http, malformed_requests_harm_nobody)
{
    static const char *const requests[] = {
        "nonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET /v1/members\r\n\r\n",
        "GET /v1/members HTTP/9.9\r\n\r\n",
        "GET /v1/members HTTP/1.1\r\n\r\n", /* without Host */
        "POST /v1/leave HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/leave HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST /v1/leave HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        "POST /v1/fault HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
        "GET http://[::1/v1/members HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /v1/why?node=%zz%00%ff HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\n\r\n\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    };
    struct cluster *cluster = athens_alone(NO_ARGS);

    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const int fd = dial(cluster, "athens");
        struct http_answer answer;
        cr_assert(send_text(fd, requests[i]));
        cr_assert_eq(shutdown(fd, SHUT_WR), 0);
        if (http_read(fd, false, MALFORMED_MS, &answer)) {
            cr_assert(answer.status == 200 || answer.status >= 400, "%d to %s", answer.status,
                      requests[i]);
        }
        http_answer_deinit(&answer);
        close(fd);
        cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1", "after %s", requests[i]);
    }
}

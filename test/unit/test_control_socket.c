/* The control socket as a client finds it. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/resources/overdue.h"
#include "control/resources/server.h"
#include "control_client.h"

Test(control_socket, every_resource_answers_on_one_connection)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);

    assert_answer(&bench, fd, "GET /v1/members HTTP/1.1\r\nHost: d\r\n\r\n", "200", "]}\n");
    assert_answer(&bench, fd, "GET /v1/status HTTP/1.1\r\nHost: d\r\n\r\n", "200", "}}\n");
    assert_answer(&bench, fd, "GET /v1/coordinator HTTP/1.1\r\nHost: d\r\n\r\n", "200", "}\n");
    assert_answer(&bench, fd, "GET /v1/is-coordinator HTTP/1.1\r\nHost: d\r\n\r\n", "200", "}\n");
    assert_answer(&bench, fd, "GET /livez HTTP/1.1\r\nHost: d\r\n\r\n", "200", "\r\n\r\nok\n");
    assert_answer(&bench, fd, "GET /readyz HTTP/1.1\r\nHost: d\r\n\r\n", "200", "\r\n\r\nok\n");
    assert_answer(
        &bench, fd, "GET /readyz?verbose HTTP/1.1\r\nHost: d\r\n\r\n", "200",
        "[+] phase: this node is a member\n[+] coordinator: this node coordinates, and is the "
        "only member\n[+] guard: the guard is met: 1 fresh member, 0 needed\n"
        "[+] whole: healthy: 1 of 1\n    next: nothing; doyen watch shows changes\nok\n");
    assert_answer(&bench, fd, "GET /v1/links HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                  "\"watches\":[],\"cases\":[]");
    assert_answer(&bench, fd, "GET /v1/history HTTP/1.1\r\nHost: d\r\n\r\n", "200", "]}\n");
    assert_answer(&bench, fd, "GET /v1/why HTTP/1.1\r\nHost: d\r\n\r\n", "200", "]}\n");
    assert_answer(&bench, fd, "GET /v1/why?node=athens HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                  "is this node");
    assert_answer(&bench, fd, "GET /v1/why?node=atens HTTP/1.1\r\nHost: d\r\n\r\n", "404",
                  "did you mean athens?");
    assert_answer(&bench, fd, "GET /v1/version HTTP/1.1\r\nHost: d\r\n\r\n", "200", "}\n");
    close(fd);
    control_bench_close(&bench);
}

/* Whoever has the path or the method wrong is told the right one. */
Test(control_socket, what_is_not_there_is_answered_with_what_was_meant)
{
    static const struct asked cases[] = {
        {"GET /v1/memebrs", "404", "did you mean /v1/members?"},
        {"GET /members", "404", "did you mean /v1/members?"},
        {"GET /v1/members/athens", "404", "did you mean /v1/members?"},
        {"GET /v1/agent/members", "404", "did you mean /v1/members?"},
        {"GET /v1/status.json", "404", "did you mean /v1/status?"},
        {"POST /keys/use/now", "404", "did you mean /v1/keys/use?"},
        {"GET /v1/healthz", "404", "did you mean /livez?"},
        {"GET /v1/ready", "404", "did you mean /readyz?"},
        {"GET /nothing/like/it", "404", "there are /v1/members"},
        {"GET /nothing/like/it", "404", " /v1/fault\""},
        {"PUT /v1/members", "405", "Allow: GET, HEAD\r\n"},
        {"PUT /v1/members", "405", "use GET\""},
        {"GET /v1/leave", "405", "Allow: POST\r\n"},
        {"PATCH /v1/terms", "405", "Allow: GET, HEAD, POST\r\n"},
        {"PUT /v1/voters", "405", "use GET to read it, and POST to change it"},
    };

    assert_answers(cases, sizeof cases / sizeof cases[0]);
}

Test(control_socket, the_metrics_are_of_this_node)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open_tcp(&bench);

    client_send(fd, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    char *text = client_read(&bench, fd, NULL);
    cr_expect_not_null(strstr(text, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    cr_expect_not_null(strstr(text, "\ndoyen_members 1\n"), "%s", text);
    cr_expect_not_null(strstr(text, "\ndoyen_events_total{event=\"view\"} 1\n"));
    cr_expect_not_null(strstr(text, "\ndoyen_control_connections{socket=\"tcp\"} 1\n"));
    cr_expect_not_null(strstr(text, "\nprocess_start_time_seconds 1"));
    cr_expect_null(strstr(text, "\nprocess_open_fds 0\n"));
    free(text);
    close(fd);
    control_bench_close(&bench);
}

/* More requests at once than documents are made in one turn of the loop: they wait, and are all
 * answered, in order. */
Test(control_socket, requests_sent_ahead_are_all_answered)
{
    enum { REQUESTS = 20, CLIENTS = 12 };
    struct control_bench bench;
    int fds[CLIENTS];
    control_bench_open(&bench);

    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = client_open(&bench);
        for (int j = 0; j < REQUESTS; j++) {
            client_send(fds[i], "GET /v1/why?node=athens HTTP/1.1\r\nHost: d\r\n\r\n");
        }
        client_send(fds[i], "GET /v1/version HTTP/1.1\r\nHost: d\r\n\r\n");
    }
    for (int i = 0; i < CLIENTS; i++) {
        char *answers = client_read(&bench, fds[i], "\"name\":\"doyend\"");
        int count = 0;
        for (const char *at = answers; (at = strstr(at, "HTTP/1.1 200")) != NULL; at++) {
            count++;
        }
        cr_assert_eq(count, REQUESTS + 1);
        free(answers);
        close(fds[i]);
    }
    control_bench_close(&bench);
}

Test(control_socket, a_watcher_hears_of_changes_and_of_the_end)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);

    client_send(fd, "GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n");
    free(client_read(&bench, fd, "event: snapshot"));
    journal_append(node_journal(bench.node), &(struct notice){.type = NOTICE_LATE, .silent_ms = 7},
                   node_core(bench.node), 1, 1);
    free(client_read(&bench, fd, "\"late_ms\":7"));

    control_bench_close_control(&bench);
    char *rest = client_read(&bench, fd, NULL);
    cr_assert_not_null(strstr(rest, "0\r\n\r\n"), "the stream ends in good order");
    free(rest);
    close(fd);
    control_bench_close(&bench);
}

Test(control_socket, a_watcher_resumes_where_it_left)
{
    struct control_bench bench;
    control_bench_open(&bench);
    int fd = client_open(&bench);

    const uint32_t life = bench.control->facts.life;
    char request[128];
    char ids[2][32];

    for (int i = 0; i < 2; i++) {
        snprintf(ids[i], sizeof ids[i], "id: %08" PRIx32 "-%d\n", life, i + 2);
    }
    snprintf(request, sizeof request,
             "GET /v1/events HTTP/1.1\r\nHost: d\r\nLast-Event-ID: %08" PRIx32 "-1\r\n\r\n", life);
    client_send(fd, request);
    char *events = client_read(&bench, fd, ids[1]);
    cr_assert_null(strstr(events, "event: snapshot"));
    cr_assert_not_null(strstr(events, ids[0]));
    free(events);
    close(fd);

    fd = client_open(&bench);
    client_send(fd, "GET /v1/events?since=00000001-1 HTTP/1.1\r\nHost: d\r\n\r\n");
    events = client_read(&bench, fd, "event: snapshot");
    cr_assert_not_null(strstr(events, "event: gap"));
    free(events);
    close(fd);

    fd = client_open(&bench);
    assert_answer(&bench, fd, "GET /v1/events?since=1 HTTP/1.1\r\nHost: d\r\n\r\n", "400",
                  "'1' is not the id of an event");
    assert_answer(&bench, fd, "HEAD /v1/events HTTP/1.1\r\nHost: d\r\n\r\n", "200", "\r\n\r\n");
    close(fd);
    control_bench_close(&bench);
}

/* Watchers that hang up at once must not use the places up. */
Test(control_socket, short_lived_watchers_leave_room_for_others)
{
    struct control_bench bench;
    control_bench_open(&bench);

    for (int i = 0; i < 3 * WATCHERS_MAX; i++) {
        const int fd = client_open(&bench);
        assert_answer(&bench, fd, "GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                      "event: snapshot");
        close(fd);
    }
    control_bench_close(&bench);
}

Test(control_socket, too_many_watchers_are_told)
{
    struct control_bench bench;
    int fds[WATCHERS_MAX + 1];
    control_bench_open(&bench);

    for (int i = 0; i < WATCHERS_MAX; i++) {
        fds[i] = client_open(&bench);
        assert_answer(&bench, fds[i], "GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                      "event: snapshot");
    }
    fds[WATCHERS_MAX] = client_open(&bench);
    assert_answer(&bench, fds[WATCHERS_MAX], "GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n", "503",
                  "busy");
    for (int i = 0; i <= WATCHERS_MAX; i++) {
        close(fds[i]);
    }
    control_bench_close(&bench);
}

Test(control_socket, faults_are_checked_before_they_are_injected)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);

    assert_answer(&bench, fd,
                  "POST /v1/fault HTTP/1.1\r\nHost: d\r\nContent-Length: 15\r\n\r\n"
                  "{\"clear\": true}",
                  "200", "{\"clear\":true}");
    assert_answer(&bench, fd,
                  "POST /v1/fault HTTP/1.1\r\nHost: d\r\nContent-Length: 18\r\n\r\n"
                  "{\"drop\":[\"atens\"]}",
                  "404", "no member is called");
    assert_answer(&bench, fd,
                  "POST /v1/fault HTTP/1.1\r\nHost: d\r\nContent-Length: 19\r\n\r\n"
                  "{\"drop\":[\"athens\"]}",
                  "400", "this node itself");
    close(fd);

    const int other = client_open(&bench);
    assert_answer(&bench, other, "POST /v1/fault HTTP/1.1\r\nHost: d\r\n\r\n", "400",
                  "the request has no body");
    bench.config.faults = false;
    assert_answer(&bench, other, "POST /v1/fault HTTP/1.1\r\nHost: d\r\n\r\n", "403", "--faults");
    close(other);
    control_bench_close(&bench);
}

Test(control_socket, large_bodies_are_refused)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);

    assert_answer(&bench, fd,
                  "POST /v1/leave HTTP/1.1\r\nHost: d\r\nContent-Length: 99999999999\r\n\r\n",
                  "413", "at most 65536 bytes");
    free(client_read(&bench, fd, NULL));
    cr_assert_not(bench.ended);
    close(fd);
    control_bench_close(&bench);
}

static void note_role(struct role_client *client, const struct role_event *event)
{
    (void)event;
    *(bool *)client->owner = true;
}

/* What an operator wants is done in the loop's next turn: it waits neither for another wish of that
 * moment, nor for what the node is to do next by itself. */
Test(control_socket, all_that_is_wanted_is_done_at_once)
{
    const struct tags none = {.length = 0};
    const struct tags tags = {.length = sizeof "rack=a", .text = "rack=a"};
    bool heard = false;
    struct role_client client = {.campaign = {.role = "backup", .terms = {.holders = 1}},
                                 .on_event = note_role,
                                 .owner = &heard};
    struct role_client second = client;
    struct control_bench bench;

    control_bench_open(&bench);
    const struct core *core = node_core(bench.node);
    node_role_add(bench.node, &client);
    node_role_campaign(bench.node, &client);
    for (const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;
         !heard && client_now_ms() < until_ms;) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    node_role_add(bench.node, &second);

    node_move(bench.node, &(struct move){.kind = MOVE_DRAIN, .subject = core_self(core)->id});
    node_set_tags(bench.node, &none);
    node_set_tags(bench.node, &tags);
    cr_assert(tags_equal(node_tags(bench.node), &tags), "the latest of them");
    node_role_campaign(bench.node, &second); /* The core is stepped, and the timer is set. */
    uv_run(&bench.loop, UV_RUN_NOWAIT);
    cr_expect(tags_equal(core_tags_wanted(core), &tags));
    node_role_remove(bench.node, &second);
    node_role_remove(bench.node, &client);
    control_bench_close(&bench);
}

/* The answer comes before the end that it asks for. */
Test(control_socket, leaving_is_accepted_and_then_done)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);

    assert_answer(&bench, fd, "POST /v1/leave HTTP/1.1\r\nHost: d\r\n\r\n", "202", "leaving");
    for (const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;
         !bench.ended && client_now_ms() < until_ms;) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    cr_assert(bench.ended);
    assert_answer(&bench, fd, "GET /v1/members HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                  "\"phase\":\"stopped\"");
    assert_answer(&bench, fd, "GET /v1/is-coordinator HTTP/1.1\r\nHost: d\r\n\r\n", "503",
                  "not acting");
    assert_answer(&bench, fd, "GET /livez?verbose HTTP/1.1\r\nHost: d\r\n\r\n", "503",
                  "[+] loop: the loop answers\n[-] phase: the phase is stopped\n"
                  "not alive: the phase is stopped\n");
    assert_answer(&bench, fd, "GET /readyz HTTP/1.1\r\nHost: d\r\n\r\n", "503",
                  "not ready: this node has left");
    close(fd);
    control_bench_close(&bench);
}

Test(control_socket, over_tcp_there_is_get_alone)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open_tcp(&bench);

    assert_answer(&bench, fd, "GET /v1/members HTTP/1.1\r\nHost: localhost\r\n\r\n", "200", "]}\n");
    assert_answer(&bench, fd, "POST /v1/leave HTTP/1.1\r\nHost: localhost\r\n\r\n", "403",
                  "a.sock");
    assert_answer(&bench, fd, "POST /v1/members HTTP/1.1\r\nHost: localhost\r\n\r\n", "405",
                  "use GET");
    cr_assert_not(bench.ended);
    close(fd);
    control_bench_close(&bench);
}

/* Clients of all kinds are there when it closes: waiting, watching, half way through a request. */
Test(control_socket, closing_ends_whatever_is_under_way)
{
    enum { CLIENTS = 40 };
    struct control_bench bench;
    int fds[CLIENTS];
    control_bench_open(&bench);

    for (int i = 0; i < CLIENTS; i++) {
        static const char *const requests[] = {
            "GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n",
            "GET /v1/why?node=athens HTTP/1.1\r\nHost: d\r\n\r\n",
            "POST /v1/fault HTTP/1.1\r\nHost: d\r\nContent-Length: 100\r\n\r\n{\"dr",
            "GET /v1/mem",
            ("GET /v1/lease HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
             "Upgrade: doyen-lease\r\n\r\n"),
        };
        fds[i] = client_open(&bench);
        client_send(fds[i], requests[i % 5]);
    }
    for (int turn = 0; turn < 3; turn++) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    control_bench_close_control(&bench);
    for (int i = 0; i < CLIENTS; i++) {
        free(client_read(&bench, fds[i], NULL));
        close(fds[i]);
    }
    control_bench_close(&bench);
}

/* One of as many over TCP as a test wants; of this process's own account there would be room in any
 * case. */
static int visitor_open(const struct control_bench *bench, uint32_t number)
{
    return client_open_tcp_from(bench, (uint8_t)(2 + number / (CONNECTIONS_PER_ADDRESS / 2)));
}

/* Those who are there already are not the ones to suffer. */
Test(control_socket, connections_beyond_the_cap_are_told_and_closed)
{
    struct control_bench bench;
    int fds[CONNECTIONS_MAX + 1];
    control_bench_open(&bench);

    for (uint32_t i = 0; i <= CONNECTIONS_MAX; i++) {
        fds[i] = visitor_open(&bench, i);
        assert_answer(&bench, fds[i], "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n",
                      i < CONNECTIONS_MAX ? "200" : "503", "}\n");
    }
    free(client_read(&bench, fds[CONNECTIONS_MAX], NULL));
    assert_answer(&bench, fds[0], "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n", "200",
                  "}\n");
    for (int i = 0; i <= CONNECTIONS_MAX; i++) {
        close(fds[i]);
    }
    control_bench_close(&bench);
}

/* What has no descriptor left cannot be told so: it would be accepted in vain, on and on. */
Test(control_socket, where_descriptors_are_few_so_are_connections)
{
    struct control_bench bench;
    struct rlimit usual;
    int fds[CONNECTIONS_MAX];

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const struct rlimit few = {.rlim_cur = 100, .rlim_max = usual.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    control_bench_open(&bench);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
    const uint32_t room = bench.control->servers[1].room;
    cr_assert_gt(room, 0);
    cr_assert_lt(2 * (room + 2 * bench.control->servers[1].reserved), 100);
    for (uint32_t i = 0; i <= room; i++) {
        fds[i] = visitor_open(&bench, i);
        assert_answer(&bench, fds[i], "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n",
                      i < room ? "200" : "503", "}\n");
    }
    for (uint32_t i = 0; i <= room; i++) {
        close(fds[i]);
    }
    control_bench_close(&bench);
}

/* A load balancer takes "busy" for "not the coordinator", and a supervisor for a reason to restart
 * the node. */
Test(control_socket, beyond_the_cap_there_is_room_for_probes)
{
    enum { ALL = CONNECTIONS_MAX + CONNECTIONS_RESERVED + 1 };
    static const char *const questions[] = {
        "GET /v1/is-coordinator HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /readyz?verbose HTTP/1.1\r\nHost: localhost\r\n\r\n",
    };
    struct control_bench bench;
    int fds[ALL];
    control_bench_open(&bench);

    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        fds[i] = visitor_open(&bench, i);
        assert_answer(&bench, fds[i], "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n", "200",
                      "}\n");
    }
    for (uint32_t i = CONNECTIONS_MAX; i < ALL; i++) {
        fds[i] = visitor_open(&bench, i);
        const size_t question = (size_t)i % (sizeof questions / sizeof questions[0]);
        const bool has_room = i < ALL - 1;
        assert_answer(&bench, fds[i], questions[question], has_room ? "200" : "503",
                      has_room && question > 0 ? "ok\n" : "}\n");
    }
    close(fds[ALL - 2]);
    close(fds[ALL - 1]);
    for (const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;
         bench.control->servers[1].connections > ALL - 2 && client_now_ms() < until_ms;) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    fds[ALL - 2] = visitor_open(&bench, ALL - 2);
    assert_answer(&bench, fds[ALL - 2], "GET /v1/members HTTP/1.1\r\nHost: localhost\r\n\r\n",
                  "503", "busy");
    for (int i = 0; i < ALL - 1; i++) {
        close(fds[i]);
    }
    control_bench_close(&bench);
}

/* Those who do not ask do not keep out those who do: the oldest of them makes room. */
Test(control_socket, who_asks_nothing_gives_way)
{
    enum { IDLE = 400 };
    struct control_bench bench;
    int fds[IDLE];
    control_bench_open(&bench);
    const struct server *server = &bench.control->servers[0];

    for (int i = 0; i < IDLE; i++) {
        fds[i] = client_open(&bench);
        if (i % 3 == 0) {
            client_send(fds[i], "GET /v1/mem");
        }
        if (i % 64 == 0) {
            uv_run(&bench.loop, UV_RUN_NOWAIT);
        }
    }
    const int fd = client_open(&bench);
    const uint64_t came_ms = client_now_ms();
    assert_answer(&bench, fd, "GET /v1/version HTTP/1.1\r\nHost: d\r\n\r\n", "200", "}\n");
    cr_assert_lt(client_now_ms() - came_ms, FIRST_REQUEST_MS / 2, "it waited for nobody");
    cr_assert_leq(server->connections, server->room_all);
    cr_assert_eq(server->asking, 1);
    free(client_read(&bench, fds[0], NULL)); /* It was closed. */
    assert_answer(&bench, fds[IDLE - 2], "GET /v1/version HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                  "}\n");
    for (int i = 0; i < IDLE; i++) {
        close(fds[i]);
    }
    close(fd);
    control_bench_close(&bench);
}

/* Whoever else is there: the account of the daemon, and root, can look what is going on. */
Test(control_socket, beyond_the_cap_there_is_room_for_its_own_account)
{
    enum { ALL = CONNECTIONS_MAX + CONNECTIONS_RESERVED };
    struct control_bench bench;
    int fds[ALL + 1];
    control_bench_open(&bench);

    for (int i = 0; i <= ALL; i++) {
        fds[i] = client_open(&bench);
        assert_answer(&bench, fds[i], "GET /v1/version HTTP/1.1\r\nHost: d\r\n\r\n", "200", "}\n");
    }
    for (int i = 0; i <= ALL; i++) {
        close(fds[i]);
    }
    control_bench_close(&bench);
}

/* A byte a minute is no silence, and no request either. */
Test(control_socket, a_head_that_takes_too_long_is_not_waited_for)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open_tcp(&bench);
    struct server *server = &bench.control->servers[1];

    client_send(fd, "GET ");
    while (server->first == NULL) {
        uv_run(&bench.loop, UV_RUN_ONCE);
    }
    struct request *request = server->first;
    const uint32_t due_looks = request->due_looks;
    cr_assert_leq(due_looks, FIRST_REQUEST_MS / DUE_LOOK_MS + 1);
    client_send(fd, "/v1/mem");
    for (int turn = 0; turn < 10; turn++) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    cr_assert_leq(request->due_looks, due_looks, "no byte puts it off");
    request->due_looks = 0; /* The time is over. */
    free(client_read(&bench, fd, NULL));
    cr_assert_eq(server->connections, 0);
    cr_assert_eq(server->due_count, 0);
    close(fd);

    const int quick = client_open_tcp(&bench);
    assert_answer(&bench, quick, "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n", "200",
                  "}\n");
    cr_assert_gt(server->first->due_looks, FIRST_REQUEST_MS / DUE_LOOK_MS + 1,
                 "the next one has longer");
    close(quick);
    control_bench_close(&bench);
}

/* What it has said in the meantime is not read yet, nor has the loop another time than before. */
Test(control_socket, a_pause_of_the_daemon_is_not_its_clients_delay)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);
    struct server *server = &bench.control->servers[0];

    client_send(fd, "GET ");
    while (server->first == NULL) {
        uv_run(&bench.loop, UV_RUN_ONCE);
    }
    uv_run(&bench.loop, UV_RUN_NOWAIT);
    overdue_set_in(server->first, 2 * DUE_LOOK_MS);
    client_send(fd, "/v1/version HTTP/1.1\r\nHost: d\r\n\r\n");
    (void)usleep(3 * DUE_LOOK_MS * 1000);
    free(client_read(&bench, fd, "}\n"));
    close(fd);
    control_bench_close(&bench);
}

Test(control_socket, a_watcher_is_never_overdue)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);

    assert_answer(&bench, fd, "GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                  "event: snapshot");
    cr_assert_eq(bench.control->servers[0].first->due_looks, REQUEST_NEVER_DUE);
    cr_assert_eq(bench.control->servers[0].due_count, 0);
    close(fd);
    control_bench_close(&bench);
}

/* Behind a proxy that goes by the other length, the rest is a request of its own. */
Test(control_socket, a_request_of_two_lengths_or_hosts_is_refused)
{
    static const struct {
        const char *head;
        const char *words;
    } cases[] = {
        {"Host: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "two lengths"},
        {"Host: localhost\r\nHost: elsewhere\r\n\r\n", "two hosts"},
        {"Host: localhost\r\nhost: localhost\r\n\r\n", "two hosts"},
    };
    struct control_bench bench;
    control_bench_open(&bench);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int fd = client_open_tcp(&bench);
        char request[256];
        snprintf(request, sizeof request, "GET /v1/version HTTP/1.1\r\n%s", cases[i].head);
        assert_answer(&bench, fd, request, "400", cases[i].words);
        free(client_read(&bench, fd, NULL));
        close(fd);
    }
    control_bench_close(&bench);
}

/* A mistyped argument must not ask for something else. */
Test(control_socket, arguments_that_a_resource_does_not_take_are_refused)
{
    static const struct asked cases[] = {
        {"POST /v1/transfer?too=athens", "400", "'too' is no argument of it"},
        {"POST /v1/drain?node=athens&x", "400", "'x' is no argument of it"},
        {"POST /v1/drain?node=athens&node=b", "400", "'node' is given twice"},
        {"POST /v1/undrain?node=", "400", "'node' has no value"},
        {"POST /v1/forget?name=athens", "400",
         "'name' is no argument of it\",\"hint\":\"write ?node=VALUE\""},
        {"POST /v1/forget", "400", "'node' is missing\",\"hint\":\"write ?node=VALUE\""},
        {"POST /v1/resign?role=", "400", "'role' has no value\",\"hint\":\"write ?role=VALUE\""},
        {"POST /v1/keys/use", "400", "'key' is missing"},
        {"POST /v1/keys/remove?key=f84b&key=f84b", "400", "'key' is given twice"},
        {"POST /v1/leave?now=1", "400", "leave out the question mark"},
        {"POST /v1/fault?clear=true", "400", "'clear' is no argument of it"},
        {"GET /v1/why?name=athens", "400", "write ?node=VALUE, or nothing"},
        {"GET /v1/members?x=1", "400", "'x' is no argument of it"},
        {"GET /v1/is-coordinator?x=1", "400", "bad argument"},
        {"GET /readyz?verbose=1", "400", "'verbose' takes no value"},
        {"GET /livez?verbos", "400", "write ?verbose, or nothing"},
    };

    assert_answers(cases, sizeof cases / sizeof cases[0]);
}

/* Who changed something is known afterwards. */
Test(control_socket, each_change_is_logged_with_the_account_and_the_process)
{
    struct control_bench bench;
    char line[1024] = "";
    char expected[128];
    int ends[2];
    control_bench_open(&bench);
    cr_assert_eq(pipe(ends), 0);
    log_init(&bench.log, ends[1], LOG_INFO, LOG_TEXT, "athens");
    const int fd = client_open(&bench);

    assert_answer(&bench, fd, "POST /v1/drain?node=athens HTTP/1.1\r\nHost: d\r\n\r\n", "202",
                  "}\n");
    cr_assert_gt(read(ends[0], line, sizeof line - 1), 0);
    snprintf(expected, sizeof expected, "request: POST /v1/drain?node=athens uid=%d pid=%d -> 202",
             (int)geteuid(), (int)getpid());
    cr_assert_not_null(strstr(line, expected), "%s", line);
    close(fd);
    log_init(&bench.log, STDERR_FILENO, LOG_ERROR, LOG_TEXT, "athens");
    control_bench_close(&bench);
    close(ends[0]);
    close(ends[1]);
}

/* Whoever asked it to leave starts the next one as soon as the control socket is gone. */
Test(control_socket, who_has_left_has_left_its_address)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;

    node_leave(bench.node);
    while (!bench.ended && client_now_ms() < until_ms) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    cr_assert(bench.ended && bench.left_its_address);
    control_bench_close(&bench);
}

/* Roles with real processes: who holds one, who is next when it dies, and who hears of it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "doyen/client.h"
#include "fixture.h"
#include "http.h"

enum { NODES = 3 };

static const char *const names[NODES] = {"athens", "byzantium", "cyrene"};

/* A cluster of three, with a client of each. */
struct stage {
    struct cluster *cluster;
    struct process clients[NODES];
};

static struct stage stage_open(const char *const *arguments)
{
    struct stage stage = {.cluster = cluster_new(arguments)};

    cluster_form(stage.cluster, "athens byzantium cyrene");
    return stage;
}

static const char *out_of(const struct stage *stage, size_t i)
{
    return cluster_path(stage->cluster, text_kept("%s.role", names[i]));
}

static void client_start(struct stage *stage, size_t i, const char *const *arguments)
{
    doyen_start(stage->cluster, &stage->clients[i], names[i], arguments, out_of(stage, i));
}

/* --- What clients say ------------------------------------------------------------------------- */

static const char *text_at(const char *path)
{
    char *text = file_read(path, NULL);
    const char *kept = text_kept("%s", text == NULL ? "" : text);

    free(text);
    return kept;
}

static const char *last_part(const char *text, const char *part)
{
    const char *last = NULL;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        last = at;
    }
    return last;
}

static size_t part_count(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

/* The token of the latest grant; 0: there was none. */
static uint64_t granted_token(const struct stage *stage, size_t i)
{
    const char *last = last_part(text_at(out_of(stage, i)), "granted job token ");

    return last == NULL ? 0 : strtoull(last + strlen("granted job token "), NULL, 10);
}

static bool has_said(const struct stage *stage, size_t i, const char *part)
{
    return strstr(text_at(out_of(stage, i)), part) != NULL;
}

/* One after the other, so that they stand in the order of `order`. The first holds the role. */
static void all_campaign(struct stage *stage, const size_t order[NODES])
{
    for (size_t i = 0; i < NODES; i++) {
        client_start(stage, order[i], ARGS("campaign", "job"));
        assert_soon(has_said(stage, order[i], "candidate job number "));
    }
    assert_soon(granted_token(stage, order[0]) != 0);
}

/* The next one in order holds it, under a higher token, and nobody else has heard of it. */
static void assert_next(const struct stage *stage, const size_t order[NODES])
{
    assert_soon(granted_token(stage, order[1]) != 0);
    cr_assert_gt(granted_token(stage, order[1]), granted_token(stage, order[0]));
    cr_assert_eq(line_count(text_at(out_of(stage, order[2]))), 1, "%s",
                 text_at(out_of(stage, order[2])));
}

/* --- Deaths ----------------------------------------------------------------------------------- */

/* K5b: its connection ends with it. */
Story(roles, the_next_holds_when_the_holders_client_is_killed)
{
    static const size_t order[NODES] = {2, 1, 0};
    struct stage stage = stage_open(NO_ARGS);

    all_campaign(&stage, order);
    process_kill(&stage.clients[2]);
    assert_next(&stage, order);
}

/* K7c: the member is gone, and what it held. Its client is told at once. */
Story(roles, the_next_holds_when_the_holders_daemon_is_killed)
{
    static const size_t order[NODES] = {2, 1, 0};
    struct stage stage = stage_open(NO_ARGS);

    all_campaign(&stage, order);
    cluster_kill(stage.cluster, "cyrene");
    assert_next(&stage, order);
    assert_soon(has_said(&stage, 2, "lost job token "));
}

/* K7a, K7b: who holds tells the next coordinator, and goes on; tokens rise all the same. */
Story(roles, outlast_the_coordinator)
{
    static const size_t order[NODES] = {2, 1, 0};
    struct stage stage = stage_open(NO_ARGS);

    all_campaign(&stage, order);
    cluster_kill(stage.cluster, "athens");
    assert_agreement(stage.cluster, "byzantium cyrene");
    process_kill(&stage.clients[0]);
    cr_assert_not(has_said(&stage, 2, "lost"));
    process_kill(&stage.clients[2]);
    assert_soon(granted_token(&stage, 1) > granted_token(&stage, 2));
    cr_assert_not(has_said(&stage, 1, "lost"));
}

static struct stage strict_stage_open(void)
{
    struct stage stage = {
        .cluster = cluster_new(ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"))};

    for (size_t i = 0; i < NODES; i++) {
        cluster_start(stage.cluster, names[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(stage.cluster, names[i])));
    }
    for (size_t i = 0; i < NODES; i++) {
        assert_soon(strstr(cluster_view(stage.cluster, names[i]), "cyrene") != NULL);
    }
    return stage;
}

/* Under guard strict a client's death frees its role at once, too. */
Story(roles, the_next_holds_under_guard_strict)
{
    static const size_t order[NODES] = {2, 1, 0};
    struct stage stage = strict_stage_open();

    all_campaign(&stage, order);
    process_kill(&stage.clients[2]);
    assert_next(&stage, order);
}

/* --- Going in good order ---------------------------------------------------------------------- */

Story(roles, resign)
{
    static const size_t order[NODES] = {2, 1, 0};
    struct stage stage = stage_open(NO_ARGS);

    all_campaign(&stage, order);
    cr_assert_eq(doyen(stage.cluster, "cyrene", ARGS("resign", "job")).code, 0);
    assert_next(&stage, order);
    cr_assert(process_wait(&stage.clients[2], LIMIT_MS));
    cr_assert_eq(process_exit_code(&stage.clients[2]), 0);
    cr_assert(has_said(&stage, 2, "lost job token "));
    cr_assert(has_said(&stage, 2, "ended job: it resigned"));

    const struct outcome again = doyen(stage.cluster, "cyrene", ARGS("resign", "job"));
    cr_assert_eq(again.code, 1);
    assert_text_has(again.err, "no client of cyrene stands for the role 'job'");
}

/* A node that leaves lets go first, when its clients have stopped. */
Story(roles, move_when_the_holders_node_leaves)
{
    static const size_t order[NODES] = {2, 1, 0};
    struct stage stage = stage_open(NO_ARGS);

    all_campaign(&stage, order);
    cr_assert_eq(cluster_terminate(stage.cluster, "cyrene"), 0);
    assert_next(&stage, order);
    cr_assert(has_said(&stage, 2, "this node leaves"));
}

/* --- Terms and names -------------------------------------------------------------------------- */

/* K6a: a better one takes over, and goes when it is told to. */
Story(roles, by_priority_change_hands)
{
    struct stage stage = stage_open(NO_ARGS);

    client_start(&stage, 0, ARGS("campaign", "job", "--policy", "priority", "--priority", "1"));
    assert_soon(granted_token(&stage, 0) != 0);
    client_start(&stage, 1, ARGS("campaign", "job", "--policy", "priority", "--priority", "2"));
    assert_soon(granted_token(&stage, 1) > granted_token(&stage, 0));
    cr_assert(has_said(&stage, 0, "lost job token "));
    cr_assert(has_said(&stage, 0, "another candidate is to hold it"));
    process_kill(&stage.clients[1]);
    assert_soon(granted_token(&stage, 0) > granted_token(&stage, 1));
}

/* K6e */
Story(roles, by_priority_change_hands_later)
{
    struct stage stage = stage_open(NO_ARGS);

    client_start(&stage, 0,
                 ARGS("campaign", "job", "--policy", "priority", "--priority", "1",
                      "--preempt-after", "1s"));
    assert_soon(granted_token(&stage, 0) != 0);
    client_start(&stage, 1,
                 ARGS("campaign", "job", "--policy", "priority", "--priority", "2",
                      "--preempt-after", "1s"));
    assert_soon(granted_token(&stage, 1) > granted_token(&stage, 0));
    cr_assert(has_said(&stage, 0, "lost job token "));
}

Story(roles, as_many_hold_as_may)
{
    struct stage stage = stage_open(NO_ARGS);

    for (size_t i = 0; i < NODES; i++) {
        client_start(&stage, i, ARGS("campaign", "job", "--holders", "2"));
        assert_soon(has_said(&stage, i, "candidate job number "));
    }
    assert_soon(granted_token(&stage, 0) != 0 && granted_token(&stage, 1) != 0);
    cr_assert_eq(granted_token(&stage, 2), 0);
}

/* K6b: tags come and go while candidates wait; the role follows. */
Story(roles, go_to_who_has_the_tag)
{
    struct stage stage = stage_open(NO_ARGS);

    for (size_t i = 0; i < NODES; i++) {
        client_start(&stage, i, ARGS("campaign", "job", "--need", "zone=eu"));
        assert_soon(has_said(&stage, i, "candidate job number "));
    }
    cr_assert_eq(doyen(stage.cluster, "cyrene", ARGS("tag", "set", "zone=eu")).code, 0);
    assert_soon(granted_token(&stage, 2) != 0);
    cr_assert_eq(doyen(stage.cluster, "byzantium", ARGS("tag", "set", "zone=eu")).code, 0);
    cr_assert_eq(doyen(stage.cluster, "cyrene", ARGS("tag", "unset", "zone")).code, 0);
    assert_soon(granted_token(&stage, 1) > granted_token(&stage, 2));
    cr_assert(has_said(&stage, 2, "lost job token "));
    cr_assert_eq(granted_token(&stage, 0), 0);

    const struct outcome roles = doyen(stage.cluster, "athens", ARGS("roles", "--json"));
    const json_t *role = json_array_get(json_object_get(document_kept(roles.out), "roles"), 0);
    cr_assert_str_eq(text_of(role, "need"), "zone=eu");
    const json_t *waits = json_array_get(json_object_get(role, "candidates"), 0);
    cr_assert(json_is_false(json_object_get(waits, "eligible")));
}

static void assert_refused(struct cluster *cluster, const char *const *arguments, int code,
                           const char *why)
{
    const struct outcome outcome = doyen(cluster, "athens", arguments);

    cr_assert_eq(outcome.code, code, "%s", outcome.err);
    assert_text_has(outcome.err, why);
    cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
}

Story(roles, refuse_what_makes_no_sense)
{
    struct stage stage = stage_open(NO_ARGS);

    assert_refused(stage.cluster, ARGS("campaign"), 64, "no role: write doyen campaign ROLE");
    assert_refused(stage.cluster, ARGS("campaign", "a b"), 64, "'a b' is not the name of a role");
    assert_refused(stage.cluster, ARGS("campaign", "job", "--policy", "last"), 64,
                   "'last' is no policy; there are first, oldest and priority");
    assert_refused(stage.cluster, ARGS("campaign", "job", "--holders", "65"), 64,
                   "--holders 65: give a number from 1 to 64");
    assert_refused(stage.cluster, ARGS("campaign", "job", "--priority", "2"), 64,
                   "a priority counts under the policy priority alone");
    assert_refused(stage.cluster, ARGS("campaign", "job", "true"), 64, "write -- before");
    assert_refused(stage.cluster, ARGS("campaign", "job", "--", "/no/such"), 127, "/no/such");

    assert_refused(stage.cluster, ARGS("campaign", "job", "--need", "=a"), 64, "KEY or KEY=VALUE");

    client_start(&stage, 1, ARGS("campaign", "job"));
    assert_soon(granted_token(&stage, 1) != 0);
    assert_refused(stage.cluster, ARGS("campaign", "job", "--need", "zone"), 1,
                   "the role's first candidate has set other terms");
    assert_refused(stage.cluster, ARGS("campaign", "job", "--holders", "2"), 1,
                   "the role's first candidate has set other terms");
}

#define CAMPAIGN_LINE "POST /v1/campaign HTTP/1.1\r\n"

static const char *campaign_rest(const char *body)
{
    return text_kept("Host: d\r\nConnection: Upgrade\r\nUpgrade: doyen-campaign\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     strlen(body), body);
}

/* Its client may be asking something just then: it meets no closed connection before it has read
 * why. */
Story(roles, say_why_a_campaign_has_ended)
{
    struct stage stage = stage_open(NO_ARGS);
    struct http_answer answer;
    const int fd = dial_unix(cluster_daemon(stage.cluster, "cyrene")->control);

    client_start(&stage, 1, ARGS("campaign", "job"));
    assert_soon(granted_token(&stage, 1) != 0);
    cr_assert(send_text(fd, CAMPAIGN_LINE));
    cr_assert(send_text(fd, campaign_rest("{\"role\":\"job\",\"holders\":2}")));
    cr_assert(http_read(fd, false, LIMIT_MS, &answer));
    assert_text_has(answer.body, "\"reason\":\"terms\"");
    cr_assert(send_text(fd, "h"));
    http_answer_deinit(&answer);
    (void)close(fd);
}

/* What comes over it, until its daemon has listed or refused it. */
static const char *first_news(int fd)
{
    static const struct timeval limit = {.tv_sec = LIMIT_MS / 1000};
    char text[4096] = "";
    size_t length = 0;

    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    while (strstr(text, "\"candidate\"") == NULL && strstr(text, "\"ended\"") == NULL) {
        const ssize_t count = read(fd, text + length, sizeof text - 1 - length);
        cr_assert_gt(count, 0, "%s", text);
        length += (size_t)count;
        text[length] = '\0';
    }
    return text_kept("%s", text);
}

/* Also where its daemon looks at the connection of the next one first, as that is known already and
 * spoke before the former one went. */
Story(roles, have_no_terms_of_who_has_gone)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens");
    const char *const control = cluster_daemon(cluster, "athens")->control;
    const int former = dial_unix(control);
    cr_assert(send_text(former, CAMPAIGN_LINE));
    cr_assert(send_text(former, campaign_rest("{\"role\":\"job\",\"need\":\"zone\"}")));
    assert_text_has(first_news(former), "\"candidate\"");

    struct http_answer answer;
    const int next = dial_unix(control);
    cr_assert(http_ask(next, "GET", "/v1/health", NULL, LIMIT_MS, &answer));
    http_answer_deinit(&answer);
    cluster_pause(cluster, "athens");
    cr_assert(send_text(next, CAMPAIGN_LINE));
    (void)close(former);
    cr_assert(send_text(next, campaign_rest("{\"role\":\"job\",\"need\":\"rack\"}")));
    cluster_resume(cluster, "athens");
    assert_text_has(first_news(next), "\"candidate\"");
    (void)close(next);
}

/* --- What others see -------------------------------------------------------------------------- */

static const char *first_holder(struct cluster *cluster, const char *asked, const char *key)
{
    const struct outcome outcome = doyen(cluster, asked, ARGS("roles", "--json"));
    const json_t *role = json_array_get(json_object_get(document_kept(outcome.out), "roles"), 0);

    return text_of(json_array_get(json_object_get(role, "holders"), 0), key);
}

/* Any member tells of all, with what the holder wants others to know. */
Story(roles, are_shown_by_each_member)
{
    struct stage stage = stage_open(NO_ARGS);
    const struct outcome none = doyen(stage.cluster, "athens", ARGS("roles"));

    cr_assert_eq(none.code, 0);
    assert_text_has(none.err, "nobody stands for any role");
    client_start(&stage, 2, ARGS("campaign", "job", "--value", "10.0.0.5:5432"));
    assert_soon(granted_token(&stage, 2) != 0);
    client_start(&stage, 1, ARGS("campaign", "job", "--value", "10.0.0.4:5432"));
    assert_soon(has_said(&stage, 1, "candidate job number "));
    for (size_t i = 0; i < NODES; i++) {
        assert_soon(strcmp(first_holder(stage.cluster, names[i], "member"), "cyrene") == 0);
        cr_assert_str_eq(first_holder(stage.cluster, names[i], "value"), "10.0.0.5:5432");
        cr_assert_eq(strtoull(first_holder(stage.cluster, names[i], "token"), NULL, 10),
                     granted_token(&stage, 2));
    }
    const struct outcome table = doyen(stage.cluster, "athens", ARGS("roles"));
    cr_assert_eq(line_count(table.out), 3, "%s", table.out);
    assert_text_has(table.out, "byzantium  waits");
}

/* Whoever is refused for other terms is sent there. */
Story(roles, are_shown_with_their_terms)
{
    struct stage stage = stage_open(NO_ARGS);

    client_start(&stage, 1,
                 ARGS("campaign", "job", "--need", "zone=eu", "--holders", "2", "--preempt"));
    assert_soon(has_said(&stage, 1, "candidate job number "));
    assert_text_has(doyen(stage.cluster, "athens", ARGS("roles")).out,
                    "first, holders 2, need zone=eu, preempt");
    client_start(&stage, 2,
                 ARGS("campaign", "other", "--policy", "priority", "--preempt-after", "90s"));
    assert_soon(has_said(&stage, 2, "candidate other number "));
    assert_text_has(doyen(stage.cluster, "athens", ARGS("roles")).out,
                    "priority, preempt-after 90s");
}

/* While it holds, and without a loss. */
Story(roles, change_what_others_read)
{
    struct stage stage = stage_open(NO_ARGS);

    client_start(&stage, 2, ARGS("campaign", "job", "--value", "10.0.0.5:5432"));
    assert_soon(granted_token(&stage, 2) != 0);
    cr_assert_eq(doyen(stage.cluster, "cyrene", ARGS("value", "job", "10.0.0.5:5433")).code, 0);
    assert_soon(strcmp(first_holder(stage.cluster, "athens", "value"), "10.0.0.5:5433") == 0);

    const struct doyen_options options = {
        .size = sizeof options, .control = cluster_daemon(stage.cluster, "cyrene")->control};
    struct doyen *d = NULL;
    cr_assert_eq(doyen_open(&d, &options), 0);
    cr_assert_eq(doyen_set_value(d, "job", "10.0.0.5:5434", LIMIT_MS), 0, "%s", doyen_error(d));
    assert_soon(strcmp(first_holder(stage.cluster, "athens", "value"), "10.0.0.5:5434") == 0);
    cr_assert_eq(doyen_set_value(d, "task", "here", LIMIT_MS), DOYEN_E_REFUSED);
    cr_assert_eq(doyen_set_value(d, NULL, "here", LIMIT_MS), DOYEN_E_USAGE);
    doyen_close(d);
    cr_assert_not(has_said(&stage, 2, "lost"));

    const struct outcome none = doyen(stage.cluster, "athens", ARGS("value", "job", "here"));
    cr_assert_eq(none.code, 1);
    assert_text_has(none.err, "no client of athens stands for the role 'job'");
    const struct outcome bad = doyen(stage.cluster, "cyrene", ARGS("value", "job", "a\nb"));
    cr_assert_eq(bad.code, 64);
    assert_text_has(bad.err, "without control characters");
}

/* More than one answer has room for. */
Story(roles, are_shown_however_many_there_are)
{
    enum { MANY = 8 };
    struct stage stage = stage_open(NO_ARGS);
    struct process clients[MANY];
    char value[251];

    memset(value, '"', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (size_t i = 0; i < MANY; i++) {
        doyen_start(stage.cluster, &clients[i], "cyrene",
                    ARGS("campaign", text_kept("job%zu", i), "--value", value),
                    cluster_path(stage.cluster, text_kept("many%zu", i)));
        assert_soon(strstr(text_at(cluster_path(stage.cluster, text_kept("many%zu", i))),
                           "granted") != NULL);
    }
    assert_soon(first_holder(stage.cluster, "athens", "value")[0] == '"');
    const struct outcome outcome = doyen(stage.cluster, "athens", ARGS("roles", "--json"));
    const json_t *roles = json_object_get(document_kept(outcome.out), "roles");
    cr_assert_eq(json_array_size(roles), MANY, "%s", outcome.out);
    cr_assert_str_eq(
        text_of(json_array_get(json_object_get(json_array_get(roles, 7), "holders"), 0), "value"),
        value);
}

Story(roles, are_observed)
{
    struct stage stage = stage_open(NO_ARGS);
    const char *seen = cluster_path(stage.cluster, "seen");
    struct process observer;

    doyen_start(stage.cluster, &observer, "athens", ARGS("observe", "job"), seen);
    assert_soon(strstr(text_at(seen), "job is held by nobody\n") != NULL);
    client_start(&stage, 2, ARGS("campaign", "job", "--value", "here"));
    assert_soon(strstr(text_at(seen), "job is held by cyrene token ") != NULL);
    assert_text_has(text_at(seen), " value here\n");
    process_kill(&stage.clients[2]);
    assert_soon(part_count(text_at(seen), "job is held by nobody\n") == 2);
}

static bool has_word(const char *path, const char *words)
{
    char *text = file_read(path, NULL);
    const bool found = text != NULL && strstr(text, words) != NULL;

    free(text);
    return found;
}

/* Who waits for a role hears nothing for hours where all is well, too. */
Story(roles, whoever_waits_says_that_doyend_is_stopped)
{
    struct stage stage = stage_open(NO_ARGS);
    struct process observer;

    client_start(&stage, 1, ARGS("campaign", "job"));
    assert_soon(strstr(text_at(out_of(&stage, 1)), "granted job") != NULL);
    client_start(&stage, 0, ARGS("campaign", "job"));
    assert_soon(strstr(text_at(out_of(&stage, 0)), "candidate job") != NULL);
    doyen_start(stage.cluster, &observer, "athens", ARGS("observe", "job"),
                cluster_path(stage.cluster, "seen"));
    assert_soon(strstr(text_at(cluster_path(stage.cluster, "seen")), "job is held by") != NULL);
    cluster_pause(stage.cluster, "athens");
    assert_soon(has_word(text_kept("%s.err", out_of(&stage, 0)), "it may be stopped; waiting"));
    assert_soon(has_word(cluster_path(stage.cluster, "seen.err"), "it may be stopped"));
    cluster_resume(stage.cluster, "athens");
    assert_soon(part_count(text_at(out_of(&stage, 0)), "candidate job") == 2);
}

/* Whoever does not answer is named: it may hold what nobody else does. */
Story(roles, are_not_known_of_a_member_that_is_silent)
{
    struct stage stage = stage_open(NO_ARGS);

    cluster_pause(stage.cluster, "cyrene");
    const struct outcome outcome = doyen(stage.cluster, "athens", ARGS("roles"));
    cluster_resume(stage.cluster, "cyrene");
    assert_text_has(outcome.err, "cyrene has not answered: its candidates are not known");
}

/* --- A command -------------------------------------------------------------------------------- */

static pid_t pid_in(const char *path)
{
    return (pid_t)strtol(text_at(path), NULL, 10);
}

Story(roles, run_a_command)
{
    struct stage stage = stage_open(NO_ARGS);
    const char *seen = cluster_path(stage.cluster, "seen");
    const char *script = text_kept("echo $DOYEN_ROLE $DOYEN_NODE $DOYEN_TOKEN >> %s; exit 7", seen);

    const struct outcome outcome = doyen(stage.cluster, "byzantium",
                                         ARGS("campaign", "job", "--", "sh", "-c", script));
    cr_assert_eq(outcome.code, 7, "%s", outcome.err);
    assert_text_has(text_at(seen), "job byzantium ");
    assert_text_has(outcome.err, "byzantium holds job with token ");
}

/* Its command gets TERM; the next one's begins when it is gone. After the loss the first waits for
 * its turn again. */
Story(roles, move_a_command)
{
    struct stage stage = stage_open(NO_ARGS);
    const char *seen = cluster_path(stage.cluster, "seen");
    const char *script = text_kept("echo begin $DOYEN_NODE >> %s; "
                                   "trap 'echo end $DOYEN_NODE >> %s; exit' TERM; "
                                   "while :; do sleep 0.05; done",
                                   seen, seen);

    for (size_t i = 0; i < 2; i++) {
        client_start(&stage, i,
                     ARGS("campaign", "job", "--policy", "priority", "--priority",
                          i == 0 ? "1" : "2", "--", "sh", "-c", script));
        assert_soon(strstr(text_at(seen), text_kept("begin %s", names[i])) != NULL);
    }
    cr_assert_eq(doyen(stage.cluster, "byzantium", ARGS("resign", "job")).code, 0);
    cr_assert(process_wait(&stage.clients[1], LIMIT_MS));
    assert_soon(part_count(text_at(seen), "begin athens") == 2);
    cr_assert_str_eq(text_at(seen), "begin athens\nend athens\nbegin byzantium\nend byzantium\n"
                                    "begin athens\n");
}

/* The terms become shorter than what a command was started under: it ends by those, and begins by
 * what a grant lasts for now. */
Story(roles, start_a_command_again_when_terms_are_shorter)
{
    struct stage stage = strict_stage_open();
    const char *seen = cluster_path(stage.cluster, "seen");
    const char *script = text_kept("echo begin >> %s; while :; do sleep 0.05; done", seen);

    cr_assert_eq(doyen(stage.cluster, "athens", ARGS("change", "profile=lan")).code, 0);
    client_start(&stage, 1, ARGS("campaign", "job", "--", "sh", "-c", script));
    assert_soon(part_count(text_at(seen), "begin") == 1);
    cr_assert_eq(doyen(stage.cluster, "athens", ARGS("change", "profile=local")).code, 0);
    assert_soon(part_count(text_at(seen), "begin") == 2);
}

static pid_t parent_of(pid_t pid)
{
    const char *text = text_at(text_kept("/proc/%d/stat", (int)pid));
    const char *at = strrchr(text, ')');

    cr_assert(at != NULL, "no process %d", (int)pid);
    return (pid_t)strtol(at + 4, NULL, 10);
}

/* It may not have been reaped yet. */
static bool is_dead(pid_t pid)
{
    const char *at = strrchr(text_at(text_kept("/proc/%d/stat", (int)pid)), ')');

    return at == NULL || at[2] == 'Z';
}

/* Nobody is left who could end what the command has left behind: it keeps the role, in place of
 * doing the work beside the next one. */
Story(roles, are_kept_by_an_orphan)
{
    struct stage stage = stage_open(NO_ARGS);
    const char *left = cluster_path(stage.cluster, "left");
    const char *script = text_kept("setsid sleep 1000 & echo $! > %s; wait", left);
    const char *started = cluster_path(stage.cluster, "byzantium.role.err");

    client_start(&stage, 1, ARGS("campaign", "job", "--", "sh", "-c", script));
    assert_soon(pid_in(left) != 0 && strstr(text_at(started), "started pid ") != NULL);
    client_start(&stage, 0, ARGS("campaign", "job"));
    assert_soon(has_said(&stage, 0, "candidate job number "));

    const pid_t command = (pid_t)strtol(strstr(text_at(started), "started pid ") + 12, NULL, 10);
    const pid_t watchdog = parent_of(command);
    (void)kill(stage.clients[1].pid, SIGSTOP);
    (void)kill(watchdog, SIGKILL);
    assert_soon(is_dead(command));
    process_kill(&stage.clients[1]);
    cr_assert_eq(kill(pid_in(left), 0), 0);
    /* Whatever the daemons have to say to each other, they have said when this is through. */
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(
            doyen(stage.cluster, "byzantium", ARGS("campaign", "other", "--", "true")).code, 0);
    }
    cr_assert_eq(granted_token(&stage, 0), 0, "it was granted beside an orphan");
    (void)kill(pid_in(left), SIGKILL);
    assert_soon(granted_token(&stage, 0) != 0);
}

/* The command doyen: what it prints, and its exit codes, which scripts rely on. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

enum {
    DONE = 0,
    REFUSED = 1,
    NOT_HEALTHY = 6,
    NO_COORDINATOR = 3,
    UNREACHABLE = 4,
    TIMED_OUT = 5,
    USAGE = 64,
};

static struct cluster *three(void)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    return cluster;
}

static void assert_code(const struct outcome *outcome, int code)
{
    cr_assert_eq(outcome->code, code, "expected %d, not %d: %s%s", code, outcome->code,
                 outcome->out, outcome->err);
}

/* Data on stdout, everything else on stderr: a failure prints one line there. */
static void assert_failure(const struct outcome *outcome, int code, const char *words)
{
    assert_code(outcome, code);
    cr_assert_str_empty(outcome->out);
    cr_assert_eq(line_count(outcome->err), 1, "%s", outcome->err);
    assert_text_has(outcome->err, words);
}

Story(command, members_prints_the_oldest_first)
{
    struct cluster *cluster = three();

    const struct outcome outcome = doyen(cluster, "cyrene", ARGS("members"));
    assert_code(&outcome, DONE);
    const char *athens = strstr(outcome.out, "athens");
    const char *byzantium = strstr(outcome.out, "byzantium");
    cr_assert(athens != NULL && byzantium != NULL && athens < byzantium, "%s", outcome.out);
    assert_text_has(outcome.out, "coordinator");
    assert_text_has(outcome.out, cluster_daemon(cluster, "cyrene")->address);
    cr_assert_str_empty(outcome.err);
}

Story(command, json_is_the_document_of_the_control_socket)
{
    struct cluster *cluster = three();

    const struct outcome outcome = doyen(cluster, "cyrene", ARGS("--json", "members"));
    assert_code(&outcome, DONE);
    json_t *document = json_loads(outcome.out, 0, NULL);
    cr_assert_eq(json_integer_value(json_object_get(document, "schema")), 1);
    cr_assert_str_eq(text_of(document, "self"), "cyrene");
    cr_assert_eq(json_array_size(json_object_get(document, "members")), 3);
    json_decref(document);
    const struct outcome after = doyen(cluster, "cyrene", ARGS("members", "--json"));
    cr_assert_eq(after.out[0], '{', "--json may stand behind the verb too");
}

Story(command, members_are_chosen_and_printed_as_asked)
{
    struct cluster *cluster = three();
    char line[128];

    cluster_start(cluster, "delphi", "athens", ARGS("--tag", "rack=b"));
    assert_agreement(cluster, "athens byzantium cyrene delphi");
    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "athens cyrene delphi");

    const struct outcome names = doyen(cluster, "cyrene", ARGS("members", "--format", "{name}"));
    assert_code(&names, DONE);
    cr_assert_str_eq(names.out, "athens\ncyrene\ndelphi\n");

    const struct outcome tagged = doyen(
        cluster, "cyrene",
        ARGS("members", "--tag", "rack=b", "--format", "{name}\\t{host}:{port}\\n"));
    assert_code(&tagged, DONE);
    snprintf(line, sizeof line, "delphi\t%s\n", cluster_daemon(cluster, "delphi")->address);
    cr_assert_str_eq(tagged.out, line);

    const struct outcome gone = doyen(
        cluster, "cyrene",
        ARGS("members", "--state", "failed", "--columns", "name,state,tag.rack"));
    assert_code(&gone, DONE);
    cr_assert_str_eq(gone.out, "NAME       STATE   TAG.RACK\nbyzantium  failed\n");

    const struct outcome tables = doyen(cluster, "cyrene", ARGS("members", "--name", "[bd]*"));
    assert_code(&tables, DONE);
    cr_assert_eq(line_count(tables.out), 5, "two tables of one line each: %s", tables.out);
    assert_text_has(tables.out, "rack=b");
    assert_text_has(tables.out, "GONE");
}

Story(command, filters_hold_for_json_and_a_status_stays_what_it_is)
{
    struct cluster *cluster = three();

    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "athens cyrene");
    const struct outcome outcome = doyen(cluster, "cyrene",
                                         ARGS("members", "--json", "--name", "b*", "--name", "a*"));
    assert_code(&outcome, DONE);
    json_t *document = json_loads(outcome.out, 0, NULL);
    cr_assert_not_null(document, "%s", outcome.out);
    cr_assert_str_eq(text_of(document, "coordinator"), "athens");
    cr_assert_eq(json_array_size(json_object_get(document, "members")), 1);
    cr_assert_not_null(entry_of(document, "members", "athens"));
    cr_assert_eq(json_array_size(json_object_get(document, "gone")), 1);
    cr_assert_not_null(entry_of(document, "gone", "byzantium"));
    json_decref(document);

    static const char *const ways[][3] = {{NULL}, {"--format", "{name}"}, {"--columns", "name"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const struct outcome nobody = doyen(
            cluster, "cyrene", ARGS("members", "--name", "sparta", ways[i][0], ways[i][1]));
        assert_code(&nobody, DONE);
        cr_assert_str_empty(nobody.out);
        cr_assert_str_empty(nobody.err);
    }
}

Story(command, members_that_were_chosen_keep_the_exit_code_of_the_whole)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "3"));

    cluster_form(cluster, "athens byzantium");
    const struct outcome outcome = doyen(
        cluster, "athens",
        ARGS("members", "--state", "alive,silent,suspect", "--format", "{name}"));
    assert_code(&outcome, NOT_HEALTHY);
    cr_assert_str_eq(outcome.out, "athens\nbyzantium\n");
    const struct outcome nobody = doyen(cluster, "athens", ARGS("members", "--name", "sparta"));
    assert_code(&nobody, NOT_HEALTHY);
    cr_assert_str_empty(nobody.out);
}

Story(command, status_tells_cluster_view_coordinator_and_guard)
{
    struct cluster *cluster = three();

    const struct outcome outcome = doyen(cluster, "byzantium", ARGS("status"));
    assert_code(&outcome, DONE);
    assert_text_has(outcome.out, "doyen");
    assert_text_has(outcome.out, "1.3");
    assert_text_has(outcome.out, "athens");
    assert_text_has(outcome.out, "guard");
}

Story(command, coordinator_prints_the_name_alone)
{
    struct cluster *cluster = three();

    const struct outcome outcome = doyen(cluster, "cyrene", ARGS("coordinator"));
    assert_code(&outcome, DONE);
    cr_assert_str_eq(outcome.out, "athens\n");
}

Story(command, coordinator_is_self_answers_by_exit_code_alone)
{
    struct cluster *cluster = three();

    assert_soon(doyen(cluster, "athens", ARGS("coordinator", "--is-self")).code == DONE);
    const struct outcome yes = doyen(cluster, "athens", ARGS("coordinator", "--is-self"));
    cr_assert_str_empty(yes.out);
    const struct outcome no = doyen(cluster, "byzantium", ARGS("coordinator", "--is-self"));
    assert_code(&no, NO_COORDINATOR);
    cr_assert_str_empty(no.out);
}

/* Only who has the tag counts. */
Story(command, wait_counts_those_with_a_tag)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct process waiting;

    cluster_start(cluster, "athens", "athens", ARGS("--tag", "role=db"));
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", ARGS("--tag", "role=web"));
    assert_agreement(cluster, "athens byzantium");
    const struct outcome one = doyen(cluster, "athens",
                                     ARGS("wait", "--tag", "role=web", "--timeout", "20s"));
    assert_code(&one, DONE);
    const struct outcome none = doyen(
        cluster, "athens", ARGS("wait", "--members", "2", "--tag", "role=db", "--timeout", "1s"));
    assert_code(&none, TIMED_OUT);
    assert_text_has(none.err, "1 member with role=db where 2 are waited for");
    doyen_start(cluster, &waiting, "byzantium",
                ARGS("wait", "--members", "2+", "--tag", "role=db", "--timeout", "20s"),
                cluster_path(cluster, "wait.out"));
    cluster_start(cluster, "cyrene", "athens", ARGS("--tag", "role=db"));
    cr_assert(process_wait(&waiting, LIMIT_MS));
    cr_assert_eq(process_exit_code(&waiting), DONE);
}

Story(command, wait_returns_when_all_conditions_hold)
{
    struct cluster *cluster = three();

    const struct outcome at_once = doyen(cluster, "athens",
                                         ARGS("wait", "--members", "3", "--coordinator", "athens",
                                              "--acting", "--guard-met", "--timeout", "20s"));
    assert_code(&at_once, DONE);
    const struct outcome any = doyen(cluster, "cyrene",
                                     ARGS("wait", "--members", "1+", "--timeout", "20s"));
    assert_code(&any, DONE);
    const struct outcome at_least = doyen(
        cluster, "athens", ARGS("wait", "--members", "2+", "--name", "cyrene", "--timeout", "20s"));
    assert_code(&at_least, DONE);

    struct process waiting;
    doyen_start(cluster, &waiting, "byzantium",
                ARGS("wait", "--members", "2", "--coordinator", "byzantium", "--gone", "athens",
                     "--timeout", "20s"),
                cluster_path(cluster, "wait.out"));
    cluster_kill(cluster, "athens");
    cr_assert(process_wait(&waiting, LIMIT_MS));
    cr_assert_eq(process_exit_code(&waiting), DONE);
}

Story(command, wait_times_out_and_says_what_is_missing)
{
    struct cluster *cluster = three();

    const struct outcome members = doyen(cluster, "athens",
                                         ARGS("wait", "--members", "4", "--timeout", "100ms"));
    assert_failure(&members, TIMED_OUT, "3 members");
    const struct outcome acting = doyen(cluster, "cyrene",
                                        ARGS("wait", "--acting", "--timeout", "100ms"));
    assert_failure(&acting, TIMED_OUT, "act");
    const struct outcome name = doyen(
        cluster, "cyrene", ARGS("wait", "--coordinator", "cyrene", "--timeout", "100ms"));
    assert_failure(&name, TIMED_OUT, "athens");
    const struct outcome more = doyen(cluster, "athens",
                                      ARGS("wait", "--members", "4+", "--timeout", "100ms"));
    assert_failure(&more, TIMED_OUT, "3 members where 4 or more are waited for");
    const struct outcome gone = doyen(
        cluster, "athens",
        ARGS("wait", "--name", "delphi", "--gone", "cyrene", "--timeout", "100ms"));
    assert_failure(&gone, TIMED_OUT, "delphi is not a member, cyrene is a member");
}

/* A daemon that is not up yet is waited for as well. */
Story(command, wait_begins_before_the_daemon_does)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct process waiting;

    doyen_start(cluster, &waiting, "athens", ARGS("wait", "--acting", "--timeout", "20s"),
                cluster_path(cluster, "wait.out"));
    cluster_start(cluster, "athens", NULL, NO_ARGS);
    cr_assert(process_wait(&waiting, LIMIT_MS));
    cr_assert_eq(process_exit_code(&waiting), DONE);
}

Story(command, nobody_there_is_exit_code_four)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    const struct outcome socket = doyen(cluster, "athens", ARGS("members"));
    assert_failure(&socket, UNREACHABLE, "athens.sock");
    const struct outcome folder = doyen(cluster, NULL, ARGS("--control", "/", "members"));
    assert_failure(&folder, UNREACHABLE, "it is no socket");
    const struct outcome url = doyen(
        cluster, NULL,
        ARGS("--url", text_kept("http://%s:%u", cluster->host, cluster_port(cluster)), "status"));
    assert_code(&url, UNREACHABLE);
    const struct outcome wait = doyen(cluster, "athens",
                                      ARGS("wait", "--acting", "--timeout", "100ms"));
    assert_failure(&wait, UNREACHABLE, "athens.sock");
}

/* Its socket accepts, nobody reads. */
Story(command, a_stopped_daemon_is_exit_code_five)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    const struct outcome peers = doyen(
        cluster, NULL,
        ARGS("--url", text_kept("http://%s", cluster_daemon(cluster, "athens")->address),
             "members"));
    assert_failure(&peers, UNREACHABLE, "is that the port of doyend's --http?");
    cluster_pause(cluster, "athens");
    const struct outcome outcome = doyen(cluster, "athens", ARGS("members"));
    assert_failure(&outcome, TIMED_OUT, "");
    cluster_resume(cluster, "athens");
}

static size_t times_said(struct cluster *cluster, const char *file, const char *words)
{
    char *said = file_read(cluster_path(cluster, file), NULL);
    size_t count = 0;

    for (const char *at = said; at != NULL && (at = strstr(at, words)) != NULL; at++) {
        count++;
    }
    free(said);
    return count;
}

/* What waits goes on doing so, and says what it waits for. */
Story(command, who_waits_names_a_daemon_that_is_stopped_meanwhile)
{
    static const char mute[] = "it may be stopped or overloaded; waiting for it";
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct process wait = {.pid = 0};
    struct process run = {.pid = 0};

    cluster_form(cluster, "athens byzantium");
    doyen_start(cluster, &wait, "byzantium", ARGS("wait", "--gone", "athens", "--timeout", "10m"),
                cluster_path(cluster, "wait"));
    doyen_start(cluster, &run, "byzantium", ARGS("run", "--once", "--", "true"),
                cluster_path(cluster, "run"));
    assert_soon(times_said(cluster, "run.err", "waiting until it does") == 1);
    cluster_pause(cluster, "byzantium");
    assert_soon(times_said(cluster, "run.err", mute) == 1);
    assert_soon(times_said(cluster, "wait.err", mute) == 1);
    cluster_resume(cluster, "byzantium");
    assert_soon(times_said(cluster, "wait.err", "is back") == 1);
    assert_soon(times_said(cluster, "run.err", "waiting until it does") == 2);
    assert_agreement(cluster, "athens byzantium"); /* It had been removed. */
    cluster_kill(cluster, "athens");
    cr_assert(process_wait(&wait, LIMIT_MS));
    cr_assert_eq(process_exit_code(&wait), 0);
    cr_assert(process_wait(&run, LIMIT_MS));
    cr_assert_eq(process_exit_code(&run), 0);
}

struct asked_in_vain {
    const char *arguments[7]; /* ended by NULL */
    int code;
};

/* Each ends by itself, and says so. */
static const struct asked_in_vain asked_in_vain[] = {
    {{"leave"}, TIMED_OUT},
    {{"drain"}, TIMED_OUT},
    {{"change", "size=3"}, TIMED_OUT},
    {{"coordinator", "--is-self"}, TIMED_OUT},
    {{"lease"}, TIMED_OUT},
    {{"run", "--once", "--timeout", "1s", "--", "true"}, TIMED_OUT},
    {{"campaign", "job", "--timeout", "1s"}, TIMED_OUT},
    {{"wait", "--members", "5", "--timeout", "1s"}, UNREACHABLE}, /* It answered at no time. */
};

Story(command, no_command_waits_for_a_stopped_daemon_for_ever)
{
    enum { COUNT = sizeof asked_in_vain / sizeof asked_in_vain[0] };
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct process clients[COUNT];

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_pause(cluster, "athens");
    for (size_t i = 0; i < COUNT; i++) {
        doyen_start(cluster, &clients[i], "athens", asked_in_vain[i].arguments,
                    cluster_path(cluster, text_kept("asked.%zu", i)));
    }
    for (size_t i = 0; i < COUNT; i++) {
        const char *name = asked_in_vain[i].arguments[0];
        cr_expect(process_wait(&clients[i], LIMIT_MS), "%s hangs", name);
        cr_expect_eq(process_exit_code(&clients[i]), asked_in_vain[i].code, "%s: %d", name,
                     process_exit_code(&clients[i]));
        char *said = file_read(cluster_path(cluster, text_kept("asked.%zu.err", i)), NULL);
        cr_expect(said != NULL && strstr(said, "it may be stopped") != NULL, "%s: %s", name, said);
        free(said);
    }
    cluster_resume(cluster, "athens");
}

struct mistake {
    const char *arguments[8]; /* ended by NULL: one more than the longest has */
    const char *words;
};

static const struct mistake mistakes[] = {
    {{"membres"}, "did you mean \"members\""},
    {{"statsu"}, "did you mean \"status\""},
    {{"conquer"}, "--help"},
    {{"wait", "--members", "3"}, "--timeout"},
    {{"wait", "--timeout", "1s"}, "say what to wait for"},
    {{"members", "--name", "["}, "[ is no pattern"},
    {{"members", "--name", "a\\"}, "is no pattern"},
    {{"voters", "--all"}, "unknown option '--all'; doyen"},
    {{"partitions", ""}, "KEY is empty"},
    {{"change", "foo=bar"}, "foo is none of guard, size"},
    {{"change", "voters=a,b"}, "doyen voters set"},
    {{"wait", "--timeout", "5"}, "--timeout 5"},
    {{"wait", "--timeout", "0s"}, "a duration from 1ms to 8760h"},
    {{"wait", "--tag", "a=b", "--tag", "c=d", "--timeout", "1s"}, "--tag: said before: keep one"},
    {{"wait", "--members", "none", "--timeout", "1s"}, "--members none"},
    {{"watch", "--since", "two words"}, "--since two words"},
    {{"watch", "--since", ""}, "--since"},
    {{"members", "athens"}, "athens"},
    {{"why", ""}, "NODE is empty: give the name of a member, or leave it out"},
    {{"why", "athens", "byzantium"}, "\"byzantium\" is too much"},
    {{"wait", "athens", "--timeout", "1s"}, "\"athens\" is too much"},
    {{"fault", "delay", "athens", "100"}, "delay athens 100: give a duration from 0ms to 1m"},
    {{"fault", "delay", "athens", "2m"}, "delay athens 2m: give a duration from 0ms to 1m"},
    {{"--josn", "members"}, "did you mean '--json'"},
    {{"--no-such-flag", "members"}, "'--no-such-flag'; doyen --help"},
    {{"members", "--no-such-flag"}, "'--no-such-flag'; doyen members --help"},
    {{"members", "-x"}, "'-x'; doyen members --help"},
    {{"wait", "--co", "athens", "--timeout", "1s"}, "--coordinator or --control"},
    {{"wait", "--timeout"}, "--timeout DUR"},
    {{"members", "--json=yes"}, "takes no value"},
    {{"members", "--two\nlines"}, "'--two?lines'"},
    {{"--url", "ftp://x", "members"}, "http://HOST:PORT"},
    {{"--control", "", "members"}, "--control is empty"},
    {{"members", "--url="}, "--url is empty"},
    {{"wait", "--members", "3-", "--timeout", "1s"}, "--members 3-"},
    {{"wait", "--members", "+", "--timeout", "1s"}, "--members +"},
    {{"wait", "--name", "", "--timeout", "1s"}, "--name"},
    {{"members", "--state", "alive,up"}, "\"up\" is no state; the states are alive, silent"},
    {{"members", "--state", ""}, "the states are alive, silent"},
    {{"members", "--name", ""}, "--name is empty"},
    {{"members", "--tag", "=a"}, "give KEY or KEY=VALUE"},
    {{"members", "--columns", "name,adress"}, "\"adress\" is not known: the columns are name"},
    {{"members", "--format", "{nmae}"}, "{nmae} is not known: the fields are name, address"},
    {{"members", "--format", ""}, "--format is empty"},
    {{"members", "--format", "{name}", "--columns", "name"}, "give one"},
    {{"members", "--json", "--format", "{name}"}, "leave out --json, or --format"},
    {{"--json", "members", "--columns", "name"}, "leave out --json, or --columns"},
};

Story(command, each_wrong_command_line_is_exit_code_64)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const struct outcome outcome = doyen(cluster, NULL, mistakes[i].arguments);
        assert_failure(&outcome, USAGE, mistakes[i].words);
    }
    const struct outcome nothing = doyen(cluster, NULL, NO_ARGS);
    assert_code(&nothing, USAGE);
    cr_assert_str_empty(nothing.out);
}

/* Else it would ask another daemon than the one that was meant. */
Story(command, a_mistyped_variable_is_warned_of)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cr_assert_eq(setenv("XDG_RUNTIME_DIR", cluster->dir, 1), 0);
    cr_assert_eq(setenv("DOYEN_CONTORL", "/tmp/other.sock", 1), 0);
    cr_assert_eq(setenv("DOYEN_NAME", "athens", 1), 0);
    const struct outcome outcome = doyen(cluster, NULL, ARGS("members"));
    assert_text_has(outcome.err, "DOYEN_CONTORL is not looked at (did you mean DOYEN_CONTROL?)");
    cr_assert_null(strstr(outcome.err, "DOYEN_NAME"), "%s", outcome.err);

    const struct outcome chosen = doyen(cluster, "athens", ARGS("members"));
    assert_failure(&chosen, UNREACHABLE, "athens.sock");
}

Story(command, help_goes_to_stdout)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    const struct outcome help = doyen(cluster, NULL, ARGS("--help"));
    assert_code(&help, DONE);
    assert_text_has(help.out, "coordinator");
    const struct outcome verb = doyen(cluster, NULL, ARGS("wait", "--help"));
    assert_code(&verb, DONE);
    assert_text_has(verb.out, "--guard-met");
    const struct outcome letter = doyen(cluster, NULL, ARGS("wait", "-h"));
    assert_code(&letter, DONE);
    cr_assert_str_eq(letter.out, verb.out);
}

/* R5: the verdict, and who held it. */
Story(command, why_names_the_verdict_and_the_accusers)
{
    struct cluster *cluster = three();

    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "athens cyrene");
    const struct outcome outcome = doyen(cluster, "cyrene", ARGS("why", "byzantium"));
    assert_code(&outcome, DONE);
    assert_text_has(outcome.out, "byzantium was removed");
    assert_text_has(outcome.out, "dead");
    assert_text_has(outcome.out, "athens and cyrene");

    const struct outcome coordinator = doyen(cluster, "cyrene", ARGS("why"));
    assert_code(&coordinator, DONE);
    assert_text_has(coordinator.out, "athens coordinates");
    const struct outcome unknown = doyen(cluster, "cyrene", ARGS("why", "atens"));
    assert_failure(&unknown, REFUSED, "did you mean athens");
}

/* J2a: the rule and the reason, where somebody asks why it does not come in; and where one looks
 * first. */
Story(command, why_and_status_name_the_rule_of_a_refusal)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, ARGS("--log-level", "debug"));
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", ARGS("--heartbeat", "300ms"));
    assert_soon(strstr(doyen(cluster, "athens", ARGS("why")).out, "was started with other terms") !=
                NULL);
    assert_text_has(doyen(cluster, "athens", ARGS("why")).out, "ago  J2a  join of 127.");
    assert_text_has(doyen(cluster, "athens", ARGS("status")).out, "terms_differ");
    cr_assert(cluster_log_has(cluster, "athens", "rule=J2a reason=terms_differ type=join from="));
}

Story(command, why_of_a_lone_coordinator_counts_to_one)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    assert_text_has(doyen(cluster, "athens", ARGS("why")).out,
                    "athens coordinates: it is the only member of view 1.1, of age 1");
}

/* A part that was cut off whole has good links only; that is not the whole story. */
Story(command, matrix_tells_that_members_failed)
{
    struct cluster *cluster = three();

    const struct outcome whole = doyen(cluster, "cyrene", ARGS("matrix"));
    assert_code(&whole, DONE);
    cr_assert_null(strstr(whole.out, "failed"), "%s", whole.out);

    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "athens cyrene");
    const struct outcome left = doyen(cluster, "cyrene", ARGS("matrix"));
    assert_code(&left, DONE);
    assert_text_has(left.out, "1 member failed and is not in it; doyen members names it");
    const json_t *links = cluster_document(cluster, "cyrene", "/v1/links");
    const json_t *failed = json_object_get(links, "failed");
    cr_assert_eq(json_array_size(failed), 1);
    cr_assert_str_eq(json_string_value(json_array_get(failed, 0)), "byzantium");
}

Story(command, history_shows_the_views_of_the_past)
{
    struct cluster *cluster = three();

    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene");
    const struct outcome outcome = doyen(cluster, "byzantium", ARGS("history"));
    assert_code(&outcome, DONE);
    assert_text_has(outcome.out, "+cyrene");
    assert_text_has(outcome.out, "-athens(dead)");
    assert_text_has(outcome.out, "claim");

    const json_t *history = cluster_document(cluster, "byzantium", "/v1/history");
    const json_t *views = json_object_get(history, "views");
    cr_assert_geq(json_array_size(views), 3);
    const json_t *last = json_array_get(views, json_array_size(views) - 1);
    cr_assert_str_eq(text_of(last, "coordinator"), "byzantium");
    cr_assert(json_is_null(json_object_get(last, "lasted_ms")), "it holds now");
}

/* E1: returns when the daemon is gone. */
Story(command, leave_returns_when_the_node_has_left)
{
    struct cluster *cluster = three();

    const struct outcome outcome = doyen(cluster, "byzantium", ARGS("leave"));
    assert_code(&outcome, DONE);
    cr_assert_eq(cluster_await_end(cluster, "byzantium"), 0);
    assert_agreement(cluster, "athens cyrene");
    const json_t *members = cluster_members(cluster, "athens");
    cr_assert_str_eq(text_of(entry_of(members, "gone", "byzantium"), "state"), "left");
    cr_assert_eq(cluster_log_count(cluster, "athens", "suspect"), 0);
}

Story(command, url_asks_over_tcp)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *http = text_kept("%s:%u", cluster->host, cluster_port(cluster));

    cluster_start(cluster, "athens", NULL, ARGS("--http", http));
    assert_agreement(cluster, "athens");
    const char *url = text_kept("http://%s", http);
    const struct outcome members = doyen(cluster, NULL, ARGS("--url", url, "members"));
    assert_code(&members, DONE);
    assert_text_has(members.out, "athens");
    const struct outcome leave = doyen(cluster, NULL, ARGS("--url", url, "leave"));
    assert_failure(&leave, REFUSED, "athens.sock");
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

/* --- watch --- */

static const char *output_so_far(const char *path)
{
    char *text = file_read(path, NULL);
    const char *kept = text_kept("%s", text == NULL ? "" : text);

    free(text);
    return kept;
}

/* The cursor of the last line of `watch --json`. */
static const char *last_cursor(const char *output)
{
    const char *end = strrchr(output, '\n');
    const char *line = end;

    cr_assert_not_null(end);
    while (line > output && line[-1] != '\n') {
        line--;
    }
    json_t *event = json_loadb(line, (size_t)(end - line), 0, NULL);
    const char *cursor = text_kept("%s", text_of(event, "cursor"));
    json_decref(event);
    return cursor;
}

/* Which event of its process it is. Users have no business to look into a cursor; this test has. */
static uint64_t number_in(const char *cursor)
{
    const char *dash = strchr(cursor, '-');

    cr_assert_not_null(dash, "%s", cursor);
    return strtoull(dash + 1, NULL, 10);
}

/* A snapshot, then what happens; a later watch goes on where this one ended. */
Story(command, watch_prints_a_snapshot_then_events_and_resumes)
{
    struct cluster *cluster = three();
    const char *first_path = cluster_path(cluster, "first.out");
    const char *second_path = cluster_path(cluster, "second.out");
    struct process watch;

    doyen_start(cluster, &watch, "cyrene", ARGS("watch", "--json"), first_path);
    assert_soon(line_count(output_so_far(first_path)) >= 1);
    cluster_kill(cluster, "byzantium");
    assert_soon(strstr(output_so_far(first_path), "\"kind\":\"view\"") != NULL);
    process_kill(&watch);
    const char *first = output_so_far(first_path);
    assert_text_has(text_kept("%.*s", (int)strcspn(first, "\n"), first), "\"kind\":\"snapshot\"");
    assert_text_has(first, "\"kind\":\"gone\"");

    const char *cursor = last_cursor(first);
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "cyrene");
    doyen_start(cluster, &watch, "cyrene", ARGS("watch", "--json", "--since", cursor), second_path);
    assert_soon(strstr(output_so_far(second_path), "\"coordinator\":\"cyrene\"") != NULL ||
                strstr(output_so_far(second_path), "cyrene coordinates") != NULL);
    process_kill(&watch);
    const char *second = output_so_far(second_path);
    cr_assert_null(strstr(second, "\"kind\":\"snapshot\""), "%s", second);
    cr_assert_null(strstr(second, "\"kind\":\"gap\""), "%s", second);
    const char *next = last_cursor(text_kept("%.*s", (int)strcspn(second, "\n") + 1, second));
    cr_assert_eq(number_in(next), number_in(cursor) + 1, "nothing is left out");
}

Story(command, watch_for_people_ends_when_the_daemon_goes)
{
    struct cluster *cluster = three();
    const char *path = cluster_path(cluster, "watch.out");
    struct process watch;

    doyen_start(cluster, &watch, "cyrene", ARGS("watch"), path);
    assert_soon(strstr(output_so_far(path), "snapshot") != NULL);
    cluster_kill(cluster, "athens");
    assert_soon(strstr(output_so_far(path), "byzantium coordinates") != NULL);
    cluster_kill(cluster, "cyrene");
    cr_assert(process_wait(&watch, LIMIT_MS));
    cr_assert_eq(process_exit_code(&watch), UNREACHABLE);
}

/* `doyen watch | head -1` in a cluster where nothing happens. */
Story(command, watch_ends_when_its_reader_goes)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "watch.fifo");
    struct process watch;
    char bytes[256];

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert_eq(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_assert_geq(reader, 0);
    (void)signal(SIGPIPE, SIG_DFL); /* As in a shell; it is inherited. */
    doyen_start(cluster, &watch, "athens", ARGS("watch"), path);
    assert_soon(read(reader, bytes, sizeof bytes) > 0);
    close(reader);
    cr_assert(process_wait(&watch, LIMIT_MS), "nothing happens that it could fail to write");
    cr_assert_eq(process_exit_code(&watch), 128 + SIGPIPE);
}

Story(command, watch_goes_on_when_the_daemon_is_back)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "watch.out");
    struct process watch;

    doyen_start(cluster, &watch, "athens", ARGS("watch", "--reconnect", "--json"), path);
    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    assert_soon(strstr(output_so_far(path), "\"kind\":\"snapshot\"") != NULL);
    cluster_kill(cluster, "athens");
    cluster_restart(cluster, "athens");
    assert_soon(strstr(output_so_far(path), "\"reason\":\"restarted\"") != NULL);
    assert_soon(strstr(strstr(output_so_far(path), "\"kind\":\"gap\""), "\"kind\":\"snapshot\"") !=
                NULL);
    cr_assert(process_is_running(&watch));
    process_kill(&watch);
}

Story(command, watch_gives_up_on_what_is_no_cursor)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    const struct outcome outcome = doyen(cluster, "athens",
                                         ARGS("watch", "--reconnect", "--since", "yesterday"));
    assert_failure(&outcome, USAGE, "not a cursor: 'yesterday' ");
}

/* Nothing is written while the daemon is away, and its reader goes. */
Story(command, watch_that_waits_for_a_daemon_ends_when_its_reader_goes)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "watch.fifo");
    struct process watch;

    cr_assert_eq(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_assert_geq(reader, 0);
    (void)signal(SIGPIPE, SIG_DFL);
    doyen_start(cluster, &watch, "athens", ARGS("watch", "--reconnect"), path);
    cr_assert(process_is_running(&watch));
    close(reader);
    cr_assert(process_wait(&watch, LIMIT_MS));
    cr_assert_eq(process_exit_code(&watch), 128 + SIGPIPE);
}

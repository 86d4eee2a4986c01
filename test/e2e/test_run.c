/* doyen run with real processes, under guard strict: whatever dies or stops, no two nodes' commands
 * write at one time, and epochs only rise. The commands' own log says so (writer.c). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "other_clock.h"
#include "written.h"

enum { NODES = 3, KILLED = 128 + SIGKILL };

static const char *const names[NODES] = {"athens", "byzantium", "cyrene"};

/* A cluster of three voters, with one doyen run for each. */
struct stage {
    struct cluster *cluster;
    struct process runs[NODES];
    const char *said[NODES]; /* paths: what each doyen run says, a line for each event */
    const char *log;         /* path: what the commands write */
};

static struct stage stage_open(void)
{
    struct stage stage = {
        .cluster = cluster_new(ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"))};

    for (size_t i = 0; i < NODES; i++) {
        cluster_start(stage.cluster, names[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(stage.cluster, names[i])));
        stage.said[i] = cluster_path(stage.cluster, text_kept("%s.run.err", names[i]));
    }
    stage.log = cluster_path(stage.cluster, "written");
    return stage;
}

static void stage_run(struct stage *stage, size_t i, const char *const *arguments)
{
    doyen_start(stage->cluster, &stage->runs[i], names[i], arguments,
                cluster_path(stage->cluster, text_kept("%s.run", names[i])));
}

/* A writer for each node, of that manner ("" for none). */
static struct stage stage_write(const char *first_manner, const char *second_manner)
{
    struct stage stage = stage_open();

    for (size_t i = 0; i < NODES; i++) {
        stage_run(
            &stage, i,
            ARGS("run", "--json", "--", DOYEN_WRITER_PATH, stage.log, first_manner, second_manner));
    }
    return stage;
}

/* --- What doyen run says ---------------------------------------------------------------------- */

static char *read_kept(const char *path)
{
    char *text = file_read(path, NULL);
    char *kept = text == NULL ? NULL : strdup(text_kept("%s", text));

    free(text);
    return kept;
}

/* The latest line with that event; NULL: there is none. */
static const json_t *said(const struct stage *stage, size_t i, const char *event)
{
    char *text = read_kept(stage->said[i]);
    const json_t *found = NULL;
    char *rest = NULL;

    for (const char *line = text == NULL ? NULL : strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const json_t *document = document_kept(line);
        if (strcmp(text_of(document, "event"), event) == 0) {
            found = document;
        }
    }
    free(text);
    return found;
}

static size_t said_count(const struct stage *stage, size_t i, const char *event)
{
    const char *word = text_kept("\"event\":\"%s\"", event);
    char *text = file_read(stage->said[i], NULL);
    size_t count = 0;

    for (const char *at = text == NULL ? NULL : strstr(text, word); at != NULL;
         at = strstr(at + 1, word)) {
        count++;
    }
    free(text);
    return count;
}

static bool has_said(const struct stage *stage, size_t i, const char *event)
{
    return said_count(stage, i, event) > 0;
}

static pid_t command_pid(const struct stage *stage, size_t i)
{
    return (pid_t)number_of(said(stage, i, "started"), "pid");
}

static bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

/* The command's parent. */
static pid_t watchdog_pid(const struct stage *stage, size_t i)
{
    const char *path = text_kept("/proc/%d/stat", (int)command_pid(stage, i));
    char *text = file_read(path, NULL);
    const char *at = text == NULL ? NULL : strrchr(text, ')');

    cr_assert(at != NULL, "no %s", path);
    const pid_t parent = (pid_t)strtol(at + 4, NULL, 10);
    free(text);
    return parent;
}

/* --- What the commands wrote ------------------------------------------------------------------ */

static bool somebody_writes_above(const struct stage *stage, unsigned long long epoch)
{
    return written_last(stage->log).epoch > epoch;
}

static size_t index_of(const char *name)
{
    size_t i = 0;

    while (i < NODES && strcmp(names[i], name) != 0) {
        i++;
    }
    cr_assert_lt(i, NODES, "%s", name);
    return i;
}

/* Does the latest writer's node have all of them as members? */
static bool is_complete(const struct stage *stage)
{
    const struct written last = written_last(stage->log);

    return last.epoch > 0 && json_array_size(json_object_get(
                                 cluster_members(stage->cluster, last.node), "members")) == NODES;
}

/* Waits until all are members and one writes; returns which node that is. */
static size_t first_writer(const struct stage *stage)
{
    assert_soon(is_complete(stage));
    const size_t i = index_of(written_last(stage->log).node);
    assert_soon(has_said(stage, i, "started"));
    return i;
}

/* Waits until somebody writes under a higher epoch; returns which node that is. */
static size_t next_writer(const struct stage *stage, unsigned long long epoch)
{
    assert_soon(somebody_writes_above(stage, epoch));
    return index_of(written_last(stage->log).node);
}

/* Waits for the successor of `i`, and checks what was written up to then. */
static size_t assert_succeeded(const struct stage *stage, size_t i, unsigned long long epoch)
{
    const size_t next = next_writer(stage, epoch);

    cr_assert_neq(next, i);
    assert_no_overlap(stage->log);
    return next;
}

/* --- Starting and ending ---------------------------------------------------------------------- */

Story(run, the_command_runs_on_the_coordinator_alone_and_moves_with_it)
{
    struct stage stage = stage_write(NULL, NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;

    cr_assert_str_eq(text_of(said(&stage, first, "started"), "epoch"),
                     text_kept("%llu", (unsigned long long)epoch));
    for (size_t i = 0; i < NODES; i++) {
        cr_assert(i == first || !has_said(&stage, i, "started"));
    }
    cluster_kill(stage.cluster, names[first]);
    const size_t next = assert_succeeded(&stage, first, epoch);
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "reason"), "daemon_gone");

    /* Its daemon is back: doyen run has found it again, and starts when its turn comes. */
    cluster_restart(stage.cluster, names[first]);
    assert_soon(has_said(&stage, first, "unreachable") && has_said(&stage, first, "waiting"));
    const uint64_t second_epoch = written_last(stage.log).epoch;
    cr_assert_eq(cluster_terminate(stage.cluster, names[next]), 0);
    (void)assert_succeeded(&stage, next, second_epoch);
    cr_assert_str_eq(text_of(said(&stage, next, "ended"), "reason"), "withdrawn");
}

/* The daemon of a node that leaves waits for the command, and the successor for the daemon. */
Story(run, a_leave_waits_until_the_command_has_ended)
{
    struct stage stage = stage_write("stubborn", NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;
    const pid_t command = command_pid(&stage, first);

    cr_assert_eq(cluster_terminate(stage.cluster, names[first]), 0);
    cr_assert_not(is_alive(command));
    (void)assert_succeeded(&stage, first, epoch);
    assert_soon(has_said(&stage, first, "ended"));
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "signal"), "KILL");
}

/* So does one whose node hands over and stays. */
Story(run, a_transfer_moves_the_command)
{
    struct stage stage = stage_write("stubborn", NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;
    const pid_t command = command_pid(&stage, first);

    cr_assert_eq(doyen(stage.cluster, names[first], ARGS("transfer")).code, 0);
    cr_assert_not(is_alive(command));
    (void)assert_succeeded(&stage, first, epoch);
    assert_soon(has_said(&stage, first, "waiting"));
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "reason"), "withdrawn");
}

/* A page that withdraws a right does not say when it would have ended. Whenever that is, also long
 * after doyen run has read the page, a command that takes all of its grace is the watchdog's. */
Story(run, whenever_a_right_is_withdrawn_the_watchdog_has_its_grace)
{
    struct stage stage = stage_write("stubborn", NULL);
    size_t writer = first_writer(&stage);

    for (unsigned round = 0; round < 12; round++) {
        const struct written begun = written_last(stage.log);
        assert_soon(written_last(stage.log).at_ns >= begun.at_ns + 60000000ULL * round);
        cr_assert_eq(doyen(stage.cluster, names[writer], ARGS("transfer")).code, 0, "%s",
                     daemons_text());
        const size_t next = assert_succeeded(&stage, writer, begun.epoch);
        assert_soon(said_count(&stage, writer, "ended") == said_count(&stage, writer, "started"));
        cr_assert_str_eq(text_of(said(&stage, writer, "ended"), "reason"), "withdrawn", "%s: %s",
                         names[writer], read_kept(stage.said[writer]));
        writer = next;
    }
}

static void assert_changed(const struct stage *stage, size_t i, const char *term)
{
    const struct outcome outcome = doyen(stage->cluster, names[i], ARGS("change", term));

    cr_assert_eq(outcome.code, 0, "%s: %d: %s%s%s", term, outcome.code, outcome.out, outcome.err,
                 daemons_text());
}

/* Z15, H99: leases become shorter and longer while it runs. */
Story(run, other_timings_and_the_command_goes_on)
{
    static const char *const course[] = {"profile=wan", "profile=lan", "heartbeat=400ms",
                                         "profile=wan", "profile=lan"};
    struct stage stage = stage_write(NULL, NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;
    const pid_t command = command_pid(&stage, first);

    for (size_t i = 0; i < sizeof course / sizeof course[0]; i++) {
        assert_changed(&stage, (first + i) % NODES, course[i]);
        cr_assert(is_alive(command), "%s: %s", course[i], daemons_text());
    }
    cr_assert_eq(written_last(stage.log).epoch, epoch);
    assert_changed(&stage, first, "profile=local");
    assert_changed(&stage, first, "profile=lan");
    assert_soon(has_said(&stage, index_of(written_last(stage.log).node), "started"));
    assert_no_overlap(stage.log);
}

/* --- What dies, and what stops ---------------------------------------------------------------- */

Story(run, a_stopped_daemon)
{
    struct stage stage = stage_write(NULL, NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;

    cluster_pause(stage.cluster, names[first]);
    (void)assert_succeeded(&stage, first, epoch);
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "reason"), "not_renewed");
    cluster_resume(stage.cluster, names[first]);
    assert_soon(has_said(&stage, first, "waiting"));
    assert_no_overlap(stage.log);
}

Story(run, a_stopped_doyen_run)
{
    struct stage stage = stage_write(NULL, NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;

    cr_assert_eq(kill(stage.runs[first].pid, SIGSTOP), 0);
    cluster_pause(stage.cluster, names[first]);
    (void)assert_succeeded(&stage, first, epoch);
    cr_assert_eq(kill(stage.runs[first].pid, SIGCONT), 0);
    assert_soon(has_said(&stage, first, "ended"));
    cluster_resume(stage.cluster, names[first]);
    assert_soon(has_said(&stage, first, "waiting"));
    assert_no_overlap(stage.log);
}

Story(run, a_killed_doyen_run)
{
    struct stage stage = stage_write("stubborn", NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;
    const pid_t command = command_pid(&stage, first);
    const pid_t watchdog = watchdog_pid(&stage, first);

    process_kill(&stage.runs[first]);
    assert_soon(!is_alive(command) && !is_alive(watchdog));
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "reason"), "run_gone");
    cluster_kill(stage.cluster, names[first]);
    (void)assert_succeeded(&stage, first, epoch);
}

Story(run, a_killed_watchdog)
{
    struct stage stage = stage_write("stubborn", "escaping");
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;

    cr_assert_eq(kill(watchdog_pid(&stage, first), SIGKILL), 0);
    assert_soon(has_said(&stage, first, "ended"));
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "reason"), "watchdog_gone");
    /* The node still acts, and the command is started again, and lives. */
    assert_soon(said_count(&stage, first, "started") == 2);
    assert_soon(written_last(stage.log).pid == command_pid(&stage, first));
    cluster_kill(stage.cluster, names[first]);
    (void)assert_succeeded(&stage, first, epoch);
}

/* doyen run itself ends the command, where neither its watchdog nor its daemon runs. */
static void assert_succeeds_without_watchdog_and_daemon(struct stage *stage)
{
    const size_t first = first_writer(stage);
    const uint64_t epoch = written_last(stage->log).epoch;

    cr_assert_eq(kill(watchdog_pid(stage, first), SIGSTOP), 0);
    cluster_pause(stage->cluster, names[first]);
    (void)assert_succeeded(stage, first, epoch);
    cr_assert_str_eq(text_of(said(stage, first, "ended"), "reason"), "watchdog_gone");
    cluster_resume(stage->cluster, names[first]);
}

Story(run, a_stopped_watchdog_and_a_stopped_daemon)
{
    struct stage stage = stage_write("stubborn", "escaping");

    assert_succeeds_without_watchdog_and_daemon(&stage);
}

Story(run, a_stopped_command)
{
    struct stage stage = stage_write(NULL, NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;

    cr_assert_eq(kill(command_pid(&stage, first), SIGSTOP), 0);
    cluster_pause(stage.cluster, names[first]);
    (void)assert_succeeded(&stage, first, epoch);
    cr_assert_not(is_alive(command_pid(&stage, first)));
    cluster_resume(stage.cluster, names[first]);
}

Story(run, a_command_that_ignores_term)
{
    struct stage stage = stage_write("stubborn", NULL);
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;

    cluster_pause(stage.cluster, names[first]);
    (void)assert_succeeded(&stage, first, epoch);
    cr_assert(has_said(&stage, first, "term"));
    cr_assert(has_said(&stage, first, "kill"));
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "signal"), "KILL");
    cluster_resume(stage.cluster, names[first]);
}

/* --- Commands that stand by ------------------------------------------------------------------- */

/* Writers that are started on all nodes at once, and write where they are told an epoch. */
static struct stage stage_stand_by(const char *first_manner, const char *second_manner)
{
    struct stage stage = stage_open();

    for (size_t i = 0; i < NODES; i++) {
        stage_run(&stage, i,
                  ARGS("run", "--json", "--standby", "--", "sh", "-c",
                       "read -r DOYEN_EPOCH && export DOYEN_EPOCH && exec \"$0\" \"$@\"",
                       DOYEN_WRITER_PATH, stage.log, first_manner, second_manner));
    }
    return stage;
}

Story(run, standbys_are_there_at_once_and_one_is_told_that_it_acts)
{
    struct stage stage = stage_stand_by(NULL, NULL);
    const size_t first = first_writer(&stage);
    const size_t other = (first + 1) % NODES;
    const uint64_t epoch = written_last(stage.log).epoch;

    for (size_t i = 0; i < NODES; i++) {
        assert_soon(has_said(&stage, i, "started"));
        cr_assert_eq(has_said(&stage, i, "acting"), i == first);
    }
    cr_assert_eq(written_last(stage.log).pid, command_pid(&stage, first));

    /* Nothing becomes of one that does not act when its daemon goes and comes. */
    const pid_t waiting = command_pid(&stage, other);
    cluster_kill(stage.cluster, names[other]);
    assert_soon(has_said(&stage, other, "unreachable"));
    cluster_restart(stage.cluster, names[other]);
    assert_soon(said_count(&stage, other, "waiting") >= 2 && is_complete(&stage));
    cr_assert(is_alive(waiting));

    cluster_kill(stage.cluster, names[first]);
    const size_t next = assert_succeeded(&stage, first, epoch);
    cr_assert_eq(written_last(stage.log).pid, command_pid(&stage, next));
    cr_assert_eq(said_count(&stage, next, "started"), 1);
    cr_assert_str_eq(text_of(said(&stage, first, "ended"), "reason"), "daemon_gone");
    assert_soon(said_count(&stage, first, "started") == 2); /* It stands by again. */
}

Story(run, a_standby_that_acts_moves_with_a_transfer)
{
    struct stage stage = stage_stand_by("stubborn", "escaping");
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;
    const pid_t command = command_pid(&stage, first);

    cr_assert_eq(doyen(stage.cluster, names[first], ARGS("transfer")).code, 0);
    cr_assert_not(is_alive(command));
    (void)assert_succeeded(&stage, first, epoch);
}

Story(run, a_standby_that_acts_and_a_stopped_watchdog_and_a_stopped_daemon)
{
    struct stage stage = stage_stand_by("stubborn", "escaping");

    assert_succeeds_without_watchdog_and_daemon(&stage);
}

Story(run, a_standby_ends_with_doyen_run)
{
    struct stage stage = stage_stand_by(NULL, NULL);
    const size_t first = first_writer(&stage);
    const size_t killed = (first + 1) % NODES;
    const size_t asked = (first + 2) % NODES;

    assert_soon(has_said(&stage, killed, "started") && has_said(&stage, asked, "started"));
    process_kill(&stage.runs[killed]);
    assert_soon(!is_alive(command_pid(&stage, killed)));
    cr_assert_eq(kill(stage.runs[asked].pid, SIGTERM), 0);
    cr_assert(process_wait(&stage.runs[asked], LIMIT_MS));
    cr_assert_eq(process_exit_code(&stage.runs[asked]), 128 + SIGTERM);
    cr_assert_not(is_alive(command_pid(&stage, asked)));
}

/* In a shell: "made" where this account may make a group beside those of doyen run. */
static const char *const make_group =
    "d=$(sed -n 's/^[^ ]* \\([^ ]*\\) cgroup2 .*/\\1/p' /proc/self/mounts | head -n 1)"
    "$(sed -n 's/^0:://p' /proc/self/cgroup); (exit) & wait $!; "
    "test -e \"$d/cgroup.kill\" -o -e \"$d/cgroup.procs\" && mkdir \"$d/doyen-run-$!\" 2>/dev/null && "
    "echo \"$d/doyen-run-$!\"";

/* What a run that was killed together with its watchdog could not remove. */
Story(run, the_group_of_a_dead_run_is_removed_by_the_next_one)
{
    struct stage stage = stage_open();
    FILE *shell = popen(make_group, "r");
    char group[512] = "";

    cr_assert_not_null(shell);
    const bool made = fgets(group, sizeof group, shell) != NULL;
    cr_assert_neq(pclose(shell), -1);
    if (!made) {
        cr_skip_test("no control group may be made here");
    }
    group[strcspn(group, "\n")] = '\0';
    /* A run of another story may have removed it by now: that is what is looked at. */
    stage_run(&stage, 0, ARGS("run", "--once", "--", "true"));
    assert_soon(access(group, F_OK) != 0);
}

Story(run, a_grandchild_that_left_its_session)
{
    struct stage stage = stage_write("stubborn", "escaping");
    const size_t first = first_writer(&stage);
    const uint64_t epoch = written_last(stage.log).epoch;

    cluster_kill(stage.cluster, names[first]);
    (void)assert_succeeded(&stage, first, epoch);
}

/* --- How it ends ------------------------------------------------------------------------------ */

/* One node that acts, under another guard. */
static struct stage stage_single(void)
{
    struct stage stage = {.cluster = cluster_new(NO_ARGS)};

    cluster_form(stage.cluster, "athens");
    stage.said[0] = cluster_path(stage.cluster, "athens.run.err");
    stage.log = cluster_path(stage.cluster, "written");
    return stage;
}

static struct outcome run_once(const struct stage *stage, const char *script)
{
    return doyen(stage->cluster, "athens", ARGS("run", "--once", "--", "/bin/sh", "-c", script));
}

Story(run, the_status_of_the_command_is_passed_on)
{
    const struct stage stage = stage_single();
    const struct outcome seven = run_once(&stage, "exit 7");

    cr_assert_eq(seven.code, 7);
    assert_text_has(seven.err, "the guard of athens is advisory");
    assert_text_has(seven.err, "athens acts under epoch 1: started pid ");
    assert_text_has(seven.err, " exited with 7\n");
    cr_assert_eq(run_once(&stage, "exit 0").code, 0);
    cr_assert_eq(run_once(&stage, "kill -KILL $$").code, KILLED);
    assert_text_has(run_once(&stage, "kill -USR1 $$").err, "was ended by USR1\n");
}

Story(run, the_command_knows_under_what_it_acts)
{
    const struct stage stage = stage_single();
    const struct outcome told = run_once(&stage,
                                         "echo $DOYEN_NODE $DOYEN_EPOCH; " DOYEN_PATH " lease");

    cr_assert_eq(told.code, 0, "%s", told.err);
    assert_text_has(told.out, "athens 1\nathens acts under epoch 1, ");
}

/* What it leaves behind is ended with it. */
Story(run, a_command_that_ends_leaves_nobody_behind)
{
    const struct stage stage = stage_single();
    const char *ready = cluster_path(stage.cluster, "ready");
    const struct outcome left = run_once(
        &stage, text_kept("trap '' TERM; setsid sh -c 'echo $$; : >%s; exec sleep 1000' & "
                          "sleep 1000 & until [ -e %s ]; do sleep 0.02; done; exit 3",
                          ready, ready));

    cr_assert_eq(left.code, 3);
    assert_text_has(left.err, "it ended and left processes behind: TERM");
    cr_assert_not(is_alive((pid_t)strtol(left.out, NULL, 10)));
}

Story(run, a_command_that_ends_is_started_again_with_growing_pauses)
{
    struct stage stage = stage_single();

    stage_run(&stage, 0, ARGS("run", "--json", "--", "/bin/true"));
    assert_soon(said_count(&stage, 0, "started") >= 4);
    const json_t *again = said(&stage, 0, "again");
    cr_assert_gt(number_of(again, "pause_ms"), 100);
    cr_assert_eq(kill(stage.runs[0].pid, SIGTERM), 0);
    cr_assert(process_wait(&stage.runs[0], LIMIT_MS));
}

/* As a shell would have it: a busy machine may need KILL for a command that was too slow. */
static int ended_code(const struct stage *stage, size_t i)
{
    const json_t *ended = said(stage, i, "ended");

    return strcmp(text_of(ended, "signal"), "KILL") == 0 ? KILLED : (int)number_of(ended, "status");
}

Story(run, term_and_int_end_the_command_and_then_doyen_run)
{
    struct stage stage = stage_single();

    for (int number = SIGINT; number <= SIGTERM; number += SIGTERM - SIGINT) {
        const char *ready = cluster_path(stage.cluster, text_kept("ready.%d", number));
        const char *script = text_kept("trap 'exit 9' TERM; : >%s; while :; do sleep 0.05; done",
                                       ready);
        stage_run(&stage, 0, ARGS("run", "--json", "--", "/bin/sh", "-c", script));
        assert_soon(access(ready, F_OK) == 0);
        cr_assert_eq(kill(stage.runs[0].pid, number), 0);
        cr_assert(process_wait(&stage.runs[0], LIMIT_MS));
        cr_assert_not(is_alive(command_pid(&stage, 0)));
        cr_assert_eq(process_exit_code(&stage.runs[0]), ended_code(&stage, 0));
        cr_assert_str_eq(text_of(said(&stage, 0, "ended"), "reason"), "asked");
    }
}

Story(run, who_waits_is_ended_by_a_signal_or_its_timeout)
{
    struct stage stage = stage_single();

    cluster_start(stage.cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(stage.cluster, "athens byzantium");
    const struct outcome late = doyen(stage.cluster, "byzantium",
                                      ARGS("run", "--timeout", "0s", "--", "/bin/true"));
    cr_assert_eq(late.code, 5, "%s", late.err);
    assert_text_has(late.err, "timed out after 0 ms: this node does not act");

    stage.said[1] = cluster_path(stage.cluster, "byzantium.run.err");
    stage_run(&stage, 1, ARGS("run", "--json", "--", "/bin/true"));
    assert_soon(has_said(&stage, 1, "waiting"));
    cr_assert_eq(kill(stage.runs[1].pid, SIGTERM), 0);
    cr_assert(process_wait(&stage.runs[1], LIMIT_MS));
    cr_assert_eq(process_exit_code(&stage.runs[1]), 128 + SIGTERM);
}

static bool has_ended(struct process *process)
{
    return process_wait(process, 0);
}

static bool is_acting(const struct stage *stage, size_t i)
{
    return json_is_true(json_object_get(cluster_members(stage->cluster, names[i]), "acting"));
}

/* The deadline of a daemon whose clock is ahead would be read as one long after its lease. */
Story(run, no_two_write_where_one_daemon_goes_by_another_clock)
{
    struct stage stage = stage_open();
    struct cluster *cluster = stage.cluster;

    other_clock_require(cluster);
    cluster_kill(cluster, "athens");
    cluster_replace(cluster, "athens", other_clock_program(cluster, DOYEND_PATH));
    cluster_restart(cluster, "athens");
    assert_soon(json_array_size(json_object_get(cluster_members(cluster, "athens"), "members")) ==
                NODES);
    for (size_t i = 0; i < NODES; i++) {
        stage_run(&stage, i, ARGS("run", "--json", "--", DOYEN_WRITER_PATH, stage.log));
    }
    if (!is_acting(&stage, 0)) {
        const struct outcome transfer = doyen(cluster, "athens", ARGS("transfer", "athens"));
        cr_assert_eq(transfer.code, 0, "%s", transfer.err);
    }
    assert_soon(is_acting(&stage, 0));
    assert_soon(has_said(&stage, 0, "started") || has_ended(&stage.runs[0]));
    const uint64_t epoch = cluster_epoch(cluster, "athens");

    cluster_pause(cluster, "athens");
    assert_soon(somebody_writes_above(&stage, epoch));
    for (int i = 0; i < 100; i++) { /* so long, too, that the first one would be seen to go on */
        const unsigned long long at_ns = written_last(stage.log).at_ns;
        assert_soon(written_last(stage.log).at_ns > at_ns);
    }
    assert_no_overlap(stage.log);
    cluster_resume(cluster, "athens");
}

Story(run, what_is_wrong_is_said_in_one_line)
{
    const struct stage stage = stage_single();
    struct cluster *cluster = stage.cluster;
    const struct {
        const char *const *arguments;
        int code;
        const char *text;
    } cases[] = {
        {ARGS("run"), 64, "no command: write doyen run -- COMMAND"},
        {ARGS("run", "--"), 64, "no command: write doyen run -- COMMAND"},
        {ARGS("run", "true"), 64, "write -- before the command, as in doyen run -- true"},
        {ARGS("run", "--", "no-such-command"), 127, "there is no command no-such-command in any"},
        {ARGS("run", "--", "/no/such"), 127, "there is no command /no/such"},
        {ARGS("run", "--", "/etc/passwd"), 126, "/etc/passwd cannot be executed"},
        {ARGS("run", "--grace", "5", "--", "/bin/true"), 64, "--grace 5: give a duration from 0ms"},
        {ARGS("run", "--timeout", "x", "--", "/bin/true"), 64,
         "--timeout x: give a duration from 0ms"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct outcome outcome = doyen(cluster, "athens", cases[i].arguments);
        cr_assert_eq(outcome.code, cases[i].code, "%s", outcome.err);
        assert_text_has(outcome.err, cases[i].text);
        cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
    }
    const struct outcome grace = doyen(cluster, "athens",
                                       ARGS("run", "--grace", "5s", "--", "/bin/true"));
    cr_assert_eq(grace.code, 64);
    assert_text_has(grace.err, "--grace 5000ms is longer than the lease of athens can hold: 595ms");
    cr_assert_eq(line_count(grace.err), 1, "%s", grace.err);
    const struct outcome away = doyen(cluster, NULL,
                                      ARGS("--control", cluster_path(cluster, "nobody.sock"), "run",
                                           "--timeout", "50ms", "--", "/bin/true"));
    cr_assert_eq(away.code, 4, "%s", away.err);
}

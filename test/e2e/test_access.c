/* Who may ask at the control socket, and who may change something: another account than doyend's,
 * in its control group and outside of it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

enum { DONE = 0, REFUSED = 1, UNREACHABLE = 4 };

/* An account that no daemon runs as, and a group without a name. */
#define STRANGER "65534"
#define GROUP "54321"
#define ADMINS "54322"

/* A copy of the program that every account may run: the build may be in a directory of root's. */
static const char *copy_of(struct cluster *cluster, const char *program)
{
    const char *path = cluster_path(cluster, strrchr(program, '/') + 1);
    size_t length = 0;
    char *bytes = file_read(program, &length);
    FILE *copy = fopen(path, "we");

    cr_assert(bytes != NULL && copy != NULL);
    cr_assert_eq(fwrite(bytes, 1, length, copy), length);
    cr_assert_eq(fclose(copy), 0);
    cr_assert_eq(chmod(path, 0755), 0);
    free(bytes);
    return path;
}

static void require_root(void)
{
    if (geteuid() != 0 || access("/usr/bin/setpriv", X_OK) != 0) {
        cr_skip_test("only root, with setpriv, can be somebody else");
    }
}

/* One daemon, whose socket is in a directory that it makes itself. */
static struct cluster *served_with(const char *const *arguments)
{
    require_root();
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct daemon *athens = cluster_daemon(cluster, "athens");

    cr_assert_eq(chmod(cluster->dir, 0711), 0);
    athens->control = cluster_path(cluster, "run/athens.sock");
    cluster_start(cluster, "athens", NULL, arguments);
    assert_agreement(cluster, "athens");
    return cluster;
}

static struct cluster *served(const char *mode)
{
    return served_with(ARGS("--control-group", GROUP, "--control-mode", mode));
}

/* doyen as the stranger, with this for its supplementary groups ("" for none), a verb, and perhaps
 * its argument. */
static struct outcome as_stranger_with(struct cluster *cluster, const char *groups,
                                       const char *const *words)
{
    const char *out = cluster_path(cluster, "stranger.out");
    const char *err = cluster_path(cluster, "stranger.err");
    const char *with = groups[0] == '\0' ? "--clear-groups" : text_kept("--groups=%s", groups);
    struct process process;

    (void)unlink(out);
    (void)unlink(err);
    cr_assert(process_start(&process,
                            ARGS("/usr/bin/setpriv", "--reuid=" STRANGER, "--regid=" STRANGER, with,
                                 copy_of(cluster, DOYEN_PATH), "--control",
                                 cluster_daemon(cluster, "athens")->control, words[0], words[1]),
                            out, err));
    cr_assert(process_wait(&process, LIMIT_MS));
    char *said = file_read(out, NULL);
    char *complained = file_read(err, NULL);
    const struct outcome outcome = {.code = process_exit_code(&process),
                                    .out = text_kept("%s", said == NULL ? "" : said),
                                    .err = text_kept("%s", complained == NULL ? "" : complained)};
    free(said);
    free(complained);
    return outcome;
}

static struct outcome as_stranger(struct cluster *cluster, const char *groups, const char *verb)
{
    return as_stranger_with(cluster, groups, ARGS(verb));
}

Story(access, a_member_of_the_control_group_may_ask_and_change)
{
    struct cluster *cluster = served("0660");

    const struct outcome members = as_stranger(cluster, GROUP, "members");
    cr_assert_eq(members.code, DONE, "%s", members.err);
    const struct outcome leave = as_stranger(cluster, GROUP, "leave");
    cr_assert_eq(leave.code, DONE, "%s", leave.err);
    cr_assert_eq(cluster_await_end(cluster, "athens"), 0);
    cr_assert(cluster_log_has(cluster, "athens", "POST /v1/leave uid=" STRANGER " pid="));
}

Story(access, another_account_may_not_even_connect)
{
    struct cluster *cluster = served("0660");

    const struct outcome members = as_stranger(cluster, "", "members");
    cr_assert_eq(members.code, UNREACHABLE, "%s", members.err);
    assert_text_has(members.err, "permission denied");
    assert_text_has(members.err, "--control-group");
}

Story(access, another_account_that_may_connect_may_ask_and_not_change)
{
    struct cluster *cluster = served("0666");

    const struct outcome members = as_stranger(cluster, "", "members");
    cr_assert_eq(members.code, DONE, "%s", members.err);
    const struct outcome leave = as_stranger(cluster, "", "leave");
    cr_assert_eq(leave.code, REFUSED, "%s", leave.err);
    assert_text_has(leave.err, "not permitted");
    assert_text_has(leave.err, "in the group " GROUP);
    cr_assert(cluster_log_has(cluster, "athens", "POST /v1/leave uid=" STRANGER " pid="));
    cr_assert(cluster_log_has(cluster, "athens", "-> 403"));
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

/* The recording has the random numbers of the node's life; the rest of a report is what it may ask.
 */
Story(access, who_may_only_ask_gets_a_report_without_the_recording)
{
    struct cluster *cluster = served("0666");

    const struct outcome recording = as_stranger_with(cluster, "", ARGS("report", "/dev/full.tar"));
    cr_assert_eq(recording.code, REFUSED, "no file can be made there");
    cr_assert_eq(chmod(cluster->dir, 01777), 0);
    const struct outcome outcome = as_stranger_with(
        cluster, "", ARGS("report", cluster_path(cluster, "theirs.tar")));
    cr_assert_eq(outcome.code, DONE, "%s", outcome.err);
    assert_text_has(outcome.err, "without recording.rec: not permitted");
    cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
}

Story(access, with_an_admin_group_the_control_group_may_only_ask)
{
    struct cluster *cluster = served_with(
        ARGS("--control-group", GROUP, "--control-admin", ADMINS));

    const struct outcome members = as_stranger(cluster, GROUP, "members");
    cr_assert_eq(members.code, DONE, "%s", members.err);
    struct outcome leave = as_stranger(cluster, GROUP, "leave");
    cr_assert_eq(leave.code, REFUSED, "%s", leave.err);
    assert_text_has(leave.err, "the group of --control-admin");
    assert_text_has(leave.err, "in the group " ADMINS);
    leave = as_stranger(cluster, ADMINS, "leave");
    cr_assert_eq(leave.code, UNREACHABLE, "the socket is the other group's: %s", leave.err);
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");

    leave = as_stranger(cluster, GROUP "," ADMINS, "leave");
    cr_assert_eq(leave.code, DONE, "%s", leave.err);
    cr_assert_eq(cluster_await_end(cluster, "athens"), 0);
}

Story(access, an_admin_group_alone_may_ask_and_change)
{
    struct cluster *cluster = served_with(ARGS("--control-admin", ADMINS));

    const struct outcome members = as_stranger(cluster, GROUP, "members");
    cr_assert_eq(members.code, UNREACHABLE, "%s", members.err);
    const struct outcome leave = as_stranger(cluster, ADMINS, "leave");
    cr_assert_eq(leave.code, DONE, "%s", leave.err);
    cr_assert_eq(cluster_await_end(cluster, "athens"), 0);
}

/* Something that cleans up takes the socket's file away: the daemon makes it again, as it was, from
 * inside its sandbox; but not where another one has it by now. */
Story(access, a_socket_whose_file_is_removed_is_made_again)
{
    struct cluster *cluster = served("0660");
    struct daemon *athens = cluster_daemon(cluster, "athens");

    cr_assert_eq(unlink(athens->control), 0);
    assert_soon(doyen(cluster, "athens", ARGS("members")).code == DONE);
    const struct outcome members = as_stranger(cluster, GROUP, "members");
    cr_assert_eq(members.code, DONE, "%s", members.err);
    cr_assert_eq(as_stranger(cluster, "", "members").code, UNREACHABLE);
    cr_assert_eq(cluster_log_count(cluster, "athens", "control"), 1);
    cr_assert(cluster_log_has(cluster, "athens", "was gone: made it again"));

    struct daemon *byzantium = cluster_daemon(cluster, "byzantium");
    byzantium->control = athens->control;
    cr_assert_eq(unlink(athens->control), 0);
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(cluster_log_has(cluster, "athens", "another process answers at"));
    assert_text_has(doyen(cluster, "athens", ARGS("status")).out, "byzantium");
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    assert_soon(cluster_log_count(cluster, "athens", "control") == 3);
    assert_text_has(doyen(cluster, "athens", ARGS("members")).out, "athens");
}

Story(access, check_refuses_a_group_that_is_not_there)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    const struct outcome outcome = doyend(cluster,
                                          ARGS("--name", "athens", "--listen", "127.0.0.1:7420",
                                               "--control-group", "no-such-group", "--check"));
    cr_assert_eq(outcome.code, 78, "%s", outcome.err);
    assert_text_has(outcome.err, "--control-group: there is no group ");
}

/* A socket of another account, which says that it coordinates and acts. */
Story(access, what_another_account_answers_is_not_believed)
{
    require_root();
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct process process;
    const char *directory = cluster_path(cluster, "theirs");
    const char *control = cluster_path(cluster, "theirs/athens.sock");
    const char *log = cluster_path(cluster, "athens.log");
    const char *const is_self[] = {"--control", control, "coordinator", "--is-self", NULL};
    const char *const expected[] = {"--control", control, "--expect-user", STRANGER, "coordinator",
                                    "--is-self", NULL};
    const char *const nobody[] = {"--control",       control,   "--expect-user",
                                  "no-such-account", "members", NULL};
    const char *const run[] = {"--control", control, "run", "--timeout", "5s", "--", "true", NULL};
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;

    cr_assert_eq(chmod(cluster->dir, 0711), 0);
    cr_assert_eq(mkdir(directory, 0755), 0);
    cr_assert_eq(chown(directory, 65534, 65534), 0);
    cr_assert(process_start(&process,
                            ARGS("/usr/bin/setpriv", "--reuid=" STRANGER, "--regid=" STRANGER,
                                 "--clear-groups", copy_of(cluster, DOYEND_PATH), "--name",
                                 "athens", "--listen",
                                 text_kept("%s:%u", cluster->host, (unsigned)cluster_port(cluster)),
                                 "--control", control),
                            log, log));
    while (doyen(cluster, NULL, expected).code != DONE && clock_now_ms() < until_ms) {
        clock_nap_ms(20);
    }
    cr_assert_eq(doyen(cluster, NULL, expected).code, DONE, "when it is named");

    struct outcome outcome = doyen(cluster, NULL, is_self);
    cr_assert_eq(outcome.code, REFUSED, "%s", outcome.err);
    cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
    assert_text_has(outcome.err, "neither to this one nor to root: it is not asked");
    assert_text_has(outcome.err, "--expect-user " STRANGER);
    outcome = doyen(cluster, NULL, run);
    cr_assert_eq(outcome.code, REFUSED, "%s", outcome.err);
    assert_text_has(outcome.err, "it is not asked");
    outcome = doyen(cluster, NULL, nobody);
    cr_assert_eq(outcome.code, 64, "%s", outcome.err);
    process_kill(&process);
}

/* The finding: root served a socket that the directory's owner then replaced by another. */
Story(access, a_socket_is_not_served_where_another_account_could_replace_it)
{
    require_root();
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *directory = cluster_path(cluster, "theirs");

    cr_assert_eq(mkdir(directory, 0755), 0);
    cr_assert_eq(chown(directory, 65534, 65534), 0);
    const struct outcome outcome = doyend(
        cluster, ARGS("--name", "athens", "--listen",
                      text_kept("%s:%u", cluster->host, (unsigned)cluster_port(cluster)),
                      "--control", cluster_path(cluster, "theirs/athens.sock")));
    cr_assert_eq(outcome.code, 1, "%s", outcome.err);
    assert_text_has(outcome.err, "it belongs to the account " STRANGER);
}

static struct outcome doyend_with_state(struct cluster *cluster, const char *directory)
{
    return doyend(cluster, ARGS("--name", "athens", "--listen",
                                text_kept("%s:%u", cluster->host, (unsigned)cluster_port(cluster)),
                                "--control", cluster_path(cluster, "athens.sock"), "--state-dir",
                                directory));
}

/* The finding: a directory that somebody else had made beforehand let root overwrite any file. */
Story(access, a_state_directory_where_another_account_chose_the_files_is_refused)
{
    require_root();
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *directory = cluster_path(cluster, "theirs");
    const char *target = cluster_path(cluster, "target");
    const char *const links[] = {"state.new", "state", "lock"};
    FILE *file = fopen(target, "we");

    cr_assert(file != NULL && fputs("root's\n", file) >= 0 && fclose(file) == 0);
    cr_assert_eq(mkdir(directory, 0755), 0);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(symlink(target, text_kept("%s/%s", directory, links[i])), 0);
    }
    cr_assert_eq(chown(directory, 65534, 65534), 0);
    struct outcome outcome = doyend_with_state(cluster, directory);
    cr_assert_eq(outcome.code, 1, "%s", outcome.err);
    assert_text_has(outcome.err, "it belongs to the account " STRANGER);
    cr_assert_eq(chown(directory, 0, 0), 0);
    outcome = doyend_with_state(cluster, directory); /* Of root's now, with their links in it. */
    cr_assert_eq(outcome.code, 1, "%s", outcome.err);
    assert_text_has(outcome.err, "it is a symbolic link");
    char *text = file_read(target, NULL);
    cr_assert_str_eq(text, "root's\n");
    free(text);

    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(unlink(text_kept("%s/%s", directory, links[i])), 0);
    }
    cr_assert_eq(mkfifo(text_kept("%s/state", directory), 0600), 0);
    outcome = doyend_with_state(cluster, directory); /* It does not wait for a writer. */
    cr_assert_eq(outcome.code, 1, "%s", outcome.err);
    assert_text_has(outcome.err, "it is no regular file");
}

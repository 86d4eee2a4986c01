/* doyen hook: executables that are told what happens. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

static const char *const all_hooks[] = {"joined", "gone",  "coordinator", "acting", "not-acting",
                                        "guard",  "split", "merge",       NULL};

static void write_file(const char *path, const char *text, unsigned mode)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    cr_assert_eq(chmod(path, mode), 0);
}

/* A folder of hooks that each write their name and what they are told to the file "told". */
static const char *folder_of(struct cluster *cluster)
{
    const char *folder = cluster_path(cluster, "hooks");
    const char *script = text_kept(
        "#!/bin/sh\necho \"$DOYEN_HOOK ${DOYEN_MEMBER:--} by $DOYEN_NODE, acting "
        "$DOYEN_ACTING\" >>%s\ncat >>%s\ntest -S \"$DOYEN_CONTROL\" || test \"$DOYEN_HOOK\" = "
        "not-acting || exit 9\n",
        cluster_path(cluster, "told"), cluster_path(cluster, "inputs"));

    cr_assert_eq(mkdir(folder, 0755), 0);
    for (const char *const *name = all_hooks; *name != NULL; name++) {
        write_file(text_kept("%s/%s", folder, *name), script, 0755);
    }
    return folder;
}

static const char *told(struct cluster *cluster)
{
    char *text = file_read(cluster_path(cluster, "told"), NULL);
    const char *kept = text_kept("%s", text == NULL ? "" : text);

    free(text);
    return kept;
}

static bool is_told(struct cluster *cluster, const char *line)
{
    return strstr(told(cluster), line) != NULL;
}

static bool is_reported(struct cluster *cluster, const char *line)
{
    char *log = file_read(cluster_path(cluster, "hook.log.err"), NULL);
    const bool found = log != NULL && strstr(log, line) != NULL;

    free(log);
    return found;
}

static struct process start_hooks(struct cluster *cluster, const char *name,
                                  const char *const *arguments)
{
    struct process process = {.pid = 0};

    doyen_start(cluster, &process, name, arguments, cluster_path(cluster, "hook.log"));
    return process;
}

static void stop_hooks(struct process *hooks)
{
    cr_assert_eq(kill(hooks->pid, SIGTERM), 0);
    cr_assert(process_wait(hooks, LIMIT_MS));
    cr_assert_eq(process_exit_code(hooks), 0);
}

Story(hook, they_run_in_the_order_of_what_happens)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens", ARGS("hook", folder));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(is_told(cluster, "joined byzantium by athens"));
    cluster_kill(cluster, "byzantium");
    assert_soon(is_told(cluster, "gone byzantium by athens"));
    assert_soon(is_reported(cluster, "hook: gone byzantium: exit 0"));
    stop_hooks(&hooks);

    const char *text = told(cluster);
    cr_assert_eq(strncmp(text, "coordinator - by athens", 23), 0, "%s", text);
    cr_assert_lt(strstr(text, "acting - "), strstr(text, "joined byzantium"));
    cr_assert_lt(strstr(text, "joined byzantium"), strstr(text, "gone byzantium"));
    char *inputs = file_read(cluster_path(cluster, "inputs"), NULL);
    assert_text_has(inputs, "\"hook\":\"gone\"");
    assert_text_has(inputs, "\"reason\":\"failed\"");
    free(inputs);
}

Story(hook, they_are_told_the_rest_after_a_restart)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    cluster_form(cluster, "athens byzantium cyrene");
    struct process hooks = start_hooks(cluster, "byzantium", ARGS("hook", folder));
    assert_soon(is_reported(cluster, "hook: not-acting: exit 0")); /* Else it is told again. */
    stop_hooks(&hooks);
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene");
    cr_assert_not(is_told(cluster, "gone athens"));

    hooks = start_hooks(cluster, "byzantium", ARGS("hook", folder));
    assert_soon(is_told(cluster, "gone athens"));
    assert_soon(is_told(cluster, "\nacting - by byzantium, acting yes\n"));
    assert_soon(is_reported(cluster, "hook: acting: exit 0")); /* Else it would be told again. */
    stop_hooks(&hooks);
    const char *before = told(cluster);
    hooks = start_hooks(cluster, "byzantium", ARGS("hook", folder));
    cluster_start(cluster, "delphi", "byzantium", NO_ARGS);
    assert_soon(is_told(cluster, "joined delphi"));
    stop_hooks(&hooks);
    cr_assert_eq(strncmp(told(cluster), text_kept("%sjoined delphi", before), strlen(before) + 13),
                 0, "nothing is told twice: %s", told(cluster));
}

Story(hook, a_daemon_that_is_gone_does_not_act)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens", ARGS("hook", folder));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    cluster_kill(cluster, "athens");
    assert_soon(is_told(cluster, "not-acting - "));
    cluster_restart(cluster, "athens");
    assert_soon(strstr(strstr(told(cluster), "not-acting - "), "\nacting - by athens") != NULL);
    stop_hooks(&hooks);
}

/* It says nothing, and another node acts soon: the lease page tells of the end. */
Story(hook, a_daemon_that_is_stopped_does_not_act)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens", ARGS("hook", folder));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    cluster_pause(cluster, "athens");
    assert_soon(is_told(cluster, "\nnot-acting - by athens, acting no\n"));
    cluster_resume(cluster, "athens");
    assert_soon(strstr(strstr(told(cluster), "not-acting - "), "\nacting - by athens") != NULL);
    stop_hooks(&hooks);
    char *inputs = file_read(cluster_path(cluster, "inputs"), NULL);
    assert_text_has(inputs, "its right was not renewed in time");
    free(inputs);
}

/* The hook that runs waits for what not-acting tells: either waiting for the other would hang. */
Story(hook, the_end_of_the_right_waits_for_no_other_hook)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    const char *script = text_kept(
        "#!/bin/sh\necho joins >>%s\nuntil grep -q not-acting %s; do sleep 0.02; done\n"
        "echo joined >>%s\n",
        cluster_path(cluster, "told"), cluster_path(cluster, "told"),
        cluster_path(cluster, "told"));

    write_file(text_kept("%s/joined", folder), script, 0755);
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens", ARGS("hook", "--timeout", "10m", folder));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(is_told(cluster, "joins\n"));
    cluster_pause(cluster, "athens");
    assert_soon(is_told(cluster, "joins\nnot-acting - by athens, acting no\njoined\n"));
    assert_soon(is_reported(cluster, "hook: joined byzantium: exit 0"));
    cluster_resume(cluster, "athens");
    stop_hooks(&hooks);
}

/* It could undo later what not-acting has done. */
Story(hook, one_of_acting_is_ended_when_the_right_ends)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    const char *script = text_kept("#!/bin/sh\necho acts >>%s\nsleep 600\necho late >>%s\n",
                                   cluster_path(cluster, "told"), cluster_path(cluster, "told"));

    write_file(text_kept("%s/acting", folder), script, 0755);
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens", ARGS("hook", "--timeout", "10m", folder));
    assert_soon(is_told(cluster, "acts\n"));
    cluster_pause(cluster, "athens");
    assert_soon(is_told(cluster, "acts\nnot-acting - by athens, acting no\n"));
    assert_soon(
        is_reported(cluster, "hook: acting: was ended, as this node does not act any more"));
    cluster_resume(cluster, "athens");
    stop_hooks(&hooks);
}

Story(hook, a_daemon_that_says_nothing_is_named)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_pause(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens", ARGS("hook", folder));
    assert_soon(is_reported(cluster, "it may be stopped or overloaded; waiting for it"));
    cluster_resume(cluster, "athens");
    assert_soon(is_reported(cluster, "is back"));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    stop_hooks(&hooks);
}

/* Nor does it matter that whoever runs the hooks is stopped. */
Story(hook, whoever_runs_them_is_set_going_when_it_is_stopped)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    const char *script = text_kept("#!/bin/sh\necho acting >>%s\nkill -STOP $PPID\n",
                                   cluster_path(cluster, "told"));

    write_file(text_kept("%s/acting", folder), script, 0755);
    cluster_start(cluster, "athens", "athens", ARGS("--hooks", folder));
    assert_soon(cluster_log_has(cluster, "athens", "hook: acting: exit 0")); /* It goes on. */
    cluster_kill(cluster, "athens");
    assert_soon(is_told(cluster, "not-acting - by athens"));
}

Story(hook, one_that_hangs_costs_nothing_but_itself)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    write_file(text_kept("%s/joined", folder), "#!/bin/sh\nsleep 600\n", 0755);
    write_file(text_kept("%s/guard", folder), "#!/bin/sh\nexit 3\n", 0777);
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens",
                                       ARGS("hook", "--timeout", "300ms", folder));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    cluster_kill(cluster, "byzantium");
    assert_soon(is_told(cluster, "gone byzantium"));
    stop_hooks(&hooks);
    cr_assert(is_reported(cluster, "joined byzantium: took longer than --timeout, and was ended"));
    cr_assert(is_reported(cluster, "guard can be changed by others, so it is not run"));
}

/* Whoever may add to it could name any program a hook, by a link. */
Story(hook, in_a_folder_that_others_may_change_nothing_is_run)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    cr_assert_eq(chmod(folder, 0777), 0);
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(cluster, "athens", ARGS("hook", folder));
    assert_soon(is_reported(cluster, "it is not run: its folder has to belong to root or to this"));
    stop_hooks(&hooks);
    cr_assert_str_empty(told(cluster));
}

Story(hook, what_cannot_be_used_is_said_at_once)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    struct outcome none = doyen(cluster, "athens", ARGS("hook", cluster_path(cluster, "none")));
    struct outcome resume = doyen(cluster, "athens",
                                  ARGS("hook", folder, "--resume", "/proc/nothing/there"));

    cr_assert_eq(none.code, 1);
    assert_text_has(none.err, "is no folder that can be read");
    cr_assert_eq(resume.code, 1);
    assert_text_has(resume.err, "--resume");
    cr_assert_eq(doyen(cluster, "athens", ARGS("hook")).code, 64);
    cr_assert_eq(doyen(cluster, "athens", ARGS("hook", folder, "--timeout", "0s")).code, 64);
}

/* What is somebody else's is not written over, and nothing is waited for. */
/* Its mount is seen by this test and what it starts, and goes with them. */
static void mount_full_disk(const char *folder)
{
    static const char more[8192];

    cr_assert_eq(mkdir(folder, 0700), 0);
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("full", folder, "tmpfs", 0, "size=4k,mode=0700") != 0) {
        cr_skip_test("nothing may be mounted here");
    }
    FILE *file = fopen(text_kept("%s/fill", folder), "w");
    cr_assert_not_null(file);
    (void)fwrite(more, 1, sizeof more, file);
    (void)fclose(file);
}

/* It is said once, and hooks are told all the same, of the end of the right to act above all. */
Story(hook, a_full_disk_keeps_no_hook_from_being_told)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    const char *full = cluster_path(cluster, "full");

    mount_full_disk(full);
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    struct process hooks = start_hooks(
        cluster, "athens", ARGS("hook", folder, "--resume", text_kept("%s/told", full)));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    assert_soon(is_reported(cluster, "No space left on device: going on without"));
    cluster_kill(cluster, "athens");
    assert_soon(is_told(cluster, "not-acting - by athens, acting no\n"));
    stop_hooks(&hooks);
    cr_assert_eq(umount2(full, MNT_DETACH), 0);
}

Story(hook, a_file_to_resume_from_that_is_none_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    const char *file = text_kept("%s/.resume", folder);
    const char *target = cluster_path(cluster, "target");

    write_file(target, "mine\n", 0644);
    cr_assert_eq(doyen(cluster, "athens", ARGS("hook", folder, "--resume", "")).code, 64);
    const struct outcome foreign = doyen(cluster, "athens",
                                         ARGS("hook", folder, "--resume", target));
    cr_assert_eq(foreign.code, 1);
    assert_text_has(foreign.err, "is not what doyen hook keeps");
    cr_assert_eq(symlink(target, file), 0);
    const struct outcome link = doyen(cluster, "athens", ARGS("hook", folder));
    cr_assert_eq(link.code, 1);
    assert_text_has(link.err, "is a symbolic link");
    cr_assert_eq(unlink(file), 0);
    cr_assert_eq(mkfifo(file, 0600), 0);
    const struct outcome pipe = doyen(cluster, "athens", ARGS("hook", folder));
    cr_assert_eq(pipe.code, 1);
    assert_text_has(pipe.err, "is no regular file");
    cr_assert_eq(unlink(file), 0);
    cr_assert_eq(mkdir(file, 0700), 0);
    cr_assert_eq(doyen(cluster, "athens", ARGS("hook", folder)).code, 1);
    char *kept = file_read(target, NULL);
    cr_assert_str_eq(kept, "mine\n");
    free(kept);
}

Story(hook, a_damaged_memory_is_said_and_the_hooks_run)
{
    static const char *const damaged[] = {
        "resume=5f0c", "resume=\nacting=perhaps\nguard=yes\n", "resume=\nacting=no\n",
        "resume=no id\nacting=no\nguard=no\n", "resume=5f0c-1\nacting=no\nguard=no\n"};
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    const char *file = text_kept("%s/.resume", folder);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        write_file(file, damaged[i], 0600);
        struct process hooks = start_hooks(cluster, "athens", ARGS("hook", folder));
        assert_soon(is_reported(cluster, ".resume is damaged"));
        assert_soon(is_reported(cluster, "hook: acting: exit 0"));
        stop_hooks(&hooks);
        cr_assert_eq(unlink(cluster_path(cluster, "hook.log.err")), 0);
    }
}

/* The hook that was told of the end still runs when the next daemon begins: the last word is that
 * of the next one. */
Story(hook, one_that_outlives_its_daemon_is_waited_for)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);
    const char *script = text_kept(
        "#!/bin/sh\necho not-acting >>%s\nuntil [ -e %s ]; do sleep 0.02; done\n",
        cluster_path(cluster, "told"), cluster_path(cluster, "go"));

    write_file(text_kept("%s/not-acting", folder), script, 0755);
    cluster_start(cluster, "athens", "athens", ARGS("--hooks", folder));
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    cluster_kill(cluster, "athens");
    assert_soon(is_told(cluster, "not-acting\n"));
    cluster_restart(cluster, "athens");
    assert_soon(cluster_log_has(cluster, "athens", "another one keeps"));
    write_file(cluster_path(cluster, "go"), "", 0644);
    assert_soon(strstr(strstr(told(cluster), "not-acting\n"), "\nacting - by athens") != NULL);
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
}

Story(hook, the_daemon_runs_them_itself)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *folder = folder_of(cluster);

    cluster_start(cluster, "athens", "athens", ARGS("--hooks", folder));
    assert_agreement(cluster, "athens");
    assert_soon(is_told(cluster, "acting - by athens, acting yes\n"));
    cluster_kill(cluster, "athens");
    assert_soon(is_told(cluster, "not-acting - "));
    cluster_restart(cluster, "athens");
    assert_soon(strstr(strstr(told(cluster), "not-acting - "), "\nacting - by athens") != NULL);
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    struct outcome wrong = doyend(
        cluster, ARGS("--check", "--insecure", "--hooks", cluster_path(cluster, "none")));
    cr_assert_eq(wrong.code, 1, "%s", wrong.err);
    assert_text_has(wrong.err, "is no folder that can be read");
}

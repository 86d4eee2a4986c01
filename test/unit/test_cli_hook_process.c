/* One hook as doyen hook runs it: when it is overdue, when the caller is to end, and why it could
 * not be started. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/hook/hook_process.h"
#include "refused_call.h"
#include "usage/hook_files.h"

/* A folder with one hook in it. */
struct desk {
    char folder[64];
    char path[80];
    int end[2]; /* end[1]: written to when the caller is to end */
};

static void desk_open(struct desk *desk, const char *script)
{
    strcpy(desk->folder, "/tmp/doyen-hook-XXXXXX");
    cr_assert_not_null(mkdtemp(desk->folder));
    snprintf(desk->path, sizeof desk->path, "%s/joined", desk->folder);
    FILE *file = fopen(desk->path, "w");
    cr_assert_not_null(file);
    fputs(script, file);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(chmod(desk->path, S_IRWXU), 0);
    cr_assert_eq(pipe(desk->end), 0);
}

static void desk_close(struct desk *desk)
{
    close(desk->end[0]);
    close(desk->end[1]);
    cr_expect_eq(unlink(desk->path), 0);
    cr_expect_eq(rmdir(desk->folder), 0);
}

static void assert_judged(const struct desk *desk, enum hook_fitness fitness, const char *words)
{
    char fault[HOOK_FAULT_MAX] = "";
    char worst[HOOK_FAULT_MAX] = "";

    cr_assert_eq(hook_files_judge(desk->path, fault), fitness, "%s", fault);
    cr_assert_eq(hook_files_worst(desk->folder, worst), fitness, "%s", worst);
    cr_assert_not_null(strstr(fault, words), "%s", fault);
    cr_assert_str_eq(fault, worst);
}

Test(cli_hook_process, each_file_that_is_no_hook_is_told_with_its_remedy)
{
    struct desk desk;

    desk_open(&desk, "");
    assert_judged(&desk, HOOK_IS_SOUND, "");
    cr_assert_eq(chmod(desk.path, S_IRUSR), 0);
    assert_judged(&desk, HOOK_IS_REFUSED, "cannot be executed: chmod +x it");
    cr_assert_eq(chmod(desk.path, S_IRWXU | S_IWOTH), 0);
    assert_judged(&desk, HOOK_IS_REFUSED, "can be changed by others, so it is not run: it has to");
    cr_assert_eq(chmod(desk.path, S_IRWXU), 0);
    cr_assert_eq(chmod(desk.folder, S_IRWXU | S_IWOTH), 0);
    assert_judged(&desk, HOOK_IS_REFUSED, "its folder has to belong to root");
    cr_assert_eq(chmod(desk.folder, S_IRWXU), 0);
    cr_assert_eq(unlink(desk.path), 0);
    assert_judged(&desk, HOOK_IS_ABSENT, "");
    cr_assert_eq(symlink("/no/such/program", desk.path), 0);
    assert_judged(&desk, HOOK_IS_NO_FILE, "leads to /no/such/program, which is not there: mend");
    cr_assert_eq(unlink(desk.path), 0);
    cr_assert_eq(mkdir(desk.path, S_IRWXU), 0);
    assert_judged(&desk, HOOK_IS_NO_FILE, "is a directory and no executable: take it away");
    cr_assert_eq(rmdir(desk.path), 0);
    close(desk.end[0]);
    close(desk.end[1]);
    cr_expect_eq(rmdir(desk.folder), 0);
}

static struct hook_result run(const struct desk *desk, uint64_t timeout_ms)
{
    const struct hook_run hook = {.path = desk->path,
                                  .input = "{}",
                                  .variables = {"DOYEN_HOOK=joined", NULL},
                                  .timeout_ms = timeout_ms,
                                  .end_fd = desk->end[0]};
    struct hook_result result;

    hook_run(&hook, &result);
    return result;
}

Test(cli_hook_process, what_it_ends_with_is_told)
{
    struct desk desk;
    desk_open(&desk,
              "#!/bin/sh\ntest \"$DOYEN_HOOK\" = joined && test \"$(cat)\" = '{}' && exit 7\n");

    for (int i = 0; i < 3; i++) { /* What was heard of one says nothing of the next. */
        const struct hook_result result = run(&desk, 60000);
        cr_assert_eq(result.end, HOOK_DONE);
        cr_assert(WIFEXITED(result.status));
        cr_assert_eq(WEXITSTATUS(result.status), 7);
    }
    desk_close(&desk);
}

/* Kernels before 5.3, and filters of system calls in containers, know no pidfd_open. */
Test(cli_hook_process, one_that_hangs_is_ended_on_any_kernel)
{
    struct desk desk;
    desk_open(&desk, "#!/bin/sh\nexec sleep 20\n");

    refuse_call(SYS_pidfd_open, ENOSYS);
    const struct hook_result result = run(&desk, 50);
    cr_assert_eq(result.end, HOOK_OVERDUE);
    cr_assert(WIFSIGNALED(result.status));
    desk_close(&desk);
}

Test(cli_hook_process, the_caller_ends_on_any_kernel)
{
    struct desk desk;
    desk_open(&desk, "#!/bin/sh\nexec sleep 20\n");

    refuse_call(SYS_pidfd_open, ENOSYS);
    cr_assert_eq(write(desk.end[1], "x", 1), 1);
    const struct hook_result result = run(&desk, 60000);
    cr_assert_eq(result.end, HOOK_ENDED);
    cr_assert(WIFSIGNALED(result.status));
    desk_close(&desk);
}

/* Whoever started this process may have had it ignore the ends of children. */
Test(cli_hook_process, who_ignored_the_ends_of_children_hears_of_this_one)
{
    struct desk desk;
    desk_open(&desk, "#!/bin/sh\nexit 7\n");

    cr_assert_neq(signal(SIGCHLD, SIG_IGN), SIG_ERR);
    const struct hook_result result = run(&desk, 60000);
    cr_assert_eq(result.end, HOOK_DONE);
    cr_assert(WIFEXITED(result.status));
    cr_assert_eq(WEXITSTATUS(result.status), 7);
    desk_close(&desk);
}

/* What is missing is named, for memory is not what an operator has to look for then. */
Test(cli_hook_process, what_it_lacked_is_said)
{
    struct desk desk;
    struct rlimit limit;
    desk_open(&desk, "#!/bin/sh\nexit 0\n");

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int next = dup(0);
    cr_assert_geq(next, 0);
    close(next);
    limit.rlim_cur = (rlim_t)next + 1; /* room for one descriptor more, and it takes two */
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct hook_result none = run(&desk, 60000);
    cr_assert_eq(none.end, HOOK_FAILED);
    cr_assert_not_null(strstr(none.failure.text, "Too many open files"), "%s", none.failure.text);
    limit.rlim_cur = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);

    refuse_call(SYS_memfd_create, ENOSYS);
    const struct hook_result unknown = run(&desk, 60000);
    cr_assert_eq(unknown.end, HOOK_FAILED);
    cr_assert_not_null(strstr(unknown.failure.text, "Function not implemented"), "%s",
                       unknown.failure.text);
    desk_close(&desk);
}

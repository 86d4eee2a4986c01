/* What process 1 of a container does, in processes that get orphans without being process 1. */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "first/first_process.h"

enum { STATUS = 7, LIMIT_MS = 30000, ORPHANS = 20 };

/* Becomes a process that gets orphans, and splits: returns true in the program. */
static bool begin(pid_t *first)
{
    *first = fork();
    if (*first != 0) {
        return false;
    }
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    first_process_split();
    return true;
}

static int end_of(pid_t first)
{
    int status = 0;

    cr_assert_eq(waitpid(first, &status, 0), first);
    cr_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Leaves a process behind that has no parent but the first one, and says who it is. */
static pid_t leave_orphan(void)
{
    int ends[2];
    pid_t orphan = 0;

    if (pipe(ends) != 0) {
        return 0;
    }
    const pid_t parent = fork();
    if (parent == 0) {
        orphan = fork();
        if (orphan == 0) {
            _exit(0);
        }
        _exit(write(ends[1], &orphan, sizeof orphan) == sizeof orphan ? 0 : 1);
    }
    (void)waitpid(parent, NULL, 0);
    if (read(ends[0], &orphan, sizeof orphan) != sizeof orphan) {
        orphan = 0;
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    return orphan;
}

/* A zombie still takes signals: only who was reaped is unknown. */
static bool is_reaped(pid_t process)
{
    for (int waited_ms = 0; waited_ms < LIMIT_MS; waited_ms += 10) {
        if (kill(process, 0) != 0 && errno == ESRCH) {
            return true;
        }
        (void)poll(NULL, 0, 10);
    }
    return false;
}

Test(first_process, reaps_orphans_and_ends_as_the_program_does)
{
    pid_t first;

    if (begin(&first)) {
        for (int i = 0; i < ORPHANS; i++) {
            const pid_t orphan = leave_orphan();
            if (orphan == 0 || !is_reaped(orphan)) {
                _exit(1);
            }
        }
        _exit(STATUS);
    }
    cr_assert_eq(end_of(first), STATUS);
}

/* Whoever was started is asked for signs of life, and the program gives them. */
Test(first_process, the_program_is_the_one_whose_life_is_watched)
{
    const pid_t first = fork();

    if (first == 0) {
        char own[24];
        (void)snprintf(own, sizeof own, "%lld", (long long)getpid());
        (void)setenv("WATCHDOG_PID", own, 1);
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
        first_process_split();
        const char *pid = getenv("WATCHDOG_PID");
        _exit(pid != NULL && strtoll(pid, NULL, 10) == getpid() ? STATUS : 1);
    }
    cr_assert_eq(end_of(first), STATUS);
}

Test(first_process, hands_signals_on)
{
    int ends[2];
    char byte;
    pid_t first;

    cr_assert_eq(pipe(ends), 0);
    if (begin(&first)) {
        sigset_t signals;
        int number = 0;
        (void)sigemptyset(&signals);
        (void)sigaddset(&signals, SIGHUP);
        (void)sigprocmask(SIG_BLOCK, &signals, NULL);
        if (write(ends[1], "x", 1) != 1 || sigwait(&signals, &number) != 0) {
            _exit(1);
        }
        _exit(number == SIGHUP ? STATUS : 1);
    }
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    cr_assert_eq(kill(first, SIGHUP), 0);
    cr_assert_eq(end_of(first), STATUS);
}

Test(first_process, a_signal_that_ends_the_program_shows_in_the_status)
{
    pid_t first;

    if (begin(&first)) {
        (void)raise(SIGKILL);
    }
    cr_assert_eq(end_of(first), 128 + SIGKILL);
}

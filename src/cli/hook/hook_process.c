#include "cli/hook/hook_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/request/clock.h"
#include "usage/hook_files.h"

/* False, with `result` filled in, when it is not to be run. */
static bool may_run(const char *path, struct hook_result *result)
{
    char fault[HOOK_FAULT_MAX];
    const enum hook_fitness fitness = hook_files_judge(path, fault);

    result->end = fitness == HOOK_IS_ABSENT ? HOOK_NONE : HOOK_FAILED;
    if (fitness == HOOK_IS_REFUSED || fitness == HOOK_IS_NO_FILE) {
        (void)failure_set(&result->failure, EXIT_REFUSED, "%s", fault);
    }
    return fitness == HOOK_IS_SOUND;
}

/* Returns 0 with a file without a name that holds the text, to be read from its beginning; or an
 * errno, and `fd` is -1. */
static int input_of(const char *text, int *fd)
{
    const size_t length = strlen(text);
    int error = 0;

    *fd = memfd_create("event", MFD_CLOEXEC);
    if (*fd < 0) {
        return errno;
    }
    const ssize_t written = write(*fd, text, length);
    if (written < 0 || lseek(*fd, 0, SEEK_SET) != 0) {
        error = errno;
    } else if (written < (ssize_t)length) {
        error = ENOSPC;
    }
    if (error != 0) {
        (void)close(*fd);
        *fd = -1;
    }
    return error;
}

static bool is_overridden(const char *entry, const char *const *variables)
{
    const size_t length = strcspn(entry, "=") + 1;

    for (; *variables != NULL; variables++) {
        if (strncmp(entry, *variables, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The environment with the variables; the array alone is the caller's, to be freed. */
static char **environment_with(const char *const *variables)
{
    size_t count = HOOK_VARIABLES_MAX + 1;

    for (char **entry = environ; *entry != NULL; entry++) {
        count++;
    }
    char **whole = calloc(count, sizeof *whole);
    size_t used = 0;
    for (char **entry = environ; whole != NULL && *entry != NULL; entry++) {
        if (!is_overridden(*entry, variables)) {
            whole[used++] = *entry;
        }
    }
    for (const char *const *variable = variables; whole != NULL && *variable != NULL; variable++) {
        whole[used++] = (char *)(uintptr_t)*variable;
    }
    return whole;
}

/* Returns 0 or an errno. */
static int start(const struct hook_run *run, pid_t *pid)
{
    char *const arguments[] = {(char *)(uintptr_t)run->path, NULL};
    char **environment = environment_with(run->variables);
    int input = -1;
    int error = environment == NULL ? ENOMEM : input_of(run->input, &input);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t all;

    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    if (error == 0) {
        (void)posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        (void)posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
        error = posix_spawn(pid, run->path, &actions, &attributes, arguments, environment);
    }
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (input >= 0) {
        (void)close(input);
    }
    free(environment);
    return error;
}

/* A descriptor that is readable when a child has ended, on kernels and under filters of system
 * calls that have no pidfd_open, too; -1 on failure. */
static int hear_of_children(void)
{
    sigset_t child;

    (void)signal(SIGCHLD, SIG_DFL); /* What is ignored would not be heard of. */
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* It stays to be waited for. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Waits for the process until then, or until `run` says that it is to end; NULL: only for it.
 * Returns how it is then: HOOK_DONE, or why it is to be ended. */
static enum hook_end wait_until(pid_t pid, int children, uint64_t until_ms,
                                const struct hook_run *run)
{
    struct pollfd fds[] = {{.fd = children, .events = POLLIN},
                           {.fd = run == NULL ? -1 : run->end_fd, .events = POLLIN}};

    for (;;) {
        struct signalfd_siginfo heard;
        int again_ms = -1;
        const bool due = run == NULL || run->look == NULL || run->look(run->user, &again_ms);
        if (has_ended(pid)) {
            return HOOK_DONE;
        }
        if (!due) {
            return HOOK_UNDUE;
        }
        const int left_ms = (int)clock_left_ms(until_ms);
        const bool looks = again_ms >= 0 && again_ms < left_ms;
        const int count = poll(fds, sizeof fds / sizeof fds[0], looks ? again_ms : left_ms);
        if (count > 0 && fds[1].revents != 0) {
            return has_ended(pid) ? HOOK_DONE : HOOK_ENDED;
        }
        if ((count == 0 && !looks) || (count < 0 && errno != EINTR)) {
            return has_ended(pid) ? HOOK_DONE : HOOK_OVERDUE;
        }
        (void)!read(children, &heard, sizeof heard); /* That of another child, maybe: look. */
    }
}

/* The hook and what it started, if that stayed in its group. */
static void end_group(pid_t pid, int children)
{
    (void)kill(-pid, SIGTERM);
    if (wait_until(pid, children, clock_now_ms() + HOOK_KILL_MS, NULL) != HOOK_DONE) {
        (void)kill(-pid, SIGKILL);
    }
}

static void follow(const struct hook_run *run, pid_t pid, int children, uint64_t began_ms,
                   struct hook_result *result)
{
    result->end = wait_until(pid, children, began_ms + run->timeout_ms, run);
    if (result->end != HOOK_DONE) {
        end_group(pid, children);
    }
    while (waitpid(pid, &result->status, 0) < 0 && errno == EINTR) {
        /* Again. */
    }
    result->took_ms = clock_now_ms() - began_ms;
}

void hook_run(const struct hook_run *run, struct hook_result *result)
{
    const uint64_t began_ms = clock_now_ms();
    pid_t pid = -1;

    *result = (struct hook_result){.end = HOOK_NONE};
    if (!may_run(run->path, result)) {
        return;
    }
    const int children = hear_of_children();
    const int error = children < 0 ? errno : start(run, &pid);
    if (error == 0) {
        follow(run, pid, children, began_ms, result);
    } else {
        result->end = HOOK_FAILED;
        (void)failure_set(&result->failure, EXIT_REFUSED, "%s cannot be run: %s", run->path,
                          error == ENOENT ? "the interpreter that its first line names is not there"
                                          : strerror(error));
    }
    if (children >= 0) {
        (void)close(children);
    }
}

#include "first/first_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BY_SIGNAL = 128 }; /* what shells add to the signal's number */

/* Takes all that have ended; does not return once the program is among them. */
static void reap(pid_t program)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
        if (ended == program) {
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status));
        }
    }
    if (ended < 0 && errno == ECHILD) {
        _exit(EXIT_FAILURE); /* Somebody else took it. */
    }
}

_Noreturn static void serve(pid_t program, const sigset_t *signals)
{
    for (;;) {
        siginfo_t info;
        const int number = sigwaitinfo(signals, &info);
        if (number == SIGCHLD) {
            reap(program);
        } else if (number > 0 && info.si_code <= 0) {
            /* A process sent it. What the terminal sends has reached the program, too. */
            (void)kill(program, number);
        }
    }
}

/* The service manager wants signs of life of the process that it has started, which has stayed
 * behind: they are the program's to give. */
static void take_over_watchdog(void)
{
    const char *pid = getenv("WATCHDOG_PID");
    char own[24];

    if (pid != NULL && strtoll(pid, NULL, 10) == getppid()) {
        (void)snprintf(own, sizeof own, "%lld", (long long)getpid());
        (void)setenv("WATCHDOG_PID", own, 1);
    }
}

void first_process_split(void)
{
    sigset_t signals;
    sigset_t before;

    (void)signal(SIGCHLD, SIG_DFL); /* Ignored, it would take the program's status away. */
    (void)sigfillset(&signals);
    (void)sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t program = fork();
    if (program > 0) {
        serve(program, &signals);
    }
    if (program == 0) {
        take_over_watchdog();
    }
    /* Without a second process it does the work itself, and reaps nothing. */
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

void first_process_begin(void)
{
    if (getpid() == 1) {
        first_process_split();
    }
}

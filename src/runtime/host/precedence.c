#include "runtime/host/precedence.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    NICE_BEST = -20,
    REALTIME_LOWEST = 1 /* sched(7); a sandbox need not permit the question */
};

enum precedence precedence_take(void)
{
    const struct sched_param lowest = {.sched_priority = REALTIME_LOWEST};

    if (sched_setscheduler(getpid(), SCHED_RR, &lowest) == 0) {
        return PRECEDENCE_REALTIME;
    }
    return setpriority(PRIO_PROCESS, (id_t)getpid(), NICE_BEST) == 0 ? PRECEDENCE_NICE
                                                                     : PRECEDENCE_NONE;
}

/* It comes to the thread that went on too long, unless that one has it blocked. The first thread's
 * number is the process's. */
static void on_limit(int number)
{
    const struct sched_param usual = {.sched_priority = 0};
    const int error = errno;

    (void)number;
    (void)sched_setscheduler(0, SCHED_OTHER, &usual);
    (void)sched_setscheduler(getpid(), SCHED_OTHER, &usual);
    errno = error;
}

bool precedence_limit(uint64_t ms)
{
    const rlim_t wanted_us = (rlim_t)ms * 1000;
    struct sigaction action = {.sa_handler = on_limit, .sa_flags = SA_RESTART};
    struct rlimit limit;

    if (sigemptyset(&action.sa_mask) != 0 || sigaction(SIGXCPU, &action, NULL) != 0 ||
        getrlimit(RLIMIT_RTTIME, &limit) != 0) {
        return false;
    }
    /* At the hard limit the kernel ends the process: it has to be warned before. */
    limit.rlim_cur = wanted_us <= limit.rlim_max / 2 ? wanted_us : limit.rlim_max / 2;
    return setrlimit(RLIMIT_RTTIME, &limit) == 0;
}

bool precedence_is_realtime(void)
{
    return sched_getscheduler(getpid()) == SCHED_RR;
}

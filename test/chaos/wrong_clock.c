/* To be preloaded: lets the clocks of a process run fast or slow, as those of its host would.
 *
 * CHAOS_CLOCK says by how many parts in a million, from -111111 to 111111. It concerns the clocks
 * that only rise, and all waiting: that lasts for the time asked for on the wrong clock. Processes
 * with the same rate agree about the time, whenever they began. */
#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

enum { MILLION = 1000000, NS_PER_S = 1000000000 };

static int64_t rate = MILLION; /* of the process's clock, in millionths of the true one */

__attribute__((constructor)) static void read_rate(void)
{
    const char *parts = getenv("CHAOS_CLOCK");

    rate = MILLION + (parts == NULL ? 0 : strtol(parts, NULL, 10));
}

#define REAL(function) ((__typeof__(&(function)))dlsym(RTLD_NEXT, #function))

/* value * by / over, without an overflow between. */
static int64_t scaled(int64_t value, int64_t by, int64_t over)
{
    return value / over * by + value % over * by / over;
}

static struct timespec scaled_time(const struct timespec *time, int64_t by, int64_t over)
{
    const int64_t ns = scaled((int64_t)time->tv_sec * NS_PER_S + time->tv_nsec, by, over);

    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

static struct timespec true_time(const struct timespec *own)
{
    return scaled_time(own, MILLION, rate);
}

/* What is 0 (do not wait) or negative (for ever) stays so. */
static int true_ms(int own_ms)
{
    return own_ms <= 0 ? own_ms : (int)scaled(own_ms, MILLION, rate) + 1;
}

/* --- The clocks --- */

static bool only_rises(clockid_t clock)
{
    return clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int status = REAL(clock_gettime)(clock, time);

    if (status == 0 && only_rises(clock)) {
        *time = scaled_time(time, rate, MILLION);
    }
    return status;
}

/* --- What waits --- */

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    return REAL(epoll_wait)(epoll, events, count, true_ms(timeout_ms));
}

int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout_ms,
                const sigset_t *mask)
{
    return REAL(epoll_pwait)(epoll, events, count, true_ms(timeout_ms), mask);
}

int poll(struct pollfd *files, nfds_t count, int timeout_ms)
{
    return REAL(poll)(files, count, true_ms(timeout_ms));
}

int nanosleep(const struct timespec *own, struct timespec *left)
{
    const struct timespec wait = true_time(own);

    return REAL(nanosleep)(&wait, left);
}

int timerfd_settime(int timer, int flags, const struct itimerspec *own, struct itimerspec *before)
{
    const struct itimerspec wait = {
        .it_interval = true_time(&own->it_interval),
        .it_value = true_time(&own->it_value),
    };

    return REAL(timerfd_settime)(timer, flags, &wait, before);
}

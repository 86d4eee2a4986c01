/* The one clock of the runtime: CLOCK_BOOTTIME, which only rises, and goes on while the host is
 * suspended. A clock that stood still then would let a node go on acting after it woke, as if no
 * time had passed, and what it tells clients of its right to act is on the same clock. The loop's
 * own uv_now stands still in a suspended host and while callbacks run: it serves for pauses only.
 */
#ifndef RUNTIME_CLOCK_H
#define RUNTIME_CLOCK_H

#include <stdint.h>
#include <time.h>
#include <uv.h>

enum { CLOCK_NS_PER_MS = 1000000 };

static inline uint64_t clock_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000 * CLOCK_NS_PER_MS + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_ms(void)
{
    return clock_ns() / CLOCK_NS_PER_MS;
}

/* Milliseconds since 1970, to tell people when something happened. No decision depends on it. */
static inline int64_t clock_wall_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / CLOCK_NS_PER_MS;
}

/* Starts the timer so that it fires no earlier than `due_ms`; at once when that has passed. The
 * loop counts in whole milliseconds of a clock of its own, whose milliseconds may begin at other
 * moments: the delay is rounded up to the end of one. */
static inline void clock_start_timer(uv_timer_t *timer, uv_timer_cb callback, uint64_t due_ms)
{
    const uint64_t loop_ns = uv_hrtime(); /* Before the other clock: no earlier, also between. */
    const uint64_t now_ns = clock_ns();
    const uint64_t left_ns = due_ms > now_ns / CLOCK_NS_PER_MS ? due_ms * CLOCK_NS_PER_MS - now_ns
                                                               : 0;
    const uint64_t loop_due_ms = (loop_ns + left_ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;

    uv_update_time(timer->loop); /* else the delay would count from the beginning of the turn */
    const uint64_t loop_ms = uv_now(timer->loop);
    (void)uv_timer_start(timer, callback,
                         left_ns > 0 && loop_due_ms > loop_ms ? loop_due_ms - loop_ms : 0, 0);
}

#endif

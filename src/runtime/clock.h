/* The one clock of the runtime: monotonic, in milliseconds. The loop's own uv_now is the same
 * clock, but stands still while callbacks run. */
#ifndef RUNTIME_CLOCK_H
#define RUNTIME_CLOCK_H

#include <stdint.h>
#include <time.h>
#include <uv.h>

static inline uint64_t clock_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* Milliseconds since 1970, to tell people when something happened. No decision depends on it. */
static inline int64_t clock_wall_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Starts the timer so that it fires no earlier than `due_ms`; at once when that has passed. */
static inline void clock_start_timer(uv_timer_t *timer, uv_timer_cb callback, uint64_t due_ms)
{
    uint64_t now_ms = clock_ms();

    uv_update_time(timer->loop); /* else the delay would count from the beginning of the turn */
    (void)uv_timer_start(timer, callback, due_ms > now_ms ? due_ms - now_ms : 0, 0);
}

#endif

#include "client/clock.h"

#include <limits.h>
#include <time.h>

uint64_t clock_ms(void)
{
    struct timespec now = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* It cannot fail for this clock. */
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t clock_deadline_ms(int timeout_ms)
{
    return timeout_ms < 0 ? UINT64_MAX : clock_ms() + (uint64_t)timeout_ms;
}

int clock_until(uint64_t deadline_ms)
{
    const uint64_t now_ms = clock_ms();
    const uint64_t left_ms = now_ms < deadline_ms ? deadline_ms - now_ms : 0;

    return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

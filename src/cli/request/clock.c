#include "cli/request/clock.h"

#include <assert.h>
#include <time.h>

uint64_t clock_now_ms(void)
{
    struct timespec now;
    const int read = clock_gettime(CLOCK_MONOTONIC, &now);

    assert(read == 0);
    (void)read;
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t clock_left_ms(uint64_t deadline_ms)
{
    const uint64_t now_ms = clock_now_ms();
    return now_ms < deadline_ms ? deadline_ms - now_ms : 0;
}

void clock_sleep_ms(uint64_t milliseconds)
{
    struct timespec left = {.tv_sec = (time_t)(milliseconds / 1000),
                            .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0) {
        /* Interrupted by a signal that was handled: sleep what is left. */
    }
}

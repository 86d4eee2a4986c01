#include "runtime/sockets/arrival.h"

#include <time.h>

#include "runtime/host/clock.h"

/* The wall clock first: what passes between the two makes nothing older than it is. */
struct arrival_clocks arrival_clocks_read(void)
{
    struct timespec wall;
    struct arrival_clocks clocks;

    (void)clock_gettime(CLOCK_REALTIME, &wall); /* cannot fail */
    clocks.wall_ns = (uint64_t)wall.tv_sec * 1000 * CLOCK_NS_PER_MS + (uint64_t)wall.tv_nsec;
    clocks.now_ns = clock_ns();
    return clocks;
}

uint64_t arrival_ms(const struct arrival_clocks *clocks, uint64_t stamp_ns)
{
    const uint64_t age_ns = clocks->wall_ns > stamp_ns ? clocks->wall_ns - stamp_ns : 0;

    return (clocks->now_ns > age_ns ? clocks->now_ns - age_ns : 0) / CLOCK_NS_PER_MS;
}

/* A loop that did not run when it was due did not read either, whoever it is that reads: from then
 * on all came just now. */
uint64_t arrival_given_ms(const struct arrival_bounds *bounds, uint64_t arrived_ms)
{
    if (arrived_ms >= bounds->due_ms || arrived_ms >= bounds->now_ms) {
        return bounds->now_ms;
    }
    return arrived_ms > bounds->last_ms ? arrived_ms : bounds->last_ms;
}

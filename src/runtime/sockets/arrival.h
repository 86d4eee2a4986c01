/* When a datagram came that is read later than it came. The kernel says so by the wall clock, which
 * may have been set meanwhile; a core goes by the clock of clock.h, and by no time that an eager
 * reader could not have given it (decision 34). */
#ifndef RUNTIME_ARRIVAL_H
#define RUNTIME_ARRIVAL_H

#include <stdint.h>

/* Two clocks at one moment, which is after all that was read came. */
struct arrival_clocks {
    uint64_t wall_ns;
    uint64_t now_ns; /* of clock_ns */
};

struct arrival_clocks arrival_clocks_read(void);

/* The time of clock_ms at which that came which the kernel stamped with `stamp_ns` of the wall
 * clock; no later than `clocks`. */
uint64_t arrival_ms(const struct arrival_clocks *clocks, uint64_t stamp_ns);

/* Between which times a core may be given what came while its loop slept. */
struct arrival_bounds {
    uint64_t last_ms; /* of the step before */
    uint64_t due_ms;  /* the deadline that the loop slept for: from then on it should have run */
    uint64_t now_ms;
};

/* The time at which the core is to have got what came at `arrived_ms`. */
uint64_t arrival_given_ms(const struct arrival_bounds *bounds, uint64_t arrived_ms);

#endif

/* The clock of one host: monotonic, and right or not. It began at some value, and runs too fast or
 * too slow by a rate that may change at any moment, as when NTP slews it; it goes on while the host
 * or a process on it is stopped. Virtual time is true time, and no node ever sees it. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

/* In millionths: what a clock may be wrong by at the most, one ninth. Linux lets NTP slew by a
 * tenth. */
#define CLOCK_RATE_PPM_MAX INT64_C(111111)

struct clock {
    uint64_t since_us; /* virtual time at which it got its present rate */
    uint64_t shown_us; /* what it showed then */
    int64_t rate_ppm;  /* by how much it runs too fast since */
};

/* What it shows at that virtual time, which is not before the last change of its rate. */
static inline uint64_t clock_us(const struct clock *clock, uint64_t now_us)
{
    uint64_t passed_us = now_us - clock->since_us;

    if (clock->rate_ppm != 0) { /* Of few hosts. */
        passed_us = passed_us * (uint64_t)(1000000 + clock->rate_ppm) / 1000000;
    }
    return clock->shown_us + passed_us;
}

static inline uint64_t clock_ms(const struct clock *clock, uint64_t now_us)
{
    return clock_us(clock, now_us) / 1000;
}

/* It goes on from what it shows, but for a fraction of a microsecond. */
void clock_set_rate(struct clock *clock, uint64_t now_us, int64_t rate_ppm);

/* When it will show that many milliseconds if its rate stays; `now_us` if it does already. */
uint64_t clock_reaches_us(const struct clock *clock, uint64_t now_us, uint64_t ms);

/* The same at the latest: if from now on it were as slow as a clock may be. UINT64_MAX for a moment
 * beyond all runs. */
uint64_t clock_reaches_us_max(const struct clock *clock, uint64_t now_us, uint64_t ms);

#endif

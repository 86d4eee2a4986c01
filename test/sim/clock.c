#include "clock.h"

#include <assert.h>

#define MILLION UINT64_C(1000000)

/* How long a clock that runs too fast by so much needs to go on by `us`, rounded up. */
static uint64_t duration_us(uint64_t us, int64_t rate_ppm)
{
    uint64_t rate = (uint64_t)((int64_t)MILLION + rate_ppm);

    return rate_ppm == 0 ? us : (us * MILLION + rate - 1) / rate;
}

void clock_set_rate(struct clock *clock, uint64_t now_us, int64_t rate_ppm)
{
    assert(rate_ppm >= -CLOCK_RATE_PPM_MAX && rate_ppm <= CLOCK_RATE_PPM_MAX);
    clock->shown_us = clock_us(clock, now_us);
    clock->since_us = now_us;
    clock->rate_ppm = rate_ppm;
}

uint64_t clock_reaches_us(const struct clock *clock, uint64_t now_us, uint64_t ms)
{
    if (ms * 1000 <= clock_us(clock, now_us)) {
        return now_us;
    }
    return clock->since_us + duration_us(ms * 1000 - clock->shown_us, clock->rate_ppm);
}

uint64_t clock_reaches_us_max(const struct clock *clock, uint64_t now_us, uint64_t ms)
{
    const uint64_t far_ms = UINT64_C(1) << 40; /* 34 years of virtual time: no run is so long */
    uint64_t shown_us = clock_us(clock, now_us);

    if (ms > far_ms) {
        return UINT64_MAX;
    }
    uint64_t left_us = ms * 1000 > shown_us ? ms * 1000 - shown_us : 0;
    return now_us + duration_us(left_us, -CLOCK_RATE_PPM_MAX);
}

#include "core/model/lineage.h"

enum { FOUNDING_SHIFT = LINEAGE_DRAWN_BITS + LINEAGE_TIME_BITS };

static const uint64_t drawn_mask = (UINT64_C(1) << LINEAGE_DRAWN_BITS) - 1;
static const uint64_t time_max = (UINT64_C(1) << LINEAGE_TIME_BITS) - 1;

static uint64_t time_of(uint64_t lineage)
{
    return lineage >> LINEAGE_DRAWN_BITS & time_max;
}

uint64_t lineage_of_founding(uint64_t drawn)
{
    return (drawn & ~(time_max << LINEAGE_DRAWN_BITS)) | 1; /* Never 0: that means none. */
}

uint64_t lineage_of_recovery(uint64_t former, uint64_t now_s, uint64_t drawn)
{
    const uint64_t now = now_s >> LINEAGE_SECONDS_BITS;
    const uint64_t time = now > time_of(former) ? now : time_of(former) + 1;

    if (time > time_max) {
        return lineage_of_founding(drawn);
    }
    return (former >> FOUNDING_SHIFT << FOUNDING_SHIFT) | time << LINEAGE_DRAWN_BITS |
           (drawn & drawn_mask);
}

bool lineage_succeeds(uint64_t later, uint64_t former)
{
    return later >> FOUNDING_SHIFT == former >> FOUNDING_SHIFT && time_of(later) != 0 &&
           later > former;
}

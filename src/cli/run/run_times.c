#include "cli/run/run_times.h"

enum {
    MARGIN_PARTS = 16, /* the margin is this part of the span, */
    MARGIN_MS_MIN = 2, /* but no less than this */
};

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

struct run_times run_times_of(const struct doyen_lease_content *content)
{
    const uint64_t least_ns = MARGIN_MS_MIN * UINT64_C(1000000);
    const uint64_t part_ns = content->span_ns / MARGIN_PARTS;
    struct run_times times = {.span_ns = content->span_ns,
                              .renewal_ns = content->renewal_ns,
                              .margin_ns = part_ns > least_ns ? part_ns : least_ns};

    times.grace_ns = run_times_grace_max_ms(&times) / 2 * RUN_NS_PER_MS;
    return times;
}

/* A renewal comes each heartbeat, and where one was lost it is asked for again after a quarter. */
uint64_t run_times_grace_max_ms(const struct run_times *times)
{
    return above(times->span_ns, times->renewal_ns * 5 / 4 + times->margin_ns) / RUN_NS_PER_MS;
}

uint64_t run_times_lead_ns(const struct run_times *times)
{
    return times->grace_ns + times->margin_ns;
}

/* What comes on top keeps a command from being started at a moment at which it all but has to end;
 * right after a renewal there is as much, also with the largest grace. */
uint64_t run_times_start_ns(const struct run_times *times)
{
    return run_times_lead_ns(times) + times->renewal_ns / 4;
}

uint64_t run_times_kill_ns(const struct run_times *times, uint64_t now_ns, uint64_t deadline_ns)
{
    const uint64_t last_ns = above(deadline_ns, times->margin_ns);
    const uint64_t due_ns = now_ns + times->grace_ns;

    return due_ns < last_ns ? due_ns : last_ns;
}

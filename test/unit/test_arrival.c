/* The times that a core is given for what came while its loop slept (decision 34). */
#include <criterion/criterion.h>

#include "runtime/host/clock.h"
#include "runtime/sockets/arrival.h"

enum { MS = CLOCK_NS_PER_MS };

#define WALL_NS (UINT64_C(1764115200) * 1000 * MS)

static const struct arrival_clocks read_at_5000 = {.wall_ns = WALL_NS,
                                                   .now_ns = UINT64_C(5000) * MS + 250000};

Test(arrival, is_as_long_ago_as_the_stamp)
{
    cr_assert_eq(arrival_ms(&read_at_5000, WALL_NS), 5000);
    cr_assert_eq(arrival_ms(&read_at_5000, WALL_NS - 200000), 5000);
    cr_assert_eq(arrival_ms(&read_at_5000, WALL_NS - 300000), 4999);
    cr_assert_eq(arrival_ms(&read_at_5000, WALL_NS - UINT64_C(320) * MS), 4680);
}

/* The wall clock was put back, by little or by years. */
Test(arrival, is_now_where_the_stamp_is_of_the_future)
{
    cr_assert_eq(arrival_ms(&read_at_5000, WALL_NS + 1), 5000);
    cr_assert_eq(arrival_ms(&read_at_5000, UINT64_MAX), 5000);
}

/* It was put forward, beyond the boot of the host. */
Test(arrival, is_never_before_the_beginning)
{
    cr_assert_eq(arrival_ms(&read_at_5000, WALL_NS - UINT64_C(6000) * MS), 0);
    cr_assert_eq(arrival_ms(&read_at_5000, 0), 0);
}

Test(arrival, the_clocks_are_read_together)
{
    const uint64_t before_ns = clock_ns();
    const struct arrival_clocks clocks = arrival_clocks_read();

    cr_assert_geq(clocks.now_ns, before_ns);
    cr_assert_leq(clocks.now_ns, clock_ns());
    cr_assert_leq((uint64_t)clock_wall_ms(), clocks.wall_ns / MS + 60000);
}

/* The loop slept from 1000 on for the deadline 1320, and woke a millisecond after it. */
static const struct arrival_bounds slept = {.last_ms = 1000, .due_ms = 1320, .now_ms = 1321};

Test(arrival, a_core_is_given_the_time_of_arrival)
{
    cr_assert_eq(arrival_given_ms(&slept, 1000), 1000);
    cr_assert_eq(arrival_given_ms(&slept, 1001), 1001);
    cr_assert_eq(arrival_given_ms(&slept, 1319), 1319);
}

/* What was read before was all that had come, so a time before that is a wall clock that was set.
 */
Test(arrival, a_core_is_given_no_time_before_its_last)
{
    cr_assert_eq(arrival_given_ms(&slept, 999), 1000);
    cr_assert_eq(arrival_given_ms(&slept, 0), 1000);
}

Test(arrival, a_core_is_given_no_time_to_come)
{
    const struct arrival_bounds woken = {.last_ms = 1000, .due_ms = 1320, .now_ms = 1100};

    cr_assert_eq(arrival_given_ms(&woken, 1101), 1100);
    cr_assert_eq(arrival_given_ms(&woken, UINT64_MAX), 1100);
}

/* D4, D2g: whose loop was stopped from its deadline on would not have read it then either. Else it
 * would live through the time of its sleep, put questions in it and find them unanswered. */
Test(arrival, what_came_after_the_deadline_came_just_now)
{
    const struct arrival_bounds stopped = {.last_ms = 1000, .due_ms = 1320, .now_ms = 6000};

    cr_assert_eq(arrival_given_ms(&stopped, 1319), 1319);
    cr_assert_eq(arrival_given_ms(&stopped, 1320), 6000);
    cr_assert_eq(arrival_given_ms(&stopped, 3000), 6000);
}

/* Its deadline had passed already when it went to sleep. */
Test(arrival, a_deadline_before_the_last_step_gives_now)
{
    const struct arrival_bounds behind = {.last_ms = 1000, .due_ms = 990, .now_ms = 1002};

    cr_assert_eq(arrival_given_ms(&behind, 995), 1002);
    cr_assert_eq(arrival_given_ms(&behind, 1001), 1002);
}

#include <criterion/criterion.h>

#include "core/model/quorum.h"

/* G1, H31: at least as many as asked for, not one more. */
Test(quorum, a_count_is_met_by_exactly_that_many)
{
    struct guard guard = {.policy = GUARD_COUNT, .count = 3};

    cr_assert_not(guard_met(&guard, 2));
    cr_assert(guard_met(&guard, 3));
    cr_assert(guard_met(&guard, 4));
    cr_assert_eq(guard_needed(&guard), 3);
}

Test(quorum, no_guard_asks_for_nothing)
{
    struct guard guard = {.policy = GUARD_NONE};

    cr_assert(guard_met(&guard, 0));
    cr_assert_eq(guard_needed(&guard), 0);
}

/* J2: two nodes must share it; a count that is not used does not count. */
Test(quorum, guards_are_compared_by_what_they_ask)
{
    struct guard none = {.policy = GUARD_NONE, .count = 7};
    struct guard other = {.policy = GUARD_NONE};
    struct guard three = {.policy = GUARD_COUNT, .count = 3};
    struct guard two = {.policy = GUARD_COUNT, .count = 2};

    cr_assert(guard_equal(&none, &other));
    cr_assert_not(guard_equal(&none, &three));
    cr_assert_not(guard_equal(&two, &three));
    cr_assert(guard_equal(&three, &three));
}

Test(quorum, half_is_no_majority)
{
    cr_assert_not(quorum_is_majority(2, 4));
    cr_assert(quorum_is_majority(3, 4));
    cr_assert(quorum_is_majority(3, 5));
    cr_assert_not(quorum_is_majority(2, 5));
    cr_assert(quorum_is_majority(1, 1));
}

/* G3: what a client is told its right to act is worth. */
Test(quorum, a_guard_that_counts_who_is_heard_is_advisory)
{
    cr_assert(guard_is_advisory(&(struct guard){.policy = GUARD_NONE}));
    cr_assert(guard_is_advisory(&(struct guard){.policy = GUARD_COUNT, .count = 3}));
    cr_assert(guard_is_advisory(&(struct guard){.policy = GUARD_MAJORITY, .count = 5}));
}

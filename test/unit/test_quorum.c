#include <criterion/criterion.h>

#include "core/model/quorum.h"

/* G1, H31: at least as many as asked for, not one more. */
Test(quorum, a_count_is_met_by_exactly_that_many)
{
    struct guard guard = {.policy = GUARD_COUNT, .count = 3};

    cr_assert_eq(guard_asks(&guard).needed, 3);
}

Test(quorum, no_guard_asks_for_nothing)
{
    struct guard guard = {.policy = GUARD_NONE};

    cr_assert_eq(guard_asks(&guard).needed, 0);
}

/* J2: two nodes must share it. */
Test(quorum, guards_are_compared_by_what_they_ask)
{
    struct guard none = {.policy = GUARD_NONE};
    struct guard other = {.policy = GUARD_NONE};
    struct guard three = {.policy = GUARD_COUNT, .count = 3};
    struct guard two = {.policy = GUARD_COUNT, .count = 2};

    cr_assert(guard_equal(&none, &other));
    cr_assert_not(guard_equal(&none, &three));
    cr_assert_not(guard_equal(&two, &three));
    cr_assert(guard_equal(&three, &three));
}

/* Z1: voters decide, however many members there are. */
Test(quorum, strict_asks_no_members)
{
    struct guard guard = {.policy = GUARD_STRICT, .count = 5};

    cr_assert_eq(guard_asks(&guard).needed, 0);
    cr_assert_eq(guard_asks(&guard).size_max, UINT32_MAX);
}

/* J2, Z1: the order counts, for the first of them founds. */
Test(quorum, voters_are_equal_in_the_same_order_alone)
{
    struct voters voters = {.count = 2, .names = {"athens", "byzantium"}};
    struct voters turned = {.count = 2, .names = {"byzantium", "athens"}};
    struct voters fewer = {.count = 1, .names = {"athens"}};

    cr_assert(voters_equal(&voters, &voters));
    cr_assert_not(voters_equal(&voters, &turned));
    cr_assert_not(voters_equal(&voters, &fewer));
    cr_assert_eq(voters_find(&voters, "byzantium"), 1);
    cr_assert_eq(voters_find(&fewer, "byzantium"), VOTER_NONE);
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
    cr_assert(guard_asks(&(struct guard){.policy = GUARD_NONE}).advisory);
    cr_assert(guard_asks(&(struct guard){.policy = GUARD_COUNT, .count = 3}).advisory);
    cr_assert(guard_asks(&(struct guard){.policy = GUARD_MAJORITY, .count = 5}).advisory);
    cr_assert_not(guard_asks(&(struct guard){.policy = GUARD_STRICT, .count = 3}).advisory);
}

/* Who may have how many file descriptors. */
#include <criterion/criterion.h>

#include "runtime/process/descriptors.h"

Test(descriptors, a_quarter_is_kept_from_streams_up_to_a_bound)
{
    cr_expect_eq(descriptors_for_streams(16), 12);
    cr_expect_eq(descriptors_for_streams(1024), 768);
    cr_expect_eq(descriptors_for_streams(4 * DESCRIPTORS_RESERVED_MAX),
                 3 * DESCRIPTORS_RESERVED_MAX);
    cr_expect_eq(descriptors_for_streams(100000), 100000 - DESCRIPTORS_RESERVED_MAX);
    cr_expect_eq(descriptors_for_streams(UINT64_MAX), UINT64_MAX - DESCRIPTORS_RESERVED_MAX);
}

/* The least limit that leaves two for each member: one less leaves too few. */
Test(descriptors, what_is_needed_is_just_enough)
{
    for (uint32_t members = 1; members <= 4096; members++) {
        const uint64_t needed = descriptors_needed(members);
        const uint64_t wanted = 2 * (uint64_t)members;

        cr_assert_geq(descriptors_for_streams(needed), wanted + 32, "%u", members);
        cr_assert_lt(descriptors_for_streams(needed - 1), wanted + 32, "%u", members);
    }
}

/* The usual limit of a container or a login, and the default capacity. */
Test(descriptors, a_limit_of_1024_is_enough_for_256_members)
{
    cr_assert_leq(descriptors_needed(256), 1024);
}

/* What no descriptor is left for is not accepted, or the library would try again and again. */
Test(descriptors, clients_get_what_members_leave_and_the_reserve_at_least)
{
    cr_expect_eq(descriptors_for_clients(64, 256), 16);
    cr_expect_eq(descriptors_for_clients(1024, 256), 1024 - 32 - 512);
    cr_expect_eq(descriptors_for_clients(1024, 4), 1024 - 32 - 8);
    cr_expect_eq(descriptors_for_clients(UINT64_MAX, 256), UINT64_MAX - 32 - 512);
    for (uint32_t limit = 0; limit < 4096; limit += 16) {
        cr_assert_leq(descriptors_for_clients(limit, 256), limit);
    }
}

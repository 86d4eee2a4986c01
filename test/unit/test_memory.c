/* What docs/guide/sizing.md says of memory: what a node sets aside at its start, by its capacity.
 */
#include <criterion/criterion.h>

#include "core/core.h"
#include "core/model/limits.h"
#include "runtime/services/user_post.h"
#include "seal/senders.h"

enum { SENDERS_PER_MEMBER = 2, SENDERS_SPARE = 256 }; /* as runtime/sealing/gate.c has them */

static size_t set_aside(uint32_t capacity)
{
    return core_bytes(capacity) +
           sizeof(struct sender) * (SENDERS_PER_MEMBER * (size_t)capacity + SENDERS_SPARE) +
           sizeof(struct user_sender) * capacity;
}

static size_t said(uint32_t capacity)
{
    return 1600000 + 16000 * (size_t)capacity;
}

Test(memory, a_node_sets_aside_what_the_guide_says)
{
    for (uint32_t capacity = 1; capacity <= MEMBER_MAX; capacity++) {
        cr_assert_leq(set_aside(capacity), said(capacity), "%u", capacity);
        cr_assert_geq(set_aside(capacity), said(capacity) * 7 / 10, "%u: say less, as %zu",
                      capacity, set_aside(capacity));
    }
}

Test(memory, a_members_part_of_it_is_what_the_guide_says)
{
    const double each = (double)(set_aside(MEMBER_MAX) - set_aside(256)) / (MEMBER_MAX - 256);

    cr_expect_float_eq(each, 15400, 400, "%.0f", each);
    cr_expect_float_eq(SENDERS_PER_MEMBER * (double)sizeof(struct sender), 4400, 100);
}

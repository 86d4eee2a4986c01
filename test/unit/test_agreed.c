/* Terms that were changed, as plain data (A2, A3, A5). */
#include <criterion/criterion.h>

#include "core/model/agreed.h"

static const struct rules lan = {{GUARD_NONE, 0}, PROFILE_LAN, 680, 1088, 64};
static const struct rules local = {{GUARD_MAJORITY, 5}, PROFILE_LOCAL, 40, 190, 16};
static const struct rules counted = {{GUARD_COUNT, 4}, PROFILE_LAN, 680, 1088, 64};

static struct agreed final_of(uint64_t number, const struct rules *rules)
{
    return (struct agreed){.number = number, .origin = 1, .room = 64, .now = *rules};
}

Test(agreed, while_both_hold_each_takes_the_more_careful_side)
{
    const struct agreed from = final_of(2, &lan);
    const struct agreed joint = agreed_begin(&from, &local);
    const struct timing timing = agreed_timing(&joint);

    cr_assert_eq(joint.number, 3);
    cr_assert_eq(agreed_asks(&joint).needed, 3);
    cr_assert_eq(agreed_asks(&joint).size_max, 5);
    cr_assert_eq(agreed_capacity(&joint), 16);
    cr_assert_eq(timing.heartbeat_ms, 40, "as often as the one wants");
    cr_assert_eq(timing.lost_ms, 1088, "as patient as the other");
    cr_assert_eq(timing.lost_ms_shortest, 190, "who gave the lease may be the hasty one");
    cr_assert_eq(timing_missed_ms(&timing), 748, "who is heard may be the slow one");
    const struct agreed end = agreed_end(&joint);
    cr_assert_eq(end.number, 4);
    cr_assert_eq(agreed_timing(&end).lost_ms, 190);
    cr_assert(agreed_is_sound(&joint) && agreed_is_sound(&end));
}

/* D4b: those who still go by the shorter times find it lost before the others miss anything. */
Test(agreed, a_slow_turn_is_shorter_than_a_loss_while_terms_change)
{
    const struct agreed from = final_of(2, &lan);
    const struct agreed joint = agreed_begin(&from, &local);
    const struct timing timing = agreed_timing(&joint);

    cr_assert_leq(timing_turn_ms(&timing), timing.lost_ms_shortest);
}

Test(agreed, of_two_parts_the_later_terms_hold_and_the_others_besides)
{
    const struct agreed winner = final_of(2, &lan);
    const struct agreed loser = final_of(4, &local);
    const struct agreed merged = agreed_merge(&winner, &loser);

    cr_assert_eq(merged.number, 5);
    cr_assert(merged.joint);
    cr_assert(rules_equal(&merged.now, &local));
    cr_assert(rules_equal(&merged.before, &lan));
    const struct agreed same = agreed_merge(&winner, &winner);
    cr_assert(agreed_equal(&same, &winner));
    const struct agreed as_late = final_of(2, &local);
    const struct agreed tie = agreed_merge(&winner, &as_late);
    cr_assert(rules_equal(&tie.now, &lan), "the winner's");
}

/* Of three guards the strictest of those before holds. */
Test(agreed, a_merge_in_the_middle_of_a_change_forgets_no_guard)
{
    const struct agreed from = final_of(2, &counted);
    const struct agreed leads = agreed_begin(&from, &lan);
    const struct agreed other = final_of(0, &local);
    const struct agreed merged = agreed_merge(&leads, &other);

    cr_assert_eq(agreed_asks(&merged).needed, 4);
    cr_assert(agreed_is_sound(&merged));
}

/* V4h: or nobody would accept the view, and the parts stayed apart for good. */
Test(agreed, of_a_guard_that_counts_more_than_the_others_capacity_nothing_unsound_comes)
{
    static const struct rules wide = {{GUARD_MAJORITY, 6}, PROFILE_LAN, 680, 1088, 64};
    static const struct rules few = {{GUARD_NONE, 0}, PROFILE_LAN, 680, 1088, 4};
    const struct agreed from = final_of(2, &wide);
    const struct agreed joint = agreed_begin(&from, &lan);
    const struct agreed settled = final_of(2, &few);
    const struct agreed merged = agreed_merge(&joint, &settled);
    const struct agreed behind = final_of(6, &few);
    const struct agreed also = agreed_merge(&behind, &joint);

    cr_assert(agreed_is_sound(&merged) && agreed_is_sound(&also));
    cr_assert_eq(agreed_asks(&merged).needed, 4);
}

/* Terms of guard strict do not change. */
Test(agreed, a_profile_goes_with_any_guard_that_may_change)
{
    const struct timing usual = timing_of(PROFILE_LAN);
    static const struct guard guards[] = {{GUARD_NONE, 0}, {GUARD_COUNT, 3}, {GUARD_MAJORITY, 5}};

    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        struct rules rules = {guards[i], PROFILE_LAN, usual.heartbeat_ms, usual.lost_ms, 64};
        cr_assert(rules_are_sound(&rules), "%zu", i);
        rules.lost_ms = rules.heartbeat_ms;
        cr_assert_not(rules_are_sound(&rules), "%zu", i);
    }
}

Test(agreed, what_could_not_be_stated_at_the_start_is_not_sound)
{
    struct agreed agreed = final_of(1, &local);

    cr_assert(agreed_is_sound(&agreed));
    agreed.now.lost_ms = 60;
    cr_assert_not(agreed_is_sound(&agreed), "too short for its heartbeats");
    agreed.now = local;
    agreed.now.guard.count = 17;
    cr_assert_not(agreed_is_sound(&agreed), "more than the capacity");
    agreed.now = local;
    agreed.now.heartbeat_ms = 0;
    cr_assert_not(agreed_is_sound(&agreed));
    agreed.now = local;
    agreed.room = 8;
    cr_assert_not(agreed_is_sound(&agreed), "more than the room");
    agreed = final_of(UINT64_MAX, &local);
    cr_assert_not(agreed_is_sound(&agreed), "nothing left to count with");
}

/* A5a: but for a capacity that became smaller, which no node is to start with. */
Test(agreed, what_a_start_says_may_be_what_is_agreed)
{
    const struct rules agreed = {.profile = PROFILE_WAN, .capacity = 16};
    struct rules started = agreed;

    cr_assert(rules_are_written_down(&started, &agreed, 64));
    started.capacity = 64;
    cr_assert(rules_are_written_down(&started, &agreed, 64));
    started.capacity = 32;
    cr_assert_not(rules_are_written_down(&started, &agreed, 64));
    started = agreed;
    started.profile = PROFILE_LAN;
    cr_assert_not(rules_are_written_down(&started, &agreed, 64));
}

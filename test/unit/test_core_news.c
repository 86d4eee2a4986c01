/* What watchers are told of parts that come and go (M8). */
#include <criterion/criterion.h>

#include "rig.h"

/* A shows C views without those who went, one after the other. */
static uint32_t splits_told(const char *letters, const char *gone, uint64_t apart_ms)
{
    struct rig *rig = rig_in(letters, 'C');
    char change[] = "-?";

    for (; *gone != '\0'; gone++) {
        change[1] = *gone;
        rig_gets(
            rig, 'A',
            &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, change)}});
        rig_pass(rig, apart_ms, "A");
    }
    uint32_t told = rig->noticed[NOTICE_SPLIT];
    rig_free(rig);
    return told;
}

/* H8: of five, two are failures; three at once are more than that. */
Test(core_news, half_of_the_members_at_once_are_a_split)
{
    uint64_t fresh_ms = timing_of(PROFILE_LAN).fresh_ms;

    cr_assert_eq(splits_told("A B C D E", "DE", 10), 0);
    cr_assert_eq(splits_told("A B C D E", "BDE", 10), 1);
    cr_assert_eq(splits_told("A B C D", "BD", 10), 1);
    cr_assert_eq(splits_told("A B C D", "BD", fresh_ms), 0);
}

/* The third is lost more than T_fresh after the first, and less than that after the second. */
Test(core_news, losses_that_follow_each_other_are_one_split)
{
    uint64_t fresh_ms = timing_of(PROFILE_LAN).fresh_ms;

    cr_assert_eq(splits_told("A B C D E", "BDE", fresh_ms * 2 / 3), 1);
    cr_assert_eq(splits_told("A B C D E", "BDE", fresh_ms), 0);
}

Test(core_news, one_of_two_is_no_split)
{
    struct rig *rig = rig_in("A C", 'C');

    rig_kill(rig, 'A');
    cr_assert_eq(core_view(rig->core)->member_count, 1);
    cr_assert_eq(rig->noticed[NOTICE_SPLIT], 0);
    rig_free(rig);
}

/* C was gone for a while, and came back by a merge. */
Test(core_news, watchers_are_told_which_views_were_merged_and_how_long_they_were_apart)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "-C")}};

    rig_gets(rig, 'A', &shown);
    rig_pass(rig, rig->timing.stall_ms, "A");
    struct view *merged = rig_next(rig, "+C");
    merged->cause = CAUSE_MERGE;
    merged->epoch++;
    merged->merged = view_id_of(rig_view(rig, "C"));
    view_seal(merged);
    shown.carrier.view = merged;
    rig_gets(rig, 'A', &shown);

    const struct notice *notice = &rig->notices[NOTICE_MERGE];
    cr_assert_eq(rig->noticed[NOTICE_MERGE], 1);
    cr_assert(view_id_equal(&notice->parents[0], &merged->parent));
    cr_assert(view_id_equal(&notice->parents[1], &merged->merged));
    cr_assert_eq(notice->apart_ms, rig->timing.stall_ms);
    cr_assert_not(notice->lost);
    rig_free(rig);
}

/* A node that hears nobody may be cut off itself, and does not act sooner than others would (D2f).
 */
#include <criterion/criterion.h>

#include "core/detection/hearing.h"
#include "core/state/state.h"
#include "rig.h"

/* How long all others have been silent when B claims. */
static uint64_t silence_before_claim_ms(struct rig *rig, const char *others)
{
    for (const char *at = others; *at != '\0'; at++) {
        rig_hears(rig, *at);
    }
    const uint64_t heard_ms = rig->now_ms;
    for (int turn = 0; rig_count(rig, MESSAGE_CLAIM) == 0; turn++) {
        cr_assert_lt(turn, 3000);
        rig_pass(rig, 1, "");
    }
    return rig->now_ms - heard_ms;
}

/* D2f. H72: who hears nobody may be cut off, and others may have been heard half an interval later
 * by who is not. */
Test(core_cut_off, who_hears_nobody_claims_no_sooner_than_others_would)
{
    struct rig *rig = rig_in("A B C D", 'B');
    const struct timing *timing = &rig->timing;

    cr_assert_geq(silence_before_claim_ms(rig, "ACD"),
                  timing->lost_ms + timing_other_half_ms(timing));
    rig_free(rig);
}

/* D2f: of three each hears each round of the others. */
Test(core_cut_off, of_three_who_hears_nobody_claims_at_once)
{
    struct rig *rig = rig_in("A B C", 'B');

    cr_assert_lt(silence_before_claim_ms(rig, "AC"),
                 rig->timing.lost_ms + timing_round_ms(&rig->timing));
    rig_free(rig);
}

/* D2f, C1a: whoever else is heard shows that this node is not cut off. */
Test(core_cut_off, who_hears_another_claims_when_that_one_has_lost_it_too)
{
    struct rig *rig = rig_in("A B C D", 'B');
    uint64_t silence_ms = 0;

    rig_hears(rig, 'A');
    while (rig_count(rig, MESSAGE_CLAIM) == 0) {
        cr_assert_leq(silence_ms, rig->timing.lost_ms + timing_question_ms(&rig->timing));
        rig_accuses(rig, 'C', 1, VERDICT_LOST);
        if (rig_count(rig, MESSAGE_CLAIM) > 0) {
            break;
        }
        rig_pass(rig, 1, "");
        silence_ms++;
    }
    rig_free(rig);
}

/* D2f. H72: nor does a coordinator that hears nobody remove anybody. */
Test(core_cut_off, who_hears_nobody_removes_nobody_sooner_than_others_would)
{
    struct rig *rig = rig_in("A B C D", 'A');
    const struct timing *timing = &rig->timing;

    for (const char *at = "BCD"; *at != '\0'; at++) {
        rig_hears(rig, *at);
    }
    rig_pass(rig, timing->lost_ms + timing_other_half_ms(timing) - 1, "");
    cr_assert_eq(rig_verdict(rig, 'B'), VERDICT_LOST);
    cr_assert_eq(core_view(rig->core)->member_count, 4);
    rig_pass(rig, timing->heartbeat_ms, "");
    cr_assert_eq(core_view(rig->core)->member_count, 1);
    rig_free(rig);
}

/* A hears C alone, after a pause, when it is about to find B and D lost, as C does. Are they
 * removed within that time? */
static bool removes_after_a_pause(uint64_t pause_ms, uint64_t within_ms)
{
    struct rig *rig = rig_in("A B C D", 'A');
    bool removes = false;

    rig_hears(rig, 'B');
    rig_hears(rig, 'D');
    rig_pass(rig, rig->timing.lost_ms - pause_ms, "");
    rig_hears(rig, 'C');
    rig_pass(rig, pause_ms, "");
    for (uint64_t ms = 0; ms < within_ms && !removes; ms++) {
        rig_accuses(rig, 'C', 2, VERDICT_LOST);
        rig_accuses(rig, 'C', 4, VERDICT_LOST);
        removes = rig_told(rig, MESSAGE_PREPARE, 'C') != NULL;
        rig_pass(rig, 1, "");
    }
    cr_assert_eq(rig_verdict(rig, 'B'), VERDICT_LOST);
    rig_free(rig);
    return removes;
}

/* D2f. H72: a coordinator that was cut off found the first half of the others lost when it heard
 * the second half for the last time before. The first one that it hears again is not the last. */
Test(core_cut_off, who_hears_the_first_again_waits_for_the_others)
{
    const struct timing timing = timing_of(PROFILE_LAN);
    const uint64_t jitter = 100 + ROUND_JITTER_PERCENT;
    const uint64_t pause_ms = timing.lost_ms - timing_round_ms(&timing) * jitter / 100;

    cr_assert_not(removes_after_a_pause(pause_ms, timing_other_half_ms(&timing)));
}

/* D2f: for so long another may be heard later than the first. */
Test(core_cut_off, the_wait_for_the_others_lasts_for_half_an_interval)
{
    struct rig *rig = rig_in("A B C D", 'A');
    const struct timing *timing = &rig->timing;

    rig_hears(rig, 'B');
    rig_hears(rig, 'D');
    rig_pass(rig, timing->lost_ms - 1, "");
    rig_hears(rig, 'C');
    rig_pass(rig, timing_other_half_ms(timing) - 2, "");
    rig_accuses(rig, 'C', 2, VERDICT_LOST);
    cr_assert_neq(hearing_not_lost_until_ms(rig->core, 1), 0);
    rig_pass(rig, 2, "");
    rig_accuses(rig, 'C', 2, VERDICT_LOST);
    cr_assert_eq(hearing_not_lost_until_ms(rig->core, 1), 0);
    rig_free(rig);
}

/* D2f: one neighbour alone speaks once in an interval. */
Test(core_cut_off, who_hears_one_alone_in_time_removes_who_is_lost)
{
    const struct timing timing = timing_of(PROFILE_LAN);
    const uint64_t jitter = 100 + ROUND_JITTER_PERCENT;

    cr_assert(
        removes_after_a_pause(timing.heartbeat_ms * jitter / 100, 2 * timing_question_ms(&timing)));
}

/* D2f. H72: B and D take the same turn, and fall silent together at a node that is cut off; neither
 * says that it has lost the other. */
Test(core_cut_off, of_those_who_fell_silent_together_none_is_lost_to_all)
{
    struct rig *rig = rig_in("A B C D", 'A');
    const struct timing *timing = &rig->timing;

    rig_hears(rig, 'B');
    rig_hears(rig, 'D');
    rig_hears(rig, 'C');
    rig->core->peers[2].signs.late = true; /* Of C it is not known what it hears. */
    rig_pass(rig, timing_deaf_ms(timing) - 1, "");
    rig->core->looking.heard_ms = rig->now_ms;
    rig_pass(rig, timing->lost_ms - timing_deaf_ms(timing) + 1, "");
    cr_assert_neq(hearing_not_lost_until_ms(rig->core, 1), 0);
    rig_free(rig);
}

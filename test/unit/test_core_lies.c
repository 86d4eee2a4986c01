/* What a member, or whoever speaks in its name, may say that is not so: views that nobody made,
 * numbers that leap, contents that do not exist (V2b, V4i, V7). */
#include <criterion/criterion.h>

#include "core/agreement/promise.h"
#include "core/model/limits.h"
#include "core/state/state.h"
#include "rig.h"

static struct message shows(struct view *view)
{
    view_seal(view);
    return (struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}};
}

static void stays(struct rig *rig, char from, struct view *view, enum refusal reason)
{
    struct message shown = shows(view);
    uint64_t ours = core_view(rig->core)->hash;

    rig_refuses(rig, from, &shown, reason);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    cr_assert_eq(core_view(rig->core)->hash, ours);
}

/* --- In our own name (V4i) --- */

/* One such view took everybody away from the coordinator, another lifted next_age for good. */
Test(core_lies, a_view_in_our_own_name_that_we_did_not_make_is_not_installed)
{
    struct rig *rig = rig_in("A B C", 'A');

    stays(rig, 'X', rig_next(rig, "-B -C"), REFUSED_VIEW_IN_OUR_NAME);
    stays(rig, 'B', rig_next(rig, "-B -C"), REFUSED_VIEW_IN_OUR_NAME);
    stays(rig, 'C', rig_next(rig, ""), REFUSED_VIEW_IN_OUR_NAME);
    rig_free(rig);
}

/* A claimant is its own first voter, and that is no word for what others show it. */
Test(core_lies, our_own_claim_does_not_speak_for_a_view_in_our_name)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *forged = rig_view(rig, "B X");

    rig_kill(rig, 'A');
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, 'C');
    cr_assert_not_null(claim);
    forged->epoch = claim->carrier.epoch;
    stays(rig, 'C', forged, REFUSED_VIEW_IN_OUR_NAME);
    rig_free(rig);
}

/* The member may have been made to believe it. */
Test(core_lies, a_view_that_a_member_holds_in_our_name_is_outdone)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *forged = rig_next(rig, "-B");

    forged->epoch += 5;
    forged->version += 100;
    stays(rig, 'X', forged, REFUSED_VIEW_IN_OUR_NAME);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_eq(rig->core->promise.seen, 1, "nor is its epoch one that was seen");
    stays(rig, 'C', forged, REFUSED_VIEW_IN_OUR_NAME);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare);
    cr_assert_gt(prepare->carrier.view->epoch, forged->epoch);
    cr_assert_gt(prepare->carrier.view->version, forged->version);
    cr_assert_eq(prepare->carrier.view->member_count, 3);
    rig_free(rig);
}

/* H49: however often it is shown. */
Test(core_lies, forged_views_cost_no_epoch_each)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *forged = rig_view(rig, "A C");

    for (int i = 0; i < 20; i++) {
        forged->epoch = core_view(rig->core)->epoch + 1;
        struct message shown = shows(forged);
        rig_gets(rig, 'C', &shown);
        if (rig_told(rig, MESSAGE_PREPARE, 'C') != NULL) {
            struct message ack = rig_ack(rig, 'C');
            rig_gets(rig, 'B', &ack);
            rig_gets(rig, 'C', &ack);
        }
    }
    cr_assert_eq(core_view(rig->core)->epoch, 3, "one above the first of them");
    rig_free(rig);
}

/* A stranger's view made it the coordinator of a cluster of its own. */
Test(core_lies, a_joiner_takes_no_view_in_its_own_name)
{
    struct rig *rig = rig_joining('C');
    struct message shown = shows(rig_view(rig, "C A B"));

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_IN_OUR_NAME);
    shown = shows(rig_view(rig, "A C B"));
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

/* A believed it, and coordinates no more; so does nobody, unless B does. */
Test(core_lies, a_view_in_our_name_that_our_coordinator_follows_is_outdone)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *forged = rig_view(rig, "B A C");
    char text[64];

    forged->epoch += 5;
    forged->version += 100;
    stays(rig, 'X', forged, REFUSED_VIEW_IN_OUR_NAME);
    stays(rig, 'C', forged, REFUSED_VIEW_IN_OUR_NAME);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0, "for A coordinates");
    stays(rig, 'A', forged, REFUSED_VIEW_IN_OUR_NAME);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare);
    cr_assert_gt(prepare->carrier.view->epoch, forged->epoch);
    cr_assert_gt(prepare->carrier.view->version, forged->version);
    struct message ack = rig_ack(rig, 'C');
    rig_gets(rig, 'C', &ack);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'A'), "last, and never without it");
    rig_gets(rig, 'A', &ack);
    rig_pass(rig, 1, "");
    cr_assert_str_eq(rig_sees(rig, text), "B C A");
    rig_free(rig);
}

/* --- What its maker does not hold (L4, U2e) --- */

static void names(struct rig *rig, char from, const struct view_id *view, uint64_t ms)
{
    struct message says = {.type = MESSAGE_HEARTBEAT, .heartbeat = {.view = *view}};

    for (uint64_t passed = 0; passed <= ms; passed += 100) {
        rig_pass(rig, 100, "");
        rig_gets(rig, from, &says);
    }
}

static void gets_shown(struct rig *rig, char from, struct view *view)
{
    struct message shown = shows(view);

    rig_gets(rig, from, &shown);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
}

Test(core_lies, a_member_of_a_view_that_its_coordinator_does_not_hold_is_out)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view_id held = view_id_of(core_view(rig->core));

    gets_shown(rig, 'B', rig_next(rig, "+D"));
    names(rig, 'A', &held, rig->timing.stall_ms - 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_hears(rig, 'A');
    names(rig, 'A', &held, rig->timing.stall_ms - 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER, "it named ours meanwhile");
    names(rig, 'A', &held, 600);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* What it named before it coordinated is no word on what it made since. */
Test(core_lies, a_lower_view_counts_from_when_ours_was_installed)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view_id held = view_id_of(core_view(rig->core));

    gets_shown(rig, 'A', rig_next(rig, "+D"));
    names(rig, 'B', &held, rig->timing.stall_ms);
    rig_hears(rig, 'A');
    struct view *next = rig_view(rig, "B A C");
    next->epoch = 2;
    gets_shown(rig, 'A', next);
    names(rig, 'B', &held, 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

Test(core_lies, what_its_coordinator_does_not_hold_was_accepted_in_vain)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view_id held = view_id_of(core_view(rig->core));
    struct view *proposed = rig_next(rig, "+D");

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = proposed}});
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 1);
    names(rig, 'B', &held, 2 * rig->timing.merge_ms + 100);
    names(rig, 'A', &held, 0);
    cr_assert(view_is_empty(&rig->core->change.pending));
    rig_free(rig);
    rig = rig_in("A B C", 'C');
    proposed = rig_next(rig, "+D");
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = proposed}});
    names(rig, 'A', &held, 2 * rig->timing.merge_ms - 500);
    names(rig, 'B', &held, 600);
    cr_assert_eq(rig->core->change.pending.hash, proposed->hash, "for B knows nothing of it");
    rig_free(rig);
}

/* B made none such, and what it proposes when its time comes would be refused as overtaken. */
Test(core_lies, what_was_accepted_in_vain_is_forgotten_under_strict)
{
    struct rig *rig = rig_strict("A B C", 'C');
    struct view_id held = view_id_of(core_view(rig->core));
    struct view *proposed = rig_view(rig, "B A C");

    proposed->epoch = held.epoch + 1000;
    view_seal(proposed);
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = proposed}});
    cr_assert_eq(rig->core->change.pending.hash, proposed->hash);
    names(rig, 'A', &held, 2 * rig->timing.merge_ms + 100);
    cr_assert(view_is_empty(&rig->core->change.pending));
    rig_free(rig);
}

/* It coordinates, and this node cannot follow: then it has to come in anew. */
Test(core_lies, a_member_whose_coordinator_leaps_for_long_is_out)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *leaps = rig_next(rig, "");
    struct view_id named;

    leaps->version += LEAP_MAX + 10;
    view_seal(leaps);
    named = view_id_of(leaps);
    stays(rig, 'A', leaps, REFUSED_VIEW_LEAPS);
    names(rig, 'A', &named, rig->timing.stall_ms - 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    names(rig, 'A', &named, 500);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* It made both, as it seems, and holds the other one: the member's was made up. */
Test(core_lies, a_member_whose_view_its_coordinator_has_otherwise_is_out)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *other = rig_next(rig, "-B");
    struct view_id named = view_id_of(other);

    other->version--;
    stays(rig, 'B', other, REFUSED_VIEW_NOT_HIGHER);
    names(rig, 'A', &named, rig->timing.stall_ms);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER, "B did not make it");
    rig_hears(rig, 'A'); /* It names ours, so the member is not behind it (L5). */
    stays(rig, 'A', other, REFUSED_VIEW_NOT_HIGHER);
    names(rig, 'A', &named, rig->timing.stall_ms - 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    names(rig, 'A', &named, 500);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

Test(core_lies, a_leap_that_its_coordinator_takes_back_puts_nobody_out)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *leaps = rig_next(rig, "");
    struct view_id named;

    leaps->version += LEAP_MAX + 10;
    view_seal(leaps);
    named = view_id_of(leaps);
    stays(rig, 'A', leaps, REFUSED_VIEW_LEAPS);
    rig_pass(rig, rig->timing.stall_ms, "A");
    names(rig, 'A', &named, 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

/* Refuses what that one shows: a leap, which it names for so long. */
static void hears_of_leap(struct rig *rig, char from, uint64_t ms)
{
    struct view *leaps = rig_next(rig, "");

    leaps->version += LEAP_MAX + 10;
    view_seal(leaps);
    const struct view_id named = view_id_of(leaps);
    stays(rig, from, leaps, REFUSED_VIEW_LEAPS);
    names(rig, from, &named, ms);
}

/* There is one chain, and voters know it: who cannot follow it has to come in anew. */
Test(core_lies, a_voter_tells_of_a_leap_under_strict)
{
    for (const char *self = "AC"; *self != '\0'; self++) { /* The coordinator itself, too. */
        struct rig *rig = rig_strict("A B C", *self);

        hears_of_leap(rig, 'B', rig->timing.stall_ms - 500);
        cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
        hears_of_leap(rig, 'B', 500);
        cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
        rig_free(rig);
    }
}

/* Z9e: it would be shown that view for ever, and could not install it. */
Test(core_lies, a_voter_tells_of_a_view_that_misnames_this_node)
{
    struct rig *rig = rig_strict("A B C", 'C');
    struct view *other = rig_next(rig, "");
    const struct view_id named = view_id_of(other);

    other->members[2].address.port++;
    view_seal(other);
    stays(rig, 'B', other, REFUSED_VIEW_MISNAMES);
    names(rig, 'B', &named, rig->timing.stall_ms);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* Anybody else may lie; but its maker holds what it made. */
Test(core_lies, nobody_else_puts_out_under_strict)
{
    struct rig *rig = rig_strict_among("A B C D", 'C', "A B C");
    struct view_id lower = view_id_of(core_view(rig->core));

    hears_of_leap(rig, 'D', rig->timing.stall_ms);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER, "D has no vote");
    hears_of_leap(rig, 'B', rig->timing.stall_ms - 500);
    rig_hears(rig, 'A');
    hears_of_leap(rig, 'B', rig->timing.stall_ms - 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER, "A named ours meanwhile");
    rig_hears(rig, 'A');
    lower.version--;
    names(rig, 'B', &lower, rig->timing.stall_ms);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER, "B did not make it");
    names(rig, 'A', &lower, rig->timing.stall_ms - 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    names(rig, 'A', &lower, 600);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* --- Leaps (V7) --- */

/* What is made of what was said has to be within reach of those who were not told. */
Test(core_lies, what_is_only_said_may_leap_half_as_far)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *forged = rig_view(rig, "C A");

    forged->version++;
    forged->epoch += SAID_LEAP_MAX + 1;
    stays(rig, 'C', forged, REFUSED_VIEW_LEAPS);
    cr_assert_eq(rig->core->promise.seen, 1);
    forged->epoch--;
    stays(rig, 'C', forged, REFUSED_BASE_UNFIT);
    cr_assert_eq(rig->core->promise.seen, 1 + SAID_LEAP_MAX);
    rig_free(rig);
}

/* Who shows it is not its maker, who has to be able to outdo it. */
Test(core_lies, a_view_that_another_shows_may_leap_half_as_far)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *forged = rig_next(rig, "-B");

    forged->epoch += SAID_LEAP_MAX + 1;
    stays(rig, 'C', forged, REFUSED_VIEW_LEAPS);
    forged->epoch = 1;
    forged->version += SAID_LEAP_MAX;
    stays(rig, 'C', forged, REFUSED_VIEW_LEAPS);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_eq(rig->core->promise.seen, 1);
    forged->epoch = 1 + SAID_LEAP_MAX;
    forged->version -= 1;
    stays(rig, 'C', forged, REFUSED_VIEW_IN_OUR_NAME);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->epoch, 2 + SAID_LEAP_MAX);
    rig_free(rig);
}

/* Under strict whoever is followed by such a view may have to make one above it, which is no leap
 * where it is proposed. */
Test(core_lies, under_strict_a_view_that_its_maker_proposes_may_leap_further)
{
    struct rig *rig = rig_strict_among("A B C D", 'D', "A B C");
    struct view *forged = rig_next(rig, "");

    forged->epoch += BOUND_LEAP_MAX + 1;
    stays(rig, 'A', forged, REFUSED_VIEW_LEAPS);
    rig_pass(rig, 2 * rig->timing.stall_ms, "A B C");
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = forged}});
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    cr_assert_eq(rig->core->promise.seen, 1 + BOUND_LEAP_MAX, "or it would ask for one that leaps");
    rig_free(rig);
}

/* Nobody would grant it the one above what it was told. */
Test(core_lies, a_claim_does_not_leap)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig->core->promise.seen = 1 + LEAP_MAX;
    rig_kill(rig, 'A');
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, 'C');
    cr_assert_not_null(claim);
    cr_assert_eq(claim->carrier.epoch, 2);
    rig_free(rig);
}

/* A joiner knows an epoch from a former life that nobody here heeds. */
Test(core_lies, an_epoch_of_a_former_life_that_leaps_is_forgotten)
{
    struct rig *rig = rig_joining('C');
    struct message shown = shows(rig_view(rig, "A B C"));

    rig->core->promise.seen = 2 + SAID_LEAP_MAX;
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(rig->core->promise.seen, 1);
    rig_free(rig);
}

/* It had nothing to measure it by when it was proposed. */
Test(core_lies, a_proposal_that_leaps_above_the_first_view_is_forgotten)
{
    struct rig *rig = rig_joining('C');
    struct view *leaps = rig_view(rig, "X C");

    leaps->version = 4 + LEAP_MAX;
    view_seal(leaps);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    rig_gets(rig, 'X', &(struct message){.type = MESSAGE_OFFER});
    rig_gets(rig, 'X', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = leaps}});
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 1);
    const struct view_reference named = {.view = view_id_of(leaps), .view_hash = leaps->hash};
    struct message shown = shows(rig_view(rig, "A B C"));
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_view(rig->core)->hash, shown.carrier.view->hash);
    rig_gets(rig, 'X', &(struct message){.type = MESSAGE_COMMIT, .reference = named});
    cr_assert_eq(core_view(rig->core)->hash, shown.carrier.view->hash);
    rig_free(rig);
}

/* It began anew on a view that leaps, and another was committed before its own: what it proposes as
 * a member would be dropped by all. */
Test(core_lies, a_version_of_a_joiner_that_leaps_is_forgotten)
{
    struct rig *rig = rig_joining('A');
    struct message shown = shows(rig_view(rig, "B A C"));

    rig->core->counting.version_used = 4 + LEAP_MAX;
    rig->core->counting.epoch_used = 2; /* Or V4k would see to it. */
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    rig_gets(rig, 'B', &shown);
    rig_kill(rig, 'B');
    rig_grants(rig, 'C', 2);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare);
    cr_assert_lt(prepare->carrier.view->version, 10);
    rig_free(rig);
}

/* V7a: a voter that promised it never takes less, so those who heard of it go on from there. */
Test(core_lies, under_strict_leaps_are_measured_from_what_was_seen)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig->core->promise.seen = 1 + LEAP_MAX;
    rig->core->voter.record.promise.epoch = 1 + LEAP_MAX;
    rig->core->promise.base.ms = 0;
    cr_assert_not(promise_epoch_leaps(rig->core, 1 + LEAP_MAX + BOUND_LEAP_MAX));
    cr_assert(promise_epoch_leaps(rig->core, 2 + LEAP_MAX + BOUND_LEAP_MAX));
    rig_free(rig);
    rig = rig_in("A B C", 'B');
    rig->core->promise.seen = 1 + LEAP_MAX;
    rig->core->promise.base.ms = 0;
    cr_assert(promise_epoch_leaps(rig->core, 1 + LEAP_MAX));
    rig_free(rig);
}

/* V7a, V7c, H48: an epoch that leaps was asked for once, in somebody's name; and then another one.
 */
Test(core_lies, what_nobody_asks_for_again_does_not_add_up)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t far = 1 + 2 * LEAP_MAX;

    promise_near_epoch(rig->core, far);
    rig_pass(rig, rig->timing.stall_ms, "A C");
    cr_assert_not(promise_epoch_leaps(rig->core, 1 + SAID_LEAP_MAX + BOUND_LEAP_MAX),
                  "asked again");
    rig_pass(rig, rig->timing.stall_ms / 2, "A C");
    cr_assert_not(promise_epoch_leaps(rig->core, 1 + BOUND_LEAP_MAX));
    cr_assert(promise_epoch_leaps(rig->core, 2 + BOUND_LEAP_MAX));
    promise_near_epoch(rig->core, far);
    cr_assert_eq(rig->core->promise.seen, 1 + SAID_LEAP_MAX, "no further than the first time");
    rig_pass(rig, rig->timing.stall_ms, "A C");
    promise_near_epoch(rig->core, far);
    cr_assert_eq(rig->core->promise.seen, 1 + LEAP_MAX, "but for who asks in earnest");
    rig_free(rig);
}

/* V7a, H48: nor do later spans, in which nobody asks for it, add to it. */
Test(core_lies, what_was_said_long_ago_counts_in_no_later_span)
{
    struct rig *rig = rig_strict("A B C", 'B');

    promise_near_epoch(rig->core, 1 + 2 * LEAP_MAX);
    rig_pass(rig, 2 * rig->timing.stall_ms, "A C");
    const struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+D")}};
    rig_gets(rig, 'A', &shown);
    rig_must_see(rig, "A B C D");
    rig_pass(rig, rig->timing.stall_ms, "A C D");
    cr_assert(promise_epoch_leaps(rig->core, 2 + BOUND_LEAP_MAX));
    rig_free(rig);
}

/* H48: in its coordinator's name. Who is shown this view by the one that took it has to outdo it.
 */
Test(core_lies, next_age_does_not_leap)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->next_age = core_view(rig->core)->next_age + SAID_LEAP_MAX + 1;
    stays(rig, 'A', view, REFUSED_VIEW_LEAPS);
    const struct message claim = {
        .type = MESSAGE_CLAIM,
        .carrier = {.view = view, .lineage = view->lineage, .epoch = view->epoch + 1}};
    rig_gets(rig, 'A', &claim);
    cr_assert_neq(core_view(rig->core)->hash, view->hash);
    view->next_age--;
    struct message shown = shows(view);
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
    rig_free(rig);
}

/* H16: many small leaps are one large one, but for what time allows. */
Test(core_lies, leaps_add_up)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->version = SAID_LEAP_MAX;
    view->epoch = SAID_LEAP_MAX;
    struct message shown = shows(view);
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
    view->version += SAID_LEAP_MAX / 2;
    stays(rig, 'A', view, REFUSED_VIEW_LEAPS);
    view->version = SAID_LEAP_MAX + 1;
    view->epoch += SAID_LEAP_MAX / 2;
    stays(rig, 'A', view, REFUSED_VIEW_LEAPS);
    rig_pass(rig, rig->timing.stall_ms, "A C");
    shown = shows(view);
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
    rig_free(rig);
}

/* What it can have heard is bounded, and what it cannot count up to it does not propose. */
Test(core_lies, nothing_is_proposed_that_a_receiver_would_not_take)
{
    struct rig *rig = rig_in("A", 'A');

    rig->core->view.next_age = COUNTER_MAX;
    rig_joins(rig, 'B');
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_eq(core_view(rig->core)->member_count, 1);
    rig_free(rig);
}

/* Z2h */
Test(core_lies, a_vote_does_not_leap)
{
    struct rig *rig = rig_strict("A B C", 'A');

    struct message vote = rig_vote(rig, 'B', VOTE_CLAIM, VOTE_REFUSED_EPOCH);

    vote.carrier.vote.promised = COUNTER_MAX;
    rig_refuses(rig, 'B', &vote, REFUSED_EPOCH_LEAPS);
    rig_free(rig);
}

/* --- One name, two contents (V2b) --- */

static struct message says_other_hash(const struct rig *rig)
{
    const struct view *view = core_view(rig->core);

    return (struct message){.type = MESSAGE_HEARTBEAT,
                            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash + 1}};
}

static struct view *other_content(struct rig *rig)
{
    struct view *view = rig_view(rig, "A B C");

    view->gone_count = 0;
    view->next_age++;
    view->version = core_view(rig->core)->version;
    view_seal(view);
    return view;
}

/* H48: one heartbeat with a wrong hash made a new view for all. */
Test(core_lies, a_coordinator_asks_to_see_the_other_content)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message says = says_other_hash(rig);

    rig_gets(rig, 'B', &says);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'B'));
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* L4: it names the view that this node holds, yet not what is in it. */
Test(core_lies, a_name_with_another_content_takes_nothing_back)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message says = says_other_hash(rig);

    rig_gets(rig, 'B', &says);
    cr_assert_eq(rig_count(rig, MESSAGE_PULL), 0, "A is heard, and B did not make it");
    rig_gets(rig, 'A', &says);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'));
    stays(rig, 'A', other_content(rig), REFUSED_VIEW_NOT_HIGHER);
    for (uint64_t ms = 0; ms < rig->timing.stall_ms; ms += 100) {
        cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
        rig_pass(rig, 100, "");
        rig_gets(rig, 'A', &says);
    }
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* V2b: in the view that somebody made up A lives elsewhere. */
/* Whoever has no view yet cannot tell where A lives (V4h). */
Test(core_lies, the_other_content_is_asked_for_where_its_name_came_from)
{
    struct rig *rig = rig_joining('C');
    struct view *moved = rig_view(rig, "A B C");

    moved->members[0].address = member_of('X').address;
    view_seal(moved);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    gets_shown(rig, 'A', moved);
    const struct message says = says_other_hash(rig);
    rig_gets(rig, 'A', &says);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'));
    cr_assert_null(rig_told(rig, MESSAGE_PULL, 'X'));
    rig_free(rig);
}

/* L4: A, who made it, is gone, and each of B and C takes the other for one of another founding. */
Test(core_lies, the_younger_gives_up_its_content_where_nobody_coordinates)
{
    for (const char *self = "BC"; *self != '\0'; self++) {
        struct rig *rig = rig_in("A B C", *self);
        const char other = *self == 'B' ? 'C' : 'B';
        const struct message says = says_other_hash(rig);

        rig_pass(rig, rig->timing.fresh_ms + 100, "BC");
        rig_gets(rig, other, &says);
        cr_assert_eq(rig_told(rig, MESSAGE_PULL, other) != NULL, other == 'B');
        stays(rig, other, other_content(rig), REFUSED_VIEW_NOT_HIGHER);
        for (uint64_t ms = 0; ms <= rig->timing.stall_ms; ms += 100) {
            rig_pass(rig, 100, "");
            rig_gets(rig, other, &says);
        }
        cr_assert_eq(core_phase(rig->core), other == 'B' ? PHASE_JOINING : PHASE_MEMBER);
        rig_free(rig);
    }
}

Test(core_lies, another_content_is_superseded_once_in_a_while)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message other = shows(other_content(rig));

    rig_gets(rig, 'X', &other);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_gets(rig, 'B', &other);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->version, core_view(rig->core)->version + 1);
    struct message ack = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    other = shows(other_content(rig));
    rig_gets(rig, 'B', &other);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

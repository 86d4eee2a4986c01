/* The part that wins takes the other up (M3d, M4, M5). What the other does is in
 * test_core_yield.c. */
#include <criterion/criterion.h>

#include "core/model/limits.h"
#include "rig.h"

static struct message merge_of(struct view *view, uint64_t number)
{
    return (struct message){
        .type = MESSAGE_MERGE,
        .carrier = {.view = view, .merge = number, .part = rig_part(view, view->member_count)}};
}

Test(core_merge, only_its_coordinator_offers_a_part)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    rig_ignores(rig, 'E', &merge, REFUSED_MERGE_OF_ANOTHER);
    rig_ignores(rig, 'B', &merge, REFUSED_MERGE_OF_ANOTHER);
    rig_free(rig);
}

/* H94: B has been made to believe a view of another founding in A's name, and anybody can ask in
 * B's name: it follows A, and agrees to what A proposes. */
Test(core_merge, a_member_asks_for_no_merge)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(core_view(rig->core))}};
    struct message merge = merge_of(rig_view(rig, "B D"), 77);

    says.heartbeat.view.lineage = 99;
    says.heartbeat.view.version++;
    rig_gets(rig, 'B', &says);
    merge.carrier.part.holders = 1;
    rig_ignores(rig, 'B', &merge, REFUSED_MERGE_OF_MEMBER);
    rig_free(rig);
}

Test(core_merge, a_merge_without_a_number_is_none)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 0);

    rig_ignores(rig, 'D', &merge, REFUSED_MERGE_UNNUMBERED);
    rig_free(rig);
}

/* S7: neither while it is being made, nor when it has come to nothing; a new try has a new number.
 */
Test(core_merge, a_merge_is_made_once)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    rig_gets(rig, 'D', &merge);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_ignores(rig, 'D', &merge, REFUSED_MERGE_BEGUN);

    rig_pass(rig, rig->timing.lost_ms + rig->timing.batch_ms, "B C");
    const struct message *refusal = rig_told(rig, MESSAGE_MERGE_REFUSED, 'D');
    cr_assert_not_null(refusal, "it did not agree");
    cr_assert_eq(refusal->merge_refused.reason, MERGE_REFUSED_ABORTED);
    rig_ignores(rig, 'D', &merge, REFUSED_MERGE_BEGUN);

    merge.carrier.merge++;
    rig_gets(rig, 'D', &merge);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_free(rig);
}

/* M5c: nobody could make a view above both. */
Test(core_merge, a_part_whose_numbers_leap_is_told_so)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *leaps = rig_view(rig, "D E");

    leaps->next_age += LEAP_MAX + 10;
    view_seal(leaps);
    struct message merge = merge_of(leaps, 77);
    rig_gets(rig, 'D', &merge);
    const struct message *refusal = rig_told(rig, MESSAGE_MERGE_REFUSED, 'D');
    cr_assert_not_null(refusal);
    cr_assert_eq(refusal->merge_refused.reason, MERGE_REFUSED_LEAPS);
    cr_assert_eq(refusal->merge_refused.merge, 77);
    rig_free(rig);
}

static void check_refused(struct rig *rig, const struct message *merge, enum merge_refusal reason)
{
    rig_gets(rig, 'D', merge);
    const struct message *refusal = rig_told(rig, MESSAGE_MERGE_REFUSED, 'D');
    cr_assert_not_null(refusal);
    cr_assert_eq(refusal->merge_refused.reason, reason);
    cr_assert_eq(refusal->merge_refused.merge, merge->carrier.merge);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* M5c: the others would drop such a proposal for ever, and under strict it waits for them. */
Test(core_merge, a_part_above_which_no_view_would_be_taken_is_told_so)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *near = rig_view(rig, "D E");

    near->next_age = core_view(rig->core)->next_age + LEAP_MAX;
    view_seal(near);
    const struct message by_age = merge_of(near, 77);
    check_refused(rig, &by_age, MERGE_REFUSED_LEAPS);

    rig = rig_in("A B C", 'A');
    near = rig_view(rig, "D E");
    near->version = core_view(rig->core)->version + LEAP_MAX;
    view_seal(near);
    const struct message by_version = merge_of(near, 77);
    check_refused(rig, &by_version, MERGE_REFUSED_LEAPS);
}

/* M4: what both exchanged before may not be so any more. */
Test(core_merge, a_part_that_wins_is_not_taken_up)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    merge.carrier.part.holders = 4;
    check_refused(rig, &merge, MERGE_REFUSED_LOSING);
}

Test(core_merge, only_a_coordinator_takes_up)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    check_refused(rig, &merge, MERGE_REFUSED_LOSING);
}

Test(core_merge, more_than_there_is_room_for_are_not_taken_up)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E F G H I"), 77);

    merge.carrier.part.holders = 1;
    check_refused(rig, &merge, MERGE_REFUSED_FULL);
}

/* M4, H38: E is in both lists, and goes by what its last heartbeat said. Either way it is there
 * once. */
static void check_both_lists(char coordinator_of_e, const char *merged)
{
    struct rig *rig = rig_in("A B E", 'A');
    struct heartbeat says = {.view = view_id_of(core_view(rig->core)), .view_hash = 1};
    char text[64];

    says.view.coordinator = rig_id(rig, coordinator_of_e);
    says.view.version--;
    rig_gets(rig, 'E', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    struct message merge = merge_of(rig_view(rig, "D E F"), 77);
    merge.carrier.part.holders = 1;
    rig_gets(rig, 'D', &merge);

    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_str_eq(view_text(prepare->carrier.view, text, sizeof text), merged);
    cr_assert(view_is_sound(prepare->carrier.view));
    rig_free(rig);
}

Test(core_merge, who_is_in_both_lists_goes_by_its_own_word)
{
    check_both_lists('A', "A B E D F");
    check_both_lists('D', "A B D E F");
}

/* What E said last names A as the coordinator of another founding, which says nothing of where it
 * lives now. T_fresh later it is open no more whether it has moved (L2c). */
Test(core_merge, who_is_in_both_lists_and_named_another_founding_is_the_others)
{
    struct rig *rig = rig_in("A B E", 'A');
    struct heartbeat says = {.view = view_id_of(core_view(rig->core)), .view_hash = 1};
    char text[64];

    says.view.lineage++;
    says.view.version--;
    rig_gets(rig, 'E', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    rig_pass(rig, rig->timing.fresh_ms, "B");
    struct message merge = merge_of(rig_view(rig, "D E F"), 77);
    merge.carrier.part.holders = 1;
    rig_gets(rig, 'D', &merge);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_str_eq(view_text(prepare->carrier.view, text, sizeof text), "A B D E F");
    rig_free(rig);
}

/* H15: a request may come late, and others were made meanwhile. */
Test(core_merge, the_last_eight_merges_are_known_again)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    for (uint64_t i = 0; i < MERGES_KEPT; i++) {
        merge.carrier.merge = 77 + i;
        rig_gets(rig, 'D', &merge);
        cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
        rig_pass(rig, rig->timing.lost_ms + rig->timing.batch_ms, "B C");
    }
    for (uint64_t i = 0; i < MERGES_KEPT; i++) {
        merge.carrier.merge = 77 + i;
        rig_gets(rig, 'D', &merge);
        cr_assert_eq(rig->sent_count, 0);
    }
    rig_free(rig);
}

/* H10, H44 */
Test(core_merge, a_merged_view_is_above_both_and_names_both)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *theirs = rig_view(rig, "D E");
    struct gone gone = {.reason = GONE_FAILED, .id = member_of('X').id, .age = 1, .name = "X"};

    gone.address = member_of('X').address;
    view_add_gone(theirs, &gone);
    theirs->epoch = 5;
    theirs->version = 40;
    theirs->next_age = 9;
    view_seal(theirs);
    const struct view_id ours = view_id_of(core_view(rig->core));
    const struct view_id lost = view_id_of(theirs);
    struct message merge = merge_of(theirs, 77);
    rig_gets(rig, 'D', &merge);

    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    const struct view *merged = prepare->carrier.view;
    cr_assert_eq(merged->member_count, 5);
    cr_assert_eq(merged->members[2].age, 3, "the winners keep theirs");
    cr_assert_eq(merged->members[3].age, 9);
    cr_assert_eq(merged->members[4].age, 10);
    cr_assert_gt(merged->epoch, 5);
    cr_assert_gt(merged->version, 40);
    cr_assert_not_null(view_find_gone(merged, &gone.id));
    cr_assert(view_id_equal(&merged->parent, &ours));
    cr_assert(view_id_equal(&merged->merged, &lost));
    rig_free(rig);
}

/* D asks for itself and a second one that has B's name, or B's address. */
static struct message merge_with_another_b(struct rig *rig, bool name)
{
    struct view *theirs = rig_view(rig, "D X");
    const struct member b = member_of('B');

    if (name) {
        theirs->members[1].name[0] = 'B';
    } else {
        theirs->members[1].address = b.address;
    }
    view_seal(theirs);
    return merge_of(theirs, 77);
}

static void check_merged(struct rig *rig, const struct message *merge, const char *letters)
{
    char text[64];

    rig_gets(rig, 'D', merge);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_str_eq(view_text(prepare->carrier.view, text, sizeof text), letters);
    rig_free(rig);
}

/* H22 */
Test(core_merge, of_two_lives_of_one_name_the_winners_stays)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_with_another_b(rig, true);

    check_merged(rig, &merge, "A B C D");
}

Test(core_merge, of_two_lives_at_one_address_the_winners_stays)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_with_another_b(rig, false);

    check_merged(rig, &merge, "A B C D");
}

/* A does not hear B, but C does: the link is bad. */
Test(core_merge, a_holder_whom_others_hear_keeps_its_name)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_with_another_b(rig, true);

    rig_pass(rig, rig->timing.fresh_ms, "C");
    check_merged(rig, &merge, "A B C D");
}

/* Nobody hears B: it may be dead, and the other life may have its name when that is known. */
Test(core_merge, a_silent_holder_of_a_name_makes_the_merge_wait)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_with_another_b(rig, true);

    rig_pass(rig, rig->timing.fresh_ms, "C");
    rig_accuses(rig, 'C', 2, VERDICT_NONE);
    check_refused(rig, &merge, MERGE_REFUSED_BUSY);
}

/* M5: without the one who asks there is nobody to agree. */
Test(core_merge, a_coordinator_whose_name_is_taken_is_told)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *theirs = rig_view(rig, "D E");

    theirs->members[0].name[0] = 'B';
    view_seal(theirs);
    const struct message merge = merge_of(theirs, 77);
    check_refused(rig, &merge, MERGE_REFUSED_NAME);
}

/* M5, H37 */
Test(core_merge, a_part_is_not_taken_up_in_the_middle_of_a_change)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_of(rig_view(rig, "D E"), 77);

    rig_joins(rig, 'X');
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'X'));
    check_refused(rig, &merge, MERGE_REFUSED_BUSY);
}

/* M4, D4: for T_lost, which it may need to turn its loop; T_prepare is shorter. */
Test(core_merge, the_losing_coordinator_is_waited_for)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_of(rig_view(rig, "D E"), 77);
    char text[64];

    rig_gets(rig, 'D', &merge);
    const struct message ack = rig_ack(rig, 'D');
    for (const char *at = "BCE"; *at != '\0'; at++) {
        rig_gets(rig, *at, &ack);
    }
    cr_assert_lt(rig->timing.prepare_ms + rig->timing.batch_ms, rig->timing.lost_ms);
    rig_pass(rig, rig->timing.lost_ms - 1, "B C");
    cr_assert_eq(rig_count(rig, MESSAGE_MERGE_REFUSED), 0);
    rig_gets(rig, 'D', &ack);
    cr_assert_str_eq(rig_sees(rig, text), "A B C D E");
    rig_free(rig);
}

/* M4f, H48: somebody made up what asked for the merge, and the answer to what came of it. */
Test(core_merge, who_was_not_asked_does_not_answer_for_the_losing_coordinator)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_of(rig_view(rig, "D E"), 77);
    char text[64];

    rig_gets(rig, 'D', &merge);
    const struct message ack = rig_ack(rig, 'D');
    for (const char *at = "BCE"; *at != '\0'; at++) {
        rig_gets(rig, *at, &ack);
    }
    struct message forged = rig_message(rig, 'D', &ack);
    forged.echo = 0;
    rig_ignores_raw(rig, &forged, REFUSED_MERGE_UNASKED);
    rig_pass(rig, 2 * rig->timing.lost_ms, "B C");
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    rig_free(rig);
}

/* M4, H43: B is bound to the epoch of the merge. If nobody is, there is nothing to be done. */
Test(core_merge, a_winner_goes_on_above_a_merge_that_somebody_acknowledged)
{
    for (int acknowledged = 0; acknowledged <= 1; acknowledged++) {
        struct rig *rig = rig_in("A B C", 'A');
        const struct message merge = merge_of(rig_view(rig, "D E"), 77);
        rig_gets(rig, 'D', &merge);
        const uint64_t epoch = rig_told(rig, MESSAGE_PREPARE, 'D')->carrier.view->epoch;
        const struct message ack = rig_ack(rig, 'B');
        if (acknowledged) {
            rig_gets(rig, 'B', &ack);
        }
        rig_pass(rig, rig->timing.lost_ms + rig->timing.batch_ms, "B C");
        cr_assert_not_null(rig_told(rig, MESSAGE_MERGE_REFUSED, 'D'));
        rig_pass(rig, 2 * rig->timing.batch_ms, "B C");
        const struct message *above = rig_told(rig, MESSAGE_PREPARE, 'B');
        cr_assert_eq(above != NULL, acknowledged);
        cr_assert(!acknowledged || above->carrier.view->epoch > epoch);
        rig_free(rig);
    }
}

/* H39: D, who asked, was known before; E is known by the merge alone. */
Test(core_merge, a_winner_whose_merge_failed_knows_the_other)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message merge = merge_of(rig_view(rig, "D E"), 77);
    uint32_t probes = 0;

    rig_gets(rig, 'D', &merge);
    for (uint64_t ms = 0; probes == 0 && ms < rig->timing.stall_ms; ms += 100) {
        rig_pass(rig, 100, "B C");
        probes += rig_told(rig, MESSAGE_PROBE, 'E') != NULL;
    }
    cr_assert_gt(probes, 0);
    rig_free(rig);
}

/* I3 */
Test(core_merge, a_part_that_is_not_related_is_not_taken_up)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *view = rig_view(rig, "D E");

    view->lineage = 99;
    view_seal(view);
    struct message merge = merge_of(view, 77);
    rig_ignores(rig, 'D', &merge, REFUSED_PART_UNRELATED);
    rig_free(rig);
}

/* J2 */
Test(core_merge, a_part_with_other_terms_is_not_taken_up)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    merge.carrier.part.terms.capacity++;
    rig_ignores(rig, 'D', &merge, REFUSED_TERMS_DIFFER);
    rig_free(rig);
}

/* J2d */
Test(core_merge, a_part_that_speaks_another_version_is_not_taken_up)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *view = rig_view(rig, "D E");
    const uint8_t high = core_view(rig->core)->members[0].versions.high;

    for (uint32_t i = 0; i < view->member_count; i++) {
        view->members[i].versions = (struct versions){.low = high + 1, .high = high + 2};
    }
    view_seal(view);
    const struct message merge = merge_of(view, 77);
    check_refused(rig, &merge, MERGE_REFUSED_VERSIONS);
}

/* S5: a READY that waited while a merge brought its sender in as gone lets nobody back under the id
 * that was removed. */
Test(core_merge, who_came_in_as_gone_is_not_let_in_for_an_earlier_ready)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *theirs = rig_view(rig, "D E");
    struct joiner joiner = {.member = member_of('X'), .terms = rig_terms()};

    rig_gets(rig, 'X', &(struct message){.type = MESSAGE_JOIN, .joiner = joiner});
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, 'X');
    cr_assert_not_null(offer);
    joiner.nonce = offer->offer.nonce;
    rig_gets(rig, 'X', &(struct message){.type = MESSAGE_READY, .joiner = joiner});

    struct gone gone = {.reason = GONE_FAILED, .id = joiner.member.id, .age = 9, .name = "X"};
    gone.address = joiner.member.address;
    view_add_gone(theirs, &gone);
    view_seal(theirs);
    struct message merge = merge_of(theirs, 77);
    rig_gets(rig, 'D', &merge);
    const struct message *proposal = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(proposal);
    struct message ack = {.type = MESSAGE_ACK,
                          .reference = {.view = view_id_of(proposal->carrier.view),
                                        .view_hash = proposal->carrier.view->hash}};
    for (const char *at = "BCDE"; *at != '\0'; at++) {
        rig_gets(rig, *at, &ack);
    }
    cr_assert_eq(core_view(rig->core)->member_count, 5);
    rig_pass(rig, 2 * rig->timing.batch_ms, "B C D E");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'X'));
    rig_free(rig);
}

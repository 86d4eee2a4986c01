/* What a stale or hostile message must not do to a merge (M3 to M5, I3). */
#include <criterion/criterion.h>

#include "rig.h"

static struct probe part_of(const struct view *view, uint32_t holders)
{
    return (struct probe){.view = view_id_of(view),
                          .view_hash = view->hash,
                          .holders = holders,
                          .oldest_age = view->members[0].age,
                          .guard_met = true,
                          .coordinator = view->members[0].address,
                          .terms = rig_terms()};
}

/* --- The part that takes up --- */

static struct message merge_of(struct view *view, uint64_t number)
{
    return (struct message){
        .type = MESSAGE_MERGE,
        .carrier = {.view = view, .merge = number, .part = part_of(view, view->member_count)}};
}

Test(core_merge, only_its_coordinator_offers_a_part)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    rig_ignores(rig, 'E', &merge, DROP_STRANGER);
    rig_ignores(rig, 'B', &merge, DROP_STRANGER);
    rig_free(rig);
}

Test(core_merge, a_merge_without_a_number_is_none)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 0);

    rig_ignores(rig, 'D', &merge, DROP_STALE);
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
    rig_ignores(rig, 'D', &merge, DROP_STALE);

    rig_pass(rig, rig->timing.lost_ms + rig->timing.batch_ms, "B C");
    const struct message *refusal = rig_told(rig, MESSAGE_MERGE_REFUSED, 'D');
    cr_assert_not_null(refusal, "it did not agree");
    cr_assert_eq(refusal->merge_refused.reason, MERGE_REFUSED_ABORTED);
    rig_ignores(rig, 'D', &merge, DROP_STALE);

    merge.carrier.merge++;
    rig_gets(rig, 'D', &merge);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
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

/* --- The part that is taken up --- */

/* D, who leads D and E, has met the larger part of A, B and C and asked to be taken up. */
static struct rig *asking(uint64_t *number)
{
    struct rig *rig = rig_in("D E", 'D');
    struct message probe = {.type = MESSAGE_PROBE, .probe = part_of(rig_view(rig, "A B C"), 3)};

    probe.probe.answer = true;
    rig_gets(rig, 'A', &probe);
    const struct message *merge = rig_told(rig, MESSAGE_MERGE, 'A');
    cr_assert_not_null(merge);
    cr_assert(core_is_merging(rig->core));
    *number = merge->carrier.merge;
    return rig;
}

Test(core_merge, a_refusal_of_another_merge_ends_none)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    struct message refusal = {.type = MESSAGE_MERGE_REFUSED,
                              .merge_refused = {number + 2, MERGE_REFUSED_BUSY}};

    rig_ignores(rig, 'A', &refusal, DROP_STALE);
    refusal.merge_refused.merge = number;
    rig_ignores(rig, 'B', &refusal, DROP_STALE); /* Not whom it asked. */
    cr_assert(core_is_merging(rig->core));

    rig_gets(rig, 'A', &refusal);
    cr_assert_not(core_is_merging(rig->core));
    rig_ignores(rig, 'A', &refusal, DROP_STALE);
    rig_free(rig);
}

/* What A would make of both: D and E behind its own, the other view named as merged. */
static struct view *merged_view(struct rig *rig)
{
    struct view *view = rig_view(rig, "A B C D E");

    view->epoch = 2;
    view->cause = CAUSE_MERGE;
    view->merged = view_id_of(core_view(rig->core));
    view_seal(view);
    return view;
}

static void check_not_merged(struct rig *rig, char from, struct view *view, uint64_t number)
{
    char text[64];

    rig_gets(
        rig, from,
        &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view, .merge = number}});
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    rig_gets(rig, from,
             &(struct message){.type = MESSAGE_COMMIT,
                               .reference = {.view = view_id_of(view), .view_hash = view->hash}});
    cr_assert_str_eq(rig_sees(rig, text), "D E");
}

/* The number ties the view to the question: nobody makes a part move that did not ask. */
Test(core_merge, a_merged_view_that_was_not_asked_for_moves_nobody)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    struct view *view = merged_view(rig);

    check_not_merged(rig, 'A', view, number + 2);
    check_not_merged(rig, 'A', view, 0);
    view->merged.version--;
    view_seal(view);
    check_not_merged(rig, 'A', view, number);
    view->merged.version++;
    view_seal(view);

    rig_gets(
        rig, 'A',
        &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view, .merge = number}});
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'), "the right one does");
    rig_free(rig);
}

/* I3: another cluster may have come to an address that was one of ours. */
Test(core_merge, a_part_of_another_founding_that_nobody_here_knows_is_none)
{
    struct rig *rig = rig_in("D E", 'D');
    struct view *view = rig_view(rig, "A B C");

    view->lineage++;
    view_seal(view);
    struct message probe = {.type = MESSAGE_PROBE, .probe = part_of(view, 3)};
    rig_ignores(rig, 'A', &probe, DROP_LINEAGE);
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
    rig_ignores(rig, 'D', &merge, DROP_LINEAGE);
    rig_free(rig);
}

/* J2 */
Test(core_merge, a_part_with_other_terms_is_not_taken_up)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = merge_of(rig_view(rig, "D E"), 77);

    merge.carrier.part.terms.capacity++;
    rig_ignores(rig, 'D', &merge, DROP_TERMS);
    rig_free(rig);
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

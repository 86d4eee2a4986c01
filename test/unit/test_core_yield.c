/* The part that loses asks to be taken up, and agrees (M3, M4, M5b, M7). What the winner does is in
 * test_core_merge.c. */
#include <criterion/criterion.h>

#include "core/model/limits.h"
#include "core/state/state.h"
#include "rig.h"

static struct message probe_of(const struct view *view, uint32_t holders, bool answer)
{
    struct message probe = {.type = MESSAGE_PROBE, .probe = rig_part(view, holders)};

    probe.probe.answer = answer;
    return probe;
}

/* D, who leads D and E, has met the larger part of A, B and C and asked to be taken up. */
static struct rig *asking(uint64_t *number)
{
    struct rig *rig = rig_in("D E", 'D');
    struct message probe = {.type = MESSAGE_PROBE, .probe = rig_part(rig_view(rig, "A B C"), 3)};

    probe.probe.answer = true;
    rig_gets(rig, 'A', &probe);
    const struct message *merge = rig_told(rig, MESSAGE_MERGE, 'A');
    cr_assert_not_null(merge);
    cr_assert(core_is_merging(rig->core));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    *number = merge->carrier.merge;
    return rig;
}

Test(core_yield, a_refusal_of_another_merge_ends_none)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    struct message refusal = {.type = MESSAGE_MERGE_REFUSED,
                              .merge_refused = {number + 2, MERGE_REFUSED_BUSY}};

    rig_ignores(rig, 'A', &refusal, REFUSED_ANOTHER_MERGE);
    refusal.merge_refused.merge = number;
    rig_ignores(rig, 'B', &refusal, REFUSED_ANOTHER_MERGE); /* Not whom it asked. */
    cr_assert(core_is_merging(rig->core));

    rig_gets(rig, 'A', &refusal);
    cr_assert_not(core_is_merging(rig->core));
    rig_ignores(rig, 'A', &refusal, REFUSED_ANOTHER_MERGE);
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

/* M5c: the two cannot take each other's views, so this one comes in as a new life. */
Test(core_yield, a_part_whose_numbers_leap_starts_over)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    struct message refusal = {.type = MESSAGE_MERGE_REFUSED,
                              .merge_refused = {number + 2, MERGE_REFUSED_LEAPS}};

    rig_gets(rig, 'A', &refusal);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    refusal.merge_refused.merge = number;
    rig_gets(rig, 'A', &refusal);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

Test(core_yield, a_part_for_which_the_merged_view_leaps_starts_over)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    struct view *view = merged_view(rig);

    view->version += LEAP_MAX + 10;
    view_seal(view);
    struct message prepare = {.type = MESSAGE_PREPARE,
                              .carrier = {.view = view, .merge = number + 2}};
    rig_gets(rig, 'A', &prepare);
    rig_gets(rig, 'B', &prepare);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    prepare.carrier.merge = number;
    rig_gets(rig, 'A', &prepare);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
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
Test(core_yield, a_merged_view_that_was_not_asked_for_moves_nobody)
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

/* D has agreed to the view that A would make of both. */
static struct rig *agreed(struct view **merged)
{
    uint64_t number;
    struct rig *rig = asking(&number);

    *merged = merged_view(rig);
    rig_gets(
        rig, 'A',
        &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = *merged, .merge = number}});
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    return rig;
}

static uint32_t echo_of_last_ack(const struct rig *rig)
{
    uint32_t echo = 0;

    for (uint32_t i = 0; i < rig->sent_count; i++) {
        if (rig->sent[i].message.type == MESSAGE_ACK) {
            echo = rig->sent[i].echo;
        }
    }
    return echo;
}

/* M4f: each time that it agrees, so that it is known for the one who was asked. */
Test(core_yield, agrees_with_the_nonce_of_what_it_was_asked)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    const struct message prepare = {.type = MESSAGE_PREPARE,
                                    .carrier = {.view = merged_view(rig), .merge = number}};
    struct message asked = rig_message(rig, 'A', &prepare);

    asked.fellow = false;
    asked.echo = UINT32_C(0x87654321);
    rig_gets_raw(rig, &asked);
    cr_assert_eq(echo_of_last_ack(rig), asked.echo);
    rig_pass(rig, rig->timing.prepare_ms / 16, "E");
    cr_assert_eq(echo_of_last_ack(rig), asked.echo);
    rig_free(rig);
}

/* M3: it, or all that answered it, may have been lost. */
Test(core_yield, asks_until_it_has_agreed)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    struct view *view = merged_view(rig);

    rig_pass(rig, rig->timing.prepare_ms / 3, "E");
    const struct message *again = rig_told(rig, MESSAGE_MERGE, 'A');
    cr_assert_not_null(again);
    cr_assert_eq(again->carrier.merge, number);
    rig_gets(
        rig, 'A',
        &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view, .merge = number}});
    rig_pass(rig, rig->timing.prepare_ms, "E");
    cr_assert_eq(rig_count(rig, MESSAGE_MERGE), 0);
    rig_free(rig);
}

/* H40, H50: a part that waits lets nobody in. */
Test(core_yield, goes_on_when_nothing_comes_of_it)
{
    uint64_t number;
    struct rig *rig = asking(&number);

    rig_pass(rig, rig->timing.merge_ms - 1, "E");
    cr_assert(core_is_merging(rig->core));
    rig_pass(rig, 1, "E");
    cr_assert_not(core_is_merging(rig->core));
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

Test(core_yield, a_part_with_a_change_under_way_does_not_ask)
{
    struct rig *rig = rig_in("D E", 'D');
    const struct message answer = probe_of(rig_view(rig, "A B C"), 3, true);

    rig_joins(rig, 'X');
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'X'));
    rig_gets(rig, 'A', &answer);
    cr_assert_eq(rig_count(rig, MESSAGE_MERGE), 0);
    cr_assert_not(core_is_merging(rig->core));
    rig_free(rig);
}

/* Whoever asks gets an OFFER, so that it founds nothing, and comes in under the winner; not even a
 * refusal makes its READY count that came before. */
Test(core_yield, a_part_that_asked_lets_nobody_in)
{
    uint64_t number;
    struct rig *rig = asking(&number);

    rig_joins(rig, 'X');
    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_MERGE_REFUSED,
                               .merge_refused = {number, MERGE_REFUSED_BUSY}});
    cr_assert_not(core_is_merging(rig->core));
    rig_pass(rig, 2 * rig->timing.batch_ms, "E");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* Not even what E's death asks for. */
Test(core_yield, a_part_that_asked_proposes_nothing)
{
    uint64_t number;
    struct rig *rig = asking(&number);

    rig_kill(rig, 'E');
    rig_pass(rig, rig->timing.prepare_ms, "");
    cr_assert_eq(core_view(rig->core)->member_count, 2);
    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_MERGE_REFUSED,
                               .merge_refused = {number, MERGE_REFUSED_BUSY}});
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_eq(core_view(rig->core)->member_count, 1);
    rig_free(rig);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A answers D's probes all the while, and refuses: for how long does D not ask again? */
static uint64_t pause_after(struct rig *rig, uint64_t number, enum merge_refusal reason)
{
    const struct message answer = probe_of(rig_view(rig, "A B C"), 3, true);
    uint64_t ms = 0;

    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_MERGE_REFUSED, .merge_refused = {number, reason}});
    cr_assert_not(core_is_merging(rig->core));
    for (; !core_is_merging(rig->core); ms += 10) {
        cr_assert_lt(ms, rig->timing.flap_ms);
        rig_pass(rig, 10, "E");
        rig_gets(rig, 'A', &answer);
    }
    view_built_free(&rig->views[--rig->view_count]);
    return ms;
}

static uint64_t number_of(const struct rig *rig)
{
    const struct message *merge = rig_told(rig, MESSAGE_MERGE, 'A');

    cr_assert_not_null(merge);
    return merge->carrier.merge;
}

/* H40 */
Test(core_yield, a_refused_part_pauses)
{
    uint64_t number;
    struct rig *rig = asking(&number);

    cr_assert_geq(pause_after(rig, number, MERGE_REFUSED_BUSY), rig->timing.probe_ms / 2);
    rig_free(rig);
}

Test(core_yield, a_part_that_is_refused_for_good_pauses_longer)
{
    uint64_t number;
    struct rig *rig = asking(&number);

    for (uint32_t i = 1; i <= 6; i++) {
        uint64_t pause_ms = pause_after(rig, number, MERGE_REFUSED_FULL);
        uint64_t most_ms = rig->timing.flap_ms / 4;
        cr_assert_geq(pause_ms, least(rig->timing.probe_ms << i, most_ms) / 2);
        cr_assert_leq(pause_ms, most_ms + 10);
        number = number_of(rig);
    }
    rig_free(rig);
}

/* That the winner is busy, or was beaten meanwhile, is a matter of moments. */
Test(core_yield, a_part_that_is_refused_for_the_moment_does_not_pause_longer)
{
    uint64_t number;
    struct rig *rig = asking(&number);

    for (uint32_t i = 1; i <= 6; i++) {
        const uint64_t pause_ms = pause_after(
            rig, number, i % 2 == 0 ? MERGE_REFUSED_BUSY : MERGE_REFUSED_LOSING);
        cr_assert_leq(pause_ms, rig->timing.heartbeat_ms); /* So seldom is a stranger heeded. */
        number = number_of(rig);
    }
    rig_free(rig);
}

/* M3, M7, H37: A died, or the net did. The merged view may yet arrive at E: a view above it settles
 * which one holds here. */
Test(core_yield, a_part_that_agreed_waits_longer_and_makes_a_new_epoch)
{
    struct view *merged;
    struct rig *rig = agreed(&merged);

    rig_pass(rig, 2 * rig->timing.merge_ms - 1, "E");
    cr_assert(core_is_merging(rig->core));
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_pass(rig, 1 + 2 * rig->timing.batch_ms, "E");
    cr_assert_not(core_is_merging(rig->core));
    const struct message *above = rig_told(rig, MESSAGE_PREPARE, 'E');
    cr_assert_not_null(above);
    cr_assert_gt(above->carrier.view->epoch, merged->epoch);
    rig_free(rig);
}

/* M4, H37: nothing else would come from A, in whose view D is not yet as far as D knows. M8: then
 * watchers are told. */
Test(core_yield, a_heartbeat_stands_for_the_commit)
{
    struct view *merged;
    struct rig *rig = agreed(&merged);
    const struct message heartbeat = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(merged), .view_hash = merged->hash}};
    char text[64];

    rig_gets(rig, 'F', &heartbeat); /* It is not in that view. */
    cr_assert_str_eq(rig_sees(rig, text), "D E");
    rig_gets(rig, 'B', &heartbeat);
    cr_assert_str_eq(rig_sees(rig, text), "A B C D E");
    cr_assert_eq(rig->noticed[NOTICE_MERGE], 1);
    rig_free(rig);
}

/* M4g: D has gone on since; and what it goes by now is not to be taken back. */
Test(core_yield, a_heartbeat_of_a_view_that_is_lower_by_now_stands_for_nothing)
{
    struct view *merged;
    struct rig *rig = agreed(&merged);
    const struct message heartbeat = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(merged), .view_hash = merged->hash}};
    char text[64];

    rig->core->promise.seen = rig->core->view.epoch = merged->epoch + 1;
    rig_gets(rig, 'B', &heartbeat);
    cr_assert_str_eq(rig_sees(rig, text), "D E");
    rig_free(rig);
}

/* H39: A may be known by its probes; B and C are known by the proposal alone. */
Test(core_yield, a_part_whose_merge_failed_knows_the_other)
{
    struct view *merged;
    struct rig *rig = agreed(&merged);
    uint32_t probes = 0;

    for (uint64_t ms = 0; probes == 0 && ms < 2 * rig->timing.stall_ms; ms += 100) {
        rig_pass(rig, 100, "E");
        probes += rig_told(rig, MESSAGE_PROBE, 'C') != NULL;
    }
    cr_assert_gt(probes, 0);
    rig_free(rig);
}

/* M4, V4: E need not know what D and A agreed on. */
static void proposes_merged(struct rig *rig, uint64_t epoch)
{
    struct view *view = merged_view(rig);

    view->merged.epoch = epoch;
    view_seal(view);
    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view, .merge = 77}});
}

Test(core_yield, a_member_of_the_part_that_is_taken_up_agrees)
{
    struct rig *rig = rig_in("D E", 'E');

    proposes_merged(rig, core_view(rig->core)->epoch);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_free(rig);
}

/* A went over to the other part, and D has not removed it yet. */
Test(core_yield, a_member_of_the_part_that_is_taken_up_agrees_with_one_it_knows)
{
    struct rig *rig = rig_in("D E A", 'E');

    proposes_merged(rig, core_view(rig->core)->epoch);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_free(rig);
}

/* D has begun another epoch since: what it agreed to came to nothing. */
Test(core_yield, a_merge_of_an_earlier_epoch_is_not_agreed_to)
{
    struct rig *rig = rig_in("D E", 'E');

    proposes_merged(rig, core_view(rig->core)->epoch - 1);
    cr_assert_null(rig_told(rig, MESSAGE_ACK, 'A'));
    cr_assert_not_null(rig_told(rig, MESSAGE_NOT_FOLLOWING, 'A'));
    rig_free(rig);
}

/* M5, H22: its part comes in under the next oldest. */
Test(core_yield, a_coordinator_whose_name_was_taken_is_out)
{
    uint64_t number;
    struct rig *rig = asking(&number);
    const struct node_id former = core_self(rig->core)->id;

    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_MERGE_REFUSED,
                               .merge_refused = {number, MERGE_REFUSED_NAME}});
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    rig_free(rig);
}

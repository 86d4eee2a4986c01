/* Planned moves (E4 to E6), one node at a time. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "message_content.h"
#include "rig.h"

static void wants(struct rig *rig, char subject)
{
    rig_moves(rig, &(struct move){.kind = MOVE_TRANSFER, .subject = rig_id(rig, subject)});
}

static struct message stand_down_of(struct view *view)
{
    return (struct message){.type = MESSAGE_HANDOVER, .carrier = {.view = view, .stays = true}};
}

/* What B proposes when A stands down for it. */
static struct message proposal_of_b(struct rig *rig)
{
    struct view *next = rig_view(rig, "B C A");

    next->members[0].age = 2;
    next->members[1].age = 3;
    next->members[2].age = 4;
    next->next_age = 5;
    next->epoch = 2;
    next->version = 4;
    next->cause = CAUSE_HANDOVER;
    view_seal(next);
    struct message prepare = carries(MESSAGE_PREPARE, next);
    prepare.carrier.handover_by = rig_id(rig, 'A');
    return prepare;
}

/* E1a */
Test(core_moves, a_member_asks_the_coordinator_until_it_is_so)
{
    struct rig *rig = rig_in("A B C", 'C');

    wants(rig, 'B');
    cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'A'));
    rig_pass(rig, rig->timing.prepare_ms / 3, "A B");
    const struct message *move = rig_told(rig, MESSAGE_WISH, 'A');
    cr_assert_not_null(move);
    const struct node_id subject = rig_id(rig, 'B');
    cr_assert(id_equal(&move->wish.move.subject, &subject));
    rig_pass(rig, rig->timing.leave_ms, "A B");
    rig_pass(rig, rig->timing.leave_ms, "A B");
    cr_assert_eq(rig_count(rig, MESSAGE_WISH), 0);
    rig_free(rig);
}

/* E4 */
Test(core_moves, a_coordinator_stands_down_for_whom_it_hears)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message move = {
        .type = MESSAGE_WISH,
        .wish = {.kind = WISH_MOVE, .move = {.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'C')}}};

    rig_gets(rig, 'B', &move);
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'C'));
    move.wish.move.subject = rig_id(rig, 'B');
    rig_refuses(rig, 'B', &move, REFUSED_MOVE_UNDER_WAY);
    rig_free(rig);
}

Test(core_moves, a_coordinator_does_not_stand_down_for_one_that_is_silent)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message move = {
        .type = MESSAGE_WISH,
        .wish = {.kind = WISH_MOVE, .move = {.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'C')}}};

    rig_pass(rig, rig->timing.fresh_ms + 1, "B");
    rig_refuses(rig, 'B', &move, REFUSED_MOVE_TO_UNFIT);
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    rig_free(rig);
}

/* H7: whoever is heard, and hears nobody, would not learn that it is the one. */
Test(core_moves, a_coordinator_does_not_stand_down_for_one_that_is_deaf)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message move = {
        .type = MESSAGE_WISH,
        .wish = {.kind = WISH_MOVE, .move = {.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'C')}}};

    rig_accuses(rig, 'C', 1, VERDICT_NONE);
    rig_refuses(rig, 'B', &move, REFUSED_MOVE_TO_UNFIT);
    cr_assert_eq(core_unfit(rig->core, 2), UNFIT_DEAF);
    cr_assert_eq(core_unfit(rig->core, 1), UNFIT_NOT);
    rig_free(rig);
}

Test(core_moves, only_the_coordinator_is_to_be_asked_and_only_by_members)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message move = {
        .type = MESSAGE_WISH,
        .wish = {.kind = WISH_MOVE, .move = {.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'C')}}};

    rig_refuses(rig, 'C', &move, REFUSED_NOT_COORDINATOR);
    rig_free(rig);
    rig = rig_in("A B C", 'A');
    rig_refuses(rig, 'D', &move, REFUSED_OF_STRANGER);
    move.wish.move.subject = rig_id(rig, 'A');
    rig_refuses(rig, 'B', &move, REFUSED_SO_ALREADY);
    rig_free(rig);
}

/* E5a */
Test(core_moves, a_change_under_way_comes_to_its_end_first)
{
    struct rig *rig = rig_in("A B", 'A');

    rig_joins(rig, 'D');
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message ack = rig_ack(rig, 'B');
    wants(rig, 'B');
    rig_pass(rig, 2 * rig->timing.batch_ms, "B");
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'D', &ack);
    rig_pass(rig, 2 * rig->timing.batch_ms, "B");
    const struct message *told = rig_told(rig, MESSAGE_HANDOVER, 'B');
    cr_assert_not_null(told);
    cr_assert_eq(told->carrier.view->member_count, 3);
    cr_assert(told->carrier.stays);
    rig_free(rig);
}

/* E5a */
Test(core_moves, who_stands_down_proposes_nothing)
{
    struct rig *rig = rig_in("A B C", 'A');

    wants(rig, 'B');
    rig_joins(rig, 'D');
    rig_pass(rig, 2 * rig->timing.batch_ms, "B C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_pass(rig, 3 * rig->timing.prepare_ms, "B C");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

/* E5b */
Test(core_moves, the_successor_puts_those_who_were_older_behind_all_others)
{
    struct rig *rig = rig_in("A B C D", 'C');
    struct message stand_down = stand_down_of(rig_view(rig, "A B C D"));
    char text[64];

    rig_gets(rig, 'A', &stand_down);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    const struct view *next = prepare->carrier.view;
    cr_assert_str_eq(view_text(next, text, sizeof text), "C D A B");
    cr_assert_eq(next->members[2].age, 5);
    cr_assert_eq(next->members[3].age, 6);
    cr_assert_eq(next->next_age, 7);
    cr_assert_eq(next->epoch, 2);
    const struct node_id former = rig_id(rig, 'A');
    cr_assert(id_equal(&prepare->carrier.handover_by, &former));
    rig_free(rig);
}

/* E5c */
Test(core_moves, who_stands_down_is_asked_last_and_must_agree)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message stand_down = stand_down_of(rig_view(rig, "A B C"));
    char text[64];

    rig_gets(rig, 'A', &stand_down);
    const struct message ack = rig_ack(rig, 'C');
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'A'));
    rig_gets(rig, 'C', &ack);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'A'));
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    rig_gets(rig, 'A', &ack);
    rig_pass(rig, 1, "");
    cr_assert_str_eq(rig_sees(rig, text), "B C A");
    rig_free(rig);
}

/* E5c */
Test(core_moves, without_its_word_nobody_takes_over)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message stand_down = stand_down_of(rig_view(rig, "A B C"));
    char text[64];

    rig_gets(rig, 'A', &stand_down);
    const struct message ack = rig_ack(rig, 'C');
    rig_gets(rig, 'C', &ack);
    rig_pass(rig, 3 * rig->timing.prepare_ms, "A C");
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    rig_free(rig);
}

/* E5c, C3b: C answers the proposal, and follows A. What answers another view is no word on it. */
Test(core_moves, who_follows_the_former_one_stops_a_take_over)
{
    for (int answers = 0; answers < 2; answers++) {
        struct rig *rig = rig_in("A B C", 'B');
        const struct message stand_down = stand_down_of(rig_view(rig, "A B C"));
        struct message follows = {.type = MESSAGE_NOT_FOLLOWING,
                                  .reference = {.view = view_id_of(core_view(rig->core)),
                                                .view_hash = core_view(rig->core)->hash}};

        rig_gets(rig, 'A', &stand_down);
        cr_assert(rig->core->change.on);
        if (answers) {
            follows.reference.view_hash = rig->core->change.pending.hash;
        }
        rig_gets(rig, 'C', &follows);
        cr_assert_eq(rig->core->change.on, !answers);
        rig_free(rig);
    }
}

/* E5c */
Test(core_moves, it_acts_until_it_has_agreed)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message prepare = proposal_of_b(rig);

    wants(rig, 'B');
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_gets(rig, 'B', &prepare);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'B'));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    rig_free(rig);
}

/* E5c */
Test(core_moves, it_agrees_with_nobody_but_its_successor)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message prepare = proposal_of_b(rig);

    rig_refuses(rig, 'B', &prepare, REFUSED_PROPOSAL_NOT_FOLLOWED);
    wants(rig, 'C');
    rig_refuses(rig, 'B', &prepare, REFUSED_PROPOSAL_NOT_FOLLOWED);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* E5b, E3 */
Test(core_moves, a_leaver_succeeds_nobody)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message stand_down = stand_down_of(rig_view(rig, "A B C"));

    rig_leaves(rig);
    rig_refuses(rig, 'A', &stand_down, REFUSED_LEAVING);
    rig_free(rig);
}

/* E5b, E2b, H73: a view that was never proposed here leaves C out; B asks for it and makes none. */
Test(core_moves, a_stand_down_for_a_view_that_is_not_held_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message stand_down = stand_down_of(rig_next(rig, "-C"));

    rig_gets(rig, 'A', &stand_down);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'));
    cr_assert_eq(core_view(rig->core)->member_count, 3);
    rig_free(rig);
}

/* A stands down for B, accepts what that proposes, and no view comes of it. */
static void stands_down_for_nobody(struct rig *rig)
{
    const struct message prepare = proposal_of_b(rig);

    wants(rig, 'B');
    rig_gets(rig, 'B', &prepare);
    rig_pass(rig, 2 * rig->timing.prepare_ms, "B C");
}

/* What A proposes now, with ages above those that B gave. */
static const struct view *overtakes(const struct rig *rig)
{
    const struct message *again = rig_told(rig, MESSAGE_PREPARE, 'C');
    char text[64];

    cr_assert_not_null(again);
    const struct view *next = again->carrier.view;
    cr_assert_str_eq(view_text(next, text, sizeof text), "A B C");
    cr_assert_eq(next->members[0].age, 4);
    cr_assert_eq(next->members[2].age, 6);
    cr_assert_eq(next->next_age, 7);
    return next;
}

/* E6a */
Test(core_moves, who_stood_down_for_nobody_overtakes_in_its_turn)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message move = {
        .type = MESSAGE_WISH,
        .wish = {.kind = WISH_MOVE, .move = {.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'B')}}};

    stands_down_for_nobody(rig);
    const struct view *next = overtakes(rig);
    cr_assert_eq(next->epoch, 3);
    rig_refuses(rig, 'B', &move, REFUSED_MOVE_UNDER_WAY);
    const struct message ack = refers(MESSAGE_ACK, next);
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    rig_pass(rig, 1, "");
    cr_assert_eq(core_view(rig->core)->epoch, 3);
    rig_refuses(rig, 'B', &move, REFUSED_MOVE_PAUSES);
    rig_free(rig);
}

/* E6a, U2c: C has promised an epoch to somebody since; A goes on above it, with the same ages. */
Test(core_moves, who_stood_down_for_nobody_overtakes_again_above_a_promise)
{
    struct rig *rig = rig_in("A B C", 'A');

    stands_down_for_nobody(rig);
    struct message nack = refers(MESSAGE_NACK, overtakes(rig));
    nack.reference.promised = 7;
    rig_gets(rig, 'C', &nack);
    rig_pass(rig, rig->timing.fresh_ms / 4, "B C");
    cr_assert_eq(overtakes(rig)->epoch, 8);
    rig_free(rig);
}

/* E6a, L2: C says that it follows B. So what B proposed may have come about, and A overtakes only
 * when that is settled. */
Test(core_moves, who_stood_down_does_not_overtake_while_somebody_may_follow_its_successor)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message prepare = proposal_of_b(rig);
    struct message follows = {.type = MESSAGE_NOT_FOLLOWING,
                              .reference = {.view = view_id_of(core_view(rig->core))}};

    follows.reference.view.coordinator = rig_id(rig, 'B');
    wants(rig, 'B');
    rig_gets(rig, 'B', &prepare);
    rig_pass(rig, timing_proposal_ms(&rig->timing) - 1, "B C");
    rig_gets(rig, 'C', &follows);
    rig_pass(rig, rig->timing.fresh_ms - 1, "B");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_pass(rig, rig->timing.fresh_ms / 4, "B");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

/* --- Drained members (E7) --- */

static void is_told_to(struct rig *rig, enum move_kind kind, char subject)
{
    struct message move = {
        .type = MESSAGE_WISH,
        .wish = {.kind = WISH_MOVE, .move = {.kind = kind, .subject = rig_id(rig, subject)}}};

    rig_gets(rig, 'C', &move);
    rig_pass(rig, rig->timing.batch_ms, "B C");
}

static const struct view *proposed_to(const struct rig *rig, char letter)
{
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, letter);

    cr_assert_not_null(prepare);
    return prepare->carrier.view;
}

/* E7a */
Test(core_moves, the_next_view_says_who_is_drained)
{
    struct rig *rig = rig_in("A B C", 'A');

    is_told_to(rig, MOVE_DRAIN, 'C');
    const struct view *next = proposed_to(rig, 'B');
    cr_assert(next->members[2].drained);
    cr_assert_eq(next->members[2].age, 3, "it stands behind the others already");
    cr_assert_eq(next->members[0].drained + next->members[1].drained, 0);
    const struct message ack = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    rig_pass(rig, 1, "");
    cr_assert(core_view(rig->core)->members[2].drained);

    struct message move = {
        .type = MESSAGE_WISH,
        .wish = {.kind = WISH_MOVE, .move = {.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'C')}}};
    rig_refuses(rig, 'B', &move, REFUSED_MOVE_TO_UNFIT);
    is_told_to(rig, MOVE_UNDRAIN, 'C');
    cr_assert_not(proposed_to(rig, 'B')->members[2].drained);
    rig_free(rig);
}

/* E9a */
Test(core_moves, who_is_gone_is_forgotten_when_that_is_wished)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct node_id gone = rig_id(rig, 'C');

    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish.kind = WISH_LEAVE});
    rig_pass(rig, rig->timing.batch_ms, "B");
    const struct message ack = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &ack);
    rig_pass(rig, 1, "B");
    cr_assert_not_null(view_find_gone(core_view(rig->core), &gone));

    struct message wish = {.type = MESSAGE_WISH,
                           .wish = {.kind = WISH_MOVE, .move = {MOVE_FORGET, gone}}};
    rig_gets(rig, 'B', &wish);
    rig_pass(rig, rig->timing.batch_ms, "B");
    cr_assert_null(view_find_gone(proposed_to(rig, 'B'), &gone));
    const struct message again = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &again);
    rig_pass(rig, 1, "B");
    cr_assert_null(view_find_gone(core_view(rig->core), &gone));
    cr_assert_eq(rig->noticed[NOTICE_FORGOTTEN], 1);
    rig_refuses(rig, 'B', &wish, REFUSED_SO_ALREADY);
    rig_free(rig);
}

/* E9a: on the smaller side of a cut, where the others are gone as well. */
Test(core_moves, nobody_is_forgotten_below_the_guard)
{
    struct rig *rig = rig_guarded("A B C", 'A', (struct guard){GUARD_MAJORITY, 5});
    const struct node_id lost = rig_id(rig, 'D');
    const struct gone gone = {
        .id = lost, .name = "D", .reason = GONE_FAILED, .accusers = {1}, .accuser_count = 1};
    struct message wish = {.type = MESSAGE_WISH,
                           .wish = {.kind = WISH_MOVE, .move = {MOVE_FORGET, lost}}};

    view_add_gone(&rig->core->view, &gone);
    view_seal(&rig->core->view);
    rig_gets(rig, 'B', &wish);
    cr_assert(id_equal(&rig->core->next.forgotten, &lost));
    rig_kill(rig, 'B');
    rig_kill(rig, 'C');
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert(id_is_none(&rig->core->next.forgotten), "the guard is not met any more");
    cr_assert_not_null(view_find_gone(core_view(rig->core), &lost));
    rig_refuses(rig, 'B', &wish, REFUSED_FORGET_UNGUARDED);
    rig_free(rig);
}

/* H48: in its coordinator's name somebody shows it a view that lists none of the many who are gone.
 */
Test(core_moves, a_list_of_the_gone_that_is_dropped_at_once_has_room_for_its_news)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *held = &rig->core->view;
    struct gone gone = {.reason = GONE_LEFT};

    for (uint32_t i = 0; i < GONE_MAX; i++) {
        memset(gone.id.bytes, 0xee, sizeof gone.id.bytes);
        gone.id.bytes[0] = (uint8_t)i;
        gone.address = (struct address){.family = 4, .bytes = {10, 9, 9, (uint8_t)i}, .port = 7420};
        snprintf(gone.name, sizeof gone.name, "gone%u", (unsigned)i);
        view_add_gone(held, &gone);
    }
    view_seal(held);
    cr_assert_eq(held->gone_count, GONE_MAX);
    struct view *next = rig_next(rig, "");
    next->gone_count = 0;
    view_seal(next);
    const struct message shown = carries(MESSAGE_VIEW, next);
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_view(rig->core)->gone_count, 0);
    cr_assert_gt(rig->noticed[NOTICE_FORGOTTEN], 0);
    cr_assert_lt(rig->noticed[NOTICE_FORGOTTEN], GONE_MAX);
    rig_free(rig);
}

/* E9a: a member is none that could be forgotten. */
Test(core_moves, a_member_is_not_forgotten)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message wish = {.type = MESSAGE_WISH,
                           .wish = {.kind = WISH_MOVE, .move = {MOVE_FORGET, rig_id(rig, 'C')}}};

    rig_refuses(rig, 'B', &wish, REFUSED_SO_ALREADY);
    rig_free(rig);
}

/* E7a */
Test(core_moves, a_drained_member_stands_behind_the_others)
{
    struct rig *rig = rig_in("A B C", 'A');
    char text[64];

    is_told_to(rig, MOVE_DRAIN, 'B');
    const struct view *next = proposed_to(rig, 'C');
    cr_assert_str_eq(view_text(next, text, sizeof text), "A C B");
    cr_assert_eq(next->members[2].age, 4);
    cr_assert_eq(next->next_age, 5);
    rig_free(rig);
}

/* E7a, U1b: it is not taken for one of the joiners that it stands behind. */
Test(core_moves, a_drained_member_is_not_left_out_with_a_joiner)
{
    struct rig *rig = rig_in("A B C", 'A');
    char text[64];

    rig_joins(rig, 'D');
    is_told_to(rig, MOVE_DRAIN, 'B');
    cr_assert_str_eq(view_text(proposed_to(rig, 'C'), text, sizeof text), "A C D B");
    rig_pass(rig, 3 * rig->timing.prepare_ms, "B C");
    cr_assert_str_eq(rig_sees(rig, text), "A C B");
    rig_free(rig);
}

/* E7c: it would not act, and hand back. */
Test(core_moves, a_drained_coordinator_does_not_stand_down_for_one_that_was_late)
{
    struct rig *rig = rig_in("A B C", 'A');

    is_told_to(rig, MOVE_DRAIN, 'A');
    const struct message ack = rig_ack(rig, 'B');
    for (const char *name = "BC"; *name != '\0'; name++) {
        const struct view *view = core_view(rig->core);
        rig_gets(rig, *name,
                 &(struct message){.type = MESSAGE_HEARTBEAT,
                                   .heartbeat = {.view = view_id_of(view),
                                                 .view_hash = view->hash,
                                                 .late = *name == 'B'}});
    }
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    cr_assert_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'C'));
    rig_free(rig);
}

static void says_late(struct rig *rig, const char *names)
{
    const struct view *view = core_view(rig->core);

    for (; *names != '\0'; names++) {
        rig_gets(
            rig, *names,
            &(struct message){
                .type = MESSAGE_HEARTBEAT,
                .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .late = true}});
    }
}

/* E7c: with all of them late, it rests with those who ask for it. */
Test(core_moves, a_drained_coordinator_stays_where_all_were_late)
{
    struct rig *rig = rig_in("A B C", 'A');

    is_told_to(rig, MOVE_DRAIN, 'A');
    const struct message ack = rig_ack(rig, 'B');
    says_late(rig, "BC");
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    cr_assert_eq(core_successor(rig->core), 1);
    rig_free(rig);
}

/* E7c: a loop that is slow is in time now and then, and the views would change for ever. */
Test(core_moves, a_drained_coordinator_waits_until_one_that_was_late_is_in_time_for_long)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct timing *timing = &rig->timing;

    is_told_to(rig, MOVE_DRAIN, 'A');
    const struct message ack = rig_ack(rig, 'B');
    says_late(rig, "BC");
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    uint32_t asked = 0;
    for (uint64_t ms = 0; ms < timing->stall_ms - 100; ms += 10) {
        rig_pass(rig, 10, "B C");
        asked += rig_count(rig, MESSAGE_HANDOVER);
    }
    cr_assert_eq(asked, 0);
    for (uint64_t ms = 0; ms < 1000 && asked == 0; ms += 10) {
        rig_pass(rig, 10, "B C");
        asked += rig_count(rig, MESSAGE_HANDOVER);
    }
    cr_assert_gt(asked, 0);
    rig_free(rig);
}

/* B is late now. For how many T_stall does it count as slow? */
static uint64_t stalls_slow(struct rig *rig)
{
    uint64_t stalls = 0;

    says_late(rig, "B");
    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    says_late(rig, "B"); /* Not in time between. */
    for (; hearing_was_late(rig->core, 1); stalls++) {
        cr_assert_lt(stalls, 100);
        rig_pass(rig, rig->timing.stall_ms, "B C");
    }
    return stalls;
}

/* H69: by a beat between its timers and its loop one that is slow is in time for a while, again and
 * again. Who is not for long enough is as good as new. */
Test(core_moves, who_is_late_again_and_again_counts_as_slow_for_longer)
{
    struct rig *rig = rig_in("A B C", 'A');

    for (uint64_t stalls = 1; stalls <= 64; stalls *= 2) {
        cr_assert_eq(stalls_slow(rig), stalls);
    }
    cr_assert_eq(stalls_slow(rig), 1);
    rig_free(rig);
}

/* E7b */
Test(core_moves, a_drained_coordinator_stands_down_while_it_can)
{
    struct rig *rig = rig_in("A B C", 'A');

    is_told_to(rig, MOVE_DRAIN, 'A');
    cr_assert_eq(proposed_to(rig, 'B')->members[0].age, 1, "it makes the view");
    const struct message ack = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    rig_free(rig);
}

/* They say that they hold A's view; those who answer hear it (D8). */
static void beat(struct rig *rig, const char *letters, bool answer)
{
    const struct view *view = core_view(rig->core);
    const struct message beat = {.type = MESSAGE_HEARTBEAT,
                                 .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};

    for (; *letters != '\0'; letters++) {
        rig->numbers[(unsigned char)*letters]++;
        struct message message = rig_message(rig, *letters, &beat);
        message.echo = answer ? message.echo : 0;
        rig_gets_raw(rig, &message);
    }
}

/* How often A asks B to take over in so long, while it hears those. */
static uint32_t gives_way(struct rig *rig, uint64_t ms, const char *heard, bool answer)
{
    uint32_t given = 0;

    for (uint64_t passed_ms = 0; passed_ms < ms; passed_ms += 50) {
        rig_pass(rig, 50, "");
        given += rig_told(rig, MESSAGE_HANDOVER, 'B') != NULL;
        beat(rig, heard, answer);
        given += rig_told(rig, MESSAGE_HANDOVER, 'B') != NULL;
    }
    return given;
}

static struct rig *of_three(void)
{
    return rig_guarded("A B C", 'A', (struct guard){.policy = GUARD_COUNT, .count = 3});
}

/* E7d: B and C hold its view, and what it asks them, or what they answer, is lost. */
Test(core_moves, a_coordinator_that_nobody_answers_stands_down)
{
    struct rig *rig = of_three();

    cr_assert_eq(gives_way(rig, rig->timing.lost_ms, "BC", true), 0);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(gives_way(rig, rig->timing.lost_ms + rig->timing.lost_ms / 2, "BC", false), 0);
    cr_assert_gt(gives_way(rig, rig->timing.lost_ms, "BC", false), 0);
    rig_free(rig);
}

/* Another one would not act either. */
Test(core_moves, a_coordinator_that_too_few_follow_stays)
{
    struct rig *rig = of_three();

    cr_assert_eq(gives_way(rig, 4 * rig->timing.lost_ms, "B", false), 0);
    rig_free(rig);
}

/* Where nobody can act, views would change for ever. */
Test(core_moves, a_coordinator_stands_down_once_in_a_while_for_not_acting)
{
    struct rig *rig = of_three();

    cr_assert_gt(gives_way(rig, 2 * rig->timing.lost_ms + rig->timing.leave_ms, "BC", false), 0);
    cr_assert_eq(gives_way(rig, rig->timing.flap_ms / 2, "BC", false), 0);
    cr_assert_gt(gives_way(rig, rig->timing.flap_ms, "BC", false), 0);
    rig_free(rig);
}

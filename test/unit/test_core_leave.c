/* Going in good order (E1 to E3). What a stale or hostile message must not do to it is in
 * test_core_change.c. */
#include <criterion/criterion.h>

#include "core/state/state.h"
#include "message_content.h"
#include "rig.h"

/* --- A member (E1a) --- */

Test(core_leave, a_leaver_asks_until_it_is_let_out)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_leaves(rig);
    cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'A'));
    for (int i = 0; i < 3; i++) {
        rig_pass(rig, rig->timing.prepare_ms / 3, "A B");
        cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'A'));
        cr_assert_null(rig_told(rig, MESSAGE_WISH, 'B'));
    }
    struct message view = carries(MESSAGE_VIEW, rig_next(rig, "-C"));
    rig_gets(rig, 'A', &view);
    cr_assert_eq(core_phase(rig->core), PHASE_STOPPED);
    rig_free(rig);
}

Test(core_leave, a_leaver_goes_when_its_time_is_up)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_leaves(rig);
    rig_pass(rig, rig->timing.leave_ms - 1, "A B");
    cr_assert_eq(core_phase(rig->core), PHASE_LEAVING);
    rig_pass(rig, 1, "");
    cr_assert_eq(core_phase(rig->core), PHASE_STOPPED);
    rig_free(rig);
}

/* --- A coordinator (E2) --- */

/* H29 */
Test(core_leave, a_change_under_way_is_finished_before_a_hand_over)
{
    struct rig *rig = rig_in("A B", 'A');

    rig_joins(rig, 'D');
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message ack = rig_ack(rig, 'B');
    rig_leaves(rig);
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    rig_pass(rig, rig->timing.prepare_ms / 2, "B");
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'D', &ack);
    rig_pass(rig, rig->timing.prepare_ms / 3, "B");
    const struct message *handover = rig_told(rig, MESSAGE_HANDOVER, 'B');
    cr_assert_not_null(handover);
    cr_assert_eq(handover->carrier.view->member_count, 3);
    rig_free(rig);
}

Test(core_leave, a_hand_over_is_repeated)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_leaves(rig);
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    rig_pass(rig, rig->timing.prepare_ms / 3, "B C");
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    rig_free(rig);
}

/* G2 */
Test(core_leave, a_leaving_coordinator_does_not_act)
{
    struct rig *rig = rig_in("A B C", 'A');

    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_leaves(rig);
    cr_assert_eq(core_phase(rig->core), PHASE_LEAVING);
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* --- The next oldest (E2) --- */

Test(core_leave, a_hand_over_is_carried_out_once)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message handover = carries(MESSAGE_HANDOVER, rig_view(rig, "A B C"));

    rig_gets(rig, 'A', &handover);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_gets(rig, 'A', &handover);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* H9: while B slept somebody else may have gone on. What A repeats when B is awake is an order. */
Test(core_leave, a_hand_over_that_waited_while_we_slept_is_not_carried_out)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message handover = carries(MESSAGE_HANDOVER, rig_view(rig, "A B C"));

    rig_sleeps(rig, 2 * rig->timing.lost_ms);
    rig_gets(rig, 'A', &handover);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_pass(rig, rig->timing.fresh_ms, "A C");
    rig_gets(rig, 'A', &handover);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_free(rig);
}

/* E2b, H73: B missed a view, or somebody made it up; B asks for it, and the leaver repeats its
 * word. */
Test(core_leave, a_hand_over_of_a_higher_view_is_asked_for)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message handover = carries(MESSAGE_HANDOVER, rig_next(rig, "-C"));

    rig_gets(rig, 'A', &handover);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'A'));
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'));
    cr_assert_eq(core_view(rig->core)->member_count, 3);
    rig_free(rig);
}

/* E2b, H73: it has the name of the view that holds, and leaves somebody out. */
Test(core_leave, a_hand_over_of_other_content_under_that_name_is_not_carried_out)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *made_up = rig_view(rig, "A B C");
    const struct message handover = carries(MESSAGE_HANDOVER, made_up);

    made_up->member_count = 2;
    view_seal(made_up);
    rig_ignores(rig, 'A', &handover, REFUSED_HANDOVER_OVERTAKEN);
    rig_free(rig);
}

/* E2b: it was committed, and nobody said so. */
Test(core_leave, a_hand_over_of_what_was_accepted_is_carried_out)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *next = rig_next(rig, "+D");
    const struct message prepare = carries(MESSAGE_PREPARE, next);
    const struct message handover = carries(MESSAGE_HANDOVER, next);
    char text[64];

    rig_gets(rig, 'A', &prepare);
    rig_gets(rig, 'A', &handover);
    const struct message *own = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(own);
    cr_assert_str_eq(view_text(own->carrier.view, text, sizeof text), "B C D");
    rig_free(rig);
}

/* --- Nothing is taken over (E3) --- */

/* H44: A may have let B out before it died. */
Test(core_leave, a_leaver_takes_nothing_over)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_leaves(rig);
    rig_kill(rig, 'A');
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0);
    cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'C'));
    cr_assert_eq(core_phase(rig->core), PHASE_STOPPED);
    rig_free(rig);
}

/* E3b: somebody said in C's name that it leaves, and it goes on. When it fails, for good as it may
 * seem, its place is its own (G1d). */
Test(core_leave, who_goes_on_has_not_said_that_it_leaves)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct node_id leaver = rig_id(rig, 'C');

    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    rig_hears(rig, 'C');
    cr_assert(rig->core->peers[2].charge.leaves, "it is heard while it waits to be let out");
    rig_pass(rig, rig->timing.fresh_ms + rig->timing.heartbeat_ms, "A C");
    rig_kill(rig, 'C');
    rig_kill(rig, 'A');
    cr_assert_eq(view_find_gone(core_view(rig->core), &leaver)->reason, GONE_FAILED);
    rig_free(rig);
}

/* H29: C said that it leaves, and the one who could have let it out is dead. */
Test(core_leave, who_left_beside_a_dead_coordinator_has_left)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct node_id leaver = rig_id(rig, 'C');
    const struct node_id dead = rig_id(rig, 'A');
    char text[64];

    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    rig_kill(rig, 'C');
    rig_kill(rig, 'A');
    cr_assert_str_eq(rig_sees(rig, text), "B");
    cr_assert_eq(view_find_gone(core_view(rig->core), &leaver)->reason, GONE_LEFT);
    cr_assert_eq(view_find_gone(core_view(rig->core), &dead)->reason, GONE_FAILED);
    rig_free(rig);
}

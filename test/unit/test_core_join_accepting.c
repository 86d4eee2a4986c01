/* What a joiner does with proposals that it is in (J6, J7), step by step. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/state/state.h"
#include "message_content.h"
#include "rig.h"

/* C has accepted what A proposes, which has all three. */
static struct rig *accepted(struct view **view)
{
    struct rig *rig = rig_joining('C');

    *view = rig_view(rig, "A B C");
    struct message prepare = carries(MESSAGE_PREPARE, *view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'A'));
    rig_gets(rig, 'A', &prepare);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    return rig;
}

Test(core_join, a_joiner_is_a_member_when_it_hears_of_the_commit)
{
    struct view *view;
    struct rig *rig = accepted(&view);
    struct message commit = refers(MESSAGE_COMMIT, view);

    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_gets(rig, 'A', &commit);
    rig_must_see(rig, "A B C");
    rig_free(rig);
}

/* --- A joiner between two proposals (J7) --- */

static void check_accepts(struct rig *rig, char from, struct view *view, bool accepts)
{
    struct message prepare = carries(MESSAGE_PREPARE, view);

    view_seal(view);
    rig_gets(rig, from, &prepare);
    cr_assert_eq(rig_told(rig, MESSAGE_ACK, from) != NULL, accepts);
}

/* H25: B would give it another age; and what A proposed before must not take back what came after.
 */
Test(core_join, a_joiner_keeps_to_the_coordinator_that_it_answered)
{
    struct view *first;
    struct rig *rig = accepted(&first);
    struct view *view = rig_view(rig, "B A C");

    view->epoch = 2;
    check_accepts(rig, 'B', view, false);
    view = rig_view(rig, "A C");
    view->version = first->version - 1;
    check_accepts(rig, 'A', view, false);
    view->version = first->version + 1;
    check_accepts(rig, 'A', view, true);
    rig_free(rig);
}

/* H94: somebody asked for it in the joiner's name, with terms that nobody has. */
Test(core_join, a_joiner_takes_part_in_no_merge)
{
    for (uint64_t number = 0; number < 2; number++) {
        struct rig *rig = rig_joining('C');
        struct message prepare = carries(MESSAGE_PREPARE, rig_view(rig, "A B C"));

        prepare.carrier.merge = number;
        rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
        cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'A'));
        rig_gets(rig, 'A', &prepare);
        cr_assert_eq(rig_told(rig, MESSAGE_ACK, 'A') == NULL, number != 0);
        rig_free(rig);
    }
}

/* Whoever took over from the one that it answered does so without that one. */
Test(core_join, a_joiner_goes_over_to_a_successor)
{
    struct view *first;
    struct rig *rig = accepted(&first);
    struct view *view = rig_view(rig, "B C");

    view->version = first->version - 1;
    check_accepts(rig, 'B', view, false); /* Lower. */
    view->epoch = 2;
    view->lineage = 99;
    check_accepts(rig, 'B', view, false);
    view->lineage = first->lineage;
    check_accepts(rig, 'B', view, true);
    rig_free(rig);
}

/* H44, S5: if B leads without A, it may know that C is in, and has taken it out. A may have had it
 * forgotten since (E9a), also before the proposal arrived. */
Test(core_join, a_joiner_that_accepted_says_ready_to_nobody)
{
    struct view *view;
    struct rig *rig = accepted(&view);

    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_eq(rig_count(rig, MESSAGE_READY), 0);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_eq(rig_count(rig, MESSAGE_READY), 0, "nor to the coordinator that it answered");
    rig_pass(rig, 2 * rig->timing.prepare_ms, "");
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'B'), "it is another life");
    rig_free(rig);
}

/* H43, H44: it may have been in, and out again. */
Test(core_join, a_joiner_that_waited_in_vain_is_another_life)
{
    struct view *view;
    struct rig *rig = accepted(&view);
    struct node_id former = core_self(rig->core)->id;
    uint64_t incarnation = core_self(rig->core)->incarnation;

    rig_pass(rig, 2 * rig->timing.prepare_ms - 1, "");
    cr_assert(id_equal(&core_self(rig->core)->id, &former));
    rig_pass(rig, 1, "");
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    cr_assert_eq(core_self(rig->core)->incarnation, incarnation + 1);
    rig_free(rig);
}

/* H99: its coordinator goes by changed terms, that it has not heard of, and waits for longer. */
Test(core_join, a_joiner_waits_by_the_terms_of_the_proposal)
{
    struct rig *rig = rig_joining('C');
    const struct timing wan = timing_of(PROFILE_WAN);
    struct view *view = rig_view(rig, "A B C");
    const struct node_id former = core_self(rig->core)->id;

    view->agreed = (struct agreed){.number = 2,
                                   .origin = 1,
                                   .room = rig->core->capacity,
                                   .now = terms_rules(core_terms(rig->core))};
    view->agreed.now.profile = PROFILE_WAN;
    view->agreed.now.heartbeat_ms = wan.heartbeat_ms;
    view->agreed.now.lost_ms = wan.lost_ms;
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    check_accepts(rig, 'A', view, true);
    rig_pass(rig, 2 * wan.prepare_ms - 1, "");
    cr_assert(id_equal(&core_self(rig->core)->id, &former));
    rig_pass(rig, 1, "");
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    rig_free(rig);
}

/* H44: it was in without knowing it. */
Test(core_join, a_joiner_among_the_gone_is_another_life)
{
    struct rig *rig = rig_joining('C');
    struct view *view = rig_view(rig, "A B");
    struct node_id former = core_self(rig->core)->id;
    struct message shown = carries(MESSAGE_VIEW, view);

    rig_gets(rig, 'A', &shown);
    cr_assert(id_equal(&core_self(rig->core)->id, &former));
    struct gone gone = {.reason = GONE_FAILED, .id = former, .age = 3, .name = "C"};
    gone.address = member_of('C').address;
    view_add_gone(view, &gone);
    view_seal(view);
    rig_gets(rig, 'A', &shown);
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    rig_free(rig);
}

/* --- Epochs of its earlier lives (J8) --- */

Test(core_join, a_joiner_tells_the_epochs_of_its_earlier_lives)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_view(rig, "A B C D");

    view->epoch = 5;
    view_seal(view);
    struct message shown = carries(MESSAGE_VIEW, view);
    rig_gets(rig, 'A', &shown);
    shown = carries(MESSAGE_VIEW, rig_next(rig, "-C"));
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    const struct message *join = rig_told(rig, MESSAGE_JOIN, 'A');
    cr_assert_not_null(join);
    cr_assert_eq(join->joiner.epoch_seen, 5);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    const struct message *ready = rig_told(rig, MESSAGE_READY, 'A');
    cr_assert_not_null(ready);
    cr_assert_eq(ready->joiner.epoch_seen, 5);
    rig_free(rig);
}

/* What counts as a sign of life, and from when a silence counts (D2a, D2d). */
#include <criterion/criterion.h>

#include "rig.h"

/* --- Signs of life (D2a) --- */

/* H51: it proves that A lives, not that anything comes from it. */
Test(core_signs, a_relayed_message_does_not_end_a_silence)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_pass(rig, rig->timing.lost_ms - 100, "C");
    rig->numbers['A']++;
    struct message pull = rig_message(rig, 'A', &(struct message){.type = MESSAGE_PULL});
    pull.relay = true;
    rig_gets_raw(rig, &pull);
    rig_pass(rig, 100, "C");
    cr_assert_eq(rig_verdict(rig, 'A'), VERDICT_LOST);
    rig_free(rig);
}

/* Whether B's answer to D's question would count for D as a sign of life. */
static bool answers_as_a_fellow(struct rig *rig)
{
    rig_gets(rig, 'D', &(struct message){.type = MESSAGE_PING});
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        if (rig->sent[i].message.type == MESSAGE_PONG && rig->sent[i].to == 'D') {
            return rig->sent[i].fellow;
        }
    }
    cr_assert(false, "D gets no answer");
    return false;
}

/* H42: B has agreed to live with D; if nothing comes of it, it does not. */
Test(core_signs, an_accepted_proposal_makes_fellows_for_a_while)
{
    struct rig *rig = rig_in("A B", 'B');

    cr_assert_not(answers_as_a_fellow(rig));
    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = rig_next(rig, "+D")}});
    cr_assert(answers_as_a_fellow(rig));
    rig_pass(rig, 2 * rig->timing.prepare_ms - 1, "A");
    cr_assert(answers_as_a_fellow(rig));
    rig_pass(rig, 1, "A");
    cr_assert_not(answers_as_a_fellow(rig));
    rig_free(rig);
}

/* --- New members, and those on their way out (D2d) --- */

/* H13: D is shown as a member by A, and never says a word. */
Test(core_signs, the_silence_of_a_new_member_counts_from_when_it_came_in)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+D")}});
    cr_assert_geq(rig_loses(rig, 'D', "A C"), rig->timing.lost_ms);
    rig_free(rig);
}

/* H29: C left in good order, and its process ends. But if A dies before that is committed, nobody
 * must be shielded for ever. */
Test(core_signs, who_is_being_let_out_is_not_suspected_for_a_while)
{
    for (int late = 0; late < 2; late++) {
        struct rig *rig = rig_in("A B C", 'B');

        rig_gets(
            rig, 'A',
            &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = rig_next(rig, "-C")}});
        rig_pass(rig, rig->timing.prepare_ms - !late, "A");
        rig_kill(rig, 'C');
        cr_assert_eq(rig_verdict(rig, 'C'), late ? VERDICT_DEAD : VERDICT_NONE);
        rig_free(rig);
    }
}

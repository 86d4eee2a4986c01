/* Numbers of messages (D6): whoever speaks in a member's name may lift them, and the member is
 * heard all the same. */
#include <criterion/criterion.h>

#include "core/detection/hearing.h"
#include "core/detection/numbers.h"
#include "core/model/limits.h"
#include "core/state/state.h"
#include "rig.h"

static struct message heartbeat(const struct rig *rig)
{
    const struct view *view = core_view(rig->core);

    return (struct message){.type = MESSAGE_HEARTBEAT,
                            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};
}

/* Somebody else spoke in the name of B, and what B says is below that. */
static struct rig *muted(uint64_t by)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message says = heartbeat(rig);
    struct message forged = rig_message(rig, 'B', &says);

    forged.number += by;
    rig_gets_raw(rig, &forged);
    return rig;
}

static struct message answers(const struct rig *rig, char from)
{
    const struct message *ping = rig_told(rig, MESSAGE_PING, from);

    cr_assert_not_null(ping);
    return (struct message){.type = MESSAGE_PONG, .ping = ping->ping};
}

static void until_asked(struct rig *rig, const char *alive)
{
    rig_pass(rig, timing_missed_ms(&rig->timing), alive);
    for (uint64_t ms = 0; rig_told(rig, MESSAGE_PING, 'B') == NULL; ms += 10) {
        cr_assert_lt(ms, 3 * rig->timing.lost_ms);
        rig_pass(rig, 10, alive);
    }
}

/* H48: four such messages had a coordinator remove all four others. */
Test(core_numbers, a_leap_of_the_number_is_asked_about)
{
    struct rig *rig = muted(NUMBER_LEAP_MAX + 1);

    cr_assert_eq(rig->refused.reason, REFUSED_NUMBER_LEAPS);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'B'));
    rig_pass(rig, 100, "");
    rig_hears(rig, 'B');
    cr_assert_eq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago, 0);
    rig_free(rig);
}

Test(core_numbers, a_leap_that_the_member_confirms_is_taken)
{
    struct rig *rig = muted(NUMBER_LEAP_MAX + 1);
    struct message pong = answers(rig, 'B');

    rig_pass(rig, 100, "");
    rig->numbers['B'] += NUMBER_LEAP_MAX + 10;
    rig_gets(rig, 'B', &pong);
    cr_assert_eq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago, 0);
    rig_pass(rig, 100, "");
    rig_hears(rig, 'B');
    cr_assert_eq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago, 0);
    rig_free(rig);
}

/* The lie was small enough to be taken. The member is asked when it seems silent, and its answer
 * counts though the number is lower. */
Test(core_numbers, a_member_that_was_outnumbered_is_heard_again)
{
    struct rig *rig = muted(NUMBER_LEAP_MAX);

    until_asked(rig, "B C");
    cr_assert_geq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago,
                  timing_missed_ms(&rig->timing));
    struct message pong = answers(rig, 'B');
    rig_gets(rig, 'B', &pong);
    cr_assert_eq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago, 0);
    rig_pass(rig, 10 * rig->timing.lost_ms, "B C");
    cr_assert_eq(core_peer(rig->core, 1, rig->now_ms).verdict, VERDICT_NONE);
    rig_free(rig);
}

/* D6d: from then on what it says counts as before the lie, if it is overtaken, too. */
Test(core_numbers, who_was_outnumbered_and_answered_may_be_overtaken)
{
    struct rig *rig = muted(NUMBER_LEAP_MAX);

    until_asked(rig, "B C");
    struct message pong = answers(rig, 'B');
    rig_gets(rig, 'B', &pong);
    struct message says = heartbeat(rig);
    says.heartbeat.late = true;
    rig->numbers['B']++;
    struct message late = rig_message(rig, 'B', &says);
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_PONG});
    rig_gets_raw(rig, &late);
    cr_assert(hearing_was_late(rig->core, 1));
    rig_free(rig);
}

/* B was outnumbered, and is listed where it is not; now it is heard from where X is. */
static struct rig *rig_elsewhere(bool relayed)
{
    struct rig *rig = muted(NUMBER_LEAP_MAX);

    rig->core->peers[1].number.proof = PROOF_LACKING;
    rig_pass(rig, rig->timing.silent_ms, "C");
    rig->core->peers[1].number.asked_ms = 0;
    struct message says = heartbeat(rig);
    struct message overtaken = rig_message(rig, 'B', &says);
    overtaken.source = member_of('X').address;
    overtaken.relay = relayed;
    rig_gets_raw(rig, &overtaken);
    return rig;
}

/* H48: where the view has it nobody can say so. What is answered from elsewhere shows nothing of
 * the listed address (G1e), and raises no number. */
Test(core_numbers, who_speaks_from_elsewhere_is_asked_there_too)
{
    struct rig *rig = rig_elsewhere(true);

    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'B'));
    cr_assert_null(rig_told(rig, MESSAGE_PING, 'X'), "that is the relay");
    rig_free(rig);
    rig = rig_elsewhere(false);
    const struct node_id id = rig_id(rig, 'B');
    struct message pong = answers(rig, 'X');
    cr_assert_neq(pong.ping.nonce, answers(rig, 'B').ping.nonce);
    cr_assert_eq(rig_told(rig, MESSAGE_PING, 'X')->ping.asked.epoch, 0, "for no lease (Z6b)");
    struct message leaps = rig_message(rig, 'B', &pong);
    leaps.number = UINT64_MAX;
    rig_gets_raw(rig, &leaps);
    cr_assert_eq(rig->refused.reason, REFUSED_PONG_UNASKED);
    rig_gets(rig, 'B', &pong);
    cr_assert_eq(rig->core->peers[1].number.highest, rig->numbers['B']);
    cr_assert_eq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago, 0);
    cr_assert(numbers_lack_proof(rig->core, &id));
    rig_free(rig);
}

/* V6a: the address may be a victim's. */
Test(core_numbers, few_questions_go_to_where_somebody_speaks_from)
{
    struct rig *rig = rig_elsewhere(false);
    uint32_t asked = 0;

    for (uint32_t i = 0; i < 40; i++) {
        struct message says = heartbeat(rig);
        struct message overtaken = rig_message(rig, 'B', &says);
        overtaken.source = member_of('X').address;
        rig->core->peers[1].number.asked_ms = 0;
        rig_gets_raw(rig, &overtaken);
        asked += rig_told(rig, MESSAGE_PING, 'X') != NULL;
    }
    cr_assert_gt(asked, 0);
    cr_assert_lt(asked, 8);
    rig_free(rig);
}

/* H15: only to what was asked, and once. */
Test(core_numbers, an_answer_that_nobody_asked_for_lowers_no_number)
{
    struct rig *rig = muted(NUMBER_LEAP_MAX);

    until_asked(rig, "B C");
    struct message pong = answers(rig, 'B');
    pong.ping.nonce++;
    rig_gets(rig, 'B', &pong);
    cr_assert_geq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago,
                  timing_missed_ms(&rig->timing));
    pong.ping.nonce--;
    rig_gets(rig, 'C', &pong);
    cr_assert_geq(core_peer(rig->core, 1, rig->now_ms).heard_ms_ago,
                  timing_missed_ms(&rig->timing));
    rig_free(rig);
}

/* H2, R1: a coordinator that hears nobody any more asks each before it removes it, and who answers
 * stays. */
Test(core_numbers, who_answers_a_verification_stays_whatever_its_number)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message says = heartbeat(rig);

    for (const char *name = "BC"; *name != '\0'; name++) {
        struct message forged = rig_message(rig, *name, &says);
        forged.number += NUMBER_LEAP_MAX;
        rig_gets_raw(rig, &forged);
    }
    while (core_peer(rig->core, 1, rig->now_ms).verdict != VERDICT_LOST ||
           rig_told(rig, MESSAGE_PING, 'B') == NULL) {
        rig_pass(rig, 10, "");
    }
    struct message pongs[] = {answers(rig, 'B'), answers(rig, 'C')};
    rig_gets(rig, 'B', &pongs[0]);
    rig_gets(rig, 'C', &pongs[1]);
    rig_pass(rig, 2 * rig->timing.verify_ms, "B C");
    cr_assert_eq(core_view(rig->core)->member_count, 3);
    cr_assert_eq(core_peer(rig->core, 1, rig->now_ms).verdict, VERDICT_NONE);
    rig_free(rig);
}

/* H104: its sender may not have heard of this node for as long, and ask for the same reason. It
 * renews no lease by such a number, and what is known of its numbers stays. */
Test(core_numbers, a_question_whose_number_leaps_is_answered)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message asks = rig_message(
        rig, 'B', &(struct message){.type = MESSAGE_PING, .ping = {.nonce = 7}});
    const uint64_t highest = rig->core->peers[1].number.highest;

    asks.ping.origin = asks.from;
    asks.number += NUMBER_LEAP_MAX + 1;
    rig_gets_raw(rig, &asks);
    const struct message *pong = rig_told(rig, MESSAGE_PONG, 'B');
    cr_assert_not_null(pong);
    cr_assert_eq(pong->ping.nonce, 7);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'B'), "and so is its number");
    cr_assert_eq(rig->core->peers[1].number.highest, highest);
    cr_assert(!numbers_takes_question(rig->core, &asks, 1));
    rig_free(rig);
}

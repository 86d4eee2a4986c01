/* One core under guard strict that coordinates, or follows who does: whose leases count (Z6), when
 * one hands over (Z7), and who is named (Z9b). */
#include <criterion/criterion.h>

#include "core/detection/flap.h"
#include "core/detection/lease.h"
#include "rig.h"

/* The voter is bound to the core's epoch, and says so, if it was asked; is its lease given? */
static void hears_lease(struct rig *rig, char voter, bool leased)
{
    (void)rig_answers(
        rig, voter,
        &(struct lease_said){.promised = core_view(rig->core)->epoch, .leased = leased});
}

static void hears_coordinator(struct rig *rig, bool acting)
{
    const struct view *view = core_view(rig->core);

    rig_gets(
        rig, 'A',
        &(struct message){
            .type = MESSAGE_HEARTBEAT,
            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .acting = acting}});
}

/* --- Its own voter leases like any other (Z6b) --- */

/* H52: what it is bound to is another life's, so the other may act any moment. */
Test(core_strict, a_coordinator_is_not_leased_to_by_its_own_voter_unasked)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct vote_record *record = rig_votes(rig);

    record->promise = (struct ballot){.epoch = 9, .life = rig_id(rig, 'C')};
    lease_reset(rig->core);
    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    cr_assert_eq(rig_lease(rig, 'A').until_ms, 0);
    record->promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    record->lease_ms = rig->timing.lease_ms;
    record->hold_ms = timing_hold_ms(&rig->timing);
    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    cr_assert_gt(rig_lease(rig, 'A').until_ms, 0);
    rig_free(rig);
}

/* --- When all have moved (L3a) --- */

/* Both say over T_fresh that they follow B; their voters lease, or do so no more. */
static enum phase phase_when_all_moved(bool leased)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct view_id other = view_id_of(core_view(rig->core));
    const uint64_t end_ms = rig->now_ms + rig->timing.lease_ms + 2 * rig->timing.fresh_ms;

    other.coordinator = rig_id(rig, 'B');
    other.epoch++;
    const struct message heartbeat = {.type = MESSAGE_HEARTBEAT, .heartbeat = {.view = other}};
    while (rig->now_ms < end_ms && core_phase(rig->core) == PHASE_MEMBER) {
        rig_pass(rig, 125, "");
        if (leased) {
            hears_lease(rig, 'B', true);
            hears_lease(rig, 'C', true);
        }
        rig_gets(rig, 'B', &heartbeat);
        rig_gets(rig, 'C', &heartbeat);
    }
    const enum phase phase = core_phase(rig->core);
    rig_free(rig);
    return phase;
}

/* H48: whoever is leased to was not replaced, whatever is said in members' names. */
Test(core_strict, who_acts_is_not_left_alone)
{
    cr_assert_eq(phase_when_all_moved(true), PHASE_MEMBER);
    cr_assert_eq(phase_when_all_moved(false), PHASE_JOINING);
}

/* --- Handing over (Z7) --- */

/* H52: the voters skip its lease on that word. */
Test(core_strict, who_has_handed_over_does_not_act)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms, "");
    hears_lease(rig, 'B', true);
    hears_lease(rig, 'C', true);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_pass(rig, rig->timing.heartbeat_ms * 11 / 10, "");
    rig_moves(rig, &(struct move){.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'B')});
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    const struct lease_said leased = {.promised = core_view(rig->core)->epoch, .leased = true};
    cr_assert(rig_answers(rig, 'B', &leased), "it was asked before that");
    cr_assert(rig_answers(rig, 'C', &leased));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

static void hears_hand_over(struct rig *rig)
{
    const struct view *view = core_view(rig->core);

    rig_gets(
        rig, 'A',
        &(struct message){
            .type = MESSAGE_HEARTBEAT,
            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .handed_over = true}});
}

/* H50: or whoever comes next would wait for as long as it is heard. */
Test(core_strict, who_has_handed_over_is_not_leased_to)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct voter *voter = &rig->core->voter;

    rig_votes(rig);
    voter->record.promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    voter->record.lease_ms = rig->timing.lease_ms;
    voter->record.hold_ms = timing_hold_ms(&rig->timing);
    rig_pass(rig, rig->timing.heartbeat_ms, "A C");
    cr_assert(rig_asks(rig, 'A', 1).leased);
    hears_hand_over(rig);
    const uint64_t until_ms = voter->until_ms;
    cr_assert_eq(until_ms, rig->now_ms + rig->timing.lease_ms);
    rig_pass(rig, 10, "");
    const struct lease_said said = rig_asks(rig, 'A', 1);
    cr_assert_eq(said.promised, 1);
    cr_assert_not(said.leased);
    cr_assert_eq(voter->until_ms, until_ms);
    rig_free(rig);
}

/* H48: somebody says in B's name that it has handed over a reign that is to come. */
Test(core_strict, a_reign_that_has_not_begun_is_not_handed_over)
{
    struct rig *rig = rig_strict("A B C", 'C');
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(core_view(rig->core)),
                                         .view_hash = 1,
                                         .handed_over = true}};

    says.heartbeat.view.epoch++;
    rig_gets(rig, 'A', &says);
    cr_assert_not(rig->core->peers[0].signs.handed_over);
    says.heartbeat.view.coordinator = rig_id(rig, 'B');
    rig_gets(rig, 'B', &says);
    cr_assert_not(rig->core->peers[1].signs.handed_over);
    hears_hand_over(rig);
    cr_assert(rig->core->peers[0].signs.handed_over);
    rig_free(rig);
}

Test(core_strict, who_has_handed_over_does_not_lease_to_itself)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct voter *voter = &rig->core->voter;

    rig_votes(rig);
    voter->record.promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    rig_pass(rig, 10, "B C");
    const uint64_t until_ms = voter->until_ms;
    cr_assert_eq(until_ms, rig->now_ms + rig->timing.lease_ms);
    rig->core->succession.handed_epoch = 1;
    rig_pass(rig, 10, "B C");
    cr_assert_eq(voter->until_ms, until_ms);
    rig_free(rig);
}

/* H6: the one before may have asked for that epoch, too. Then two views of it would be on disks. */
Test(core_strict, a_successor_proposes_nothing_before_it_has_won)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_HANDOVER,
                               .carrier = {.view = rig_view(rig, "A B C"), .stays = true}});
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_is_granted(rig, 'A');
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_is_granted(rig, 'C');
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_free(rig);
}

/* --- An idle coordinator (Z7b) --- */

/* Up to the moment at which it would hand over, and has not yet. */
static struct rig *idle_for_long(void)
{
    struct rig *rig = rig_strict("A B C", 'A');

    for (uint64_t ms = 100; ms < rig->timing.lost_ms; ms += 100) {
        rig_pass(rig, 100, "");
        hears_lease(rig, 'B', false);
        hears_lease(rig, 'C', false);
    }
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    return rig;
}

Test(core_strict, an_idle_coordinator_hands_over)
{
    struct rig *rig = idle_for_long();

    rig_pass(rig, 101, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    rig_free(rig);
}

/* Those of them who were just told of a proposal acknowledge it. */
static void acknowledge(struct rig *rig, const char *letters)
{
    struct message acks[8];
    char senders[8];
    uint32_t count = 0;

    for (; *letters != '\0'; letters++) {
        if (*letters != ' ' && rig_told(rig, MESSAGE_PREPARE, *letters) != NULL) {
            senders[count] = *letters;
            acks[count++] = rig_ack(rig, *letters);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        rig_gets(rig, senders[i], &acks[i]);
    }
}

/* Its voters lease to A all the while, and those alone acknowledge what brings M in. Is A a member
 * after so long that it may have given way? */
static bool goes_on_beside(const char *dead, const char *voters, const char *answering)
{
    struct rig *rig = rig_strict_among("A B C D E F G", 'A', voters);
    const uint64_t since_ms = rig->now_ms;
    char alive[] = "B C D E F G";

    for (; *dead != '\0'; dead++) {
        *strchr(alive, *dead) = ' ';
        rig_kill(rig, *dead);
    }
    for (uint64_t ms = 0; ms < 2 * rig->timing.stall_ms && core_phase(rig->core) == PHASE_MEMBER;
         ms += 20) {
        if (ms % 1000 == 0) {
            rig_joins(rig, 'M');
        }
        rig_pass(rig, 20, alive);
        acknowledge(rig, answering);
        if (ms % 100 == 0) {
            hears_lease(rig, 'B', true);
            hears_lease(rig, 'C', true);
            hears_lease(rig, 'F', true);
        }
    }
    const bool goes_on = core_phase(rig->core) == PHASE_MEMBER;
    cr_assert(goes_on || rig->now_ms >= since_ms + rig->timing.stall_ms);
    rig_free(rig);
    return goes_on;
}

/* L3b: what brings M in is too long to get to anybody; or it gets to most, but to too few voters.
 */
Test(core_strict, a_coordinator_whose_proposals_no_quorum_answers_is_out)
{
    cr_assert_not(goes_on_beside("", "A B C", ""));
    cr_assert_not(goes_on_beside("", "A B C", "D E F G"));
    cr_assert(goes_on_beside("", "A B C", "B D E F G"));
    cr_assert(goes_on_beside("", "B C D E F", "B D F G"));
}

/* L3b: the dead would not answer if all arrived. */
Test(core_strict, a_coordinator_whose_proposals_the_living_do_not_answer_is_out)
{
    cr_assert_not(goes_on_beside("DE", "B C D E F", "F G"));
    cr_assert(goes_on_beside("DE", "B C D E F", "B F G"));
}

/* H52: the last lease comes in the step in which it would hand over, and nobody was told yet that
 * it acts. Who looks at the clock may count on it. */
Test(core_strict, who_acts_by_the_clock_is_not_idle)
{
    struct rig *rig = idle_for_long();

    const struct lease_said leased = {.promised = core_view(rig->core)->epoch, .leased = true};

    rig->core->peers[1].number.nonce = 5; /* Both have been asked again. */
    rig->core->peers[2].number.nonce = 5;
    rig->now_ms += (rig->timing.lost_ms - 1) % 100;
    cr_assert(rig_answers(rig, 'B', &leased));
    rig->now_ms += 2;
    cr_assert(rig_answers(rig, 'C', &leased));
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* --- Names that keep failing (R4b) --- */

static void is_shown(struct rig *rig, struct view *view)
{
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->version, view->version);
    view_built_free(&rig->views[--rig->view_count]); /* There are more than are kept. */
}

/* What B knows after three lives of the name D came in and went for that reason. */
static struct flap flaps_after(enum gone_reason reason)
{
    struct rig *rig = rig_strict("A B C", 'B');

    for (char letter = 'M'; letter < 'P'; letter++) {
        struct member member = member_of(letter);
        struct view *view = rig_next(rig, "");

        member.name[0] = 'D';
        view_append(view, &member);
        is_shown(rig, view);
        view = rig_next(rig, "");
        view_remove(view, view_find(view, &member.id), &(const struct gone){.reason = reason});
        is_shown(rig, view);
    }
    const struct flap flap = rig->core->flap;
    rig_free(rig);
    return flap;
}

/* May a fourth one come in then? A knows the same, and coordinates. */
static bool is_let_in_after(enum gone_reason reason, const char *voters, bool leased)
{
    struct rig *rig = rig_strict_among("A B C", 'A', voters);

    rig->core->flap = flaps_after(reason);
    rig->core->flap.names[0].last_ms = rig->now_ms;
    rig_pass(rig, rig->timing.heartbeat_ms, "");
    hears_lease(rig, 'B', leased);
    hears_lease(rig, 'C', leased);
    cr_assert_eq(core_is_acting(rig->core, rig->now_ms), leased);
    const bool is_let_in = flap_admits(rig->core, "D");
    rig_free(rig);
    return is_let_in;
}

/* H50: it may be the one that a quorum lacks. */
Test(core_strict, no_voter_waits_for_having_failed_while_nobody_acts)
{
    cr_assert(is_let_in_after(GONE_FAILED, "B C D", false));
    cr_assert_not(is_let_in_after(GONE_FAILED, "B C D", true));
    cr_assert_not(is_let_in_after(GONE_FAILED, "A B C", false), "it is no voter");
    cr_assert_not(is_let_in_after(GONE_BEHIND, "B C D", false), "nothing long reaches it");
}

/* H92: what lets it in may be too long to get to it, again and again. */
Test(core_strict, a_voter_that_did_not_answer_waits)
{
    struct rig *rig = rig_strict_among("A B C", 'A', "A B D");

    for (int i = 0; i < 3; i++) {
        flap_note_vain(rig->core, "D");
    }
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_not(flap_admits(rig->core, "D"));
    rig_free(rig);
}

/* --- Who is named (Z9b) --- */

/* Whoever waits for a coordinator looks again at each event. */
Test(core_strict, watchers_hear_when_a_coordinator_is_named_and_when_it_is_not)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint32_t before = rig->noticed[NOTICE_COORDINATOR];

    hears_coordinator(rig, false);
    cr_assert_null(core_coordinator(rig->core));
    cr_assert_eq(rig->noticed[NOTICE_COORDINATOR], before);
    hears_coordinator(rig, true);
    cr_assert_not_null(core_coordinator(rig->core));
    cr_assert_eq(rig->noticed[NOTICE_COORDINATOR], before + 1);
    cr_assert_str_eq(rig->notices[NOTICE_COORDINATOR].subject.name, "A");
    rig_pass(rig, rig->timing.fresh_ms + rig->timing.heartbeat_ms, "C");
    cr_assert_null(core_coordinator(rig->core));
    cr_assert_eq(rig->noticed[NOTICE_COORDINATOR], before + 2);
    rig_free(rig);
}

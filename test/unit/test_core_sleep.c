/* A node that was late, and what it does not trust itself with until it is sure (D4, L2). */
#include <criterion/criterion.h>

#include "rig.h"

/* --- Being late --- */

/* Its loop comes round so much later than it should. */
static void is_late_by(struct rig *rig, uint64_t ms)
{
    rig_sleeps(rig, core_deadline_ms(rig->core) - rig->now_ms + ms);
}

/* For just as long as makes it one that slept. */
static void sleeps(struct rig *rig)
{
    is_late_by(rig, timing_turn_ms(&rig->timing));
}

/* The core's last question to that peer since the last call; 0 for none. */
static uint64_t question_to(const struct rig *rig, char peer)
{
    const struct message *ping = rig_told(rig, MESSAGE_PING, peer);

    return ping == NULL ? 0 : ping->ping.nonce;
}

static struct message answer_to(const struct rig *rig, char from, uint64_t nonce)
{
    return (struct message){
        .type = MESSAGE_PONG,
        .ping = {.nonce = nonce, .subject = rig_id(rig, from), .origin = core_self(rig->core)->id}};
}

static void answers(struct rig *rig, char from, uint64_t nonce)
{
    struct message pong = answer_to(rig, from, nonce);

    rig_gets(rig, from, &pong);
}

/* It sleeps, and is sure of itself again. */
static void slept(struct rig *rig, char fellow, const char *alive)
{
    sleeps(rig);
    answers(rig, fellow, question_to(rig, fellow));
    rig_pass(rig, rig->timing.fresh_ms, alive);
    rig_pass(rig, rig->timing.heartbeat_ms, alive);
}

static bool acts(struct rig *rig)
{
    rig_sleeps(rig, 0); /* What it knows is of its last step. */
    return core_is_acting(rig->core, rig->now_ms);
}

/* Its process lives, but it says nothing of what it knows. */
static void gives_a_sign(struct rig *rig, char from)
{
    rig_gets(rig, from, &(struct message){.type = MESSAGE_PULL});
}

static struct message says_lost(const struct rig *rig, char letter)
{
    const struct view *view = core_view(rig->core);
    struct node_id id = rig_id(rig, letter);
    struct message message = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .suspect_count = 1},
    };

    message.heartbeat.suspects[0] = (struct suspicion){
        .age = view->members[view_find(view, &id)].age, .verdict = VERDICT_LOST};
    return message;
}

static enum verdict verdict_on(const struct rig *rig, char letter)
{
    struct node_id id = rig_id(rig, letter);

    return core_peer(rig->core, view_find(core_view(rig->core), &id), rig->now_ms).verdict;
}

/* Y asks to be let in: is a view with it proposed? */
static bool lets_in(struct rig *rig)
{
    struct message join = {.type = MESSAGE_JOIN,
                           .joiner = {.member = member_of('Y'), .terms = rig_terms()}};

    rig_gets(rig, 'Y', &join);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, 'Y');
    cr_assert_not_null(offer);
    join.type = MESSAGE_READY;
    join.joiner.nonce = offer->offer.nonce;
    rig_gets(rig, 'Y', &join);
    rig_pass(rig, rig->timing.batch_ms, "");
    return rig_told(rig, MESSAGE_PREPARE, 'Y') != NULL;
}

/* --- What it forgets (D4b) --- */

Test(core_sleep, who_slept_drops_its_verdicts_but_what_is_proven)
{
    struct rig *rig = rig_in("A B C D", 'B');

    rig_pass(rig, rig->timing.lost_ms, "A D");
    rig_kill(rig, 'D');
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_LOST);
    cr_assert_eq(verdict_on(rig, 'D'), VERDICT_DEAD);
    sleeps(rig);
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_NONE);
    cr_assert_eq(verdict_on(rig, 'D'), VERDICT_DEAD);
    rig_free(rig);
}

Test(core_sleep, who_slept_finds_nobody_lost_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_pass(rig, rig->timing.lost_ms - 50, "A");
    sleeps(rig);
    rig_pass(rig, rig->timing.fresh_ms - 1, "A");
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_NONE);
    rig_pass(rig, rig->timing.heartbeat_ms, "A");
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_LOST);
    rig_free(rig);
}

Test(core_sleep, who_slept_names_nobody_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_pass(rig, rig->timing.lost_ms - 50, "A");
    sleeps(rig);
    rig_pass(rig, rig->timing.fresh_ms - 1, "A");
    cr_assert_eq(rig_told(rig, MESSAGE_HEARTBEAT, 'A')->heartbeat.suspect_count, 0);
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, "A");
    cr_assert_eq(rig_told(rig, MESSAGE_HEARTBEAT, 'A')->heartbeat.suspect_count, 1);
    rig_free(rig);
}

/* B said that it follows another, before the sleep and after it: not all the time between. */
Test(core_sleep, who_slept_forgets_who_followed_another)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message refusal = {.type = MESSAGE_NOT_FOLLOWING,
                              .reference = {.view = view_id_of(core_view(rig->core))}};

    refusal.reference.view.coordinator = rig_id(rig, 'X');
    rig_gets(rig, 'B', &refusal);
    sleeps(rig);
    uint64_t question = question_to(rig, 'C');
    rig_gets(rig, 'B', &refusal);
    answers(rig, 'C', question);
    for (int i = 0; i < 9; i++) {
        rig_pass(rig, 100, "C");
        cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    }
    rig_free(rig);
}

Test(core_sleep, who_slept_gives_up_its_proposal)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message accusation = says_lost(rig, 'C');

    rig_gets(rig, 'B', &accusation);
    rig_kill(rig, 'C');
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct view *proposed = rig_told(rig, MESSAGE_PREPARE, 'B')->carrier.view;
    struct message ack = {
        .type = MESSAGE_ACK,
        .reference = {.view = view_id_of(proposed), .view_hash = proposed->hash},
    };
    sleeps(rig);
    rig_refuses(rig, 'B', &ack, REFUSED_NOTHING_PROPOSED);
    rig_free(rig);
}

static struct message grant_of_claim(const struct rig *rig, char voter)
{
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, voter);

    cr_assert_not_null(claim);
    return (struct message){.type = MESSAGE_GRANT, .carrier = {.epoch = claim->carrier.epoch}};
}

Test(core_sleep, who_slept_gives_up_its_claim)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_kill(rig, 'A');
    struct message grant = grant_of_claim(rig, 'C');
    sleeps(rig);
    rig_refuses(rig, 'C', &grant, REFUSED_NO_CLAIM);
    rig_free(rig);
}

Test(core_sleep, who_slept_does_not_claim_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'B');

    sleeps(rig);
    rig_kill(rig, 'A');
    cr_assert_eq(verdict_on(rig, 'A'), VERDICT_DEAD);
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_pass(rig, rig->timing.fresh_ms - 1, "C");
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_pass(rig, rig->timing.heartbeat_ms, "C");
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_free(rig);
}

/* --- The question (D4c, D4d) --- */

Test(core_sleep, who_slept_asks_all_and_again_until_it_is_awake)
{
    struct rig *rig = rig_in("A B C", 'B');

    sleeps(rig);
    uint64_t question = question_to(rig, 'A');
    cr_assert_neq(question, 0);
    cr_assert_eq(question_to(rig, 'C'), question);
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, "");
    cr_assert_neq(question_to(rig, 'A'), 0);
    cr_assert_neq(question_to(rig, 'C'), 0);
    rig_free(rig);
}

Test(core_sleep, who_is_awake_asks_no_more)
{
    struct rig *rig = rig_in("A B C", 'B');

    sleeps(rig);
    answers(rig, 'C', question_to(rig, 'C'));
    rig_pass(rig, rig->timing.fresh_ms - 1, "");
    cr_assert_neq(rig_count(rig, MESSAGE_HEARTBEAT), 0);
    cr_assert_eq(rig_count(rig, MESSAGE_PING), 0);
    rig_free(rig);
}

/* H15 */
Test(core_sleep, the_question_is_drawn_anew_and_answers_to_the_latest_two_count)
{
    struct rig *rig = rig_in("A B C", 'A');

    sleeps(rig);
    uint64_t first = question_to(rig, 'B');
    rig_pass(rig, rig->timing.lost_ms / 2 - 1, "");
    cr_assert_eq(question_to(rig, 'B'), first);
    rig_pass(rig, rig->timing.lost_ms / 6, ""); /* T_fresh is not over: see D4e. */
    uint64_t second = question_to(rig, 'B');
    cr_assert_neq(second, 0);
    cr_assert_neq(second, first);
    struct message vain = answer_to(rig, 'B', first + second);
    rig_refuses(rig, 'B', &vain, REFUSED_PONG_UNASKED);
    cr_assert_not(acts(rig));
    answers(rig, 'B', first);
    cr_assert(acts(rig));
    rig_free(rig);
}

Test(core_sleep, an_answer_to_a_question_before_the_latest_two_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'A');
    uint64_t first = 0;

    sleeps(rig);
    first = question_to(rig, 'B');
    rig_pass(rig, rig->timing.lost_ms + 2 * rig->timing.heartbeat_ms, "");
    struct message late = answer_to(rig, 'B', first);
    rig_refuses(rig, 'B', &late, REFUSED_PONG_UNASKED);
    rig_free(rig);
}

/* Its view does not hold the node. */
Test(core_sleep, the_answer_of_one_that_is_no_fellow_does_not_count)
{
    struct rig *rig = rig_in("A B", 'A');

    sleeps(rig);
    struct message pong = answer_to(rig, 'B', question_to(rig, 'B'));
    rig->numbers['B']++;
    pong = rig_message(rig, 'B', &pong);
    pong.fellow = false;
    rig_gets_raw(rig, &pong);
    cr_assert_not(acts(rig));
    answers(rig, 'B', pong.ping.nonce);
    cr_assert(acts(rig));
    rig_free(rig);
}

/* H47: of five two more are needed at one time. What B answered counts from the question on, so
 * that it has lapsed when C answers the next. */
static bool two_answers_count(uint64_t between_ms)
{
    struct rig *rig = rig_guarded("A B C D E", 'A', (struct guard){GUARD_MAJORITY, 5});

    sleeps(rig);
    uint64_t asked_ms = rig->now_ms;
    uint64_t first = question_to(rig, 'B');
    rig_pass(rig, rig->timing.fresh_ms - 25, "");
    uint64_t second = question_to(rig, 'C');
    cr_assert_neq(second, first);
    answers(rig, 'B', first);
    gives_a_sign(rig, 'C');
    gives_a_sign(rig, 'D');
    rig_pass(rig, asked_ms + between_ms - rig->now_ms, "");
    cr_assert_not(acts(rig));
    answers(rig, 'C', second);
    bool count = acts(rig);
    rig_free(rig);
    return count;
}

Test(core_sleep, an_answer_counts_from_its_question_on_for_as_long_as_a_loss_takes)
{
    struct timing timing = timing_of(PROFILE_LAN);

    cr_assert(two_answers_count(timing.lost_ms - 1));
    cr_assert_not(two_answers_count(timing.lost_ms));
}

/* --- Being awake (D4e) --- */

Test(core_sleep, with_guard_none_anybody_is_enough)
{
    struct rig *rig = rig_in("A B C D E", 'A');

    sleeps(rig);
    uint64_t question = question_to(rig, 'E');
    cr_assert_not(acts(rig));
    answers(rig, 'E', question);
    cr_assert(acts(rig));
    rig_free(rig);
}

Test(core_sleep, with_a_guard_a_majority_is_enough)
{
    struct rig *rig = rig_guarded("A B C D E", 'A', (struct guard){GUARD_MAJORITY, 5});

    sleeps(rig);
    uint64_t question = question_to(rig, 'B');
    for (const char *fellow = "BCDE"; *fellow != '\0'; fellow++) {
        gives_a_sign(rig, *fellow);
    }
    answers(rig, 'B', question);
    cr_assert_not(acts(rig));
    answers(rig, 'C', question);
    cr_assert(acts(rig));
    rig_free(rig);
}

Test(core_sleep, who_is_alone_is_awake_at_once)
{
    struct rig *rig = rig_in("A", 'A');

    sleeps(rig);
    cr_assert(acts(rig));
    rig_free(rig);
}

/* What is heard before may have waited in a socket. */
Test(core_sleep, who_is_heard_after_a_while_needs_no_question)
{
    struct rig *rig = rig_in("A B C", 'A');

    sleeps(rig);
    rig_pass(rig, rig->timing.fresh_ms - 1, "B C");
    rig_pass(rig, rig->timing.heartbeat_ms / 2, "");
    cr_assert_not(acts(rig));
    rig_hears(rig, 'B');
    cr_assert(acts(rig));
    rig_free(rig);
}

/* H32 */
Test(core_sleep, who_is_heard_after_a_while_has_to_name_the_same_coordinator)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(core_view(rig->core))}};

    says.heartbeat.view.coordinator = rig_id(rig, 'X');
    says.heartbeat.view.epoch++;
    sleeps(rig);
    rig_pass(rig, rig->timing.fresh_ms, "");
    rig_gets(rig, 'B', &says);
    cr_assert_not(acts(rig));
    rig_hears(rig, 'B');
    cr_assert(acts(rig));
    rig_free(rig);
}

/* --- A coordinator that slept (D4f) --- */

Test(core_sleep, a_coordinator_that_slept_lets_nobody_in_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'A');

    sleeps(rig);
    answers(rig, 'B', question_to(rig, 'B'));
    rig_pass(rig, rig->timing.fresh_ms - rig->timing.batch_ms - 1, "");
    cr_assert(acts(rig));
    cr_assert_not(lets_in(rig));
    cr_assert_eq(rig->refused.reason, REFUSED_REIGN_UNSURE);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert(lets_in(rig));
    rig_free(rig);
}

Test(core_sleep, a_coordinator_that_is_not_awake_lets_nobody_in)
{
    struct rig *rig = rig_in("A B C", 'A');

    sleeps(rig);
    rig_pass(rig, rig->timing.fresh_ms + rig->timing.lost_ms - 2 * rig->timing.batch_ms, "");
    cr_assert_not(lets_in(rig));
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_not(acts(rig));
    cr_assert(lets_in(rig));
    rig_free(rig);
}

/* What was to be proposed before the sleep is proposed when it is sure. */
Test(core_sleep, a_coordinator_that_slept_proposes_nothing_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message accusation = says_lost(rig, 'C');
    uint64_t question = 0;

    rig_gets(rig, 'B', &accusation);
    rig_kill(rig, 'C');
    sleeps(rig);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    question = question_to(rig, 'B');
    answers(rig, 'B', question);
    rig_pass(rig, rig->timing.fresh_ms - 1, "B");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_pass(rig, rig->timing.heartbeat_ms, "B");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

Test(core_sleep, a_coordinator_that_slept_answers_no_probe_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct view *theirs = rig_view(rig, "D E");
    struct message probe = {.type = MESSAGE_PROBE,
                            .probe = {.view = view_id_of(theirs),
                                      .view_hash = theirs->hash,
                                      .holders = 2,
                                      .oldest_age = 1,
                                      .guard_met = true,
                                      .coordinator = theirs->members[0].address,
                                      .terms = rig_terms()}};

    sleeps(rig);
    uint64_t question = question_to(rig, 'B');
    rig_refuses(rig, 'D', &probe, REFUSED_REIGN_UNSURE);
    answers(rig, 'B', question);
    rig_refuses(rig, 'D', &probe, REFUSED_REIGN_UNSURE);
    rig_pass(rig, rig->timing.fresh_ms, "B C");
    rig_gets(rig, 'D', &probe);
    cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'D'));
    rig_free(rig);
}

/* --- While a member says that it follows another (D4g) --- */

Test(core_sleep, a_coordinator_whom_somebody_does_not_follow_waits_until_that_is_settled)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message refusal = {.type = MESSAGE_NOT_FOLLOWING,
                              .reference = {.view = view_id_of(core_view(rig->core))}};

    refusal.reference.view.coordinator = rig_id(rig, 'X');
    rig_gets(rig, 'B', &refusal);
    rig_pass(rig, rig->timing.fresh_ms - rig->timing.batch_ms - 1, "C");
    gives_a_sign(rig, 'B');
    cr_assert_not(lets_in(rig));
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert(lets_in(rig));
    rig_free(rig);
}

/* --- A slow loop (D4h) --- */

Test(core_sleep, who_is_late_again_is_slow_and_goes_on)
{
    struct rig *rig = rig_in("A B C", 'A');

    slept(rig, 'B', "B C");
    is_late_by(rig, timing_turn_ms(&rig->timing) - 1);
    cr_assert_eq(rig_count(rig, MESSAGE_PING), 0);
    cr_assert(acts(rig));
    is_late_by(rig, timing_turn_ms(&rig->timing));
    cr_assert_neq(rig_count(rig, MESSAGE_PING), 0);
    cr_assert_not(acts(rig));
    rig_free(rig);
}

Test(core_sleep, who_is_late_for_the_first_time_in_long_slept)
{
    struct rig *rig = rig_in("A B C", 'A');

    slept(rig, 'B', "B C");
    for (uint64_t ms = 0; ms < rig->timing.stall_ms; ms += 1000) {
        rig_pass(rig, 1000, "B C");
    }
    is_late_by(rig, timing_turn_ms(&rig->timing) - 1);
    cr_assert_not(acts(rig));
    rig_free(rig);
}

/* The answer of the joiner waits in the socket, and is read before the time is up. */
Test(core_sleep, the_change_of_a_slow_coordinator_waits_longer)
{
    struct rig *rig = rig_in("A B C", 'A');
    char seen[64];

    slept(rig, 'B', "B C");
    cr_assert(lets_in(rig));
    const struct view *proposed = rig_told(rig, MESSAGE_PREPARE, 'Y')->carrier.view;
    struct message ack = {
        .type = MESSAGE_ACK,
        .reference = {.view = view_id_of(proposed), .view_hash = proposed->hash},
    };
    rig_pass(rig, rig->timing.heartbeat_ms / 2, "");
    is_late_by(rig, timing_turn_ms(&rig->timing) - 1);
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    rig_gets(rig, 'Y', &ack);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_str_eq(rig_sees(rig, seen), "A B C Y");
    rig_free(rig);
}

Test(core_sleep, the_claim_of_a_slow_heir_waits_longer)
{
    struct rig *rig = rig_in("A B C", 'B');

    slept(rig, 'C', "A C");
    rig_kill(rig, 'A');
    struct message grant = grant_of_claim(rig, 'C');
    is_late_by(rig, timing_turn_ms(&rig->timing) - 1);
    rig_pass(rig, rig->timing.batch_ms + 5, "");
    rig_gets(rig, 'C', &grant);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_free(rig);
}

/* The word of B, who heard C, waits in the socket. */
Test(core_sleep, the_verification_of_a_slow_coordinator_waits_longer)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message accusation = says_lost(rig, 'C');
    uint64_t question = 0;

    slept(rig, 'B', "B C");
    for (int i = 0; i < 40 && question == 0; i++) {
        rig_gets(rig, 'B', &accusation);
        rig_pass(rig, 50, "");
        question = question_to(rig, 'C');
    }
    cr_assert_neq(question, 0);
    is_late_by(rig, timing_turn_ms(&rig->timing) - 200);
    struct message pong = answer_to(rig, 'C', question);
    rig_gets(rig, 'B', &pong);
    cr_assert_eq(rig->refused_count, 0);
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

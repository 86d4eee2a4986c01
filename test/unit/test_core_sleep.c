/* A node that was late (D4), what others are known to have heard of it (D8), and what it does not
 * trust itself with until it is sure (D8, L2). */
#include <criterion/criterion.h>

#include "core/state/state.h"
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
    is_late_by(rig, larger(timing_turn_ms(&rig->timing), rig->timing.silent_ms / 2 + 1));
}

/* It sleeps so long that the others may have found it lost: no lease outlasts that. */
static void sleeps_long(struct rig *rig)
{
    is_late_by(rig, rig->timing.lost_ms);
}

/* It sleeps, and is over it. */
static void slept(struct rig *rig, const char *alive)
{
    sleeps(rig);
    rig_pass(rig, rig->timing.fresh_ms, alive);
    rig_pass(rig, rig->timing.heartbeat_ms, alive);
}

static bool acts(const struct rig *rig)
{
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

/* Y asks to be let in: is a view with it proposed? */
static bool lets_in(struct rig *rig)
{
    struct message join = {.type = MESSAGE_JOIN,
                           .joiner = {.member = member_of('Y'), .terms = *core_terms(rig->core)}};

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

    (void)rig_loses(rig, 'C', "A D");
    rig_kill(rig, 'D');
    cr_assert_eq(rig_verdict(rig, 'D'), VERDICT_DEAD);
    sleeps(rig);
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    cr_assert_eq(rig_verdict(rig, 'D'), VERDICT_DEAD);
    rig_free(rig);
}

Test(core_sleep, who_slept_finds_nobody_lost_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_pass(rig, rig->timing.lost_ms - 50, "A");
    sleeps(rig);
    rig_pass(rig, rig->timing.fresh_ms - 1, "A");
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    rig_pass(rig, rig->timing.heartbeat_ms, "A");
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_LOST);
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
    rig_gets(rig, 'B', &refusal);
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
    rig_refuses(rig, 'B', &ack, REFUSED_ANSWER_TO_ANOTHER);
    rig_free(rig);
}

static struct message grant_of_claim(const struct rig *rig, char voter)
{
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, voter);

    cr_assert_not_null(claim);
    return rig_answer(rig, claim->carrier.epoch, VOTE_GRANTED);
}

Test(core_sleep, who_slept_gives_up_its_claim)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_kill(rig, 'A');
    struct message grant = grant_of_claim(rig, 'C');
    sleeps(rig);
    rig_refuses(rig, 'C', &grant, REFUSED_ANOTHER_CLAIM);
    rig_free(rig);
}

Test(core_sleep, who_slept_does_not_claim_for_a_while)
{
    struct rig *rig = rig_in("A B C", 'B');

    sleeps(rig);
    rig_kill(rig, 'A');
    cr_assert_eq(rig_verdict(rig, 'A'), VERDICT_DEAD);
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_pass(rig, rig->timing.fresh_ms - 1, "C");
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_pass(rig, rig->timing.heartbeat_ms, "C");
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_free(rig);
}

/* --- The leases of one that slept (D8b) --- */

/* A heartbeat of that peer which echoes that number. */
static struct message echoes(struct rig *rig, char from, uint64_t number)
{
    const struct view *view = core_view(rig->core);
    struct message message = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(view), .view_hash = view->hash},
    };

    rig->numbers[(unsigned char)from]++;
    message = rig_message(rig, from, &message);
    message.echo = (uint32_t)number;
    return message;
}

/* H5, H15: it was sent while A slept, and before B could have taken over. */
Test(core_sleep, what_waited_in_a_socket_is_no_lease)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message waited = echoes(rig, 'B', rig->last_number);

    sleeps_long(rig);
    cr_assert_not(acts(rig));
    rig_gets_raw(rig, &waited);
    cr_assert_not(acts(rig));
    rig_hears(rig, 'B');
    cr_assert(acts(rig));
    rig_free(rig);
}

/* Nobody can have found it lost meanwhile. */
Test(core_sleep, a_lease_outlasts_a_short_sleep)
{
    struct rig *rig = rig_in("A B", 'A');

    sleeps(rig);
    cr_assert(acts(rig));
    rig_free(rig);
}

/* Its view does not hold the node. */
Test(core_sleep, the_echo_of_one_that_is_no_fellow_is_no_lease)
{
    struct rig *rig = rig_in("A B", 'A');

    sleeps_long(rig);
    struct message says = echoes(rig, 'B', rig->last_number);
    says.fellow = false;
    rig_gets_raw(rig, &says);
    cr_assert_not(acts(rig));
    rig_hears(rig, 'B');
    cr_assert(acts(rig));
    rig_free(rig);
}

/* R2c: it lives, but what it says of its link to the node is not said over that link. */
Test(core_sleep, a_relayed_echo_is_no_lease)
{
    struct rig *rig = rig_in("A B C", 'A');

    sleeps_long(rig);
    struct message says = echoes(rig, 'B', rig->last_number);
    says.relay = true;
    rig_gets_raw(rig, &says);
    cr_assert_not(acts(rig));
    rig_free(rig);
}

/* H20 */
Test(core_sleep, a_message_that_was_overtaken_brings_no_lease)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message before = echoes(rig, 'B', 0);

    sleeps_long(rig);
    struct message says = echoes(rig, 'B', 0);
    rig_gets_raw(rig, &says);
    before.echo = (uint32_t)rig->last_number;
    rig_gets_raw(rig, &before);
    cr_assert_not(acts(rig));
    rig_free(rig);
}

/* H32 */
Test(core_sleep, who_follows_another_gives_no_lease)
{
    struct rig *rig = rig_in("A B", 'A');

    sleeps_long(rig);
    struct message says = echoes(rig, 'B', rig->last_number);
    says.heartbeat.view.coordinator = rig_id(rig, 'X');
    says.heartbeat.view.epoch++;
    rig_gets_raw(rig, &says);
    cr_assert_not(acts(rig));
    rig_hears(rig, 'B');
    cr_assert(acts(rig));
    rig_free(rig);
}

/* What B says at the last moment does not make it longer: it is A's word that counts. */
Test(core_sleep, a_lease_lasts_from_the_sending_on_for_as_long_as_a_loss_takes)
{
    struct rig *rig = rig_in("A B", 'A');

    sleeps_long(rig);
    uint64_t sent_ms = rig->now_ms;
    uint64_t number = rig->last_number;
    rig_pass(rig, rig->timing.lost_ms - 1, "");
    struct message says = echoes(rig, 'B', number);
    rig_gets_raw(rig, &says);
    cr_assert_eq(rig->now_ms, sent_ms + rig->timing.lost_ms - 1);
    cr_assert(acts(rig));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms + 1));
    rig_free(rig);
}

/* --- What is echoed (D8a) --- */

/* Of a message from another view, or that came around a bad link, A must not think that it keeps it
 * from being found lost. */
Test(core_sleep, what_is_no_sign_of_life_is_not_echoed)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const struct message content = rig_question(rig, 1);
    struct message ping = rig_message(rig, 'A', &content);
    uint64_t heard = rig->numbers['A'];
    struct message apart = echoes(rig, 'A', 0);
    struct message relayed = echoes(rig, 'A', 0);

    apart.fellow = false;
    rig_gets_raw(rig, &apart);
    relayed.relay = true;
    rig_gets_raw(rig, &relayed);
    rig_gets_raw(rig, &ping); /* They overtook it, so it is no sign of life itself. */
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_eq(rig->sent[0].message.type, MESSAGE_PONG);
    cr_assert_eq(rig->sent[0].echo, heard);
    rig_free(rig);
}

/* Who coordinates asks for its leases, under any guard; nobody answers a heartbeat. */
Test(core_sleep, a_heartbeat_echoes_nothing_and_is_not_answered)
{
    struct rig *rigs[] = {rig_in("A B C", 'B'), rig_strict("A B C", 'B')};

    for (size_t i = 0; i < sizeof rigs / sizeof rigs[0]; i++) {
        struct rig *rig = rigs[i];
        uint32_t told = 0;
        rig_hears(rig, 'A');
        cr_assert_eq(rig->sent_count, 0, "%zu", i);
        rig_pass(rig, 2 * rig->timing.heartbeat_ms, "A C");
        for (uint32_t k = 0; k < rig->sent_count; k++) {
            if (rig->sent[k].message.type == MESSAGE_HEARTBEAT) {
                cr_assert_eq(rig->sent[k].echo, 0, "%zu", i);
                told++;
            }
        }
        cr_assert_gt(told, 0, "%zu", i);
        rig_free(rig);
    }
}

/* Lets time pass until it sends its next round, which is at this moment. */
static uint64_t next_round_ms(struct rig *rig, const char *alive)
{
    do {
        rig_pass(rig, 1, alive);
    } while (rig_told(rig, MESSAGE_HEARTBEAT, 'C') == NULL);
    return rig->now_ms;
}

/* D8e: by its own interval, give or take a fiftieth, whether it hears its coordinator or not. */
Test(core_sleep, a_member_begins_its_own_rounds)
{
    static const char *const alive[] = {"A C", "C"};

    for (size_t i = 0; i < sizeof alive / sizeof alive[0]; i++) {
        struct rig *rig = rig_strict("A B C", 'B');
        const uint64_t first_ms = next_round_ms(rig, alive[i]);
        const uint64_t apart_ms = next_round_ms(rig, alive[i]) - first_ms;
        cr_assert_geq(apart_ms, timing_round_ms(&rig->timing) * 98 / 100);
        cr_assert_leq(apart_ms, timing_round_ms(&rig->timing) * 102 / 100);
        rig_free(rig);
    }
}

/* --- A coordinator that slept (D8d) --- */

Test(core_sleep, a_coordinator_that_slept_lets_nobody_in_without_leases)
{
    struct rig *rig = rig_in("A B C", 'A');

    sleeps_long(rig);
    cr_assert_not(lets_in(rig));
    cr_assert_eq(rig->refused.reason, REFUSED_REIGN_UNSURE);
    rig_hears(rig, 'B');
    cr_assert(lets_in(rig));
    rig_free(rig);
}

Test(core_sleep, under_strict_it_waits_for_the_leases_of_voters)
{
    struct rig *rig = rig_strict("A B C", 'A');

    sleeps(rig);
    rig_hears(rig, 'B');
    cr_assert_not(lets_in(rig));
    cr_assert_eq(rig->refused.reason, REFUSED_REIGN_UNSURE);
    rig_leases(rig, 'B');
    rig_leases(rig, 'C');
    cr_assert(lets_in(rig));
    rig_free(rig);
}

/* Whoever is silent for so long is silent, not slow. */
Test(core_sleep, a_coordinator_that_slept_does_not_wait_for_ever)
{
    struct rig *rig = rig_in("A B C", 'A');

    sleeps_long(rig);
    rig_pass(rig, rig->timing.fresh_ms + rig->timing.lost_ms - 2 * rig->timing.batch_ms, "");
    cr_assert_not(lets_in(rig));
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_not(acts(rig));
    cr_assert(lets_in(rig));
    rig_free(rig);
}

/* It need not be sure that it was not replaced who has no reason to think so. */
Test(core_sleep, a_coordinator_that_did_not_sleep_needs_no_lease_to_let_in)
{
    struct rig *rig = rig_in("A B C", 'A');

    for (uint64_t ms = 0; ms < rig->timing.lost_ms; ms += 100) {
        rig_pass(rig, 100, "");
        struct message deaf = echoes(rig, 'B', 0);
        rig_gets_raw(rig, &deaf);
    }
    cr_assert_not(acts(rig));
    cr_assert(lets_in(rig));
    rig_free(rig);
}

/* The proven death of E is what it has to propose. */
static struct rig *has_slept_on_a_removal(struct guard guard)
{
    struct rig *rig = rig_guarded("A B C D E", 'A', guard);
    struct message accusation = says_lost(rig, 'E');

    rig_gets(rig, 'B', &accusation);
    rig_kill(rig, 'E');
    sleeps_long(rig);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    return rig;
}

static bool proposes_soon(struct rig *rig)
{
    rig_pass(rig, rig->timing.fresh_ms / 4 + rig->timing.batch_ms, "");
    return rig_told(rig, MESSAGE_PREPARE, 'B') != NULL;
}

Test(core_sleep, with_guard_none_one_lease_is_enough_to_propose)
{
    struct rig *rig = has_slept_on_a_removal((struct guard){.policy = GUARD_NONE});

    cr_assert_not(proposes_soon(rig));
    rig_hears(rig, 'C');
    cr_assert(proposes_soon(rig));
    rig_free(rig);
}

Test(core_sleep, with_a_guard_it_takes_as_many_as_that_counts_to_propose)
{
    struct rig *rig = has_slept_on_a_removal((struct guard){GUARD_COUNT, 3});

    rig_hears(rig, 'C');
    cr_assert_not(acts(rig));
    cr_assert_not(proposes_soon(rig));
    rig_hears(rig, 'D');
    cr_assert(acts(rig));
    cr_assert(proposes_soon(rig));
    rig_free(rig);
}

Test(core_sleep, a_coordinator_that_slept_answers_no_probe_without_leases)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message probe = {.type = MESSAGE_PROBE,
                                  .probe = rig_part(rig_view(rig, "D E"), 2)};

    sleeps_long(rig);
    rig_refuses(rig, 'D', &probe, REFUSED_REIGN_UNSURE);
    rig_hears(rig, 'B');
    rig_gets(rig, 'D', &probe);
    cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'D'));
    rig_free(rig);
}

/* --- While a member says that it follows another (D8d) --- */

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

/* --- A slow loop (D4b) --- */

/* It has slept, and found C lost since. */
static struct rig *slept_and_lost_one(void)
{
    struct rig *rig = rig_local("A B C D", 'B');

    slept(rig, "A C D");
    (void)rig_loses(rig, 'C', "A D");
    return rig;
}

Test(core_sleep, who_is_late_again_is_slow_and_keeps_its_verdicts)
{
    struct rig *rig = slept_and_lost_one();

    is_late_by(rig, timing_turn_ms(&rig->timing) - 1);
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_LOST);
    is_late_by(rig, timing_turn_ms(&rig->timing));
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    rig_free(rig);
}

Test(core_sleep, who_is_late_for_the_first_time_in_long_slept)
{
    struct rig *rig = slept_and_lost_one();

    rig_pass(rig, rig->timing.stall_ms, "A D");
    is_late_by(rig, timing_turn_ms(&rig->timing) - 1);
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    rig_free(rig);
}

/* The answer of the joiner waits in the socket, and is read before the time is up. */
Test(core_sleep, the_change_of_a_slow_coordinator_waits_longer)
{
    struct rig *rig = rig_local("A B C", 'A');
    char seen[64];

    slept(rig, "B C");
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
    struct rig *rig = rig_local("A B C", 'B');

    slept(rig, "A C");
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
    struct rig *rig = rig_local("A B C", 'A');
    struct message accusation = says_lost(rig, 'C');
    struct message pong = {.type = MESSAGE_PONG};

    slept(rig, "B C");
    for (int i = 0; i < 40 && pong.ping.nonce == 0; i++) {
        rig_gets(rig, 'B', &accusation);
        rig_pass(rig, 10, "");
        const struct message *request = rig_request(rig, 'B');
        pong.ping = request != NULL ? request->ping : pong.ping;
    }
    cr_assert_neq(pong.ping.nonce, 0);
    is_late_by(rig, timing_turn_ms(&rig->timing) - 1);
    rig_gets(rig, 'B', &pong);
    cr_assert_eq(rig->refused_count, 0);
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

/* When the coordinator removes a member, and on whose word (R1 to R5). */
#include <criterion/criterion.h>
#include <string.h>

#include "rig.h"

/* --- What members say --- */

/* It holds our view, and a verdict on the member of that age; 0: on nobody. */
static struct message says(const struct rig *rig, uint64_t age, enum verdict verdict)
{
    const struct view *view = core_view(rig->core);

    return (struct message){.type = MESSAGE_HEARTBEAT,
                            .heartbeat = {.view = view_id_of(view),
                                          .view_hash = view->hash,
                                          .suspects = {{.age = age, .verdict = verdict}},
                                          .suspect_count = age != 0}};
}

static void accuses(struct rig *rig, char from, uint64_t age)
{
    struct message heartbeat = says(rig, age, VERDICT_LOST);

    rig_gets(rig, from, &heartbeat);
}

static bool proposes_without(const struct rig *rig, char to, char gone)
{
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, to);
    const struct node_id id = rig_id(rig, gone);

    return prepare != NULL && !view_has(prepare->carrier.view, &id);
}

/* --- Verification (R1) --- */

/* D has been silent for T_lost less T_verify, B holds that against it already, and nobody has said
 * since the silence could be noticed that he hears D. So A has just begun to ask (D2h). */
static struct rig *verifying(void)
{
    struct rig *rig = rig_in("A B C D", 'A');

    rig_pass(rig, 600, "B C");
    rig_pass(rig, timing_inquiry_ms(&rig->timing) - 600 - 1, "");
    accuses(rig, 'B', 4);
    rig_pass(rig, 1, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'D'));
    cr_assert_not_null(rig_request(rig, 'C'));
    return rig;
}

/* Until the view without it is proposed; C, who is heard, holds nothing against it yet (D2f). */
static uint64_t decided_ms(const struct rig *rig)
{
    return rig->timing.verify_ms + timing_other_half_ms(&rig->timing) + rig->timing.batch_ms;
}

static uint32_t place_of(const struct rig *rig, enum message_type type, char to)
{
    uint32_t place = 0;

    while (place < rig->sent_count &&
           (rig->sent[place].message.type != type || rig->sent[place].to != to)) {
        place++;
    }
    return place;
}

/* H8: F is silent. D and E hear it, C is silent as well, and B accuses it: B, the oldest, is asked
 * last. */
Test(core_removal, who_hears_the_suspect_is_asked_first)
{
    struct rig *rig = rig_in("A B C D E F", 'A');

    rig_pass(rig, 10, "B C D E");
    rig_pass(rig, 590, "B D E");
    rig_pass(rig, timing_inquiry_ms(&rig->timing) - 600 - 1, "");
    accuses(rig, 'B', 6);
    rig_pass(rig, 1, "");
    const uint32_t last = place_of(rig, MESSAGE_PING, 'B');
    cr_assert_lt(last, rig->sent_count);
    cr_assert_lt(place_of(rig, MESSAGE_PING, 'C'), last);
    cr_assert_lt(place_of(rig, MESSAGE_PING, 'D'), last);
    cr_assert_lt(place_of(rig, MESSAGE_PING, 'E'), last);
    rig_free(rig);
}

/* R1b: each quarter of T_verify. */
Test(core_removal, the_question_is_put_four_times)
{
    struct rig *rig = verifying();

    for (uint32_t quarter = 1; quarter < 4; quarter++) {
        rig_pass(rig, rig->timing.verify_ms / 4 - 1, "");
        cr_assert_eq(rig_requests(rig), 0);
        rig_pass(rig, 1, "");
        cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'D'));
        cr_assert_not_null(rig_request(rig, 'C'));
    }
    rig_pass(rig, rig->timing.verify_ms / 4 - 1, "");
    cr_assert_eq(rig_requests(rig), 0);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

Test(core_removal, who_does_not_answer_is_removed)
{
    struct rig *rig = verifying();

    rig_pass(rig, decided_ms(rig), "");
    cr_assert(proposes_without(rig, 'C', 'D'));
    rig_free(rig);
}

Test(core_removal, what_others_say_while_it_is_verified_counts)
{
    struct rig *rig = verifying();

    rig_hears(rig, 'C');
    rig_pass(rig, decided_ms(rig), "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* D2h, R2a: C said so by a heartbeat, and no other of it arrives. B accuses D all the while. */
Test(core_removal, who_was_heard_by_another_while_it_was_verified_is_asked_about_anew)
{
    struct rig *rig = verifying();
    const struct message question = {
        .type = MESSAGE_PING, .ping = {.subject = rig_id(rig, 'A'), .origin = rig_id(rig, 'C')}};
    bool anew = false;
    bool removed = false;

    rig_hears(rig, 'C');
    for (uint64_t ms = 0; ms < 2 * rig->timing.lost_ms && !removed; ms += 10) {
        rig_gets(rig, 'C', &question);
        accuses(rig, 'B', 4);
        rig_pass(rig, 10, "");
        anew = anew || (ms >= rig->timing.verify_ms && rig_request(rig, 'C') != NULL);
        removed = proposes_without(rig, 'C', 'D');
    }
    cr_assert(anew && removed);
    rig_free(rig);
}

/* B is late by now, so that its word does not vouch for D, but does not accuse it either. */
Test(core_removal, an_accusation_that_is_taken_back_removes_nobody)
{
    struct rig *rig = verifying();
    struct message heartbeat = says(rig, 0, VERDICT_NONE);

    heartbeat.heartbeat.late = true;
    rig_gets(rig, 'B', &heartbeat);
    rig_pass(rig, decided_ms(rig), "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* H47: the only one who could have heard C turns slowly, and its word comes slowly. */
Test(core_removal, slow_witnesses_are_given_two_turns)
{
    struct rig *rig = rig_in("A B C", 'A');
    uint64_t turns_ms = 2 * timing_turn_ms(&rig->timing);
    uint64_t removed_ms = 0;

    for (uint64_t ms = 100; removed_ms == 0 && ms < rig->timing.stall_ms; ms += 100) {
        struct message heartbeat = says(rig, 0, VERDICT_NONE);
        heartbeat.heartbeat.late = true;
        rig_pass(rig, 100, "");
        removed_ms = proposes_without(rig, 'B', 'C') ? ms : 0;
        rig_gets(rig, 'B', &heartbeat);
    }
    cr_assert_geq(removed_ms, rig->timing.lost_ms + turns_ms);
    rig_free(rig);
}

/* H50: C moved from A to another. B takes over from A: whether C follows B is another question. */
Test(core_removal, who_moved_away_from_the_former_coordinator_is_asked_anew)
{
    struct rig *rig = rig_in("A B C D", 'B');
    struct message elsewhere = says(rig, 0, VERDICT_NONE);

    elsewhere.heartbeat.view.coordinator = rig_id(rig, 'X');
    elsewhere.heartbeat.view.epoch++;
    for (uint64_t ms = 0; ms <= rig->timing.fresh_ms; ms += 100) {
        rig_gets(rig, 'C', &elsewhere);
        rig_pass(rig, 100, "A D");
    }
    rig_gets(rig, 'C', &elsewhere);
    rig_kill(rig, 'A');
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, 'D');
    cr_assert_not_null(claim);
    rig_grants(rig, 'D', claim->carrier.epoch);
    struct message ack = rig_ack(rig, 'D');
    rig_gets(rig, 'C', &ack);
    rig_gets(rig, 'D', &ack);
    char text[64];
    cr_assert_str_eq(rig_sees(rig, text), "B C D");
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, "D");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* --- Heard by somebody else (R2) --- */

static bool asks_about(const struct rig *rig, char subject)
{
    const struct node_id id = rig_id(rig, subject);

    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct message *message = &rig->sent[i].message;
        if (message->type == MESSAGE_PING && rig->sent[i].to != subject &&
            id_equal(&message->ping.subject, &id)) {
            return true;
        }
    }
    return false;
}

/* H51: nor is it asked about again for T_fresh. */
Test(core_removal, who_answers_through_another_stays)
{
    struct rig *rig = verifying();
    const struct message *question = rig_request(rig, 'C');
    struct message pong = {.type = MESSAGE_PONG, .ping = question->ping};

    rig_gets(rig, 'C', &pong);
    rig_pass(rig, rig->timing.fresh_ms - 1, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_not(asks_about(rig, 'D'));
    accuses(rig, 'B', 4);
    rig_pass(rig, 1, "");
    cr_assert(asks_about(rig, 'D'));
    rig_free(rig);
}

/* B is asked by A about D. */
static struct message pong_of(const struct rig *rig, char subject)
{
    return (struct message){
        .type = MESSAGE_PONG,
        .ping = {.nonce = 7, .subject = rig_id(rig, subject), .origin = rig_id(rig, 'A')}};
}

Test(core_removal, a_helper_hands_on_what_it_heard_itself)
{
    struct rig *rig = rig_in("A B C D", 'B');
    struct message pong = pong_of(rig, 'D');

    rig_gets(rig, 'C', &pong); /* Not the word of D. */
    cr_assert_eq(rig_count(rig, MESSAGE_PONG), 0);
    struct message apart = rig_message(rig, 'D', &pong); /* D lives, but in a view without us. */
    apart.number++;
    apart.fellow = false;
    rig_gets_raw(rig, &apart);
    cr_assert_eq(rig_count(rig, MESSAGE_PONG), 0);

    rig_gets(rig, 'D', &pong);
    cr_assert_not_null(rig_told(rig, MESSAGE_PONG, 'A'));
    rig_free(rig);
}

/* L2: what went over to another part has no place to keep here. */
Test(core_removal, a_helper_does_not_vouch_for_one_who_moved)
{
    struct rig *rig = rig_in("A B C D", 'B');
    struct message pong = pong_of(rig, 'D');
    struct message elsewhere = says(rig, 0, VERDICT_NONE);

    elsewhere.heartbeat.view.coordinator = rig_id(rig, 'X');
    elsewhere.heartbeat.view.epoch++;
    for (uint64_t ms = 0; ms <= rig->timing.fresh_ms; ms += 100) {
        rig_gets(rig, 'D', &elsewhere);
        rig_pass(rig, 100, "A C");
    }
    rig_gets(rig, 'D', &elsewhere);
    rig_gets(rig, 'D', &pong);
    cr_assert_eq(rig_count(rig, MESSAGE_PONG), 0);
    rig_free(rig);
}

/* B accuses D, and C says with each heartbeat that it hears it. */
static struct rig *divided(bool late, uint64_t ms)
{
    struct rig *rig = rig_in("A B C D", 'A');

    for (uint64_t passed = 0; passed < ms; passed += 100) {
        struct message heartbeat = says(rig, 0, VERDICT_NONE);
        heartbeat.heartbeat.late = late;
        rig_gets(rig, 'C', &heartbeat);
        accuses(rig, 'B', 4);
        rig_pass(rig, 100, "");
    }
    return rig;
}

/* H51 */
Test(core_removal, who_is_heard_by_another_stays)
{
    struct rig *rig = divided(false, timing_of(PROFILE_LAN).stall_ms);
    char text[64];

    cr_assert_eq(core_peer(rig->core, 3, rig->now_ms).verdict, VERDICT_LOST);
    cr_assert_str_eq(rig_sees(rig, text), "A B C D");
    cr_assert_eq(core_counters(rig->core)->sent[MESSAGE_PREPARE], 0);
    rig_free(rig);
}

/* H47: it heard D when its loop turned last, who knows when. */
Test(core_removal, a_member_that_is_late_vouches_for_nobody)
{
    struct rig *rig = divided(true, timing_of(PROFILE_LAN).stall_ms);

    cr_assert_gt(core_counters(rig->core)->sent[MESSAGE_PREPARE], 0);
    rig_free(rig);
}

/* C is fresh for other reasons than its heartbeats, of which only the first comes through. */
Test(core_removal, a_heartbeat_vouches_for_t_lost)
{
    struct rig *rig = rig_in("A B C D", 'A');
    uint64_t removed_ms = 0;

    rig_pass(rig, 600, "B C");
    rig_pass(rig, 400, "");
    rig_hears(rig, 'C');
    for (uint64_t ms = 1100; removed_ms == 0 && ms < rig->timing.stall_ms; ms += 100) {
        accuses(rig, 'B', 4);
        rig_gets(rig, 'C', &(struct message){.type = MESSAGE_PULL});
        rig_pass(rig, 100, "");
        removed_ms = rig_count(rig, MESSAGE_PREPARE) > 0 ? ms : 0;
    }
    cr_assert_geq(removed_ms, 1000 + rig->timing.lost_ms);
    rig_free(rig);
}

Test(core_removal, a_bad_link_is_told_once)
{
    struct rig *rig = divided(false, timing_of(PROFILE_LAN).stall_ms);

    cr_assert_eq(rig->noticed[NOTICE_BAD_LINK], 1);
    rig_free(rig);
}

/* How often the last call sent that type to that life by way of that member, marked as relayed. */
static uint32_t sent_around(const struct rig *rig, enum message_type type, char to, char by)
{
    const struct node_id id = rig_id(rig, to);
    uint32_t count = 0;

    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        count += sent->message.type == type && sent->to == by && sent->relay &&
                 id_equal(&sent->peer, &id);
    }
    return count;
}

/* E does not hear A. Nor does B; C hears A, but not E; D hears both. */
Test(core_removal, what_matters_goes_around_a_bad_link)
{
    struct rig *rig = rig_in("A B C D E", 'E');
    const struct message b = says(rig, 1, VERDICT_NONE);
    const struct message c = says(rig, 5, VERDICT_NONE);

    rig_pass(rig, rig->timing.silent_ms - 25, "B C D");
    rig_pass(rig, 25, "");
    rig_gets(rig, 'B', &b);
    rig_gets(rig, 'C', &c);
    rig_hears(rig, 'D');
    rig_leaves(rig);
    cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'A'), "the link may work this time");
    cr_assert_eq(rig_count(rig, MESSAGE_WISH), 2);
    cr_assert_eq(sent_around(rig, MESSAGE_WISH, 'A', 'D'), 1);
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, "");
    cr_assert_gt(rig_count(rig, MESSAGE_HEARTBEAT), 0);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        cr_assert(!rig->sent[i].relay || rig->sent[i].message.type == MESSAGE_WISH);
    }
    rig_free(rig);
}

Test(core_removal, one_who_does_not_hear_us_is_reached_around_the_link)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct message a = says(rig, 3, VERDICT_NONE);

    rig_gets(rig, 'A', &a);
    rig_leaves(rig);
    cr_assert_eq(sent_around(rig, MESSAGE_WISH, 'A', 'B'), 1);
    rig_free(rig);
}

/* It proves that A lives and that its link to us is bad, not that we hear it. */
Test(core_removal, a_relayed_message_is_a_word_for_its_sender)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_pass(rig, 100, "");
    const struct message heartbeat = says(rig, 0, VERDICT_NONE);
    struct message relayed = rig_message(rig, 'A', &heartbeat);
    relayed.number++;
    relayed.relay = true;
    rig_gets_raw(rig, &relayed);
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).heard_ms_ago, 100);
    rig_leaves(rig);
    cr_assert_eq(sent_around(rig, MESSAGE_WISH, 'A', 'B'), 1);
    rig_free(rig);
}

/* --- Who hears whom (R3) --- */

Test(core_removal, heartbeats_name_those_who_are_merely_silent)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_pass(rig, rig->timing.lost_ms - 10, "B");
    const struct message *heartbeat = rig_told(rig, MESSAGE_HEARTBEAT, 'B');
    cr_assert_not_null(heartbeat);
    cr_assert_eq(heartbeat->heartbeat.suspect_count, 1);
    cr_assert_eq(heartbeat->heartbeat.suspects[0].age, 3);
    cr_assert_eq(heartbeat->heartbeat.suspects[0].verdict, VERDICT_NONE);
    rig_free(rig);
}

Test(core_removal, who_is_not_named_is_heard)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message silent = says(rig, 3, VERDICT_NONE);

    rig_hears(rig, 'B');
    cr_assert_eq(core_hearing(rig->core, 1, 2, rig->now_ms), HEARING_YES);
    rig_gets(rig, 'B', &silent);
    cr_assert_eq(core_hearing(rig->core, 1, 2, rig->now_ms), HEARING_SILENT);
    accuses(rig, 'B', 3);
    cr_assert_eq(core_hearing(rig->core, 1, 2, rig->now_ms), HEARING_SUSPECT);
    rig_free(rig);
}

/* D1b: the oldest come first, so of those who are older than the last of them all are named. H7. */
Test(core_removal, who_is_older_than_the_last_of_a_full_list_is_heard)
{
    struct rig *rig = rig_guarded("A B C D E F G H I J K L M N O P Q R S T", 'C',
                                  (struct guard){.policy = GUARD_NONE});
    const uint32_t b = 1;
    const uint32_t last = SUSPECTS_MAX + 2;
    struct message full = says(rig, 4, VERDICT_LOST);

    full.heartbeat.suspect_count = SUSPECTS_MAX;
    for (uint8_t i = 0; i < SUSPECTS_MAX;
         i++) { /* All from position 3 on, as far as there is room. */
        full.heartbeat.suspects[i] = (struct suspicion){
            .age = core_view(rig->core)->members[3U + i].age, .verdict = VERDICT_LOST};
    }
    rig_gets(rig, 'B', &full);
    cr_assert_eq(core_hearing(rig->core, b, 0, rig->now_ms), HEARING_YES);
    cr_assert_eq(core_hearing(rig->core, b, 3, rig->now_ms), HEARING_SUSPECT);
    cr_assert_eq(core_hearing(rig->core, b, last, rig->now_ms), HEARING_SUSPECT);
    cr_assert_eq(core_hearing(rig->core, b, last + 1, rig->now_ms), HEARING_UNKNOWN);
    rig_free(rig);
}

/* --- Names that keep failing (R4) --- */

/* B hears from A that another life of the name D has come in, or that it is gone. */
static void shown(struct rig *rig, struct view *view)
{
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->version, view->version);
    view_built_free(&rig->views[--rig->view_count]); /* There are more than are kept. */
}

static struct member another_d(char letter)
{
    struct member member = member_of(letter);

    member.name[0] = 'D';
    return member;
}

static void comes(struct rig *rig, char letter)
{
    struct view *view = rig_next(rig, "");
    const struct member member = another_d(letter);

    view_append(view, &member);
    shown(rig, view);
}

static void goes(struct rig *rig, char letter, enum gone_reason reason)
{
    const struct gone why = {.reason = reason};
    const struct node_id id = member_of(letter).id;
    struct view *view = rig_next(rig, "");

    view_remove(view, view_find(view, &id), &why);
    shown(rig, view);
}

static void fails(struct rig *rig, char letter)
{
    comes(rig, letter);
    goes(rig, letter, GONE_FAILED);
}

/* B coordinates now, and another life of that name asks. Does it come in at once? */
static bool is_let_in(struct rig *rig, char letter)
{
    struct joiner joiner = {.member = another_d(letter), .terms = rig_terms()};

    if (core_view(rig->core)->members[0].name[0] == 'A') {
        rig_kill(rig, 'A');
        cr_assert_eq(core_view(rig->core)->member_count, 1);
    }
    rig_gets(rig, letter, &(struct message){.type = MESSAGE_JOIN, .joiner = joiner});
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, letter);
    cr_assert_not_null(offer, "it must not found a cluster meanwhile");
    joiner.nonce = offer->offer.nonce;
    rig_gets(rig, letter, &(struct message){.type = MESSAGE_READY, .joiner = joiner});
    rig_pass(rig, rig->timing.batch_ms, "");
    return rig_told(rig, MESSAGE_PREPARE, letter) != NULL;
}

/* H30 */
Test(core_removal, a_name_that_keeps_failing_has_to_wait)
{
    for (uint32_t failures = 2; failures <= 5; failures++) {
        struct rig *rig = rig_in("A B", 'B');
        uint64_t pause_ms = failures > 2 ? rig->timing.lost_ms << (failures - 3) : 0;
        for (uint32_t i = 0; i < failures; i++) {
            fails(rig, (char)('M' + i));
        }
        if (pause_ms > 0) {
            cr_assert_not(is_let_in(rig, 'T'));
            rig_pass(rig, pause_ms - 2 * rig->timing.batch_ms, "");
            cr_assert_not(is_let_in(rig, 'T'), "after %u failures", failures);
            rig_pass(rig, rig->timing.batch_ms, "");
        }
        cr_assert(is_let_in(rig, 'T'), "after %u failures", failures);
        rig_free(rig);
    }
}

Test(core_removal, failures_that_are_far_apart_cost_nothing)
{
    struct rig *rig = rig_in("A B", 'B');

    for (uint32_t i = 0; i < 4; i++) {
        fails(rig, (char)('M' + i));
        rig_pass(rig, rig->timing.flap_ms, "A");
    }
    fails(rig, 'S');
    cr_assert(is_let_in(rig, 'T'));
    rig_free(rig);
}

/* H40: the third life that failed is back, as the life it was, and leaves. The name need not wait;
 * when it fails once more, that is its third failure, not its fourth. */
Test(core_removal, who_was_only_cut_off_is_forgiven)
{
    for (int again = 0; again <= 1; again++) {
        struct rig *rig = rig_in("A B", 'B');
        fails(rig, 'M');
        fails(rig, 'N');
        fails(rig, 'O');
        comes(rig, 'O');
        goes(rig, 'O', again ? GONE_FAILED : GONE_LEFT);
        if (again) {
            cr_assert_not(is_let_in(rig, 'T'));
            rig_pass(rig, rig->timing.lost_ms, "");
        }
        cr_assert(is_let_in(rig, 'T'));
        rig_free(rig);
    }
}

/* --- The list of the gone (R5) --- */

/* H41: C and E accuse D as well, but three accusers are enough. */
Test(core_removal, a_removal_carries_its_evidence)
{
    struct rig *rig = rig_in("A B C D E", 'A');
    const struct node_id id = rig_id(rig, 'D');

    rig_pass(rig, rig->timing.lost_ms - 1, "B C E");
    for (const char *at = "BCE"; *at != '\0'; at++) {
        accuses(rig, *at, 4);
    }
    rig_pass(rig, 1 + rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(prepare);
    const struct gone *gone = view_find_gone(prepare->carrier.view, &id);
    cr_assert_not_null(gone);
    cr_assert_eq(gone->reason, GONE_FAILED);
    cr_assert_eq(gone->verdict, VERDICT_LOST);
    cr_assert_geq(gone->silent_ms, rig->timing.lost_ms);
    cr_assert_eq(gone->accuser_count, 3);
    for (uint64_t age = 1; age <= 3; age++) {
        cr_assert_eq(gone->accusers[age - 1], age);
    }
    rig_free(rig);
}

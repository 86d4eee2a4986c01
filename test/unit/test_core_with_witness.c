/* A coordinator that has a witness: when it asks that for its lease, what counts as one, and what
 * it lets nobody have beside it (Z16). */
#include <criterion/criterion.h>
#include <string.h>

#include "core/agreement/absent.h"
#include "core/agreement/install.h"
#include "core/agreement/voters_change.h"
#include "core/detection/lease.h"
#include "core/state/state.h"
#include "rig.h"

/* A coordinates A and B, and W is a witness. A and B lease. */
static struct rig *with_witness(void)
{
    struct rig *rig = rig_strict_among("A B C", 'A', "A B W");
    struct view *next = rig_next(rig, "");

    next->voters.voters[2].witness = true;
    view_seal(next);
    install_view(rig->core, next);
    struct vote_record *record = rig_votes(rig);
    record->promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    record->lease_ms = rig->timing.lease_ms;
    record->hold_ms = timing_hold_ms(&rig->timing);
    return rig;
}

/* That question was just put to it, whole and as a change. */
static void gets_both_forms(struct rig *rig, enum message_type type)
{
    bool whole = false;
    bool brief = false;

    for (int ms = 0; ms < 100 && rig_told(rig, type, 'W') == NULL; ms++) {
        rig_pass(rig, 1, "B");
    }
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        const bool is_it = sent->message.type == type && sent->to == 'W';
        whole |= is_it && !sent->brief;
        brief |= is_it && sent->brief;
    }
    cr_assert(whole && brief);
}

/* H90: it may hold the base, and nothing long may reach it; or it lacks the base. */
Test(core_witness, it_gets_what_is_long_as_a_change_too)
{
    struct rig *rig = rig_strict_among("A C", 'C', "A C W");

    rig_votes(rig);
    rig_kill(rig, 'A');
    gets_both_forms(rig, MESSAGE_CLAIM);
    rig_free(rig);
    rig = with_witness();
    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    gets_both_forms(rig, MESSAGE_PREPARE);
    rig_free(rig);
}

/* W answers the question that was put to it in the last step. */
static void witness_answers(struct rig *rig, uint64_t after_ms, const struct lease_said *said)
{
    const struct message *asked = rig_told(rig, MESSAGE_PING, 'W');

    cr_assert_not_null(asked);
    struct message pong = {.type = MESSAGE_PONG,
                           .from = member_of('W').id,
                           .to = core_self(rig->core)->id,
                           .source = member_of('W').address,
                           .number = 1,
                           .ping = {.nonce = asked->ping.nonce,
                                    .subject = member_of('W').id,
                                    .origin = asked->ping.origin,
                                    .said = *said}};
    rig->now_ms += after_ms;
    rig_gets_raw(rig, &pong);
}

static struct lease_said leased(const struct rig *rig)
{
    return (struct lease_said){
        .promised = core_view(rig->core)->epoch, .leased = true, .record = record_of('W')};
}

/* The next question to W, within so long, while B answers or not; NULL: none came. */
static const struct message *next_question(struct rig *rig, uint64_t ms, bool b_answers)
{
    for (; ms > 0; ms--) {
        rig_pass(rig, 1, "B C");
        const struct message *asked = rig_told(rig, MESSAGE_PING, 'W');
        if (asked != NULL) {
            return asked;
        }
        if (b_answers) {
            rig_leases(rig, 'B');
        }
    }
    return NULL;
}

/* B and W lease to A all the while, and W never answers what brings M in, which is too long. Is A a
 * member after so long that it may have given way? */
static bool goes_on_though_b(bool acknowledges)
{
    struct rig *rig = with_witness();
    const char *answering = acknowledges ? "BC" : "C";

    for (uint64_t ms = 0; ms < 2 * rig->timing.stall_ms && core_phase(rig->core) == PHASE_MEMBER;
         ms += 20) {
        if (ms % 1000 == 0) {
            rig_joins(rig, 'M');
        }
        rig_pass(rig, 20, "B C");
        const bool told = rig_told(rig, MESSAGE_PREPARE, 'C') != NULL;
        const struct message ack = told ? rig_ack(rig, 'C') : (struct message){.number = 0};
        if (rig_told(rig, MESSAGE_PING, 'W') != NULL) {
            const struct lease_said said = leased(rig);
            witness_answers(rig, 1, &said);
        }
        for (const char *letter = answering; told && *letter != '\0'; letter++) {
            rig_gets(rig, *letter, &ack);
        }
        rig_leases(rig, 'B');
    }
    const bool goes_on = core_phase(rig->core) == PHASE_MEMBER;
    rig_free(rig);
    return goes_on;
}

/* L3b: two of three voters get nothing long. */
Test(core_witness, a_coordinator_whom_it_and_a_member_do_not_answer_is_out)
{
    cr_assert_not(goes_on_though_b(false));
    cr_assert(goes_on_though_b(true));
}

/* Z16c: once, to know it; and from then on not while the members lease. */
Test(core_witness, it_is_asked_when_the_leases_of_members_grow_old)
{
    struct rig *rig = with_witness();
    const struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true), "to see whether it lives");
    witness_answers(rig, 1, &said);
    cr_assert_null(next_question(rig, 20000, true));
    const struct message *asked = next_question(rig, timing_act_ms(rig->timing.lease_ms), false);
    cr_assert_not_null(asked, "B answers no more");
    cr_assert(core_is_acting(rig->core, rig->now_ms), "while there is time");
    cr_assert(id_equal(&asked->ping.subject, &said.record));
    cr_assert_eq(asked->ping.asked.epoch, said.promised);
    witness_answers(rig, 1, &said);
    rig_pass(rig, timing_act_ms(rig->timing.lease_ms) / 2, "C");
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* Z16b: over a bad line several questions may be lost. */
Test(core_witness, a_lease_lasts_for_ten_round_trips)
{
    struct rig *rig = with_witness();
    const struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true));
    witness_answers(rig, 200, &said);
    cr_assert_eq(core_voter_contact(rig->core, 2, rig->now_ms).round_trip_ms, 200);
    cr_assert(core_voter_contact(rig->core, 2, rig->now_ms).answers);
    const struct message *asked = next_question(rig, timing_act_ms(rig->timing.lease_ms), false);
    cr_assert_not_null(asked);
    cr_assert_geq(asked->ping.asked.lease_ms, 2000);
    cr_assert_eq(asked->ping.asked.lease_ms % rig->timing.lease_ms, 0);
    const uint64_t sent_ms = rig->now_ms;
    const uint64_t length_ms = asked->ping.asked.lease_ms;
    witness_answers(rig, 150, &said);
    cr_assert_eq(lease_voter_until(rig->core, &said.record), sent_ms + length_ms * 4 / 5 - 2,
                 "counted from the question");
    cr_assert_leq(core_acting_until_ms(rig->core, rig->now_ms),
                  rig->now_ms + timing_act_ms(rig->timing.lease_ms));
    rig_free(rig);
}

/* H52: who was not asked, or asked something else, gives no lease. */
Test(core_witness, only_the_answer_to_its_question_counts)
{
    struct rig *rig = with_witness();
    struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true));
    struct message pong = {.type = MESSAGE_PONG,
                           .from = member_of('W').id,
                           .to = core_self(rig->core)->id,
                           .source = member_of('W').address,
                           .number = 1,
                           .ping = {.nonce = rig_told(rig, MESSAGE_PING, 'W')->ping.nonce ^ 1,
                                    .subject = member_of('W').id,
                                    .origin = rig_id(rig, 'A'),
                                    .said = said}};
    rig_gets_raw(rig, &pong);
    cr_assert_eq(lease_voter_until(rig->core, &said.record), 0);
    pong.ping.nonce ^= 1;
    pong.ping.said.record = record_of('B');
    const uint64_t before_ms = lease_voter_until(rig->core, &pong.ping.said.record);
    rig_gets_raw(rig, &pong);
    cr_assert_eq(lease_voter_until(rig->core, &pong.ping.said.record), before_ms);
    pong.ping.said = (struct lease_said){.promised = said.promised, .record = said.record};
    rig_gets_raw(rig, &pong);
    cr_assert_eq(lease_voter_until(rig->core, &said.record), 0, "bound, and not leased");
    pong.ping.said = said;
    rig_gets_raw(rig, &pong);
    cr_assert_gt(lease_voter_until(rig->core, &said.record), rig->now_ms);
    rig_free(rig);
}

/* H80: else a change would count on it for minutes. */
Test(core_witness, that_one_answered_before_it_was_a_member_says_nothing_of_when_it_has_gone)
{
    struct rig *rig = rig_strict_among("A B C", 'A', "A B W");
    const struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true));
    witness_answers(rig, 1, &said);
    cr_assert(absent_is_fresh(rig->core, &said.record));
    install_view(rig->core, rig_next(rig, "+W"));
    cr_assert_not(absent_is_fresh(rig->core, &said.record));
    install_view(rig->core, rig_next(rig, "-W"));
    cr_assert_not(absent_is_fresh(rig->core, &said.record));
    cr_assert_not_null(next_question(rig, 10, true), "it is asked at once");
    rig_free(rig);
}

/* Z16d, H89 */
Test(core_witness, nobody_is_let_in_under_its_name_or_address)
{
    struct rig *rig = with_witness();
    struct joiner content = {.member = member_of('W'), .terms = rig->core->terms};

    rig_refuses(rig, 'W', &(struct message){.type = MESSAGE_JOIN, .joiner = content},
                REFUSED_NAME_IN_USE);
    content.member = member_of('D');
    content.member.address = member_of('W').address;
    rig_refuses(rig, 'W', &(struct message){.type = MESSAGE_JOIN, .joiner = content},
                REFUSED_NAME_IN_USE);
    rig_free(rig);
}

static struct voters_wish wish_with(const struct rig *rig, const char *name, char at, bool anew)
{
    struct voters_wish wish = {.number = core_view(rig->core)->voters.number,
                               .count = 3,
                               .voters = {{.name = "A"}, {.name = "B"}}};

    wish.voters[2].anew = anew;
    wish.voters[2].witness = member_of(at).address;
    strcpy(wish.voters[2].name, name);
    return wish;
}

/* Z16d, H89 */
Test(core_witness, it_has_neither_name_nor_address_of_another)
{
    static const struct {
        const char *name;
        char at;
        bool anew;
        enum unagreed against;
    } cases[] = {
        {"V", 'V', false, UNAGREED_NOT},    {"C", 'V', false, UNAGREED_VOTERS},
        {"V", 'C', false, UNAGREED_VOTERS}, {"V", 'W', false, UNAGREED_VOTERS},
        {"W", 'W', false, UNAGREED_SAME},   {"W", 'W', true, UNAGREED_NOT},
        {"W", 'V', false, UNAGREED_VOTERS}, {"W", 'V', true, UNAGREED_NOT},
        {"B", 'V', false, UNAGREED_VOTERS},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = with_witness();
        const struct voters_wish wish = wish_with(rig, cases[i].name, cases[i].at, cases[i].anew);

        rig_pass(rig, rig->timing.heartbeat_ms, "B C");
        rig_leases(rig, 'B');
        cr_expect_eq(voters_change_against(rig->core, &wish), cases[i].against, "%s at %c",
                     cases[i].name, cases[i].at);
        rig_free(rig);
    }
}

/* Z16d, H83: where the others are lost, nobody would know of it after a restart of all. */
Test(core_witness, it_is_no_more_than_half_of_the_voters)
{
    struct rig *rig = with_witness();
    struct voters_wish wish = {
        .number = core_view(rig->core)->voters.number, .count = 1, .voters = {{.name = "W"}}};

    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    rig_leases(rig, 'B');
    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_VOTERS);
    wish.voters[wish.count++] = (struct wished_voter){.name = "A"};
    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_GUARD, "it is not heard");
    const struct voters_wish second = wish_with(rig, "V", 'V', false);
    wish.voters[wish.count++] = second.voters[second.count - 1];
    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_VOTERS, "two of three");
    rig_free(rig);
}

/* Z11e, Z16d: what draws a record for it is the question that it was asked. */
Test(core_witness, a_new_one_answers_from_its_address_with_the_nonce)
{
    struct rig *rig = with_witness();
    const struct voters_wish wish = wish_with(rig, "V", 'V', false);
    const struct message terms = {.type = MESSAGE_WISH,
                                  .wish = {.kind = WISH_TERMS, .terms.voters = wish}};
    const struct voter_lists *lists = &rig->core->voters_change.lists;

    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    rig_leases(rig, 'B');
    rig_gets(rig, 'C', &terms);
    uint32_t echo = 0;
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        echo = rig->sent[i].to == 'V' && rig->sent[i].message.type == MESSAGE_CLAIM
                   ? rig->sent[i].echo
                   : echo;
    }
    cr_assert_neq(echo, 0);
    struct message vote = {
        .type = MESSAGE_VOTE,
        .from = member_of('V').id,
        .to = core_self(rig->core)->id,
        .source = member_of('X').address,
        .echo = echo,
        .carrier = {
            .lineage = core_view(rig->core)->lineage,
            .vote = {.record = record_of('V'), .kind = VOTE_FOUNDING, .result = VOTE_GRANTED}}};
    const uint8_t place = voter_lists_find_name(lists, "V");
    rig_gets_raw(rig, &vote);
    cr_assert(id_is_none(&lists->voters[place].record), "another address");
    vote.source = member_of('V').address;
    vote.echo++;
    rig_gets_raw(rig, &vote);
    cr_assert(id_is_none(&lists->voters[place].record), "another nonce");
    vote.echo--;
    rig_gets_raw(rig, &vote);
    cr_assert(id_equal(&lists->voters[place].record, &vote.carrier.vote.record));
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'V'), "for its lease");
    rig_free(rig);
}

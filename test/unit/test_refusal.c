/* Why a message was not acted on: the table of reasons, and for each handler a refusal with its
 * reason. Those that change nothing at all are in test_core_*.c. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

#include "rig.h"

/* --- The table --- */

Test(refusal, no_two_reasons_share_a_name)
{
    for (unsigned i = 0; i < REFUSED_COUNT; i++) {
        for (unsigned k = 0; k < i; k++) {
            cr_expect_str_neq(refusal_name(i), refusal_name(k));
        }
    }
}

Test(refusal, a_reason_is_called_what_its_enumerator_is_called)
{
    static const char *const enumerators[REFUSED_COUNT] = {
#define REFUSAL_WORD(enumerator, name, clause, text) #enumerator,
        REFUSALS(REFUSAL_WORD)
#undef REFUSAL_WORD
    };

    for (unsigned i = 0; i < REFUSED_COUNT; i++) {
        const char *name = refusal_name(i);
        cr_expect_eq(strlen(name), strlen(enumerators[i]), "%s", name);
        for (size_t k = 0; name[k] != '\0'; k++) {
            cr_expect_eq(name[k], tolower((unsigned char)enumerators[i][k]), "%s", name);
        }
    }
}

/* That the clause exists, scripts/check-rules says. */
Test(refusal, each_reason_names_a_clause_and_reads_as_a_part_of_a_sentence)
{
    for (unsigned i = 0; i < REFUSED_COUNT; i++) {
        const char *clause = refusal_clause(i);
        const char *text = refusal_text(i);

        cr_expect(isupper((unsigned char)clause[0]) && isdigit((unsigned char)clause[1]), "%s",
                  refusal_name(i));
        cr_expect(islower((unsigned char)text[0]), "%s", refusal_name(i));
        cr_expect_neq(text[strlen(text) - 1], '.', "%s", refusal_name(i));
    }
}

/* --- What a node tells of --- */

static struct message joins(enum message_type type, char letter)
{
    return (struct message){.type = type,
                            .joiner = {.member = member_of(letter), .terms = rig_terms()}};
}

static struct message pong_of(const struct rig *rig, char subject, char origin)
{
    return (struct message){
        .type = MESSAGE_PONG,
        .ping = {.nonce = 7, .subject = rig_id(rig, subject), .origin = rig_id(rig, origin)}};
}

static struct message part(struct view *view, enum message_type type)
{
    struct probe probe = {.view = view_id_of(view),
                          .view_hash = view->hash,
                          .holders = view->member_count,
                          .oldest_age = view->members[0].age,
                          .guard_met = true,
                          .coordinator = view->members[0].address,
                          .terms = rig_terms()};

    if (type == MESSAGE_PROBE) {
        return (struct message){.type = type, .probe = probe};
    }
    return (struct message){.type = type, .carrier = {.view = view, .merge = 7, .part = probe}};
}

/* Four in a step are told of; all are counted, and what is to be sent is sent. */
Test(refusal, a_step_tells_of_a_few_and_counts_all)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message probe = part(rig_view(rig, "C D E"), MESSAGE_PROBE);

    for (char letter = 'K'; letter < 'Q'; letter++) {
        struct message message = joins(MESSAGE_JOIN, letter);
        rig_gets(rig, letter, &message);
        const struct message *offer = rig_told(rig, MESSAGE_OFFER, letter);
        cr_assert_not_null(offer);
        message = joins(MESSAGE_READY, letter);
        message.joiner.nonce = offer->offer.nonce;
        rig_gets(rig, letter, &message);
    }
    probe.probe.answer = true;
    rig_gets(rig, 'C', &probe);
    cr_assert_eq(rig->refused_count, 4);
    cr_assert_eq(rig->refused.reason, REFUSED_JOINER_FORGOTTEN);
    cr_assert_eq(rig->refused.type, MESSAGE_READY);
    cr_assert_not_null(rig_told(rig, MESSAGE_MERGE, 'C'));
    cr_assert_eq(core_counters(rig->core)->refused[REFUSED_JOINER_FORGOTTEN], 6);
    rig_free(rig);
}

/* --- One refusal, at least, of each handler --- */

Test(refusal, of_a_heartbeat)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = {.type = MESSAGE_HEARTBEAT};

    rig_refuses(rig, 'X', &heartbeat, REFUSED_OF_STRANGER);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'X'));
    rig_free(rig);
}

Test(refusal, of_a_pull)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message pull = {.type = MESSAGE_PULL};

    rig_gets(rig, 'C', &pull);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'C'));
    rig_refuses(rig, 'C', &pull, REFUSED_VIEW_SHOWN_LATELY);
    rig_free(rig);
}

Test(refusal, of_a_view)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_next(rig, "-A");

    view->epoch++;
    view_seal(view);
    rig_refuses(rig, 'B', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}},
                REFUSED_VIEW_NOT_FOLLOWED);
    cr_assert_not_null(rig_told(rig, MESSAGE_NOT_FOLLOWING, 'B'));
    rig_free(rig);
}

Test(refusal, of_a_proposal)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_next(rig, "-A");
    struct message prepare = {.type = MESSAGE_PREPARE, .carrier = {.view = view}};

    view->epoch++;
    view_seal(view);
    rig_refuses(rig, 'B', &prepare, REFUSED_PROPOSAL_NOT_FOLLOWED);
    rig_kill(rig, 'A');
    struct message claim = rig_claim(rig_view(rig, "A B C"), 5);
    rig_gets(rig, 'B', &claim);
    rig_refuses(rig, 'B', &prepare, REFUSED_PROPOSAL_BELOW_PROMISE);
    cr_assert_not_null(rig_told(rig, MESSAGE_NACK, 'B'));
    rig_free(rig);
}

Test(refusal, of_an_answer_to_a_proposal)
{
    struct rig *rig = rig_in("A B", 'A');

    rig_refuses(rig, 'B', &(struct message){.type = MESSAGE_ACK}, REFUSED_ANSWER_TO_ANOTHER);
    rig_refuses(rig, 'B', &(struct message){.type = MESSAGE_NACK}, REFUSED_ANSWER_TO_ANOTHER);
    rig_refuses(rig, 'X', &(struct message){.type = MESSAGE_NOT_FOLLOWING}, REFUSED_OF_STRANGER);
    rig_free(rig);
}

Test(refusal, of_a_commit)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct view *next = rig_next(rig, "+D");
    struct message commit = {.type = MESSAGE_COMMIT,
                             .reference = {.view = view_id_of(next), .view_hash = next->hash}};

    rig_gets(rig, 'A', &commit);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'), "it missed the proposal");
    rig_refuses(rig, 'A', &commit, REFUSED_VIEW_ASKED_FOR_LATELY);
    rig_free(rig);
}

Test(refusal, of_a_claim)
{
    struct rig *rig = rig_in("A B C D", 'C');
    struct view *view = rig_view(rig, "A B C D");
    struct message claim = rig_claim(view, 2);

    rig_refuses(rig, 'D', &claim, REFUSED_CLAIMANT_YOUNGER);
    rig_refuses(rig, 'B', &claim, REFUSED_OLDER_ONE_FRESH);
    rig_refuses(rig, 'X', &claim, REFUSED_OF_STRANGER);
    rig_kill(rig, 'A');
    claim = rig_claim(view, 3);
    rig_gets(rig, 'B', &claim);
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_refuses(rig, 'D', &claim, REFUSED_EPOCH_PROMISED);
    claim = rig_claim(view, 2);
    rig_refuses(rig, 'D', &claim, REFUSED_EPOCH_BELOW_PROMISE);
    rig_free(rig);
}

Test(refusal, of_an_answer_to_a_claim)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message refusal = rig_answer(rig, 2, VOTE_REFUSED_EPOCH);
    const struct message grant = rig_answer(rig, 2, VOTE_GRANTED);

    rig_refuses(rig, 'C', &grant, REFUSED_ANOTHER_CLAIM);
    rig_refuses(rig, 'C', &refusal, REFUSED_ANOTHER_CLAIM);
    rig_free(rig);
}

Test(refusal, of_a_join)
{
    struct rig *rig = rig_in("A B", 'B');
    struct message join = joins(MESSAGE_JOIN, 'D');

    join.joiner.hops = 1;
    rig_refuses(rig, 'A', &join, REFUSED_HANDED_ON_BEFORE);
    rig_free(rig);

    rig = rig_in("A B", 'A');
    join.joiner.terms.capacity++;
    rig_refuses(rig, 'D', &join, REFUSED_TERMS_DIFFER);
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'D'));
    rig_free(rig);
}

Test(refusal, of_a_ready)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message ready = joins(MESSAGE_READY, 'D');

    rig_refuses(rig, 'D', &ready, REFUSED_NONCE_OVERTAKEN);
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, 'D'));
    (void)memcpy(ready.joiner.member.name, member_of('B').name, sizeof ready.joiner.member.name);
    rig_refuses(rig, 'D', &ready, REFUSED_NAME_IN_USE);
    rig_free(rig);

    rig = rig_in("A B", 'B');
    ready = joins(MESSAGE_READY, 'D');
    rig_refuses(rig, 'D', &ready, REFUSED_NOT_COORDINATOR);
    rig_free(rig);
}

/* V6 */
Test(refusal, of_more_than_a_few_strangers)
{
    struct rig *rig = rig_in("A B", 'B');
    struct message ping = {.type = MESSAGE_PING};

    for (int i = 0; i < 4; i++) {
        rig_gets(rig, 'X', &ping);
        cr_assert_not_null(rig_told(rig, MESSAGE_PONG, 'X'));
    }
    rig_refuses(rig, 'X', &ping, REFUSED_STRANGERS_ANSWERED);
    rig_free(rig);
}

Test(refusal, of_an_offer)
{
    struct rig *rig = rig_joining('C');

    for (int i = 0; i < 8; i++) {
        rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
        cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'A'));
    }
    rig_refuses(rig, 'A', &(struct message){.type = MESSAGE_OFFER}, REFUSED_ENOUGH_ANSWERED);
    rig_refuses(rig, 'A', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}},
                REFUSED_NOT_YET_MEMBER);
    rig_free(rig);
}

Test(refusal, of_a_handover)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_view(rig, "A B C");
    struct message handover = {.type = MESSAGE_HANDOVER, .carrier = {.view = view}};

    rig_gets(rig, 'A', &handover);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_refuses(rig, 'A', &handover, REFUSED_BUSY);
    rig_free(rig);
}

Test(refusal, of_questions_about_a_suspect_and_their_answers)
{
    struct rig *rig = rig_in("A B C D", 'A');
    struct message request = {.type = MESSAGE_PING, .ping = {.subject = rig_id(rig, 'X')}};
    struct message pong = pong_of(rig, 'C', 'B');

    rig_refuses(rig, 'B', &request, REFUSED_ABOUT_STRANGER);
    rig_refuses(rig, 'X', &request, REFUSED_OF_STRANGER);
    rig_refuses(rig, 'D', &pong, REFUSED_PONG_SECOND_HAND);
    pong = pong_of(rig, 'C', 'X');
    rig_refuses(rig, 'C', &pong, REFUSED_ABOUT_STRANGER);
    pong = pong_of(rig, 'X', 'A');
    rig_refuses(rig, 'B', &pong, REFUSED_ABOUT_STRANGER);
    pong = pong_of(rig, 'C', 'A');
    rig_refuses(rig, 'B', &pong, REFUSED_PONG_UNASKED);
    rig_refuses(rig, 'C', &pong, REFUSED_PONG_UNASKED);
    rig_free(rig);
}

Test(refusal, of_a_probe)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message probe = part(rig_view(rig, "A B C"), MESSAGE_PROBE);

    rig_refuses(rig, 'B', &probe, REFUSED_PROBE_OF_OWN_PART);
    probe = part(rig_view(rig, "D E"), MESSAGE_PROBE);
    probe.probe.answer = true;
    rig_refuses(rig, 'D', &probe, REFUSED_PROBE_SETTLED);
    rig_free(rig);
}

Test(refusal, of_a_merge_and_of_its_refusal)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message merge = part(rig_view(rig, "D E F G"), MESSAGE_MERGE);
    struct message refusal = {.type = MESSAGE_MERGE_REFUSED};

    rig_refuses(rig, 'D', &merge, REFUSED_MERGE_NOT_WINNING);
    cr_assert_not_null(rig_told(rig, MESSAGE_MERGE_REFUSED, 'D'));
    rig_refuses(rig, 'D', &refusal, REFUSED_ANOTHER_MERGE);
    rig_free(rig);

    rig = rig_in("A B C", 'B');
    merge = part(rig_view(rig, "D E F G"), MESSAGE_MERGE);
    rig_refuses(rig, 'D', &merge, REFUSED_NOT_COORDINATOR);
    rig_free(rig);
}

/* Whose votes and views count under guard strict: a member's, or those of one who was asked and
 * shows by its echo what (Z1e, Z9d). */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "core/agreement/change_count.h"
#include "core/agreement/promise.h"
#include "core/agreement/voter.h"
#include "core/state/state.h"
#include "rig.h"
#include "voter_bench.h"

/* The last such message that went to whoever lives at that letter's address. */
static const struct rig_sent *asked(const struct rig *rig, enum message_type type, char to)
{
    const struct rig_sent *last = NULL;

    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        if (sent->message.type == type && sent->to == to && !sent->fellow) {
            last = sent;
        }
    }
    return last;
}

/* From a peer that does not know the core as a member. */
static struct message from_stranger(struct rig *rig, char from, const struct message *content,
                                    uint32_t echo)
{
    struct message message = rig_message(rig, from, content);

    message.fellow = false;
    message.echo = echo;
    return message;
}

/* A, who coordinated, is dead, and B asks for an epoch. */
static struct rig *candidate(void)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C");
    cr_assert(rig->core->candidacy.on);
    return rig;
}

/* H52: it may have heard what all members say to each other. */
Test(core_asked, a_strangers_vote_counts_for_nobody)
{
    struct rig *rig = candidate();
    const struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);

    for (uint32_t echo = 0; echo < 100; echo++) {
        struct message lie = from_stranger(rig, 'X', &vote, echo);
        rig_ignores_raw(rig, &lie, REFUSED_VOTER_UNKNOWN);
    }
    rig_free(rig);
}

/* Nor does what it says of a founding that there is not. */
Test(core_asked, a_strangers_record_counts_for_nobody)
{
    struct rig *rig = candidate();
    struct message vote = rig_vote(rig, 'C', VOTE_FOUNDING, VOTE_GRANTED);

    struct message lie = from_stranger(rig, 'X', &vote, 77);
    rig_ignores_raw(rig, &lie, REFUSED_VOTER_UNKNOWN);
    vote.carrier.view = rig_next(rig, "-B");
    vote.carrier.vote.promised = core_view(rig->core)->epoch + 2 * LEAP_MAX;
    lie = from_stranger(rig, 'X', &vote, 77);
    rig_ignores_raw(rig, &lie, REFUSED_VOTER_UNKNOWN);
    rig_free(rig);
}

/* H50: A is no member that could answer, but may vote in its next life. */
Test(core_asked, a_voter_in_its_next_life_is_asked_and_heard)
{
    struct rig *rig = candidate();
    struct message vote = rig_vote(rig, 'A', VOTE_CLAIM, VOTE_GRANTED);

    rig_pass(rig, rig->timing.prepare_ms / 3, "C");
    const struct rig_sent *ballot = asked(rig, MESSAGE_CLAIM, 'A');
    cr_assert_not_null(ballot);
    cr_assert(id_is_none(&ballot->peer));
    vote = from_stranger(rig, 'X', &vote, ballot->echo);
    rig_gets_raw(rig, &vote);
    cr_assert_eq(rig->core->candidacy.tally.granted & voter_set_of(0), voter_set_of(0));
    rig_free(rig);
}

static struct message ballot_of(struct rig *rig, struct view *view)
{
    return (struct message){.type = MESSAGE_CLAIM,
                            .carrier = {.view = view,
                                        .lineage = core_view(rig->core)->lineage,
                                        .epoch = core_view(rig->core)->epoch + 1}};
}

static struct rig *voter(void)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_votes(rig);
    return rig;
}

/* C2a: as good as one that shows its view, where that is held here; else the member asks for it, or
 * shows its own. */
Test(core_asked, a_claim_may_name_its_view)
{
    struct rig *rig = voter();
    struct view *other = rig_next(rig, "");
    struct message claim = rig_claim(other, core_view(rig->core)->epoch + 1);

    rig->core->voter.until_ms = 0;
    rig_refuses(rig, 'C', &claim, REFUSED_CLAIM_VIEW_HIGHER);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'C'));
    other->version -= 2;
    view_seal(other);
    claim = rig_claim(other, core_view(rig->core)->epoch + 1);
    rig_refuses(rig, 'C', &claim, REFUSED_CLAIM_VIEW_LOWER);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'C'));
    rig_kill(rig, 'A');
    claim = rig_claim(core_view(rig->core), core_view(rig->core)->epoch + 1);
    rig_gets(rig, 'C', &claim);
    cr_assert_not_null(rig_told(rig, MESSAGE_VOTE, 'C'));
    rig_free(rig);
}

/* Z9d: whoever heard of a proposal can name it, and need not have seen it commit. */
Test(core_asked, a_claim_that_names_a_proposal_does_not_commit_it)
{
    struct rig *rig = voter();
    struct view *next = rig_next(rig, "+D");
    const struct view_id before = view_id_of(core_view(rig->core));

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = next}});
    cr_assert_eq(rig->core->voter.accepted.hash, next->hash);
    const struct message claim = rig_claim(next, next->epoch + 1);
    rig_refuses(rig, 'C', &claim, REFUSED_CLAIM_VIEW_HIGHER);
    const struct view_id now = view_id_of(core_view(rig->core));
    cr_assert(view_id_equal(&now, &before));
    rig_free(rig);
}

/* H52: X only has to show a view to be asked for it, and knows that nonce then. */
Test(core_asked, who_was_asked_for_a_view_does_not_vote)
{
    struct rig *rig = candidate();
    const struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+X")}};
    struct message told = from_stranger(rig, 'X', &shown, 0);

    rig_gets_raw(rig, &told);
    const struct rig_sent *pull = asked(rig, MESSAGE_PULL, 'X');
    cr_assert_not_null(pull);
    const struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);
    told = from_stranger(rig, 'X', &vote, pull->echo);
    rig_gets_raw(rig, &told);
    cr_assert_eq(rig->refused.reason, REFUSED_VOTER_UNKNOWN);
    cr_assert(rig->core->candidacy.on);
    rig_free(rig);
}

Test(core_asked, a_voter_echoes_what_it_was_asked_by_a_stranger)
{
    struct rig *rig = voter();
    const struct view *view = core_view(rig->core);
    struct message ballot = ballot_of(rig, NULL);

    rig_gets(rig, 'A',
             &(struct message){
                 .type = MESSAGE_HEARTBEAT,
                 .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .acting = true}});
    ballot = from_stranger(rig, 'X', &ballot, 77);
    rig_gets_raw(rig, &ballot); /* It is refused, for A is fresh. */
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_VOTE, 'X'));
    cr_assert_eq(rig->sent[0].echo, 77);
    rig_free(rig);
}

/* H37, H48: one frame does not replace the register. It may be true, so its sender is asked. */
Test(core_asked, a_stranger_shows_a_view_when_it_is_asked)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+D -C")}};
    char text[64];

    struct message told = from_stranger(rig, 'D', &shown, 0);
    rig_gets_raw(rig, &told);
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_UNASKED);
    const struct rig_sent *pull = asked(rig, MESSAGE_PULL, 'D');
    cr_assert_not_null(pull);
    cr_assert_neq(pull->echo, 0);

    told = from_stranger(rig, 'D', &shown, pull->echo);
    rig_gets_raw(rig, &told);
    cr_assert_str_eq(rig_sees(rig, text), "A B D");
    rig_free(rig);
}

/* Nor does a proposal, or a view without this node. */
Test(core_asked, what_a_stranger_proposes_is_asked_for)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct message prepare = {.type = MESSAGE_PREPARE, .carrier = {.view = rig_view(rig, "D B")}};

    prepare.carrier.view->epoch = 9;
    view_seal(prepare.carrier.view);
    prepare = from_stranger(rig, 'D', &prepare, 0);
    rig_gets_raw(rig, &prepare);
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    cr_assert_eq(rig_count(rig, MESSAGE_NOT_FOLLOWING), 0);
    const struct rig_sent *pull = asked(rig, MESSAGE_PULL, 'D');
    cr_assert_not_null(pull);
    prepare.echo = pull->echo; /* Z11i: it came with the view, which is what counts. */
    rig_gets_raw(rig, &prepare);
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    cr_assert_null(asked(rig, MESSAGE_PULL, 'D'), "or the two would go on for ever");

    struct message without = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+D -B")}};
    without = from_stranger(rig, 'D', &without, 0);
    rig_gets_raw(rig, &without);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    cr_assert_not_null(asked(rig, MESSAGE_PULL, 'D'));
    rig_free(rig);
}

Test(core_asked, a_strangers_ballot_installs_nothing)
{
    struct rig *rig = voter();
    struct message ballot = ballot_of(rig, rig_next(rig, "+D -C"));
    char text[64];

    ballot = from_stranger(rig, 'D', &ballot, 77);
    rig_gets_raw(rig, &ballot);
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    cr_assert_not_null(asked(rig, MESSAGE_PULL, 'D'));
    rig_free(rig);
}

/* V2a: nor does a member's, in this node's own name. */
Test(core_asked, a_ballot_installs_no_view_in_our_name)
{
    struct rig *rig = voter();
    struct message ballot = ballot_of(rig, rig_view(rig, "B C D"));
    char text[64];

    ballot.carrier.view->epoch = 9;
    view_seal(ballot.carrier.view);
    rig_gets(rig, 'C', &ballot);
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    rig_free(rig);
}

/* H48: D has no vote, and does not coordinate. */
Test(core_asked, a_worker_shows_what_a_voter_is_asked_for)
{
    struct rig *rig = rig_strict_among("A B C D", 'B', "A B C");
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "-C +E")}};
    char text[64];

    rig_gets(rig, 'D', &shown);
    cr_assert_str_eq(rig_sees(rig, text), "A B C D");
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'));
    cr_assert_eq(rig_count(rig, MESSAGE_NOT_FOLLOWING), 0);
    rig_gets(rig, 'C', &shown);
    cr_assert_str_eq(rig_sees(rig, text), "A B D E");
    rig_free(rig);
}

/* H48: B alone votes, so nothing was committed without it; C has no vote, and hears no voter. */
Test(core_asked, a_worker_shows_the_chain_to_a_worker_alone)
{
    char text[64];

    for (const char *self = "BC"; *self != '\0'; self++) {
        struct rig *rig = rig_strict_among("A B C D", *self, "B");
        struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+E")}};

        (void)rig_votes(rig);
        rig_pass(rig, rig->timing.fresh_ms + rig->timing.heartbeat_ms, "D");
        rig_gets(rig, 'D', &shown);
        cr_assert_str_eq(rig_sees(rig, text), *self == 'B' ? "A B C D" : "A B C D E");
        rig_free(rig);
    }
}

Test(core_asked, who_asks_for_the_view_is_shown_what_it_asked)
{
    struct rig *rig = rig_in("A B C", 'B');

    for (const char *from = "CX"; *from != '\0'; from++) { /* C may not know that it is a member. */
        struct message pull = from_stranger(rig, *from, &(struct message){.type = MESSAGE_PULL}, 9);
        rig_gets_raw(rig, &pull);
        cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, *from));
        cr_assert_eq(rig->sent[0].echo, 9);
    }
    rig_free(rig);
}

/* H16: the others would take its next epoch for a leap. */
Test(core_asked, a_stranger_does_not_raise_the_epoch_by_much)
{
    struct rig *rig = voter();
    struct message ballot = ballot_of(rig, NULL);
    uint64_t seen = rig->core->promise.seen;

    for (int i = 0; i < 20; i++) { /* A does not act, and so does not stand in the way. */
        ballot.carrier.epoch = rig->core->promise.seen + (UINT64_C(1) << 19);
        rig->core->voter.until_ms = 0; /* No lease holds it. */
        struct message told = from_stranger(rig, 'X', &ballot, 77);
        rig_gets_raw(rig, &told);
    }
    cr_assert_gt(rig->core->promise.seen, seen + (UINT64_C(1) << 18));
    cr_assert_leq(rig->core->promise.seen, seen + (UINT64_C(1) << 20));
    rig_free(rig);
}

/* H16: nor by what it proposes. */
Test(core_asked, a_strangers_proposal_does_not_leap)
{
    struct rig *rig = voter();
    struct view *view = rig_view(rig, "D B");
    struct message prepare = {.type = MESSAGE_PREPARE, .carrier = {.view = view}};
    uint64_t seen = rig->core->promise.seen;

    for (int leap = 21; leap >= 19; leap -= 2) {
        view->epoch = seen + (UINT64_C(1) << leap);
        view_seal(view);
        struct message told = from_stranger(rig, 'D', &prepare, 77);
        rig_gets_raw(rig, &told);
        cr_assert_eq(rig->core->promise.seen, seen);
    }
    rig_free(rig);
}

/* H52: A may act by that lease. */
Test(core_asked, a_stranger_releases_no_lease)
{
    struct rig *rig = voter();
    const struct view *view = core_view(rig->core);
    struct message ballot = ballot_of(rig, NULL);

    rig->core->voter.record.promise = (struct ballot){view->epoch, view->members[0].id};
    rig->core->voter.until_ms = rig->now_ms + rig->timing.lease_ms;
    ballot.carrier.handover_by = view->members[0].id;
    ballot.carrier.handover_epoch = view->epoch;
    struct message told = from_stranger(rig, 'X', &ballot, 77);
    rig_gets_raw(rig, &told);
    cr_assert_eq(rig->core->voter.record.promise.epoch, view->epoch);
    ballot.carrier.view = rig_view(rig, "A B C");
    rig_gets(rig, 'C', &ballot);
    cr_assert_eq(rig->core->voter.record.promise.epoch, view->epoch + 1);
    rig_free(rig);
}

/* --- Strangers who have to prove where they are (Z2k) --- */

/* X asks for the epoch above the promise. Returns the PING that it got, or NULL. */
static const struct message *asks_for_more(struct rig *rig)
{
    struct message ballot = ballot_of(rig, NULL);

    ballot.carrier.epoch = rig->core->promise.seen + 1;
    rig->core->voter.until_ms = 0; /* No lease holds it. */
    struct message told = from_stranger(rig, 'X', &ballot, 77);
    rig_gets_raw(rig, &told);
    return rig_told(rig, MESSAGE_PING, 'X');
}

static uint64_t promised(const struct rig *rig)
{
    return rig->core->voter.record.promise.epoch;
}

/* H43: nobody could ask for epochs as fast as one that does not wait for the answers. */
Test(core_asked, a_stranger_is_taken_at_its_word_so_often)
{
    struct rig *rig = voter();

    for (int i = 0; i < 16; i++) {
        uint64_t before = promised(rig);
        (void)asks_for_more(rig);
        cr_assert_gt(promised(rig), before);
    }
    rig_pass(rig, rig->timing.heartbeat_ms, "A C"); /* It may answer strangers again (V6a). */
    uint64_t before = promised(rig);
    cr_assert_not_null(asks_for_more(rig));
    cr_assert_eq(promised(rig), before);
    rig_pass(rig, rig->timing.stall_ms, "A C");
    (void)asks_for_more(rig);
    cr_assert_gt(promised(rig), before);
    rig_free(rig);
}

static void answers_ping(struct rig *rig, uint64_t nonce)
{
    struct message pong = {
        .type = MESSAGE_PONG,
        .ping = {.nonce = nonce, .subject = rig_id(rig, 'X'), .origin = core_self(rig->core)->id}};

    pong = from_stranger(rig, 'X', &pong, 0);
    rig_gets_raw(rig, &pong);
}

/* H50: who begins anew is a stranger too. */
Test(core_asked, a_stranger_that_answers_is_promised_more)
{
    struct rig *rig = voter();
    const struct message *ping;
    uint64_t before;

    do {
        before = promised(rig);
        (void)asks_for_more(rig);
    } while (promised(rig) > before);
    rig_pass(rig, rig->timing.heartbeat_ms, "A C");
    ping = asks_for_more(rig);
    cr_assert_not_null(ping);
    const uint64_t nonce = ping->ping.nonce;
    answers_ping(rig, nonce + 1);
    (void)asks_for_more(rig);
    cr_assert_eq(promised(rig), before);
    answers_ping(rig, nonce);
    cr_assert_null(asks_for_more(rig));
    cr_assert_gt(promised(rig), before);
    rig_free(rig);
}

/* H16, H50: a voter that was away for long, or the cluster's epochs, may have leapt. */
Test(core_asked, a_leap_is_a_question_that_a_stranger_may_answer)
{
    struct rig *rig = voter();
    struct message ballot = ballot_of(rig, NULL);
    const uint64_t before = promised(rig);

    ballot.carrier.epoch = rig->core->promise.seen + (UINT64_C(1) << 21);
    struct message told = from_stranger(rig, 'X', &ballot, 77);
    rig_gets_raw(rig, &told);
    const struct message *ping = rig_told(rig, MESSAGE_PING, 'X');
    cr_assert_not_null(ping);
    cr_assert_eq(promised(rig), before);
    answers_ping(rig, ping->ping.nonce);
    told = from_stranger(rig, 'X', &ballot, 77);
    rig_gets_raw(rig, &told);
    cr_assert_eq(promised(rig), ballot.carrier.epoch);
    rig_free(rig);
}

/* H49: nor may it be made to flood whoever is named as the source. */
Test(core_asked, strangers_are_asked_to_prove_it_so_often)
{
    struct rig *rig = voter();
    uint32_t pings = 0;

    for (int i = 0; i < 100; i++) {
        pings += asks_for_more(rig) != NULL;
    }
    cr_assert_gt(pings, 0);
    cr_assert_leq(pings, 8);
    rig_free(rig);
}

/* --- Who cannot follow the voters (V7c, Z2h, Z9e) --- */

/* Of C, who is asked by B. */
static struct message refused_for(const struct rig *rig, uint64_t promised)
{
    struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);

    vote.carrier.vote.result = VOTE_REFUSED_EPOCH;
    vote.carrier.vote.promised = promised;
    return vote;
}

/* Such a member would ask for ever, and keep all others from beginning anew (F2c). */
static void is_out_after_stall(struct rig *rig, const struct message *vote)
{
    rig_gets(rig, 'C', vote);
    rig_pass(rig, rig->timing.stall_ms - 100, "");
    rig_gets(rig, 'C', vote);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_pass(rig, 100, "");
    rig_gets(rig, 'C', vote);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

Test(core_asked, whoever_is_told_of_promises_that_leap_comes_in_anew)
{
    struct rig *rig = candidate();
    const struct message vote = refused_for(rig, rig->core->promise.seen + 9 * LEAP_MAX);

    is_out_after_stall(rig, &vote);
}

Test(core_asked, whoever_is_told_of_another_lineage_comes_in_anew)
{
    struct rig *rig = candidate();
    struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);

    vote.carrier.vote.result = VOTE_MUTE;
    vote.carrier.lineage++;
    is_out_after_stall(rig, &vote);
}

Test(core_asked, what_leaps_is_come_near)
{
    struct rig *rig = candidate();
    const uint64_t seen = rig->core->promise.seen;
    const struct message vote = refused_for(rig, seen + 2 * LEAP_MAX);

    rig_gets(rig, 'C', &vote);
    rig_gets(rig, 'C', &vote);
    cr_assert_leq(rig->core->promise.seen, seen + SAID_LEAP_MAX);
    cr_assert_geq(rig->core->promise.seen, SAID_LEAP_MAX);
    rig_free(rig);
}

/* V7c, H48: it saw one so high that none of those whom it asks takes what is above. */
Test(core_asked, a_candidate_asks_for_no_epoch_that_leaps)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t base = core_view(rig->core)->epoch;

    rig->core->promise.seen = base + LEAP_MAX;
    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C");
    cr_assert(rig->core->candidacy.on);
    const uint64_t first = rig->core->candidacy.epoch;
    cr_assert_leq(first, base + BOUND_LEAP_MAX);
    rig_pass(rig, rig->timing.stall_ms, "C");
    cr_assert_gt(rig->core->candidacy.epoch, first, "no life asks for one twice");
    cr_assert_leq(rig->core->candidacy.epoch, base + BOUND_LEAP_MAX);
    rig_free(rig);
}

/* V7c, H48: the others did not see what it saw lately, and counts itself. */
Test(core_asked, a_candidate_does_not_count_what_it_saw_lately)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t base = core_view(rig->core)->epoch;

    promise_saw_epoch(rig->core, base + BOUND_LEAP_MAX);
    rig->core->promise.base = (struct leap_base){.ms = rig->core->now_ms, .epoch = base};
    rig_pass(rig, rig->timing.stall_ms, "A C");
    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C");
    cr_assert(rig->core->candidacy.on);
    cr_assert_leq(rig->core->candidacy.epoch, base + BOUND_LEAP_MAX);
    rig_free(rig);
}

/* V7c: whatever it saw long ago, a voter may be bound to what it saw lately, and to nothing beyond.
 */
Test(core_asked, a_candidate_asks_above_what_it_saw_lately)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t base = core_view(rig->core)->epoch;
    const uint64_t bound = base + BOUND_LEAP_MAX;

    rig->core->promise.seen = base + 2 * LEAP_MAX;
    cr_assert_lt(promise_epoch_to_ask(rig->core), bound - 1000, "there is room for others");
    promise_saw_epoch(rig->core, bound - 2);
    cr_assert_eq(promise_epoch_to_ask(rig->core), bound - 1);
    rig->core->promise.seen = bound - 2;
    cr_assert_eq(promise_epoch_to_ask(rig->core), bound - 1);
    rig_free(rig);
}

/* V7c, C1a: its view has leapt in this span. */
Test(core_asked, a_candidate_asks_above_its_own_view)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t base = core_view(rig->core)->epoch;

    rig->core->promise.base = (struct leap_base){.ms = rig->core->now_ms, .epoch = base};
    rig->core->view.epoch = base + BOUND_LEAP_MAX;
    rig->core->promise.seen = base + 2 * LEAP_MAX;
    cr_assert_gt(promise_epoch_to_ask(rig->core), base + BOUND_LEAP_MAX);
    rig_free(rig);
}

/* V7c: the epoch that a coordinator wants is one that it gets, or it would claim again and again.
 */
Test(core_asked, a_coordinator_wants_no_epoch_that_leaps)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig->core->promise.seen = core_view(rig->core)->epoch + LEAP_MAX;
    change_want_epoch_of_voters(rig->core);
    cr_assert(change_is_overtaken(rig->core));
    rig->core->view.epoch = promise_epoch_to_ask(rig->core);
    cr_assert_not(change_is_overtaken(rig->core));
    rig_free(rig);
}

/* V7c: the voters saw more epochs than D, which is none, and gave A one that leaps for D. */
Test(core_asked, a_member_comes_near_the_epoch_of_its_coordinator)
{
    struct rig *rig = rig_strict_among("A B C D", 'D', "A B C");
    struct view *next = rig_next(rig, "");
    char text[64];

    rig_pass(rig, rig->timing.stall_ms, "A B C");
    next->epoch += LEAP_MAX + SAID_LEAP_MAX / 2;
    view_seal(next);
    const struct message prepare = {.type = MESSAGE_PREPARE, .carrier = {.view = next}};
    rig_refuses(rig, 'A', &prepare, REFUSED_VIEW_LEAPS);
    rig_pass(rig, rig->timing.stall_ms, "A B C");
    rig_gets(rig, 'A', &prepare);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    cr_assert_str_eq(rig_sees(rig, text), "A B C D");
    rig_free(rig);
}

/* V7c: A made up versions of its own; whoever follows it comes after it, under any guard. */
Test(core_asked, a_member_comes_near_the_version_of_its_coordinator)
{
    for (int strict = 0; strict < 2; strict++) {
        struct rig *rig = strict ? rig_strict_among("A B C D", 'D', "A B C")
                                 : rig_in("A B C D", 'D');
        struct view *next = rig_next(rig, "");

        rig_pass(rig, rig->timing.stall_ms, "A B C");
        next->version += LEAP_MAX + SAID_LEAP_MAX / 2;
        view_seal(next);
        const struct message prepare = {.type = MESSAGE_PREPARE, .carrier = {.view = next}};
        rig_refuses(rig, 'A', &prepare, REFUSED_VIEW_LEAPS);
        rig_pass(rig, rig->timing.stall_ms, "A B C");
        rig_gets(rig, 'A', &prepare);
        cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
        rig_free(rig);
    }
}

/* V7c: B was elected by voters that had accepted a view of A's which nearly leaps; the one that B
 * makes above it does. C, who voted for B, lacks the other one; B is no voter, whose word would
 * count anyway. */
static struct message leaps_for_its_voter(struct rig *rig, uint64_t age, uint64_t version)
{
    struct vote_record *record = rig_votes(rig);
    struct view *next = rig_next(rig, "-A");

    next->epoch++;
    next->next_age += age;
    next->version += version;
    view_seal(next);
    record->promise = (struct ballot){.epoch = next->epoch, .life = rig_id(rig, 'B')};
    return (struct message){.type = MESSAGE_PREPARE, .carrier = {.view = next}};
}

static void comes_near(uint64_t age, uint64_t version)
{
    struct rig *rig = rig_strict_among("A B C D", 'C', "A C D");

    rig_pass(rig, rig->timing.stall_ms, "A B D");
    const struct message prepare = leaps_for_its_voter(rig, age, version);
    rig_refuses(rig, 'B', &prepare, REFUSED_VIEW_LEAPS);
    rig_pass(rig, rig->timing.stall_ms - 1, "A B D");
    rig_refuses(rig, 'B', &prepare, REFUSED_VIEW_LEAPS);
    rig_pass(rig, 1, "A B D");
    rig_gets(rig, 'B', &prepare);
    cr_assert_eq(rig->core->voter.accepted.hash, prepare.carrier.view->hash);
    rig_free(rig);
}

Test(core_asked, a_voter_comes_near_the_numbers_of_whom_it_voted_for)
{
    comes_near(LEAP_MAX + 10, 0);
    comes_near(0, LEAP_MAX + 10);
}

/* V7a, H48: one that is shown more much later does not add up with it. */
Test(core_asked, what_was_come_near_is_forgotten)
{
    struct rig *rig = rig_strict_among("A B C D", 'C', "A C D");

    rig_pass(rig, rig->timing.stall_ms, "A B D");
    const struct message prepare = leaps_for_its_voter(rig, LEAP_MAX + 10, LEAP_MAX + 10);
    rig_refuses(rig, 'B', &prepare, REFUSED_VIEW_LEAPS);
    rig_pass(rig, rig->timing.stall_ms * 3 / 2, "A B D");
    rig_refuses(rig, 'B', &prepare, REFUSED_VIEW_LEAPS);
    rig_free(rig);
}

/* Nobody else's. */
Test(core_asked, a_voter_comes_no_nearer_to_anybodys_numbers)
{
    struct rig *rig = rig_strict_among("A B C D", 'C', "A C D");

    rig_pass(rig, rig->timing.stall_ms, "A B D");
    const struct message prepare = leaps_for_its_voter(rig, LEAP_MAX + 10, 0);
    rig->core->voter.record.promise.epoch++;
    rig_refuses(rig, 'B', &prepare, REFUSED_VIEW_LEAPS);
    cr_assert_eq(rig->core->promise.near.next_age, 0);
    rig_free(rig);
}

/* H48: who was made to believe in a founding that was none. */
Test(core_asked, a_voter_names_its_lineage_to_one_of_another)
{
    struct rig *rig = voter();
    struct message ballot = ballot_of(rig, NULL);
    const uint64_t lineage = ballot.carrier.lineage;
    const uint64_t before = promised(rig);

    ballot.carrier.lineage++;
    struct message told = from_stranger(rig, 'X', &ballot, 77);
    rig_gets_raw(rig, &told);
    const struct message *vote = rig_told(rig, MESSAGE_VOTE, 'X');
    cr_assert_not_null(vote);
    cr_assert_eq(vote->carrier.vote.result, VOTE_MUTE);
    cr_assert_eq(vote->carrier.lineage, lineage);
    cr_assert_eq(promised(rig), before);
    rig_free(rig);
}

/* C has accepted what A proposed under that epoch, and now grants a higher one to that member. */
static bool shows_what_a_proposed(char claimant, uint64_t leap)
{
    struct rig *rig = rig_strict("A B C", 'C');

    rig_votes(rig);
    struct view *proposed = rig_next(rig, "+D");

    proposed->epoch += leap;
    view_seal(proposed);
    view_copy(&rig->core->voter.accepted, proposed);
    rig->core->voter.until_ms = 0;
    struct view *own = rig_next(rig, "");
    view_copy(own, core_view(rig->core));
    struct message ballot = ballot_of(rig, own);
    ballot.carrier.epoch += leap;
    if (claimant != 'A') {
        rig_kill(rig, 'A');
        rig_pass(rig, rig->timing.fresh_ms, "B");
    }
    rig_gets(rig, claimant, &ballot);
    rig_syncs(rig);
    const struct message *vote = rig_granted(rig, claimant);
    cr_assert_not_null(vote);
    const bool shown = vote->carrier.view != NULL;
    rig_free(rig);
    return shown;
}

/* H91: of its present reign; it may be too long to get there, and whoever else asks needs it. */
Test(core_asked, a_grant_does_not_show_what_the_asker_gave_up)
{
    cr_assert_not(shows_what_a_proposed('A', 0));
    cr_assert(shows_what_a_proposed('A', 1));
    cr_assert(shows_what_a_proposed('B', 0));
}

/* Z4b, H48: A is said to coordinate a view that it does not have, and has to outdo. */
Test(core_asked, a_coordinator_may_ask_that_lacks_its_own_view)
{
    struct rig *rig = voter();
    struct view *lower = rig_next(rig, "");
    struct message ballot = ballot_of(rig, lower);
    const uint64_t before = promised(rig);

    lower->version = core_view(rig->core)->version - 1;
    view_seal(lower);
    rig->core->voter.until_ms = 0;
    ballot.carrier.epoch = core_view(rig->core)->epoch;
    rig_refuses(rig, 'A', &ballot, REFUSED_CLAIM_NOT_NEW);
    ballot.carrier.epoch++;
    rig_refuses(rig, 'C', &ballot, REFUSED_CLAIM_VIEW_LOWER);
    cr_assert_eq(promised(rig), before);
    rig_gets(rig, 'A', &ballot);
    cr_assert_eq(promised(rig), ballot.carrier.epoch);
    rig_free(rig);
}

/* V7a, H48: nor where ordinary views begin one span soon after the other. */
Test(core_asked, what_was_said_long_ago_does_not_linger_in_a_chain_of_spans)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t step = rig->timing.stall_ms + rig->timing.stall_ms / 5;

    promise_near_epoch(rig->core, core_view(rig->core)->epoch + 2 * LEAP_MAX);
    for (uint32_t i = 0; i < 4; i++) {
        rig_pass(rig, step, "A C");
        const struct message shown = {.type = MESSAGE_VIEW,
                                      .carrier = {.view = rig_next(rig, i % 2 == 0 ? "+D" : "-D")}};
        rig_gets(rig, 'A', &shown);
    }
    cr_assert_eq(core_view(rig->core)->epoch, 1);
    cr_assert(promise_epoch_leaps(rig->core, 2 + BOUND_LEAP_MAX));
    rig_free(rig);
}

/* V7c: one voter is bound to the highest epoch that it takes; or another one told of that. */
Test(core_asked, a_candidate_asks_above_what_a_voter_is_bound_to)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t base = core_view(rig->core)->epoch;
    const uint64_t bound = base + BOUND_LEAP_MAX;

    rig->core->promise.seen = base + 2 * LEAP_MAX;
    promise_saw_epoch(rig->core, bound);
    promise_saw_epoch(rig->core, bound - 2);
    cr_assert_gt(promise_epoch_to_ask(rig->core), bound - 2, "asks for %" PRIu64 " less",
                 bound - 2 - promise_epoch_to_ask(rig->core));
    cr_assert_leq(promise_epoch_to_ask(rig->core), bound);
    rig_free(rig);
}

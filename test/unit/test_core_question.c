/* A coordinator's question for a voter's lease, and its answer (Z6b): what a voter says to who
 * asks, and what of it a coordinator believes. test_voter.c has whom a voter binds itself to. */
#include <criterion/criterion.h>

#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "core/detection/lease.h"
#include "rig.h"
#include "voter_bench.h"

/* B is a voter, bound to A, which coordinates it under epoch 1; the disk has that, with the lengths
 * that A asks for. */
static struct rig *rig_bound(void)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record *record = rig_votes(rig);

    record->promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    record->lease_ms = rig->timing.lease_ms;
    record->hold_ms = timing_hold_ms(&rig->timing);
    rig_pass(rig, 10, "A C");
    return rig;
}

static void is_bound_to(struct rig *rig, char life, uint64_t epoch)
{
    rig->core->voter.record.promise = (struct ballot){.epoch = epoch, .life = rig_id(rig, life)};
}

static uint64_t leased_for_ms(const struct rig *rig)
{
    const uint64_t until_ms = rig->core->voter.until_ms;

    return until_ms > rig->now_ms ? until_ms - rig->now_ms : 0;
}

/* The disk has what was decided. */
static void syncs(struct rig *rig)
{
    core_step(rig->core,
              &(struct event){.type = EVENT_SYNCED,
                              .now_ms = rig->now_ms,
                              .synced = {.number = rig->core->voter.requested, .ok = true}});
}

/* H48: of its fellows the coordinator alone asks for leases, and may know that the record is an
 * older copy (Z14b). */
Test(core_question, its_coordinator_alone_says_that_its_record_is_older)
{
    struct rig *rig = rig_bound();
    struct message ping = rig_question(rig, 1);

    ping.ping.asked.record = rig->core->voter.record.id;
    ping.ping.asked.writes = UINT64_MAX;
    ping.ping.origin = rig_id(rig, 'C');
    voter_proved(rig->core, &ping.ping.origin);
    rig_gets(rig, 'C', &ping);
    cr_assert_not(voter_goes_by_older(rig->core, rig->now_ms));
    ping.ping.origin = rig_id(rig, 'A');
    rig_gets(rig, 'A', &ping);
    cr_assert(voter_goes_by_older(rig->core, rig->now_ms));
    rig_free(rig);
}

/* --- What a voter says --- */

/* The answer echoes the latest sign of life that was there before the lease. */
Test(core_question, a_voter_leases_and_says_so_in_the_same_step)
{
    struct rig *rig = rig_bound();

    rig_hears(rig, 'A');
    cr_assert_eq(leased_for_ms(rig), 0);
    const struct lease_said said = rig_asks(rig, 'A', 1);
    cr_assert_eq(said.promised, 1);
    cr_assert(said.leased);
    cr_assert_eq(leased_for_ms(rig), rig->timing.lease_ms);
    cr_assert_eq(rig->core->voter.hold_ms, timing_hold_ms(&rig->timing));
    cr_assert_eq(rig_count(rig, MESSAGE_PONG), 1);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        if (rig->sent[i].message.type == MESSAGE_PONG) {
            cr_assert(rig->sent[i].fellow);
            cr_assert_eq(rig->sent[i].echo, rig->numbers['A']);
        }
    }
    rig_free(rig);
}

/* H52: the asker counts from what the answer echoes, and that was sent before the question. */
Test(core_question, a_question_that_a_heartbeat_overtook_is_answered_all_the_same)
{
    struct rig *rig = rig_bound();
    const struct message content = rig_question(rig, 1);
    struct message ping = rig_message(rig, 'A', &content);

    ping.number = ++rig->numbers['A'];
    rig_hears(rig, 'A');
    const uint64_t heard = rig->numbers['A'];
    cr_assert_gt(heard, ping.number);
    rig_gets_raw(rig, &ping);
    const struct message *pong = rig_told(rig, MESSAGE_PONG, 'A');
    cr_assert_not_null(pong);
    cr_assert(pong->ping.said.leased);
    cr_assert_eq(leased_for_ms(rig), rig->timing.lease_ms);
    cr_assert_eq(rig->sent[rig->sent_count - 1].echo, heard);
    rig_free(rig);
}

/* H52: who keeps it back, or plays it back, could have the next one wait as long. */
Test(core_question, a_question_that_comes_once_more_or_late_renews_nothing)
{
    struct rig *rig = rig_bound();
    const struct message content = rig_question(rig, 1);
    struct message ping = rig_message(rig, 'A', &content);
    struct message later = ping;

    ping.number = ++rig->numbers['A'];
    later.number = ++rig->numbers['A'];
    rig_gets_raw(rig, &later);
    cr_assert_eq(leased_for_ms(rig), rig->timing.lease_ms);
    const uint64_t until_ms = rig->core->voter.until_ms;
    rig_pass(rig, 10, "");
    rig_gets_raw(rig, &later);
    rig_gets_raw(rig, &ping);
    cr_assert_not_null(rig_told(rig, MESSAGE_PONG, 'A'));
    cr_assert_eq(rig->core->voter.until_ms, until_ms);
    rig_free(rig);
}

/* A question renews the lease, from its receipt. */
Test(core_question, each_question_renews_the_lease)
{
    struct rig *rig = rig_bound();

    for (int i = 0; i < 5; i++) {
        rig_pass(rig, rig->timing.lease_ms / 2, "A C");
        cr_assert(rig_asks(rig, 'A', 1).leased);
        cr_assert_eq(leased_for_ms(rig), rig->timing.lease_ms);
    }
    rig_free(rig);
}

/* H52: what A did not ask for it does not count, and the next one would wait for it. */
Test(core_question, no_other_sign_of_life_renews_the_lease)
{
    struct rig *rig = rig_bound();
    const struct view *view = core_view(rig->core);
    const struct message signs[] = {
        {.type = MESSAGE_HEARTBEAT,
         .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .acting = true}},
        {.type = MESSAGE_PULL},
        {.type = MESSAGE_PING, .ping = {.nonce = 3, .subject = core_self(rig->core)->id}},
        {.type = MESSAGE_PONG},
        {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+D")}},
    };

    cr_assert(rig_asks(rig, 'A', 1).leased);
    const uint64_t until_ms = rig->core->voter.until_ms;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        rig_pass(rig, 10, "");
        rig_gets(rig, 'A', &signs[i]);
        cr_assert_eq(rig->core->peers[0].signs.heard_ms, rig->now_ms, "%zu", i);
        cr_assert_eq(rig->core->voter.until_ms, until_ms, "%zu", i);
    }
    rig_free(rig);
}

/* Nor is a voter bound by one. */
Test(core_question, a_heartbeat_binds_no_voter)
{
    struct rig *rig = rig_bound();
    struct message says = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(core_view(rig->core)), .view_hash = 1, .acting = true}};

    says.heartbeat.view.epoch = 2;
    rig_gets(rig, 'A', &says);
    cr_assert_eq(rig->core->voter.record.promise.epoch, 1);
    cr_assert_eq(leased_for_ms(rig), 0);
    rig_free(rig);
}

/* What a voter says that leases nothing. */
static void expect_refused(struct rig *rig, char from, uint64_t epoch, uint64_t promised)
{
    const struct ballot before = rig->core->voter.record.promise;
    const struct lease_said said = rig_asks(rig, from, epoch);

    cr_assert_not(said.leased);
    cr_assert_eq(said.promised, promised);
    cr_assert_eq(leased_for_ms(rig), 0);
    cr_assert(ballot_equal(&rig->core->voter.record.promise, &before));
}

/* Z2b, H52: it has promised a further epoch, to whomever; A has to know which. */
Test(core_question, below_the_promise_nothing_is_leased)
{
    for (const char *life = "AC"; *life != '\0'; life++) {
        struct rig *rig = rig_bound();
        is_bound_to(rig, *life, 4);
        expect_refused(rig, 'A', 1, 4);
        rig_free(rig);
    }
}

/* Z2b: only an epoch above that can ever be A's here. */
Test(core_question, an_epoch_of_another_life_is_said_to_be_one_more)
{
    struct rig *rig = rig_bound();

    is_bound_to(rig, 'C', 1);
    expect_refused(rig, 'A', 1, 2);
    rig_free(rig);
}

/* Z2c: C may be acting. */
Test(core_question, while_another_life_has_the_lease_nobody_gets_it)
{
    struct rig *rig = rig_bound();

    cr_assert(rig_asks(rig, 'A', 1).leased);
    const uint64_t until_ms = rig->core->voter.until_ms;
    const struct lease_said said = rig_asks(rig, 'C', 2);
    cr_assert_not(said.leased);
    cr_assert_eq(said.promised, 1);
    cr_assert_eq(rig->core->voter.until_ms, until_ms);
    rig_free(rig);
}

/* Z2h */
Test(core_question, of_another_lineage_nothing_is_leased)
{
    struct rig *rig = rig_bound();

    rig->core->voter.record.lineage++;
    expect_refused(rig, 'A', 1, 1);
    rig_free(rig);
}

/* A coordinator that does not reign, or one of another guard. */
Test(core_question, who_names_no_epoch_is_leased_nothing)
{
    struct rig *rig = rig_bound();

    expect_refused(rig, 'A', 0, 0);
    rig_free(rig);
}

/* What came in this way, or from there: the answer is none of a voter. */
static void expect_unheard(struct rig *rig, struct message ping)
{
    const struct ballot before = rig->core->voter.record.promise;

    ping.number = ++rig->numbers['A'];
    rig_gets_raw(rig, &ping);
    const struct message *pong = rig_told(rig, MESSAGE_PONG, 'A');
    cr_assert_not_null(pong);
    cr_assert_not(pong->ping.said.leased);
    cr_assert_eq(pong->ping.said.promised, 0);
    cr_assert_eq(leased_for_ms(rig), 0);
    cr_assert(ballot_equal(&rig->core->voter.record.promise, &before));
}

/* Whose view does not hold this node: it asks no member of its own. */
Test(core_question, who_is_no_fellow_is_leased_nothing)
{
    struct rig *rig = rig_bound();
    const struct message content = rig_question(rig, 2);
    struct message ping = rig_message(rig, 'A', &content);

    ping.fellow = false;
    expect_unheard(rig, ping);
    rig_free(rig);
}

/* R2c: what it says of its link to the node is not said over that link. */
Test(core_question, a_relayed_question_leases_nothing)
{
    struct rig *rig = rig_bound();
    const struct message content = rig_question(rig, 2);
    struct message ping = rig_message(rig, 'A', &content);

    ping.relay = true;
    expect_unheard(rig, ping);
    rig_free(rig);
}

/* It shares a view with nobody. */
Test(core_question, whoever_joins_leases_nothing)
{
    struct voter_bench *bench = bench_new();
    const struct message ping = {
        .type = MESSAGE_PING,
        .from = member_of('X').id,
        .fellow = true,
        .ping = {.asked = {.lineage = BENCH_LINEAGE, .epoch = 1, .lease_ms = bench->lease_ms}}};

    cr_assert_eq(core_phase(bench->core), PHASE_JOINING);
    cr_assert(electorate_may_vote(bench->core));
    const struct lease_said said = voting_on_question(bench->core, &ping);
    cr_assert_eq(said.promised, 0);
    cr_assert_not(said.leased);
    cr_assert_eq(bench_state(bench).promise.epoch, 0);
    bench_free(bench);
}

Test(core_question, who_is_no_voter_leases_nothing)
{
    struct rig *rig = rig_strict_among("A B C", 'B', "A C");
    const struct lease_said said = rig_asks(rig, 'A', 1);

    cr_assert_eq(said.promised, 0);
    cr_assert_not(said.leased);
    rig_free(rig);
}

/* Z3b, Z3c */
Test(core_question, a_voter_that_is_mute_or_has_no_record_leases_nothing)
{
    struct rig *rig = rig_bound();

    rig->core->voter.mute = true;
    expect_refused(rig, 'A', 1, 1);
    rig->core->voter.mute = false;
    memset(&rig->core->voter.record, 0, sizeof rig->core->voter.record);
    expect_refused(rig, 'A', 1, 0);
    rig_free(rig);
}

/* Z2f: until then a crash would make it forget whom it leases to. */
Test(core_question, a_lease_is_said_when_the_disk_has_its_promise)
{
    struct rig *rig = rig_bound();

    struct lease_said said = rig_asks(rig, 'A', 3);
    cr_assert_eq(rig->core->voter.record.promise.epoch, 3);
    cr_assert_eq(said.promised, 3);
    cr_assert_not(said.leased);
    cr_assert_eq(leased_for_ms(rig), rig->timing.lease_ms, "it binds at once");
    cr_assert_not(rig_asks(rig, 'A', 3).leased);
    syncs(rig);
    said = rig_asks(rig, 'A', 3);
    cr_assert_eq(said.promised, 3);
    cr_assert(said.leased);
    rig_free(rig);
}

/* Z15b: or it would be the shorter one after a crash. */
Test(core_question, a_longer_lease_is_said_when_the_disk_has_its_length)
{
    struct rig *rig = rig_bound();

    rig->core->voter.record.lease_ms--;
    struct lease_said said = rig_asks(rig, 'A', 1);
    cr_assert_not(said.leased);
    cr_assert_eq(leased_for_ms(rig), rig->timing.lease_ms, "it binds at once");
    syncs(rig);
    cr_assert(rig_asks(rig, 'A', 1).leased);
    rig_free(rig);
}

/* --- What a coordinator asks --- */

static void says(struct rig *rig, char by, enum vote_kind kind)
{
    const struct message vote = rig_vote(rig, by, kind, VOTE_GRANTED);

    rig_gets(rig, by, &vote);
}

/* D8c: it acts an answer later, not a round. */
Test(core_question, who_begins_to_coordinate_asks_at_once)
{
    struct rig *rig = rig_strict("A B C D E", 'B');
    const char voters[] = {'C', 'D', 'E'};

    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C D E");
    cr_assert(rig->core->candidacy.on);
    for (uint8_t i = 0; i < 3; i++) {
        says(rig, voters[i], VOTE_CLAIM);
    }
    cr_assert(rig->core->change.on);
    for (uint8_t i = 0; i < 3; i++) {
        says(rig, voters[i], VOTE_PREPARE);
    }
    for (uint64_t ms = 0; !core_is_coordinator(rig->core); ms++) { /* A might be asked yet. */
        cr_assert_lt(ms, 2 * rig->timing.prepare_ms);
        rig_pass(rig, 1, "C D E");
    }
    for (uint32_t i = 0; i < 3; i++) {
        const struct message *ping = rig_told(rig, MESSAGE_PING, voters[i]);
        cr_assert_not_null(ping);
        cr_assert_eq(ping->ping.asked.epoch, core_view(rig->core)->epoch);
        cr_assert_eq(ping->ping.asked.lineage, core_view(rig->core)->lineage);
    }
    rig_leases(rig, 'C');
    rig_leases(rig, 'D');
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_leases(rig, 'E');
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* --- What a coordinator believes --- */

/* A coordinator that has asked B and C. */
static struct rig *rig_asked(void)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms * 11 / 10, "B C");
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'B'));
    cr_assert_eq(rig_lease(rig, 'B').until_ms, 0);
    return rig;
}

static struct message answer_of_b(const struct rig *rig)
{
    return (struct message){.type = MESSAGE_PONG,
                            .ping = {.nonce = rig->core->peers[1].number.nonce,
                                     .subject = rig_id(rig, 'B'),
                                     .origin = rig_id(rig, 'A'),
                                     .said = {.promised = core_view(rig->core)->epoch,
                                              .leased = true,
                                              .record = record_of('B')}}};
}

/* A verifies B, and has asked it at another address, too. */
static void asks_in_other_ways(struct rig *rig)
{
    struct peer *b = &rig->core->peers[1];

    b->charge.verify.until_ms = rig->now_ms + rig->timing.verify_ms;
    b->charge.nonce = 77;
    b->number.nonce_elsewhere = 79;
}

/* H52: who knows no nonce may be anybody, and so may who knows that of a verification (R1) or was
 * asked elsewhere (D6c); and an old answer says nothing of now. */
Test(core_question, only_the_answer_to_its_own_question_counts)
{
    struct rig *rig = rig_asked();
    const struct message right = answer_of_b(rig);
    struct message wrong = right;

    wrong.ping.nonce++;
    rig_gets(rig, 'B', &wrong);
    wrong.ping.nonce = 0;
    rig_gets(rig, 'B', &wrong);
    asks_in_other_ways(rig);
    wrong.ping.nonce = 77;
    rig_gets(rig, 'B', &wrong);
    wrong.ping.nonce = 79;
    rig_gets(rig, 'B', &wrong);
    wrong = right;
    wrong.ping.subject = rig_id(rig, 'C');
    rig_gets(rig, 'B', &wrong);
    wrong = right;
    wrong.ping.origin = rig_id(rig, 'C');
    rig_gets(rig, 'B', &wrong);
    rig_gets(rig, 'C', &right);
    wrong = rig_message(rig, 'B', &right);
    wrong.number = ++rig->numbers['B'];
    wrong.relay = true;
    rig_gets_raw(rig, &wrong);
    cr_assert_eq(rig_lease(rig, 'B').until_ms, 0);
    cr_assert_eq(rig_lease(rig, 'C').until_ms, 0);
    cr_assert_eq(rig_lease(rig, 'B').promised, 0);
    rig_gets(rig, 'B', &right);
    cr_assert_neq(rig_lease(rig, 'B').until_ms, 0);
    cr_assert_eq(rig_lease(rig, 'C').until_ms, 0);
    cr_assert_eq(rig_lease(rig, 'B').promised, core_view(rig->core)->epoch);
    rig_free(rig);
}

/* A copy of it comes when this node has sent more, and echoes that, too. */
Test(core_question, an_answer_counts_once)
{
    struct rig *rig = rig_asked();
    const struct message content = answer_of_b(rig);
    struct message right = rig_message(rig, 'B', &content);

    rig_gets_raw(rig, &right);
    const uint64_t ms = rig_lease(rig, 'B').until_ms;
    rig->core->rounds.next_ms = NEVER_MS;
    rig_pass(rig, rig->timing.heartbeat_ms / 2, "");
    lease_mark(rig->core);
    right.echo = (uint32_t)++rig->core->out.number;
    rig_gets_raw(rig, &right);
    cr_assert_eq(rig_lease(rig, 'B').until_ms, ms);
    rig_free(rig);
}

/* Where an answer takes longer than the pause between two questions, they were put several times
 * under one nonce, and each answer is as good. */
Test(core_question, the_answer_to_a_question_that_was_put_again_counts_too)
{
    struct rig *rig = rig_asked();
    const struct message right = answer_of_b(rig);

    rig_gets(rig, 'B', &right);
    const uint64_t ms = rig_lease(rig, 'B').until_ms;
    rig->core->rounds.next_ms = NEVER_MS;
    rig_pass(rig, rig->timing.heartbeat_ms / 2, "");
    lease_mark(rig->core);
    rig->core->out.number++;
    rig->last_number = rig->core->out.number;
    rig_gets(rig, 'B', &right);
    cr_assert_gt(rig_lease(rig, 'B').until_ms, ms);
    rig_free(rig);
}

/* Z6a: from the time of what B had heard, not from that of the question, nor of the answer. */
Test(core_question, an_answer_counts_from_the_sending_of_what_it_echoes)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms * 11 / 10, "B C");
    const uint64_t echo = rig->last_number;
    const uint64_t sent_ms = rig->core->lease.asked_ms;
    rig_pass(rig, rig->timing.heartbeat_ms * 11 / 10, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'B'));
    const struct message content = answer_of_b(rig);
    struct message pong = rig_message(rig, 'B', &content);
    pong.number = ++rig->numbers['B'];
    pong.echo = (uint32_t)echo;
    rig_gets_raw(rig, &pong);
    cr_assert_eq(rig_lease(rig, 'B').until_ms, sent_ms + lease_span_ms(rig->core));
    cr_assert_eq(rig_lease(rig, 'B').epoch, core_view(rig->core)->epoch);
    rig_free(rig);
}

/* Z6b: the question was put under the epoch before, and B's lease of that is over with it. */
Test(core_question, an_answer_counts_for_the_epoch_that_it_names)
{
    struct rig *rig = rig_asked();
    const struct message former = answer_of_b(rig);
    struct view *next = rig_view(rig, "A B C");

    next->epoch++;
    next->version++;
    view_seal(next);
    install_view(rig->core, next);
    rig_gets(rig, 'B', &former);
    cr_assert_eq(rig_lease(rig, 'B').epoch, next->epoch - 1);
    cr_assert_eq(lease_of_voters(rig->core, rig->now_ms).have, 0);
    rig_free(rig);
}

/* H52: its heartbeat lay in the socket for long, and nothing in it is a lease. */
Test(core_question, no_heartbeat_of_a_voter_is_a_lease)
{
    struct rig *rig = rig_asked();

    for (int i = 0; i < 10; i++) {
        rig_pass(rig, 100, "B C");
        cr_assert_eq(lease_of_voters(rig->core, rig->now_ms).have, 0);
    }
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* Z6b: it is in no view of this voter's, and no answer to it would count. */
Test(core_question, a_stranger_is_leased_nothing)
{
    struct rig *rig = rig_bound();
    struct message ping = rig_question(rig, 2);

    rig_gets(rig, 'D', &ping);
    cr_assert_eq(rig->core->voter.record.promise.epoch, 1);
    cr_assert_eq(leased_for_ms(rig), 0);
    rig_free(rig);
}

/* The length of a lease (Z15), as it comes and goes: what a coordinator asks for, and what a voter
 * that is a member does with it. test_voter_length.c has what a voter decides. */
#include <criterion/criterion.h>

#include "core/agreement/accord.h"
#include "core/agreement/voting.h"
#include "core/detection/lease.h"
#include "rig.h"

enum {
    OTHERS_LEASE_MS = 1600, /* of one that was started with other timings */
};

/* B is a voter, bound to A, which coordinates it. */
static struct rig *rig_bound(void)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record *record = rig_votes(rig);

    record->promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    rig_pass(rig, 10, "");
    return rig;
}

/* A asks for a lease of that length, with that T_hold. Does the answer say that it has it? */
static bool asks_with(struct rig *rig, uint64_t lease_ms, uint64_t hold_ms)
{
    struct message ping = rig_question(rig, 1);

    ping.ping.asked.lease_ms = lease_ms;
    ping.ping.asked.hold_ms = hold_ms;
    rig_gets(rig, 'A', &ping);
    const struct message *pong = rig_told(rig, MESSAGE_PONG, 'A');
    cr_assert_not_null(pong);
    return pong->ping.said.leased;
}

static bool asks(struct rig *rig, uint64_t lease_ms)
{
    return asks_with(rig, lease_ms, 0);
}

/* The disk has what was decided. */
static void syncs(struct rig *rig)
{
    core_step(rig->core,
              &(struct event){.type = EVENT_SYNCED,
                              .now_ms = rig->now_ms,
                              .synced = {.number = rig->core->voter.requested, .ok = true}});
}

static uint64_t bound_for_ms(const struct rig *rig)
{
    const uint64_t until_ms = rig->core->voter.until_ms;

    return until_ms > rig->now_ms ? until_ms - rig->now_ms : 0;
}

/* Z15a: its own T_lease, which its voters need not know. */
Test(core_length, a_ballot_names_the_length_of_the_leases)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C");
    rig_pass(rig, rig->timing.prepare_ms / 3, "C"); /* It asks again. */
    const struct message *ballot = rig_told(rig, MESSAGE_CLAIM, 'C');
    cr_assert_not_null(ballot);
    cr_assert_eq(ballot->carrier.lease_ms, rig->timing.lease_ms);
    cr_assert_eq(ballot->carrier.hold_ms, timing_hold_ms(&rig->timing));
    rig_free(rig);
}

Test(core_length, a_proposal_and_a_question_name_the_length_of_the_lease)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms, "");
    const struct message *ping = rig_told(rig, MESSAGE_PING, 'B');
    cr_assert_not_null(ping);
    cr_assert_eq(ping->ping.asked.lease_ms, rig->timing.lease_ms);
    cr_assert_eq(ping->ping.asked.hold_ms, timing_hold_ms(&rig->timing));
    rig_joins(rig, 'D');
    rig_pass(rig, rig->timing.batch_ms, "B C");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.lease_ms, rig->timing.lease_ms);
    cr_assert_eq(prepare->carrier.hold_ms, timing_hold_ms(&rig->timing));
    rig_free(rig);
}

/* Z15a: who does not coordinate asks for none, nor does who has handed over. */
Test(core_length, nobody_else_asks_for_a_lease)
{
    struct rig *member = rig_strict("A B C", 'B');
    struct rig *handed_over = rig_strict("A B C", 'A');
    struct rig *rigs[] = {member, handed_over};

    handed_over->core->succession.handed_epoch = 1;
    for (size_t i = 0; i < sizeof rigs / sizeof rigs[0]; i++) {
        rig_pass(rigs[i], 3 * rigs[i]->timing.heartbeat_ms, ""); /* Who is silent is asked. */
        const struct message *ping = rig_told(rigs[i], MESSAGE_PING, 'C');
        cr_assert_not_null(ping, "%zu", i);
        cr_assert_eq(ping->ping.asked.epoch, 0, "%zu", i);
        cr_assert_eq(ping->ping.asked.lineage, 0, "%zu", i);
        cr_assert_eq(ping->ping.asked.lease_ms, 0, "%zu", i);
        cr_assert_eq(ping->ping.asked.hold_ms, 0, "%zu", i);
        rig_free(rigs[i]);
    }
}

/* Z15a: for as long as is asked, whatever this voter's own T_lease is. */
Test(core_length, a_question_renews_for_as_long_as_it_asks)
{
    struct rig *rig = rig_bound();

    cr_assert_not(asks(rig, OTHERS_LEASE_MS), "the disk does not have it yet");
    cr_assert_eq(bound_for_ms(rig), OTHERS_LEASE_MS);
    syncs(rig);
    rig_pass(rig, 10, "");
    cr_assert(asks(rig, OTHERS_LEASE_MS));
    cr_assert_eq(bound_for_ms(rig), OTHERS_LEASE_MS);
    rig_pass(rig, 10, "");
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PONG});
    cr_assert_eq(bound_for_ms(rig), OTHERS_LEASE_MS - 10, "nobody has asked");
    cr_assert(asks(rig, OTHERS_LEASE_MS / 2), "a shorter one is on disk, too");
    cr_assert_eq(bound_for_ms(rig), OTHERS_LEASE_MS - 10);
    rig_free(rig);
}

/* Z15a: A would not ask for so much, for it has this voter's terms; and who says so in its name
 * must not hold up the next one for a minute. */
Test(core_length, of_its_own_coordinator_a_voter_believes_no_more_than_t_stall)
{
    struct rig *rig = rig_bound();

    cr_assert_not(asks(rig, rig->timing.stall_ms + 1));
    cr_assert_eq(bound_for_ms(rig), 0);
    (void)asks(rig, rig->timing.stall_ms);
    cr_assert_eq(bound_for_ms(rig), rig->timing.stall_ms);
    rig_free(rig);
}

/* Z15c: nor would it say that its members hold for longer than this voter would itself. */
Test(core_length, of_its_own_coordinator_a_voter_believes_no_longer_t_hold)
{
    struct rig *rig = rig_bound();

    cr_assert_not(asks_with(rig, 1, timing_hold_ms(&rig->timing) + 1));
    cr_assert_eq(rig->core->voter.hold_ms, 0);
    cr_assert_eq(bound_for_ms(rig), 0);
    (void)asks_with(rig, 1, timing_hold_ms(&rig->timing));
    cr_assert_eq(rig->core->voter.hold_ms, timing_hold_ms(&rig->timing));
    rig_free(rig);
}

/* Z15c: A asks for a further epoch, and is told for how long what it granted may be held. */
Test(core_length, a_vote_says_for_how_long_a_former_grant_may_be_held)
{
    struct rig *rig = rig_bound();
    const struct message ballot = {.type = MESSAGE_CLAIM,
                                   .carrier = {.view = rig_view(rig, "A B C"),
                                               .lineage = core_view(rig->core)->lineage,
                                               .epoch = 2}};

    rig->core->voter.hold_ms = timing_hold_ms(&rig->timing);
    (void)asks(rig, rig->timing.lease_ms);
    rig_gets(rig, 'A', &ballot);
    syncs(rig);
    rig_gets(rig, 'A', &ballot); /* It is repeated when the disk has it. */
    const struct message *vote = rig_told(rig, MESSAGE_VOTE, 'A');
    cr_assert_not_null(vote);
    cr_assert_eq(vote->carrier.vote.result, VOTE_GRANTED);
    cr_assert_eq(vote->carrier.vote.wait_ms, rig->timing.lease_ms + timing_hold_ms(&rig->timing));
    rig_free(rig);
}

/* Z15c, K7a: of those who granted the epoch the latest word counts. */
Test(core_length, who_takes_over_waits_for_what_was_granted_before)
{
    struct rig *rig = rig_strict("A B C D E", 'B');
    const uint64_t waits_ms[] = {5000, 900};
    const char voters[] = {'C', 'D'};

    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C D E");
    cr_assert(rig->core->candidacy.on);
    for (uint8_t i = 0; i < 2; i++) {
        struct message vote = rig_vote(rig, voters[i], VOTE_CLAIM, VOTE_GRANTED);
        vote.carrier.vote.wait_ms = waits_ms[i];
        rig_gets(rig, voters[i], &vote);
    }
    cr_assert_eq(rig->core->candidacy.held_until_ms, rig->now_ms + waits_ms[0]);
    rig_free(rig);
}

/* Z6a: its count goes by what it asks for. */
Test(core_length, a_coordinator_counts_four_fifths_of_what_it_asks_for)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    const uint64_t sent_ms = rig->core->lease.asked_ms;
    rig_leases(rig, 'B');
    rig_leases(rig, 'C');
    cr_assert_eq(lease_acts_until(rig->core, sent_ms), sent_ms + rig->timing.lease_ms * 4 / 5 - 2);
    rig_free(rig);
}

/* Z15a: like all the others, its own voter goes by the terms that the proposal brings. */
Test(core_length, its_own_voter_takes_the_terms_that_it_proposes)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct view *view = rig_view(rig, "A B C D");
    struct message vote;

    rig_votes(rig);
    view->agreed = (struct agreed){
        .number = 1, .room = 9, .now = terms_rules(core_terms(rig->core))};
    view->agreed.now.lost_ms = 3 * rig->timing.lost_ms;
    view_seal(view);
    (void)voting_prepare_self(rig->core, view, &vote); /* It answers when the disk has it. */
    cr_assert_eq(rig->core->voter.accepted.hash, view->hash);
    rig_free(rig);
}

/* Z15a: it goes by changed terms, and this view was made by one who was away when they came. */
Test(core_length, a_voter_of_changed_terms_takes_the_terms_that_it_was_started_with)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const struct view *view = rig_view(rig, "A B C D");
    struct message vote;

    rig_votes(rig);
    rig->core->timing.lease_ms /= 8;
    rig->core->timing.lost_ms /= 8;
    rig->core->timing.stall_ms /= 8;
    (void)voting_prepare_self(rig->core, view, &vote);
    cr_assert_eq(rig->core->voter.accepted.hash, view->hash);
    rig_free(rig);
}

/* --- Lengths that change while it acts --- */

/* From now on it asks for leases of another length, with another T_hold. */
static void asks_otherwise(struct rig *rig, uint64_t lease_ms, uint64_t lost_ms)
{
    const struct timing before = rig->core->timing;

    rig->core->timing.lease_ms = lease_ms;
    rig->core->timing.lost_ms_shortest = lost_ms;
    rig->core->spans = timing_spans(&rig->core->timing, true);
    lease_on_timing(rig->core, &before);
}

/* As where a view brings them (A3b). */
static void asks_now(struct rig *rig)
{
    rig->core->rounds.next_ms = rig->core->now_ms;
    rig->core->due_ms = rig->core->now_ms;
    rig_pass(rig, 1, "");
}

static void both_lease(struct rig *rig)
{
    rig_leases(rig, 'B');
    rig_leases(rig, 'C');
}

/* A acts, and has asked B and C again, which have not answered yet. */
static struct rig *rig_asking(void)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    both_lease(rig);
    rig_pass(rig, timing_round_ms(&rig->timing) * 11 / 10, "B C");
    return rig;
}

/* H99: each by its own question, whether that asked for more or for less than those of today. */
Test(core_length, a_lease_counts_for_as_long_as_its_question_asked)
{
    for (int shorter = 0; shorter < 2; shorter++) {
        struct rig *rig = rig_asking();
        const uint64_t sent_ms = rig->core->lease.asked_ms;
        const uint64_t lease_ms = rig->timing.lease_ms;
        const uint64_t other_ms = shorter != 0 ? lease_ms / 2 : lease_ms * 2;

        both_lease(rig);
        asks_otherwise(rig, other_ms, rig->timing.lost_ms);
        cr_assert_eq(rig_lease(rig, 'B').until_ms, sent_ms + timing_act_ms(lease_ms));
        asks_now(rig);
        cr_assert_eq(rig_told(rig, MESSAGE_PING, 'B')->ping.asked.lease_ms, other_ms,
                     "whoever was asked a moment ago is asked anew");
        both_lease(rig);
        const uint64_t longest_ms = timing_act_ms(lease_ms > other_ms ? lease_ms : other_ms);
        cr_assert_geq(rig_lease(rig, 'B').until_ms, sent_ms + longest_ms);
        cr_assert_leq(lease_acts_until(rig->core, rig->now_ms),
                      rig->now_ms + timing_act_ms(other_ms), "Z15e: and is told for no longer");
        rig_free(rig);
    }
}

/* D8b, Z15a: what is echoed tells from when it counts, also where that was sent before the lengths
 * changed, and the question that is answered for how long. */
Test(core_length, a_lease_counts_from_what_is_echoed_for_as_long_as_its_question_asked)
{
    for (int shorter = 0; shorter < 2; shorter++) {
        struct rig *rig = rig_strict("A B C", 'A');
        const uint64_t lease_ms = rig->timing.lease_ms;
        const uint64_t other_ms = shorter != 0 ? lease_ms * 4 / 5 : lease_ms * 2;

        rig_pass(rig, rig->timing.heartbeat_ms, "B C");
        both_lease(rig);
        rig_pass(rig, timing_round_ms(&rig->timing) * 11 / 10, "B C");
        const uint64_t before_ms = rig->core->lease.asked_ms;
        const uint64_t before = rig->last_number;
        rig_pass(rig, rig->timing.lost_ms / 10, "");
        asks_otherwise(rig, other_ms, rig->timing.lost_ms);
        asks_now(rig);
        cr_assert_gt(rig->core->lease.asked_ms, before_ms);
        rig->last_number = before;
        rig_leases(rig, 'B');
        cr_assert_eq(rig_lease(rig, 'B').until_ms, before_ms + timing_act_ms(other_ms));
        rig_free(rig);
    }
}

/* Z15a, H99: a heartbeat overtook the question, and is what its answer echoes. By that it would
 * count for as long as what is asked for now, though B has leased for less. */
Test(core_length, no_question_of_before_is_answered_any_more)
{
    struct rig *rig = rig_asking();
    const uint64_t lease_ms = rig->timing.lease_ms;
    const uint64_t sent_ms = rig->core->lease.asked_ms;
    struct message pong = {.type = MESSAGE_PONG,
                           .ping = {.nonce = rig->core->peers[1].number.nonce,
                                    .subject = rig_id(rig, 'B'),
                                    .origin = core_self(rig->core)->id,
                                    .said = {.promised = 1, .leased = true}}};

    cr_assert_neq(pong.ping.nonce, 0);
    pong.ping.said.record = core_view(rig->core)->voters.voters[1].record;
    asks_otherwise(rig, 2 * lease_ms, 2 * rig->timing.lost_ms);
    asks_now(rig);
    rig_gets(rig, 'B', &pong);
    cr_assert_leq(rig_lease(rig, 'B').until_ms, sent_ms + timing_act_ms(lease_ms));
    rig_leases(rig, 'B');
    cr_assert_gt(rig_lease(rig, 'B').until_ms, sent_ms + timing_act_ms(lease_ms));
    rig_free(rig);
}

/* Z15c: nobody is granted anything for longer than the voters would tell the next one. */
Test(core_length, a_longer_t_hold_counts_when_all_who_lease_were_told)
{
    struct rig *rig = rig_asking();
    const uint64_t hold_ms = timing_hold_ms(&rig->timing);

    both_lease(rig);
    asks_otherwise(rig, rig->timing.lease_ms, 2 * rig->timing.lost_ms);
    cr_assert_eq(lease_hold_ms(rig->core), hold_ms);
    asks_now(rig);
    rig_leases(rig, 'B');
    cr_assert_eq(lease_hold_ms(rig->core), hold_ms, "C was not, and leases");
    rig_leases(rig, 'C');
    cr_assert_eq(lease_hold_ms(rig->core), 2 * hold_ms);
    asks_otherwise(rig, rig->timing.lease_ms, rig->timing.lost_ms / 2);
    cr_assert_eq(lease_hold_ms(rig->core), hold_ms / 2);
    rig_free(rig);
}

/* Z15a: the disk has the longer lease before the first question under the terms asks for it. */
Test(core_length, a_proposal_asks_for_the_longest_that_its_terms_bring)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct agreed agreed = {.number = 1, .now = terms_rules(core_terms(rig->core))};
    uint64_t lease_ms = 0;
    uint64_t hold_ms = 0;

    agreed.now.profile = PROFILE_WAN;
    agreed.now.heartbeat_ms = timing_of(PROFILE_WAN).heartbeat_ms;
    agreed.now.lost_ms = timing_of(PROFILE_WAN).lost_ms;
    accord_lengths(rig->core, &agreed, &lease_ms, &hold_ms);
    cr_assert_eq(lease_ms, timing_of(PROFILE_WAN).lease_ms);
    cr_assert_eq(hold_ms, 2 * timing_of(PROFILE_WAN).lost_ms);
    agreed.now = (struct rules){.profile = PROFILE_LOCAL, .heartbeat_ms = 40, .lost_ms = 190};
    accord_lengths(rig->core, &agreed, &lease_ms, &hold_ms);
    cr_assert_eq(lease_ms, rig->timing.lease_ms);
    cr_assert_eq(hold_ms, timing_hold_ms(&rig->timing));
    rig_free(rig);
}

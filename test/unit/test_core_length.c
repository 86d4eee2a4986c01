/* The length of a lease (Z15), as it comes and goes: what a coordinator asks for, and what a voter
 * that is a member does with it. test_voter_length.c has what a voter decides. */
#include <criterion/criterion.h>

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
    const struct message *ballot = rig_told(rig, MESSAGE_BALLOT, 'C');
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

/* Z15a: who does not coordinate asks for none, nor does who has handed over; nor anybody where
 * there are no voters. */
Test(core_length, nobody_else_asks_for_a_lease)
{
    struct rig *member = rig_strict("A B C", 'B');
    struct rig *handed_over = rig_strict("A B C", 'A');
    struct rig *free_of_voters = rig_in("A B C", 'A');
    struct rig *rigs[] = {member, handed_over, free_of_voters};

    handed_over->core->campaign.handed_epoch = 1;
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
    const struct message ballot = {.type = MESSAGE_BALLOT,
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
    cr_assert(rig->core->campaign.on);
    for (uint8_t i = 0; i < 2; i++) {
        struct message vote = rig_vote(rig, voters[i], VOTE_CLAIM, VOTE_GRANTED);
        vote.carrier.vote.wait_ms = waits_ms[i];
        rig_gets(rig, voters[i], &vote);
    }
    cr_assert_eq(rig->core->campaign.held_until_ms, rig->now_ms + waits_ms[0]);
    rig_free(rig);
}

/* Z6a: its count goes by what it asks for. */
Test(core_length, a_coordinator_counts_four_fifths_of_what_it_asks_for)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const uint64_t sent_ms = rig->now_ms;

    rig->core->peers[1].lease = (struct peer_lease){
        .epoch = 1, .asked_ms = sent_ms, .record = record_of('B')};
    rig->core->peers[2].lease = (struct peer_lease){
        .epoch = 1, .asked_ms = sent_ms, .record = record_of('C')};
    cr_assert_eq(lease_acts_until(rig->core, sent_ms), sent_ms + rig->timing.lease_ms * 4 / 5 - 2);
    rig_free(rig);
}

/* The leases that echoes give (D8a, D8b), as a module of its own: the test sends, and lets time
 * pass, by hand. Who has to answer, and what follows from it, is in test_core_sleep.c and
 * test_core_standing.c. */
#include "core/detection/lease.h"

#include <criterion/criterion.h>

#include "core/agreement/accord.h"
#include "rig.h"

enum {
    A,
    B,
    C,
    D,
    E,
};

/* A core that lives as A, has sent nothing, and knows of no echo. */
static struct rig *nothing_sent(void)
{
    struct rig *rig = rig_in("A B C D", 'A');

    lease_reset(rig->core);
    rig->core->out.number = 0;
    for (uint32_t i = A; i <= D; i++) {
        rig->core->peers[i].lease = (struct peer_lease){.asked_ms = 0};
    }
    return rig;
}

static void sends_at(struct core *core, uint64_t now_ms, uint64_t count)
{
    core->now_ms = now_ms;
    lease_mark(core);
    core->out.number += count;
}

/* When the message was sent for which the lease of that one stands; 0: none. */
static uint64_t since(const struct core *core, uint32_t position)
{
    const uint64_t until_ms = lease_of(core, position);

    return until_ms == 0 ? 0 : until_ms - core->timing.lost_ms;
}

/* --- The time of an echo --- */

Test(core_lease, an_echo_counts_from_the_sending_of_what_it_echoes)
{
    struct rig *rig = nothing_sent();
    struct core *core = rig->core;

    sends_at(core, 1000, 3);
    sends_at(core, 1250, 2);
    core->now_ms = 1700;
    lease_on_echo(core, B, 3);
    cr_assert_eq(since(core, B), 1000);
    lease_on_echo(core, B, 4);
    cr_assert_eq(since(core, B), 1250);
    lease_on_echo(core, C, 1);
    cr_assert_eq(since(core, C), 1000);
    cr_assert_eq(since(core, D), 0);
    rig_free(rig);
}

Test(core_lease, an_older_echo_takes_nothing_back)
{
    struct rig *rig = nothing_sent();
    struct core *core = rig->core;

    sends_at(core, 1000, 1);
    sends_at(core, 1250, 1);
    lease_on_echo(core, B, 2);
    lease_on_echo(core, B, 1);
    cr_assert_eq(since(core, B), 1250);
    lease_on_echo(core, B, 0);
    cr_assert_eq(since(core, B), 1250);
    rig_free(rig);
}

Test(core_lease, who_heard_nothing_gives_no_lease)
{
    struct rig *rig = nothing_sent();

    sends_at(rig->core, 1000, 1);
    lease_on_echo(rig->core, B, 0);
    cr_assert_eq(since(rig->core, B), 0);
    rig_free(rig);
}

Test(core_lease, the_echo_of_what_was_never_sent_gives_no_lease)
{
    struct rig *rig = nothing_sent();
    static const uint32_t never[] = {3, 4, 0x80000000, UINT32_MAX};

    sends_at(rig->core, 1000, 2);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        lease_on_echo(rig->core, B, never[i]);
        cr_assert_eq(since(rig->core, B), 0, "%u", never[i]);
    }
    rig_free(rig);
}

/* The echo has the low 32 bits of a number that has more. */
Test(core_lease, numbers_beyond_32_bits_are_told_by_their_low_ones)
{
    struct rig *rig = nothing_sent();
    struct core *core = rig->core;

    core->out.number = UINT32_MAX - 1;
    sends_at(core, 1000, 1); /* UINT32_MAX */
    sends_at(core, 1250, 2); /* 2^32 and the next */
    lease_on_echo(core, B, UINT32_MAX);
    cr_assert_eq(since(core, B), 1000);
    lease_on_echo(core, C, 1);
    cr_assert_eq(since(core, C), 1250);
    lease_on_echo(core, D, 2); /* The next is not sent yet, and the one before is forgotten. */
    cr_assert_eq(since(core, D), 0);
    rig_free(rig);
}

/* --- Marks --- */

/* All that is sent: a message in each millisecond, as in a storm. */
Test(core_lease, marks_reach_back_for_as_long_as_a_lease_lasts)
{
    struct rig *rig = nothing_sent();
    struct core *core = rig->core;
    const uint64_t apart_ms = core->timing.lost_ms / (LEASE_MARKS * 3 / 4);

    for (uint64_t ms = 1; ms <= 3 * core->timing.lost_ms; ms++) {
        sends_at(core, ms, 1); /* So that the number is the time. */
    }
    for (uint64_t number = 1; number <= core->out.number; number++) {
        core->peers[B].lease.asked_ms = 0;
        lease_on_echo(core, B, (uint32_t)number);
        cr_assert_leq(since(core, B), number);
        if (number + core->timing.lost_ms >= core->now_ms) {
            cr_assert_lt(number - since(core, B), apart_ms, "%d", (int)number);
        }
    }
    rig_free(rig);
}

/* Heartbeats that are far apart have their own time each. */
Test(core_lease, marks_that_are_far_apart_are_all_kept)
{
    struct rig *rig = nothing_sent();
    struct core *core = rig->core;

    for (uint64_t i = 1; i <= LEASE_MARKS; i++) {
        sends_at(core, i * 250, 1);
    }
    for (uint32_t i = 1; i <= LEASE_MARKS; i++) {
        lease_on_echo(core, B, i);
        cr_assert_eq(since(core, B), i * 250);
    }
    sends_at(core, (LEASE_MARKS + 1) * 250, 1);
    lease_on_echo(core, C, 1);
    cr_assert_eq(since(core, C), 0, "forgotten");
    rig_free(rig);
}

/* --- How many hold one --- */

/* B, C and D echo what was sent at 1000, 1200 and 1400. */
static struct rig *three_leases(void)
{
    struct rig *rig = nothing_sent();

    for (uint32_t i = B; i <= D; i++) {
        sends_at(rig->core, 800 + 200 * i, 1);
        lease_on_echo(rig->core, i, i);
    }
    rig->core->lease.asked_end = D + 1; /* As if all three had been asked. */
    rig->core->now_ms = 1500;
    return rig;
}

Test(core_lease, as_many_hold_one_as_the_leases_of_so_many_last)
{
    struct rig *rig = three_leases();
    const struct core *core = rig->core;
    const uint64_t lost_ms = core->timing.lost_ms;

    cr_assert_eq(lease_until(core, 1, 1500), 1400 + lost_ms, "its own");
    cr_assert_eq(lease_until(core, 2, 1500), 1400 + lost_ms);
    cr_assert_eq(lease_until(core, 3, 1500), 1200 + lost_ms);
    cr_assert_eq(lease_until(core, 4, 1500), 1000 + lost_ms);
    cr_assert_eq(lease_until(core, 5, 1500), 0);
    rig_free(rig);
}

Test(core_lease, a_lease_is_over_when_its_time_is_up)
{
    struct rig *rig = three_leases();
    const struct core *core = rig->core;
    const uint64_t end_ms = 1000 + core->timing.lost_ms;

    cr_assert_eq(lease_holders(core, end_ms - 1), 4);
    cr_assert_eq(lease_until(core, 4, end_ms - 1), end_ms);
    cr_assert_eq(lease_holders(core, end_ms), 3);
    cr_assert_eq(lease_until(core, 4, end_ms), 0);
    cr_assert_eq(lease_until(core, 3, end_ms), end_ms + 200);
    rig_free(rig);
}

/* H32: they may hold the leases, but of no use. */
Test(core_lease, the_suspected_and_who_follows_another_do_not_count)
{
    struct rig *rig = three_leases();
    struct core *core = rig->core;

    core->peers[D].charge.verdict = VERDICT_STALLED;
    cr_assert_eq(lease_holders(core, 1500), 3);
    cr_assert_eq(lease_until(core, 2, 1500), 1200 + core->timing.lost_ms);
    core->peers[C].signs.view.coordinator = rig_id(rig, 'B');
    cr_assert_eq(lease_holders(core, 1500), 2);
    cr_assert_eq(lease_until(core, 2, 1500), 1000 + core->timing.lost_ms);
    rig_free(rig);
}

/* G2b: its own word is a lease like the others', and as old as its last heartbeat. */
Test(core_lease, a_nodes_own_word_runs_out_like_the_others)
{
    struct rig *rig = three_leases();
    struct core *core = rig->core;

    core->peers[A].lease.asked_ms = 900;
    cr_assert_eq(lease_holders(core, 1500), 4);
    cr_assert_eq(lease_until(core, 4, 1500), 900 + core->timing.lost_ms);
    cr_assert_eq(lease_holders(core, 900 + core->timing.lost_ms), 3);
    rig_free(rig);
}

/* --- Asked for with PING (D8f) --- */

/* And did not lately. */
static void acts_no_more(struct rig *rig)
{
    for (uint32_t i = 0; i < core_view(rig->core)->member_count; i++) {
        rig->core->peers[i].lease.asked_ms = 0;
    }
    rig->core->standing.told_acting = false;
    rig->core->lease.asked_ms = rig->now_ms + 1;
}

/* Whom one that does not act asks with its next round, or one under guard strict, while it hears
 * those of `alive`: their letters, in that order. Each must be asked before the heartbeat goes out,
 * or the question may overtake it. */
static const char *asked_next(struct rig *rig, const char *alive, char letters[RIG_CAPACITY + 1])
{
    uint32_t count = 0;

    do {
        if (!core_is_strict(rig->core)) { /* What it hears are leases, and not to be announced. */
            rig->core->standing.told_acting = true;
        }
        for (const char *at = alive; *at != '\0'; at++) {
            rig_hears(rig, *at);
        }
        if (!core_is_strict(rig->core)) {
            acts_no_more(rig);
        }
        rig_pass(rig, 1, "");
    } while (rig_count(rig, MESSAGE_HEARTBEAT) == 0);
    bool said = false;
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        said = said || rig->sent[i].message.type == MESSAGE_HEARTBEAT;
        if (rig->sent[i].message.type == MESSAGE_PING) {
            cr_assert_not(said);
            letters[count++] = rig->sent[i].to;
        }
    }
    letters[count] = '\0';
    return letters;
}

static void answers_question(struct rig *rig, char from)
{
    const struct message *ping = rig_told(rig, MESSAGE_PING, from);

    cr_assert_not_null(ping);
    rig_gets(rig, from, &(struct message){.type = MESSAGE_PONG, .ping = ping->ping});
}

Test(core_lease, as_many_are_asked_as_the_guard_counts_and_a_fifth_more)
{
    static const struct {
        struct guard guard;
        const char *asked;
    } cases[] = {{{GUARD_NONE, 0}, "BC"},
                 {{GUARD_COUNT, 2}, "BC"},
                 {{GUARD_COUNT, 3}, "BCD"},
                 {{GUARD_MAJORITY, 7}, "BCDE"}};
    char letters[RIG_CAPACITY + 1];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_guarded("A B C D E F G", 'A', cases[i].guard);
        cr_expect_str_eq(asked_next(rig, "BCDEFG", letters), cases[i].asked);
        rig_free(rig);
    }
}

Test(core_lease, who_does_not_coordinate_asks_for_none)
{
    struct rig *rigs[] = {rig_guarded("A B C", 'B', (struct guard){GUARD_MAJORITY, 3}),
                          rig_strict("A B C", 'B')};
    char letters[RIG_CAPACITY + 1];

    for (size_t i = 0; i < sizeof rigs / sizeof rigs[0]; i++) {
        cr_assert_str_eq(asked_next(rigs[i], "AC", letters), "", "%zu", i);
        rig_free(rigs[i]);
    }
}

Test(core_lease, for_who_is_silent_another_is_asked_at_once)
{
    struct rig *rig = rig_guarded("A B C D E", 'A', (struct guard){GUARD_NONE, 0});
    char letters[RIG_CAPACITY + 1];

    cr_assert_str_eq(asked_next(rig, "BCDE", letters), "BC");
    answers_question(rig, 'B');
    cr_assert_str_eq(asked_next(rig, "BCDE", letters), "BCD", "C has not answered");
    rig_free(rig);
}

/* H32: they could give no lease that counts. */
Test(core_lease, the_suspected_and_who_follows_another_are_not_asked)
{
    struct rig *rig = rig_guarded("A B C D E", 'A', (struct guard){GUARD_NONE, 0});
    char letters[RIG_CAPACITY + 1];

    rig->core->peers[B].charge.verdict = VERDICT_STALLED;
    rig->core->peers[C].signs.view.coordinator = rig_id(rig, 'B');
    cr_assert_str_eq(asked_next(rig, "DE", letters), "DE");
    rig_free(rig);
}

/* A2b: each has to have heard of the terms. */
Test(core_lease, while_terms_change_all_are_asked)
{
    struct rig *rig = rig_guarded("A B C D E", 'A', (struct guard){GUARD_NONE, 0});
    char letters[RIG_CAPACITY + 1];

    rig->core->agreed.joint = true;
    accord_plan(rig->core);
    rig->core->peers[C].signs.view.coordinator = rig_id(rig, 'B');
    cr_assert_str_eq(asked_next(rig, "BCDE", letters), "BCDE");
    rig->core->agreed.joint = false;
    rig_free(rig);
}

/* Whose lease is not asked for does not count, and costs no look. */
Test(core_lease, beyond_those_who_were_asked_nobody_is_looked_at)
{
    struct rig *rig = three_leases();

    rig->core->lease.asked_end = 0;
    rig->core->watching.count = 0;
    cr_assert_eq(lease_holders(rig->core, 1500), 3, "a coordinator with guard none asks two");
    rig_free(rig);
}

/* D8d: as many as it takes to act. */
Test(core_lease, who_slept_asks_no_more_than_before)
{
    struct rig *rig = rig_guarded("A B C D E F G", 'A', (struct guard){GUARD_COUNT, 2});
    char letters[RIG_CAPACITY + 1];

    rig->core->detector.late_until_ms = rig->now_ms + 1;
    cr_assert_str_eq(asked_next(rig, "BCDEFG", letters), "BC");
    rig_free(rig);
}

/* --- Of voters (Z6) --- */

/* What the member at `position` answers to a question of this node. */
static void says(struct core *core, uint32_t position, struct lease_said said, uint32_t echo)
{
    struct message pong = {
        .type = MESSAGE_PONG, .fellow = true, .echo = echo, .ping = {.said = said}};

    pong.ping.said.record = record_of(core->view.members[position].name[0]);
    lease_on_said(core, &pong, position);
}

static void leases(struct core *core, uint32_t position, uint64_t epoch, uint32_t echo)
{
    says(core, position, (struct lease_said){.promised = epoch, .leased = true}, echo);
}

/* The same core under guard strict, which has sent its first message at that time. */
static struct rig *strict_that_sent_at(uint64_t now_ms)
{
    struct rig *rig = rig_strict_among("A B C D E", 'A', "A B C E");

    lease_reset(rig->core);
    rig->core->out.number = 0;
    sends_at(rig->core, now_ms, 1);
    rig->core->lease.asked_end = E + 1; /* As if all voters had been asked. */
    return rig;
}

/* H52: the answer may have lain in the socket while the lease ran down. */
Test(core_lease, a_voters_lease_counts_from_the_sending_too)
{
    struct rig *rig = strict_that_sent_at(1000);
    struct core *core = rig->core;
    const uint64_t act_ms = timing_act_ms(core->timing.lease_ms);

    core->now_ms = 1000 + act_ms - 1;
    leases(core, B, core->view.epoch, 1);
    leases(core, C, core->view.epoch, 1);
    leases(core, E, core->view.epoch, 1);
    cr_assert_eq(lease_acts_until(core, core->now_ms), 1000 + act_ms);
    cr_assert_eq(lease_acts_until(core, 1000 + act_ms), 0);
    rig_free(rig);
}

/* H52: a coordinator that asks for a further epoch gets leases for it before its view is there, and
 * another may have acted in between. */
Test(core_lease, a_voters_lease_of_another_epoch_does_not_count)
{
    struct rig *rig = strict_that_sent_at(1000);
    struct core *core = rig->core;

    leases(core, B, core->view.epoch + 2, 1);
    leases(core, C, core->view.epoch + 2, 1);
    cr_assert_eq(lease_of_voters(core, 1000).have, 0);
    cr_assert_eq(lease_acts_until(core, 1000), 0);
    leases(core, E, core->view.epoch, 1);
    cr_assert_eq(lease_of_voters(core, 1000).have, 1);
    rig_free(rig);
}

/* Z6b: it says to which epoch it is bound, and no more. */
Test(core_lease, a_voter_that_is_bound_has_not_leased_yet)
{
    struct rig *rig = strict_that_sent_at(1000);
    struct core *core = rig->core;

    says(core, B, (struct lease_said){.promised = core->view.epoch}, 1);
    cr_assert_eq(lease_of_voters(core, 1000).have, 0);
    cr_assert_eq(rig_lease(rig, 'B').promised, core->view.epoch);
    rig_free(rig);
}

/* D is no voter, whatever it says. */
Test(core_lease, who_is_no_voter_leases_nothing)
{
    struct rig *rig = strict_that_sent_at(1000);
    struct core *core = rig->core;

    leases(core, D, core->view.epoch, 1);
    cr_assert_eq(lease_of_voters(core, 1000).have, 0);
    cr_assert_eq(rig_lease(rig, 'D').promised, 0);
    rig_free(rig);
}

/* H52: nobody can tell since when it leases, if not from what it heard. */
Test(core_lease, a_voter_that_heard_nothing_gives_no_lease)
{
    struct rig *rig = strict_that_sent_at(1000);
    struct core *core = rig->core;
    static const uint32_t never[] = {0, 2, UINT32_MAX};

    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        leases(core, B, core->view.epoch, never[i]);
        cr_assert_eq(lease_of_voters(core, 1000).have, 0, "%u", never[i]);
    }
    leases(core, B, core->view.epoch, 1);
    cr_assert_eq(lease_of_voters(core, 1000).have, 1);
    rig_free(rig);
}

/* It has another view, in which this node may be no member any more. */
Test(core_lease, a_voter_that_is_no_fellow_gives_no_lease)
{
    struct rig *rig = strict_that_sent_at(1000);
    struct core *core = rig->core;
    const struct message pong = {.type = MESSAGE_PONG,
                                 .echo = 1,
                                 .ping = {.said = {.promised = core->view.epoch, .leased = true}}};

    lease_on_said(core, &pong, B);
    cr_assert_eq(lease_of_voters(core, 1000).have, 0);
    cr_assert_eq(rig_lease(rig, 'B').promised, 0);
    rig_free(rig);
}

/* All that are asked answer, and have leased. */
static void all_lease(struct rig *rig)
{
    for (const char *at = "BCDE"; *at != '\0'; at++) {
        rig_leases(rig, *at);
    }
}

/* D8c: under guard strict, with each round. D is no voter; F, one that is no member, cannot be
 * asked. */
Test(core_lease, all_voters_that_are_members_are_asked)
{
    struct rig *rig = rig_strict_among("A B C D E", 'A', "A B C E F");
    const struct core *core = rig->core;
    char letters[RIG_CAPACITY + 1];

    all_lease(rig);
    cr_assert(core_is_acting(core, rig->now_ms));
    rig_pass(rig, timing_question_ms(&rig->timing), "B C D E");
    for (int round = 0; round < 3; round++) {
        all_lease(rig);
        cr_assert_str_eq(asked_next(rig, "BCDE", letters), "BCE");
        const struct lease_asked asked = rig_told(rig, MESSAGE_PING, 'C')->ping.asked;
        cr_assert_eq(asked.lineage, core->view.lineage);
        cr_assert_eq(asked.epoch, core->view.epoch);
        cr_assert_eq(asked.lease_ms, rig->timing.lease_ms);
        cr_assert_eq(asked.hold_ms, timing_hold_ms(&rig->timing));
    }
    rig_free(rig);
}

/* It may lease all the same, and what this node finds out about it changes nothing of that. */
Test(core_lease, a_voter_that_is_suspected_is_asked_too)
{
    struct rig *rig = rig_strict("A B C", 'A');
    char letters[RIG_CAPACITY + 1];

    all_lease(rig);
    rig_pass(rig, timing_question_ms(&rig->timing), "B C");
    rig->core->peers[B].charge.verdict = VERDICT_STALLED;
    cr_assert_str_eq(asked_next(rig, "C", letters), "BC");
    rig_free(rig);
}

/* --- Alone --- */

Test(core_lease, alone_it_is_the_time_of_the_last_heartbeat_that_counts)
{
    struct rig *rig = nothing_sent();
    struct core *core = rig->core;
    const uint64_t lost_ms = core->timing.lost_ms;

    sends_at(core, 1000, 1);
    cr_assert_eq(lease_until(core, 1, 1000), 1000 + lost_ms);
    sends_at(core, 1001, 1); /* Too soon for a mark of its own. */
    cr_assert_eq(lease_until(core, 1, 1001), 1001 + lost_ms);
    cr_assert_eq(lease_until(core, 1, 1000 + lost_ms), 1001 + lost_ms);
    cr_assert_eq(lease_until(core, 1, 1001 + lost_ms), 0);
    rig_free(rig);
}

/* H50: a new life sends under new numbers, which nobody has heard yet. */
Test(core_lease, a_life_that_is_over_leaves_no_marks)
{
    struct rig *rig = nothing_sent();

    sends_at(rig->core, 1000, 2);
    lease_reset(rig->core);
    lease_on_echo(rig->core, B, 2);
    cr_assert_eq(since(rig->core, B), 0);
    rig_free(rig);
}

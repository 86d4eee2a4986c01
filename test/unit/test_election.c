/* The traps that descriptions of the classical elections lead into, and the rules W1 to W7 that
 * keep the elections going (docs/elections.md). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "election/registry.h"
#include "election_bench.h"

/* --- Traps --- */

/* Each ELECTION that is answered by an election of its own makes 2^h of them. */
Test(election, bully_calls_once_however_often_it_is_called)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 9);

    poll_start(bench, 1);
    poll_run(bench);

    cr_assert_eq(poll_leader(bench), 9);
    cr_assert_eq(poll_count(bench, ELECTION_CALL), 9 * 8 / 2);
    cr_assert_eq(poll_count(bench, ELECTION_OK), 9 * 8 / 2);
    cr_assert_eq(poll_count(bench, ELECTION_COORDINATOR), 8);
    free(bench);
}

/* Nobody tells the winner that it has won. */
Test(election, bully_that_proclaims_itself_follows_itself)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 3);

    poll_start(bench, 3);

    cr_assert_eq(participant_leader(poll_at(bench, 3)), 3);
    free(bench);
}

/* An OK promises a COORDINATOR; when it is lost, or its sender has died, somebody has to begin
 * again. */
Test(election, bully_does_not_wait_for_ever_when_an_ok_is_all_that_comes)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 4);

    bench->dropped = ELECTION_COORDINATOR;
    poll_start(bench, 1);
    poll_pass(bench, 100);
    cr_assert_eq(participant_leader(poll_at(bench, 1)), NOBODY);

    bench->dropped = ELECTION_MESSAGE_TYPE_COUNT;
    poll_pass(bench, 4000);
    cr_assert_eq(poll_leader(bench), 4);
    free(bench);
}

/* Two that start at once: the worse id must not get past a participant that is better. */
Test(election, ring_swallows_the_worse_of_two_ids)
{
    for (uint64_t other = 2; other <= 5; other++) {
        struct election_bench *bench = poll_new(&algorithm_ring, 5);
        poll_start(bench, 1);
        poll_start(bench, other);
        poll_run(bench);
        cr_assert_eq(poll_leader(bench), 5);
        cr_assert_eq(poll_count(bench, ELECTION_ELECTED), 5, "who leads is announced once");
        free(bench);
    }
}

/* Who still took itself for a participant would swallow what it should replace. */
Test(election, ring_elects_the_best_the_second_time_too)
{
    struct election_bench *bench = poll_new(&algorithm_ring, 5);

    poll_start(bench, 1);
    poll_run(bench);
    for (uint64_t age = 1; age <= 5; age++) {
        cr_assert(!poll_at(bench, age)->machine.ring.participates);
    }
    poll_remove(bench, 5);
    poll_start(bench, 1);
    poll_run(bench);

    cr_assert_eq(poll_leader(bench), 4);
    free(bench);
}

/* The flag of a round that never ended is not carried into the next. */
Test(election, ring_forgets_that_it_took_part_in_a_round_that_broke_off)
{
    struct election_bench *bench = poll_new(&algorithm_ring, 4);

    bench->dropped = ELECTION_ELECTED;
    poll_start(bench, 1);
    poll_run(bench);
    bench->dropped = ELECTION_MESSAGE_TYPE_COUNT;
    poll_remove(bench, 4);
    poll_start(bench, 1);
    poll_run(bench);

    cr_assert_eq(poll_leader(bench), 3);
    free(bench);
}

/* The announcement goes on behind the leader, and past those who know already. */
Test(election, token_ring_tells_everybody)
{
    for (uint64_t starter = 1; starter <= 5; starter++) {
        struct election_bench *bench = poll_new(&algorithm_token_ring, 5);
        poll_start(bench, starter);
        poll_run(bench);
        cr_assert_eq(poll_leader(bench), 5);
        cr_assert_eq(poll_count(bench, ELECTION_TOKEN), 5);
        cr_assert_eq(poll_count(bench, ELECTION_LEADER), 5);
        free(bench);
    }
}

Test(election, token_ring_tells_those_behind_one_who_knows)
{
    struct election_bench *bench = poll_new(&algorithm_token_ring, 5);
    struct election_out out = {0};
    struct election_message told = {.type = ELECTION_HEARTBEAT, .from = 1, .to = 3, .subject = 5};

    told.round = poll_at(bench, 3)->machine.round;
    told.round.epoch = 1;
    told.round.version = 1;
    participant_take(poll_at(bench, 3), &told, 0, &out);
    poll_start(bench, 2);
    poll_run(bench);

    cr_assert_eq(poll_leader(bench), 5);
    free(bench);
}

/* --- The rules --- */

/* W1: what was sent in a view that is over elects nobody in this one, even where the leader of that
 * view still leads. */
Test(election, a_message_of_another_view_is_dropped)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 4);
    struct election_out out = {0};
    struct election_message old = {.type = ELECTION_COORDINATOR, .from = 3, .to = 1};

    old.round = (struct election_round){1, 1, 9};
    poll_start(bench, 4);
    poll_run(bench);
    poll_remove(bench, 2);
    participant_take(poll_at(bench, 1), &old, bench->now_ms, &out);

    cr_assert_eq(poll_leader(bench), 4);
    free(bench);
}

/* W1: what comes before its view waits for it. */
Test(election, a_message_of_a_later_view_waits_for_it)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 4);
    struct election_out out = {0};
    struct election_message early = {.type = ELECTION_COORDINATOR, .from = 3, .to = 1};

    early.round = (struct election_round){1, 2, 0};
    participant_take(poll_at(bench, 1), &early, bench->now_ms, &out);
    cr_assert_eq(participant_leader(poll_at(bench, 1)), NOBODY);
    poll_remove(bench, 4);

    cr_assert_eq(participant_leader(poll_at(bench, 1)), 3);
    free(bench);
}

/* W2: a round that is over decides nothing any more. */
Test(election, a_message_of_a_lower_round_is_dropped)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 3);
    struct election_out out = {0};
    struct election_message late = {.type = ELECTION_COORDINATOR, .from = 2, .to = 1};

    late.round = (struct election_round){1, 1, 0};
    participant_elect(poll_at(bench, 1), 0, &out);
    participant_take(poll_at(bench, 1), &late, 0, &out);

    cr_assert_eq(participant_leader(poll_at(bench, 1)), NOBODY);
    free(bench);
}

/* W2: a round of a number so high that none is higher would hold its leader for ever. */
Test(election, a_round_that_cannot_have_been_begun_is_dropped)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 3);
    struct election_out out = {0};
    struct election_message lie = {.type = ELECTION_HEARTBEAT, .from = 2, .to = 3, .subject = 1};

    poll_start(bench, 3);
    poll_run(bench);
    lie.round = (struct election_round){1, 1, UINT64_MAX};
    participant_take(poll_at(bench, 3), &lie, bench->now_ms, &out);
    cr_assert_eq(participant_leader(poll_at(bench, 3)), 3);

    lie.round.attempt = ELECTION_ATTEMPTS_AT_ONCE;
    participant_take(poll_at(bench, 3), &lie, bench->now_ms, &out);
    cr_assert_eq(participant_leader(poll_at(bench, 3)), 1);

    poll_pass(bench, 4000); /* W4: the better one begins a round, which is higher. */
    cr_assert_eq(poll_leader(bench), 3);
    free(bench);
}

/* W2: a round of an older view is lower than the next, whatever its number. */
Test(election, a_lie_about_an_older_view_ends_with_the_next_round)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 3);
    struct election_out out = {0};
    struct election_message lie = {.type = ELECTION_HEARTBEAT, .from = 2, .to = 1, .subject = 2};

    lie.round = (struct election_round){1, 0, UINT64_MAX};
    for (uint64_t age = 1; age <= 3; age += 2) {
        lie.to = age;
        participant_take(poll_at(bench, age), &lie, bench->now_ms, &out);
    }
    participant_elect(poll_at(bench, 1), bench->now_ms, &out);
    poll_send(bench, &out);
    poll_run(bench);

    cr_assert_eq(poll_leader(bench), 3);
    free(bench);
}

/* W3: a view that keeps the leader begins nothing. */
Test(election, a_leader_stays_as_long_as_it_is_a_member)
{
    struct election_bench *bench = poll_new(&algorithm_ring, 4);

    poll_start(bench, 1);
    poll_run(bench);
    const size_t sent = bench->sent_count;
    poll_remove(bench, 2);
    poll_pass(bench, 5000);

    cr_assert_eq(poll_leader(bench), 4);
    cr_assert_eq(bench->sent_count, sent);
    free(bench);
}

/* W3: the oldest member starts, and nobody else. */
Test(election, the_oldest_starts_when_the_leader_is_gone)
{
    struct election_bench *bench = poll_new(&algorithm_token_ring, 4);

    poll_start(bench, 1);
    poll_run(bench);
    for (uint64_t age = 1; age <= 4; age++) {
        poll_at(bench, age)->settings.waits_for_start = false;
    }
    bench->sent_count = bench->taken_count = 0;
    poll_remove(bench, 4);
    poll_run(bench);

    cr_assert_eq(poll_leader(bench), 3);
    cr_assert_eq(bench->sent_count, 2 * 3);
    free(bench);
}

/* W4: the leader stands down; the next best leads, and it does not come back by itself. */
Test(election, a_leader_that_resigns_is_followed_by_the_next_best)
{
    static const struct election_algorithm *const each[] = {&algorithm_bully, &algorithm_ring,
                                                            &algorithm_token_ring};

    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        struct election_bench *bench = poll_new(each[i], 5);
        struct election_out out = {0};
        poll_start(bench, 1);
        poll_run(bench);
        cr_assert(participant_stand(poll_at(bench, 5), false, bench->now_ms, &out));
        poll_send(bench, &out);
        poll_pass(bench, 9000);
        cr_assert_eq(poll_leader(bench), 4, "%s", each[i]->name);

        out.count = 0;
        cr_assert(participant_stand(poll_at(bench, 5), true, bench->now_ms, &out));
        poll_send(bench, &out);
        poll_run(bench);
        cr_assert_eq(poll_leader(bench), 5, "%s", each[i]->name);
        free(bench);
    }
}

/* W4: who does not stand does not lead either because somebody says so. */
Test(election, who_resigned_begins_anew_when_it_is_said_to_lead)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 3);
    struct election_out out = {0};

    cr_assert(participant_stand(poll_at(bench, 3), false, bench->now_ms, &out));
    poll_send(bench, &out);
    poll_pass(bench, 4000);
    cr_assert_eq(poll_leader(bench), 2);

    for (uint64_t age = 1; age <= 3; age++) {
        const uint64_t from = age == 1 ? 2 : 1;
        const struct election_message lie = {.type = ELECTION_HEARTBEAT,
                                             .from = from,
                                             .to = age,
                                             .round = {1, 1, 500},
                                             .subject = 3};
        participant_take(poll_at(bench, age), &lie, bench->now_ms, &out);
    }
    cr_assert_eq(poll_leader(bench), 3);
    poll_pass(bench, 4000);
    cr_assert_eq(poll_leader(bench), 2);
    free(bench);
}

/* W4: a better one that comes to follow a worse leader takes over, if it may. */
Test(election, a_better_participant_takes_over)
{
    for (int may = 0; may <= 1; may++) {
        struct election_bench *bench = poll_new(&algorithm_bully, 3);
        struct election_out out = {0};
        struct election_message worse = {.type = ELECTION_COORDINATOR, .from = 2};
        worse.round = (struct election_round){1, 1, 0};
        for (uint64_t age = 1; age <= 3; age++) {
            poll_at(bench, age)->settings.leaves_worse_leader = may == 0;
            worse.to = age;
            participant_take(poll_at(bench, age), &worse, 0, &out);
            machine_define(&poll_at(bench, age)->machine, 2);
            participant_tick(poll_at(bench, age), 0, &out);
        }
        poll_pass(bench, 5000);
        cr_assert_eq(poll_leader(bench), may ? 3 : 2);
        free(bench);
    }
}

/* W5: whatever is lost, an undefined participant tries again, in a higher round. */
Test(election, a_round_without_an_end_is_tried_again)
{
    static const struct election_algorithm *const each[] = {&algorithm_bully, &algorithm_ring,
                                                            &algorithm_token_ring};
    static const enum election_message_type lost[] = {ELECTION_CALL, ELECTION_CANDIDATE,
                                                      ELECTION_TOKEN};

    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        struct election_bench *bench = poll_new(each[i], 4);
        bench->dropped = lost[i];
        poll_start(bench, 2);
        poll_run(bench);
        bench->dropped = ELECTION_MESSAGE_TYPE_COUNT;
        poll_pass(bench, 9000);
        poll_heartbeats(bench);
        poll_pass(bench, 9000);
        cr_assert_eq(poll_leader(bench), 4, "%s", each[i]->name);
        free(bench);
    }
}

/* W6: heartbeats tell those whom the announcement did not reach. */
Test(election, a_lost_announcement_is_made_up_for_by_heartbeats)
{
    struct election_bench *bench = poll_new(&algorithm_ring, 5);

    bench->dropped = ELECTION_ELECTED;
    poll_start(bench, 1);
    poll_run(bench);
    cr_assert_eq(participant_leader(poll_at(bench, 5)), 5);
    cr_assert_eq(participant_leader(poll_at(bench, 1)), NOBODY);
    poll_heartbeats(bench);

    cr_assert_eq(poll_leader(bench), 5);
    free(bench);
}

/* W6: of two leaders of one round the better one holds, in whatever order they come. */
Test(election, the_better_of_two_leaders_of_a_round_holds)
{
    struct election_bench *bench = poll_new(&algorithm_bully, 4);
    struct election_out out = {0};
    struct election_message heartbeat = {.type = ELECTION_HEARTBEAT, .from = 2, .to = 1};

    heartbeat.round = (struct election_round){1, 1, 0};
    for (uint64_t leader = 4; leader >= 3; leader--) {
        heartbeat.subject = leader;
        participant_take(poll_at(bench, 1), &heartbeat, 0, &out);
    }
    cr_assert_eq(participant_leader(poll_at(bench, 1)), 4);
    free(bench);
}

/* W6: nobody from outside of the view leads, whoever says so. */
Test(election, who_is_no_member_is_not_taken_for_a_leader)
{
    struct election_bench *bench = poll_new(&algorithm_token_ring, 4);
    struct election_out out = {0};
    struct election_message message = {.from = 2, .to = 1, .subject = 77, .home = 2};

    poll_remove(bench, 4);
    message.round = (struct election_round){1, 2, 3};
    for (unsigned type = 0; type < ELECTION_MESSAGE_TYPE_COUNT; type++) {
        message.type = (enum election_message_type)type;
        participant_take(poll_at(bench, 1), &message, 0, &out);
        message.from = 77;
        participant_take(poll_at(bench, 1), &message, 0, &out);
        message.from = 2;
        cr_assert(participant_is_sound(poll_at(bench, 1)));
    }
    cr_assert_neq(participant_leader(poll_at(bench, 1)), 77);
    free(bench);
}

/* W6: what nobody takes off the ring leaves it after two rounds. */
Test(election, nothing_goes_round_for_ever)
{
    struct election_bench *bench = poll_new(&algorithm_token_ring, 5);

    poll_start(bench, 3);
    bench->gone[2] = true; /* It crashed, but is in the view still: nobody passes its token on. */
    poll_run(bench);
    cr_assert_eq(poll_count(bench, ELECTION_TOKEN), 5);
    bench->gone[2] = false;
    struct election_message stray = {.type = ELECTION_LEADER, .from = 1, .to = 2};
    struct election_out out = {.count = 1};
    stray.round = (struct election_round){1, 1, 0};
    stray.subject = 5;
    stray.home = 99;
    out.messages[0] = stray;
    poll_send(bench, &out);
    poll_run(bench);

    cr_assert_eq(poll_count(bench, ELECTION_LEADER), 1 + 2 * 5);
    free(bench);
}

/* W7: alone, one leads at once. */
Test(election, who_is_alone_leads_without_a_message)
{
    static const struct election_algorithm *const each[] = {&algorithm_oldest, &algorithm_bully,
                                                            &algorithm_ring, &algorithm_token_ring};

    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        struct election_bench *bench = poll_new(each[i], 1);
        poll_start(bench, 1);
        cr_assert_eq(poll_leader(bench), 1, "%s", each[i]->name);
        cr_assert_eq(bench->sent_count, 0);
        free(bench);
    }
}

/* --- Ids, and the registry --- */

Test(election, priority_is_compared_first_and_then_age)
{
    struct roster roster = {.count = 3, .members = {{1, 5}, {2, 7}, {3, 7}}};

    cr_assert_eq(roster_best(&roster), 2);
    roster.newest_is_best = true;
    cr_assert_eq(roster_best(&roster), 3);
    cr_assert(roster_better(&roster, 1, NOBODY));
    cr_assert(!roster_better(&roster, NOBODY, 1));
    cr_assert(!roster_better(&roster, 9, 1));
    cr_assert(!roster_better(&roster, 1, 1));
}

/* One departure is one message to one candidate, or all of them and their questions. */
Test(election, a_registry_tells_one_candidate_and_a_herd_is_told_whole)
{
    struct roster roster = {.epoch = 1, .version = 1, .count = 4};
    struct roster without = {.epoch = 1, .version = 2, .count = 3};

    for (uint64_t age = 1; age <= 4; age++) {
        roster.members[age - 1] = (struct candidate){.age = age};
    }
    for (uint64_t age = 2; age <= 4; age++) {
        without.members[age - 2] = (struct candidate){.age = age};
    }
    for (int herd = 0; herd <= 1; herd++) {
        struct registry registry = {.herd = herd != 0};
        struct election_out out = {0};
        registry_install(&registry, &roster, &out);
        out.count = 0;
        registry_install(&registry, &without, &out);
        cr_assert_eq(out.count, herd ? 3 : 1);
        cr_assert_eq(out.messages[0].to, 2);
        cr_assert_eq(out.messages[0].subject, herd ? NOBODY : 2);
    }
}

/* The last to come goes: nobody stands behind it. */
Test(election, a_registry_tells_nobody_of_the_last_candidate)
{
    struct roster roster = {.epoch = 1, .version = 1, .count = 2, .members = {{1, 0}, {2, 0}}};
    struct registry registry = {0};
    struct election_out out = {0};

    registry_install(&registry, &roster, &out);
    roster.version = 2;
    roster.count = 1;
    out.count = 0;
    registry_install(&registry, &roster, &out);

    cr_assert_eq(out.count, 0);
}

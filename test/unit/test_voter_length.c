/* For how long a voter is bound (Z15): by what it was asked, never by its own timings. Each story
 * is the shortest way to two coordinators at once if its rule were not there. */
#include <criterion/criterion.h>

#include "core/agreement/voter.h"
#include "voter_bench.h"

enum {
    LONG_MS = 4200,
    SHORT_MS = 80,
};

/* What it promises that life comes with lengths (Z15b): a stranger's would not. */
static void knows(struct voter_bench *bench, char life)
{
    const struct vote_question question = bench_question(VOTE_CLAIM, life, 1);

    voter_proved(bench->core, &question.ballot.life);
}

/* A voter, of profile lan, that has leased to X under epoch 1 for so long, on disk. */
static struct voter_bench *bench_leased(uint64_t length_ms)
{
    struct voter_bench *bench = bench_new();
    struct vote_question answered;

    knows(bench, 'X');
    bench->asks_ms = length_ms;
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    bench_sync(bench);
    while (bench_answers(bench, &answered)) {
        /* Both. */
    }
    return bench;
}

/* Z15a. X counts 4/5 of 4.2 s; if the voter went by its own 0.7 s, Y would act beside it. */
Test(voter_length, own_a_lease_is_as_long_as_its_question_says)
{
    struct voter_bench *bench = bench_leased(LONG_MS);

    cr_assert_neq(bench->lease_ms, LONG_MS);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    bench->now_ms += LONG_MS - 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_REFUSED_LEASE);
    bench->now_ms += 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_free(bench);
}

Test(voter_length, own_a_question_for_the_lease_says_it_too)
{
    struct voter_bench *bench = bench_leased(SHORT_MS);

    bench->asks_ms = LONG_MS;
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_WAITS);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    bench_free(bench);
}

/* Z15a. A longer question is overtaken by a shorter one; X counts the answer to the longer. */
Test(voter_length, set_a_shorter_lease_takes_back_no_longer_one)
{
    struct voter_bench *bench = bench_leased(LONG_MS);

    bench->asks_ms = SHORT_MS;
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_GRANTED);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 2), VOTE_WAITS);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    bench_free(bench);
}

/* Z15a: whoever asks for no lease, as one that has handed over, is given none. */
Test(voter_length, a_question_that_asks_for_no_lease_gives_none)
{
    struct voter_bench *bench = bench_leased(0);

    cr_assert_eq(bench_state(bench).until_ms, 0);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_free(bench);
}

/* A voter of local, whose own durations are all shorter than those of wan. */
static struct voter_bench *bench_of_local(void)
{
    struct voter_bench *bench = bench_new();

    bench->core->timing = timing_of(PROFILE_LOCAL);
    return bench;
}

/* Whatever X, which is proved, asks with: nothing comes of it. */
static void refuses_all(struct voter_bench *bench)
{
    knows(bench, 'X');
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_MUTE);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_MUTE);
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_MUTE);
    cr_assert_eq(bench_state(bench).promise.epoch, 0);
}

/* Z15a: by one question a voter must not be bound for longer than by other options by mistake. */
Test(voter_length, a_longer_lease_than_that_of_wan_is_refused)
{
    struct voter_bench *bench = bench_of_local();
    const uint64_t longest_ms = timing_of(PROFILE_WAN).lease_ms;

    bench->asks_ms = longest_ms + 1;
    refuses_all(bench);
    bench->asks_ms = longest_ms;
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    cr_assert_eq(bench_state(bench).until_ms, longest_ms);
    bench_free(bench);
}

/* Z15a: whoever has the same terms may ask for more, and its life may be new. */
Test(voter_length, a_longer_lease_than_its_own_t_stall_is_refused)
{
    struct voter_bench *bench = bench_new();
    const uint64_t longest_ms = bench->core->timing.stall_ms;

    bench->asks_ms = longest_ms + 1;
    refuses_all(bench);
    bench->asks_ms = longest_ms;
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    cr_assert_eq(bench_state(bench).until_ms, longest_ms);
    bench_free(bench);
}

/* Z15d: whoever let this voter in has its terms, and somebody speaks in its name. */
Test(voter_length, who_has_this_voter_in_its_view_gets_no_more_than_a_member)
{
    struct voter_bench *bench = bench_new();
    struct built_view built = view_of("XZ");
    struct vote_question question = {.address = member_of('X').address,
                                     .lease_ms = bench->core->timing.stall_ms,
                                     .hold_ms = LEASE_MS_MAX};

    knows(bench, 'X');
    built.view.epoch = 1;
    bench->core->life.self.id = member_of('Z').id;
    view_seal(&built.view);
    cr_assert_eq(voter_on_prepare(bench->core, &question, &built.view).result, VOTE_MUTE);
    question.hold_ms = timing_hold_ms(&bench->core->timing);
    cr_assert_eq(voter_on_prepare(bench->core, &question, &built.view).result, VOTE_WAITS);
    view_built_free(&built);
    bench_free(bench);
}

/* Z15a: it may have missed a change of the terms, or was started with others. */
Test(voter_length, what_the_changed_terms_of_the_view_bring_is_granted)
{
    struct voter_bench *bench = bench_new();
    struct vote_question question = bench_question(VOTE_CLAIM, 'X', 1);

    knows(bench, 'X');
    question.lease_ms = 2 * timing_of(PROFILE_WAN).lease_ms;
    question.hold_ms = LEASE_MS_MAX;
    cr_assert_eq(voter_on_claim(bench->core, &question).result, VOTE_MUTE);
    question.lease_max_ms = question.lease_ms;
    cr_assert_eq(voter_on_claim(bench->core, &question).result, VOTE_MUTE);
    question.hold_max_ms = question.hold_ms;
    cr_assert_eq(voter_on_claim(bench->core, &question).result, VOTE_WAITS);
    bench_free(bench);
}

/* Z15b. With wan X acts by this voter's lease; its next process is of local, and if it waited for
 * the 80 ms of that, or for nothing, Y would act beside X for more than 2 s. */
Test(voter_length, short_a_restart_takes_the_length_that_was_given)
{
    struct voter_bench *bench = bench_leased(LONG_MS);

    bench->restarts = PROFILE_LOCAL;
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    bench->now_ms += LONG_MS - 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_REFUSED_LEASE);
    bench->now_ms += 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_free(bench);
}

/* Z15b. The other way round nobody waits for what nobody asked for. */
Test(voter_length, a_restart_takes_no_length_of_its_own)
{
    struct voter_bench *bench = bench_leased(SHORT_MS);

    bench->restarts = PROFILE_WAN;
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, SHORT_MS);
    bench_free(bench);
}

/* Z15b. X counts the answer to its longer question; the shorter one that came after it is not how
 * long that still runs. */
Test(voter_length, latest_a_restart_takes_the_longest_that_was_given)
{
    struct voter_bench *bench = bench_leased(LONG_MS);

    bench->asks_ms = SHORT_MS;
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_GRANTED);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 2), VOTE_WAITS);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    bench_free(bench);
}

/* Z15b. If the longer lease were told before the disk has it, a crash would make it the shorter. */
Test(voter_length, a_longer_lease_is_given_when_the_disk_has_it)
{
    struct voter_bench *bench = bench_leased(SHORT_MS);
    struct vote_question answered;

    bench->asks_ms = LONG_MS;
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_WAITS);
    cr_assert(bench_wants_sync(bench));
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, SHORT_MS, "as if it had not been asked");

    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert_not(bench_answers(bench, &answered), "who asks, asks again");
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_GRANTED);
    cr_assert_not(bench_wants_sync(bench), "nothing is written for one that is as long");
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    bench_free(bench);
}

/* Z15b. X acts under 1 while it asks for 2, and the lease that it counts is that of 1. */
Test(voter_length, a_further_epoch_of_the_same_life_keeps_the_longest)
{
    struct voter_bench *bench = bench_leased(LONG_MS);

    bench->asks_ms = SHORT_MS;
    cr_assert_eq(bench_claims(bench, 'X', 2), VOTE_WAITS);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, LONG_MS);
    bench_free(bench);
}

/* Z15b: what another life asked for is over, or was handed over. */
Test(voter_length, another_life_begins_with_its_own_length)
{
    struct voter_bench *bench = bench_leased(LONG_MS);

    bench->now_ms += LONG_MS;
    knows(bench, 'Y');
    bench->asks_ms = SHORT_MS;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    cr_assert_eq(bench_state(bench).until_ms, 0, "a promise leases nothing");
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, SHORT_MS);
    bench_free(bench);
}

/* Z15b: the disk has it with the promise, so the first lease is no further write. */
Test(voter_length, a_promise_is_written_with_the_length_of_its_leases)
{
    struct voter_bench *bench = bench_new();

    knows(bench, 'X');
    bench->asks_ms = LONG_MS;
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_GRANTED);
    cr_assert_not(bench_wants_sync(bench));
    bench_free(bench);
}

/* Z15b: a stranger that only asked for an epoch holds up nobody after a restart. */
Test(voter_length, a_promise_to_a_stranger_binds_for_no_time)
{
    struct voter_bench *bench = bench_new();

    bench->asks_ms = LONG_MS;
    bench->hold_ms = LONG_MS;
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(voter_held_ms(bench->core), 0);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_free(bench);
}

/* --- What was granted meanwhile (Z15c) --- */

enum {
    LONG_HOLD_MS = 16000,
    SHORT_HOLD_MS = 400,
};

/* A voter that has leased to X, whose members hold for so long what X granted them. */
static struct voter_bench *bench_holding(uint64_t hold_ms)
{
    struct voter_bench *bench = bench_new();

    knows(bench, 'X');
    bench->asks_ms = SHORT_MS;
    bench->hold_ms = hold_ms;
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    bench_sync(bench);
    return bench;
}

/* Y gets the epoch, and has that T_hold. */
static void promises_to_y(struct voter_bench *bench, uint64_t epoch, uint64_t hold_ms)
{
    knows(bench, 'Y');
    bench->hold_ms = hold_ms;
    cr_assert_eq(bench_claims(bench, 'Y', epoch), VOTE_WAITS);
    bench_sync(bench);
}

/* X granted until its lease ended, and what it granted then is held for its T_hold, not for Y's. */
Test(voter_length, held_for_t_hold_of_who_granted)
{
    struct voter_bench *bench = bench_holding(LONG_HOLD_MS);

    cr_assert_eq(voter_held_ms(bench->core), 0, "X knows what it grants");
    bench->now_ms += 2 * SHORT_MS;
    promises_to_y(bench, 2, SHORT_HOLD_MS);
    cr_assert_eq(voter_held_ms(bench->core), LONG_HOLD_MS - SHORT_MS);
    bench->core->now_ms += LONG_HOLD_MS;
    cr_assert_eq(voter_held_ms(bench->core), 0);
    bench_free(bench);
}

/* Z, after Y, is told of what X granted; Y acted for a moment only. */
Test(voter_length, held_two_lives_with_different_t_hold)
{
    struct voter_bench *bench = bench_holding(LONG_HOLD_MS);

    bench->now_ms += SHORT_MS;
    promises_to_y(bench, 2, SHORT_HOLD_MS);
    cr_assert_eq(bench_asks(bench, 'Y', 2), VOTE_GRANTED);
    bench->now_ms += SHORT_MS;
    cr_assert_eq(bench_claims(bench, 'Z', 3), VOTE_WAITS);
    cr_assert_eq(voter_held_ms(bench->core), LONG_HOLD_MS - SHORT_MS);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(voter_held_ms(bench->core), LONG_HOLD_MS, "the disk has the longest");
    bench_free(bench);
}

/* The same where the voter is started again after Y's promise: the disk has the longer one. */
Test(voter_length, held_longest_is_on_disk)
{
    struct voter_bench *bench = bench_holding(LONG_HOLD_MS);

    bench->now_ms += SHORT_MS;
    promises_to_y(bench, 2, SHORT_HOLD_MS);
    bench->restarts = PROFILE_LOCAL;
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).promise.epoch, 2);
    cr_assert_eq(voter_held_ms(bench->core), LONG_HOLD_MS);
    bench_free(bench);
}

/* A question for the lease may be the first that the voter hears of a life, or of its T_hold. */
Test(voter_length, held_as_a_question_for_the_lease_says)
{
    struct voter_bench *bench = bench_holding(SHORT_HOLD_MS);

    bench->hold_ms = LONG_HOLD_MS;
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_WAITS, "the disk has to know");
    bench_sync(bench);
    bench->now_ms += SHORT_MS;
    promises_to_y(bench, 2, SHORT_HOLD_MS);
    cr_assert_eq(voter_held_ms(bench->core), LONG_HOLD_MS);
    bench_free(bench);
}

/* Not for ever: when what X granted is over, its T_hold is forgotten, on disk too. */
Test(voter_length, held_no_longer_than_it_is)
{
    struct voter_bench *bench = bench_holding(LONG_HOLD_MS);

    bench->now_ms += SHORT_MS;
    promises_to_y(bench, 2, SHORT_HOLD_MS);
    bench->now_ms += LONG_HOLD_MS;
    cr_assert_eq(bench_asks(bench, 'Y', 2), VOTE_GRANTED);
    bench->now_ms += SHORT_MS;
    cr_assert_eq(bench_claims(bench, 'Z', 3), VOTE_WAITS);
    cr_assert_eq(voter_held_ms(bench->core), SHORT_HOLD_MS);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(voter_held_ms(bench->core), SHORT_HOLD_MS);
    bench_free(bench);
}

/* Who was given no lease has granted nothing. */
Test(voter_length, held_nothing_of_who_did_not_act)
{
    struct voter_bench *bench = bench_new();

    bench->hold_ms = LONG_HOLD_MS;
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    promises_to_y(bench, 2, SHORT_HOLD_MS);
    cr_assert_eq(voter_held_ms(bench->core), 0);
    bench_free(bench);
}

/* Z15c: nor must one question keep roles from all for longer. */
Test(voter_length, held_for_longer_than_with_wan_is_refused)
{
    struct voter_bench *bench = bench_of_local();
    const struct timing wan = timing_of(PROFILE_WAN);

    bench->hold_ms = timing_hold_ms(&wan) + 1;
    refuses_all(bench);
    bench->hold_ms = timing_hold_ms(&wan);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    bench_free(bench);
}

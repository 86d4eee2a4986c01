/* An operator gives up more than half of the voters (Z18): one that is left goes on in another
 * history, above all epochs of the former one, which ends wherever it meets the later. */
#include "core/model/lineage.h"
#include "core/model/recovery.h"
#include "story_voters.h"

enum { HEAL_MS = 20000 };

static void lose(struct sim *sim, const char *hosts)
{
    for (; *hosts != '\0'; hosts++) {
        sim_crash(sim, (uint32_t)(*hosts - 'A'));
        sim_lose_record(sim, (uint32_t)(*hosts - 'A'));
    }
}

static void recover(struct sim *sim, uint32_t host)
{
    sim_crash(sim, host);
    sim_recover(sim, host);
    sim_start(sim, host);
}

static bool acts_soon(struct sim *sim, uint32_t host)
{
    for (uint64_t ms = 0; ms < HEAL_MS && !sim_is_acting(sim, host); ms += 10) {
        sim_run(sim, 10);
    }
    return sim_is_acting(sim, host);
}

static uint64_t lineage_at(const struct sim *sim, uint32_t host)
{
    return core_view(sim_core(sim, host))->lineage;
}

static enum voter_status status_of(const struct sim *sim, uint32_t host)
{
    return core_voter(sim_core(sim, host), sim_now_ms(sim)).status;
}

/* Then it bears the loss of the one that was left. */
static void gets_voters(struct sim *sim, uint32_t set, uint32_t anew, uint64_t seed)
{
    for (uint64_t ms = 0; ms < HEAL_MS && sim_lists(sim)->count != 3; ms += 4000) {
        sim_change_voters(sim, A, set, anew); /* A wish that cannot begin is over in T_leave. */
        sim_run(sim, 4000);
    }
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(sim_has_settled(sim) && sim_lists(sim)->count == 3, seed);
}

Story(recovery, the_one_that_is_left_goes_on_above_all_epochs)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    const uint64_t epoch = sim_epoch(sim, A);
    const uint64_t lineage = lineage_at(sim, A);
    const uint64_t age = core_view(sim_core(sim, A))->next_age;
    lose(sim, "AB");
    sim_run(sim, HEAL_MS);
    story_check(sim_acting_count(sim) == 0, seed);
    recover(sim, C);
    story_check(acts_soon(sim, C), seed);
    story_check(sim_epoch(sim, C) > epoch + RECOVERY_EPOCHS, seed);
    story_check(lineage_succeeds(lineage_at(sim, C), lineage), seed);
    story_check(sim_age(sim, C, C) >= age, seed);
    sim_start(sim, A);
    sim_start(sim, B);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    story_check(!sim_may_two_act(sim) && sim_two_acted_longest_ms(sim) == 0, seed);
    story_check(lineage_at(sim, D) == lineage_at(sim, C), seed);
    gets_voters(sim, story_set("ABC"), 0, seed);
    sim_crash(sim, C);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* H98: they acted all the while. On contact their history ends, and they get other records. */
Story(recovery, an_old_majority_that_returns_ends)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 3);
    sim_isolate(sim, C);
    sim_run(sim, HEAL_MS);
    recover(sim, C);
    story_check(acts_soon(sim, C), seed);
    story_check(sim_is_acting(sim, A) || sim_is_acting(sim, B), seed);
    const uint64_t lineage = lineage_at(sim, C);
    sim_rejoin_network(sim, C);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    for (uint32_t host = A; host <= D; host++) {
        story_check(lineage_at(sim, host) == lineage, seed);
    }
    story_check(status_of(sim, A) == VOTER_RETIRED && status_of(sim, B) == VOTER_RETIRED, seed);
    story_check(sim_may_two_act(sim) && sim_two_acted_longest_ms(sim) > 0, seed);
    gets_voters(sim, story_set("ABC"), 0, seed);
    sim_free(sim);
}

/* The operator erred before everybody's eyes: who answers its JOIN does not hold it up (Z18d). */
Story(recovery, the_others_live_and_hear_it)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 3);
    recover(sim, C);
    story_check(acts_soon(sim, C), seed);
    const uint64_t lineage = lineage_at(sim, C);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    story_check(lineage_at(sim, A) == lineage && lineage_at(sim, D) == lineage, seed);
    sim_free(sim);
}

/* They were switched off, and come back one after the other when the others are in. */
Story(recovery, old_voters_that_were_off_are_retired)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    sim_crash(sim, A);
    sim_crash(sim, B);
    recover(sim, C);
    story_check(acts_soon(sim, C), seed);
    sim_start(sim, A);
    sim_start(sim, B);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    story_check(status_of(sim, A) == VOTER_RETIRED && status_of(sim, B) == VOTER_RETIRED, seed);
    sim_crash(sim, C);
    sim_run(sim, HEAL_MS);
    story_check(sim_acting_count(sim) == 0, seed); /* They elect nobody by their old records. */
    sim_free(sim);
}

Story(recovery, twice_on_one_voter)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 3);
    lose(sim, "AB");
    recover(sim, C);
    story_check(acts_soon(sim, C), seed);
    const uint64_t lineage = lineage_at(sim, C);
    const uint64_t epoch = sim_epoch(sim, C);
    recover(sim, C);
    story_check(acts_soon(sim, C), seed);
    story_check(lineage_succeeds(lineage_at(sim, C), lineage), seed);
    story_check(sim_epoch(sim, C) > epoch + RECOVERY_EPOCHS, seed);
    sim_start(sim, A);
    sim_start(sim, B);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* Two histories descend from one: without an operator one of them ends, and both know which. */
Story(recovery, on_two_voters_at_once)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    lose(sim, "C");
    sim_cut(sim, A, B);
    recover(sim, A);
    recover(sim, B);
    story_check(acts_soon(sim, A) && acts_soon(sim, B), seed);
    const uint64_t one = lineage_at(sim, A);
    const uint64_t other = lineage_at(sim, B);
    sim_heal(sim);
    sim_start(sim, C);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    story_check(lineage_at(sim, D) == (lineage_succeeds(one, other) ? one : other), seed);
    gets_voters(sim, story_set("ABC"), 0, seed);
    sim_free(sim);
}

Story(recovery, it_restarts_before_others_come)
{
    struct sim *sim = story_of_voters_alone(seed, 3, 3);
    lose(sim, "AB");
    recover(sim, C);
    sim_run(sim, seed % 4000);
    sim_crash(sim, C);
    sim_start(sim, C);
    story_check(acts_soon(sim, C), seed);
    sim_crash(sim, C);
    sim_start(sim, C);
    story_check(acts_soon(sim, C), seed);
    sim_start(sim, A);
    sim_start(sim, B);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* Another one that is left, and has not met it, is recovered later: its history is the later one,
 * also for those who were in that of the first. */
Story(recovery, the_recovered_one_is_lost_again)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    lose(sim, "A");
    sim_crash(sim, B);
    recover(sim, C);
    story_check(acts_soon(sim, C), seed);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    const uint64_t lineage = lineage_at(sim, D);
    sim_run(sim, 300000); /* Until the clock of the recovery has another time. */
    lose(sim, "C");
    sim_recover(sim, B);
    sim_start(sim, B);
    story_check(acts_soon(sim, B), seed);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    story_check(lineage_succeeds(lineage_at(sim, D), lineage), seed);
    sim_free(sim);
}

/* It had met all others by then, and retired their records. What these tell of its history is as
 * much as anybody knows. */
Story(recovery, the_recovered_one_is_lost_when_all_had_met_it)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 3);
    lose(sim, "A");
    recover(sim, C);
    sim_start(sim, A);
    story_check(acts_soon(sim, C) && sim_converges(sim, MINUTE_MS), seed);
    story_check(status_of(sim, B) == VOTER_RETIRED, seed);
    const uint64_t lineage = lineage_at(sim, B);
    const uint64_t epoch = sim_epoch(sim, B);
    lose(sim, "C");
    sim_run(sim, HEAL_MS);
    story_check(sim_acting_count(sim) == 0, seed);
    recover(sim, B);
    story_check(acts_soon(sim, B) && sim_converges(sim, MINUTE_MS), seed);
    story_check(lineage_succeeds(lineage_at(sim, D), lineage), seed);
    story_check(sim_epoch(sim, B) > epoch + RECOVERY_EPOCHS, seed);
    sim_free(sim);
}

/* Z18c: the same, and of the one that is left nobody knows but by what it asks of the voters. */
Story(recovery, one_that_nobody_knows_tells_of_a_later_history)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 3);
    sim_set_date(sim, B, 0);
    lose(sim, "A");
    sim_crash(sim, B);
    recover(sim, C);
    story_check(acts_soon(sim, C) && sim_converges(sim, MINUTE_MS), seed);
    const uint64_t lineage = lineage_at(sim, D);
    lose(sim, "C");
    sim_wipe(sim, B);
    recover(sim, B);
    sim_run(sim, HEAL_MS);
    story_check(sim_acting_count(sim) == 0 && status_of(sim, B) == VOTER_RETIRED, seed);
    recover(sim, B);
    story_check(acts_soon(sim, B) && sim_converges(sim, MINUTE_MS), seed);
    story_check(lineage_succeeds(lineage_at(sim, D), lineage), seed);
    sim_free(sim);
}

/* Z18c: its clock was ahead of that of the next one, which so seems to be the earlier of the two.
 * The members who are left tell it so, and end its record; from then on it knows that history. */
Story(recovery, the_recovered_one_had_a_clock_that_was_ahead)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    sim_set_date(sim, B, 0);
    lose(sim, "A");
    sim_crash(sim, B);
    recover(sim, C);
    story_check(acts_soon(sim, C) && sim_converges(sim, MINUTE_MS), seed);
    const uint64_t lineage = lineage_at(sim, D);
    const uint64_t epoch = sim_epoch(sim, D);
    lose(sim, "C");
    recover(sim, B);
    sim_run(sim, HEAL_MS);
    story_check(sim_acting_count(sim) == 0 && status_of(sim, B) == VOTER_RETIRED, seed);
    recover(sim, B);
    story_check(acts_soon(sim, B) && sim_converges(sim, MINUTE_MS), seed);
    story_check(lineage_succeeds(lineage_at(sim, D), lineage), seed);
    story_check(sim_epoch(sim, B) > epoch + RECOVERY_EPOCHS, seed);
    sim_free(sim);
}

/* Z18b: it would be of another founding, which nobody goes on to. */
Story(recovery, by_a_clock_beyond_what_a_lineage_can_say)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 3);
    const uint64_t lineage = lineage_at(sim, D);
    sim_set_date(sim, C, LINEAGE_SECONDS_MAX + 1);
    lose(sim, "AB");
    recover(sim, C);
    sim_start(sim, A);
    sim_start(sim, B);
    story_check(acts_soon(sim, C) && sim_converges(sim, MINUTE_MS), seed);
    story_check(lineage_succeeds(lineage_at(sim, D), lineage), seed);
    sim_free(sim);
}

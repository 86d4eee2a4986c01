/* Guard strict: never two that act, one chain of views, and epochs that only rise (Z1 to Z9). */
#include <string.h>

#include "story_voters.h"

static struct sim *strict(uint64_t seed, uint32_t hosts, uint32_t voters)
{
    return story_of_voters_alone(seed, hosts, voters);
}

/* The host that acts, or SIM_NOBODY. */
static uint32_t acting(struct sim *sim)
{
    for (uint32_t host = A; sim_acting_count(sim) > 0; host++) {
        if (sim_is_acting(sim, host)) {
            return host;
        }
    }
    return SIM_NOBODY;
}

/* Runs until another than `before` acts; never two at once all the while. */
static uint32_t next_to_act(struct sim *sim, uint32_t before, uint64_t limit_ms, uint64_t seed)
{
    for (uint64_t ms = 0; ms < limit_ms; ms++) {
        uint32_t now = acting(sim);
        story_check(sim_acting_count(sim) <= 1, seed);
        if (now != SIM_NOBODY && now != before) {
            return now;
        }
        sim_run(sim, 1);
    }
    return SIM_NOBODY;
}

Story(strict, three_voters_found_once_all_are_there)
{
    struct sim *sim = strict(seed, 3, 3);
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) == A, seed);
    sim_free(sim);
}

Story(strict, a_killed_coordinator_is_succeeded)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    sim_crash(sim, first);
    uint32_t second = next_to_act(sim, first, 1000, seed);
    story_check(second != SIM_NOBODY, seed);
    story_check(sim_age(sim, second, first) == 0, seed); /* Gone with the first view (Z4c). */
    sim_start(sim, first);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(acting(sim) == second, seed);
    sim_free(sim);
}

/* Z6b: an old question of the dead one, once more or late, renews no lease. */
Story(strict, what_is_played_back_holds_up_no_take_over)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    struct quality quality = sim_default_quality();
    quality.replay_ppm = 500000;
    sim_set_quality(sim, &quality);
    sim_run(sim, 1000);
    sim_crash(sim, first);
    story_check(next_to_act(sim, first, 1200, seed) != SIM_NOBODY, seed);
    sim_free(sim);
}

/* D8c: an answer takes more than three pauses between questions, and each question that was put
 * meanwhile has its own. */
Story(strict, a_long_way_ends_no_right_to_act)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    struct quality quality = sim_default_quality();
    quality.latency_us_min = 120000;
    quality.latency_us_max = 121000;
    sim_set_quality(sim, &quality);
    sim_run(sim, 2000);
    uint64_t changes = sim_notices(sim, first, NOTICE_ACTING);
    sim_run(sim, 20000);
    story_check(sim_is_acting(sim, first), seed);
    story_check(sim_notices(sim, first, NOTICE_ACTING) == changes, seed);
    sim_free(sim);
}

/* Z4h: each epoch is another promise, and another write. */
Story(strict, disks_slower_than_a_claim_hold_up_no_take_over)
{
    struct sim *sim = strict(seed, 3, 3);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    for (uint32_t host = 0; host < 3; host++) {
        sim_slow_record(sim, host, 3000);
    }
    sim_crash(sim, first);
    story_check(next_to_act(sim, first, MINUTE_MS / 2, seed) != SIM_NOBODY, seed);
    sim_free(sim);
}

Story(strict, a_coordinator_cut_off_stops_before_another_acts)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    sim_isolate(sim, first);
    uint32_t second = next_to_act(sim, first, 2000, seed);
    story_check(second != SIM_NOBODY, seed);
    sim_run(sim, STALLED_MS);
    sim_rejoin_network(sim, first);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(acting(sim) == second, seed);
    sim_free(sim);
}

Story(strict, a_minority_has_no_coordinator)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint32_t beside = first == A ? B : A;
    for (uint32_t host = A; host <= E; host++) {
        if (host != first && host != beside) {
            sim_cut(sim, first, host);
            sim_cut(sim, beside, host);
        }
    }
    uint32_t second = next_to_act(sim, first, 2000, seed);
    story_check(second != SIM_NOBODY && second != beside, seed);
    sim_run(sim, STALLED_MS);
    story_check(sim_coordinator(sim, beside) == SIM_NOBODY, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(acting(sim) == second, seed);
    sim_free(sim);
}

Story(strict, all_restart_and_go_on_where_they_were)
{
    struct sim *sim = strict(seed, 3, 3);
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) != SIM_NOBODY, seed);
    for (uint32_t i = A; i <= C; i++) {
        sim_crash(sim, i);
    }
    sim_run(sim, 1000);
    sim_start_together(sim);
    story_check(sim_converges(sim, 5 * SETTLE_MS), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

Story(strict, a_leaving_coordinator_is_succeeded_at_once)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    sim_leave(sim, first);
    story_check(next_to_act(sim, first, 100, seed) != SIM_NOBODY, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* Three voters of wan. The coordinator is cut off, and acts on; the others are killed and come back
 * with other options, by which they could be members of no view of before. */
static struct sim *strict_of_wan(uint64_t seed, uint32_t *first)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = 3,
                                                    .seed_count = 3,
                                                    .voter_count = 3,
                                                    .profile = PROFILE_WAN,
                                                    .exclusive = true,
                                                    .mixed = true,
                                                    .disks = true,
                                                    .guard = {GUARD_STRICT, 3}});

    sim_start_together(sim);
    story_check(sim_converges(sim, 10 * SETTLE_MS), seed);
    *first = acting(sim);
    return sim;
}

static void start_others_with(struct sim *sim, uint32_t first, const struct sim_terms *terms)
{
    sim_isolate(sim, first);
    for (uint32_t host = A; host <= C; host++) {
        if (host != first) {
            sim_crash(sim, host);
            sim_set_terms(sim, host, terms);
            sim_start(sim, host);
        }
    }
}

static void put_right(struct sim *sim)
{
    for (uint32_t host = A; host <= C; host++) {
        if (!sim_is_configured(sim, host)) {
            sim_crash(sim, host);
            sim_configure(sim, host);
            sim_start(sim, host);
        }
    }
}

/* Z15b: the oracle knows for how long the one that is cut off says that it acts (S9). */
Story(strict, voters_started_again_with_shorter_leases_wait_out_the_longer_one)
{
    uint32_t first;
    struct sim *sim = strict_of_wan(seed, &first);
    struct sim_terms terms = sim_usual_terms(sim);

    terms.profile = PROFILE_LOCAL;
    start_others_with(sim, first, &terms);
    story_check(sim_is_acting(sim, first), seed);
    const uint32_t second = next_to_act(sim, SIM_NOBODY, 10 * SETTLE_MS, seed);
    story_check(second != SIM_NOBODY && second != first && !sim_is_acting(sim, first), seed);

    sim_rejoin_network(sim, first);
    put_right(sim);
    story_check(sim_converges(sim, 20 * SETTLE_MS) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* Z13a: whom the view names votes, and not whom two of them were started with. */
Story(strict, voters_started_again_with_another_list_go_by_the_view)
{
    uint32_t first;
    struct sim *sim = strict_of_wan(seed, &first);
    struct sim_terms terms = sim_usual_terms(sim);

    terms.guard.count = terms.voters.count = 2;
    memcpy(terms.voters.names[0], sim_name(sim, (first + 1) % 3), sizeof terms.voters.names[0]);
    memcpy(terms.voters.names[1], sim_name(sim, (first + 2) % 3), sizeof terms.voters.names[1]);
    start_others_with(sim, first, &terms);
    story_check(sim_is_acting(sim, first), seed);
    const uint32_t second = next_to_act(sim, SIM_NOBODY, 10 * SETTLE_MS, seed);
    story_check(second != SIM_NOBODY && second != first && !sim_is_acting(sim, first), seed);

    sim_rejoin_network(sim, first);
    story_check(sim_converges(sim, 20 * SETTLE_MS) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* Hears nobody from now on, and is heard by all. */
static void deafen(struct sim *sim, uint32_t host)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            sim_cut_one_way(sim, i, host);
        }
    }
}

/* The host of the next oldest in that host's view. */
static uint32_t next_oldest(struct sim *sim, uint32_t host)
{
    const struct view *view = core_view(sim_core(sim, host));
    uint32_t next = 0;

    while (!sim_is_running(sim, next) ||
           !id_equal(&core_self(sim_core(sim, next))->id, &view->members[1].id)) {
        next++;
    }
    return next;
}

/* It says so in its heartbeats, so whoever is the oldest then hears of it (Z7c). */
Story(strict, what_is_handed_over_is_taken_though_the_next_is_dead)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    sim_crash(sim, next_oldest(sim, first));
    deafen(sim, first);
    story_check(next_to_act(sim, first, STALLED_MS, seed) != SIM_NOBODY, seed);
    sim_free(sim);
}

/* It would have removed all others, and they are voters who hear it (Z2i). */
Story(strict, a_deaf_coordinator_takes_nobody_down)
{
    struct sim *sim = strict(seed, 5, 3);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint32_t next = next_oldest(sim, first);
    uint64_t ages[E + 1];
    for (uint32_t host = A; host <= E; host++) {
        ages[host] = sim_age(sim, next, host);
    }
    deafen(sim, first);
    story_check(next_to_act(sim, first, STALLED_MS, seed) == next, seed);
    for (uint32_t host = A; host <= E; host++) {
        story_check(host == first || sim_age(sim, next, host) == ages[host], seed);
    }
    sim_free(sim);
}

/* It asks its own voter last, so it is bound to nothing that the coordinator would have to go above
 * (Z4a). */
Story(strict, a_candidate_that_reaches_nobody_disturbs_nobody)
{
    struct sim *sim = strict(seed, 3, 3);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint64_t epoch = sim_epoch(sim, first);
    uint32_t next = next_oldest(sim, first);
    deafen(sim, next);
    sim_run(sim, 2 * STALLED_MS);
    story_check(sim_claims(sim, next, CLAIM_STARTED) > 0, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(acting(sim) == first && sim_epoch(sim, first) == epoch, seed);
    sim_free(sim);
}

/* B is back with another life, and asks nobody but the dead A: C knows its former life alone (Z1d).
 */
Story(strict, a_voter_is_asked_whatever_life_it_has)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed,
                                                     .host_count = 3,
                                                     .seed_count = 1,
                                                     .voter_count = 3,
                                                     .disks = true,
                                                     .guard = {GUARD_STRICT, 3}});
    sim_crash(sim, A);
    sim_crash(sim, B);
    sim_wipe(sim, B);
    sim_start(sim, B);
    story_check(next_to_act(sim, A, 2 * STALLED_MS, seed) == C, seed);
    sim_free(sim);
}

/* The first voter came up at the address of a worker. It asks the seeds, which are the other
 * voters, and they have to ask it (F2d). */
Story(strict, a_founder_at_an_address_of_its_own_finds_the_voters)
{
    struct sim *sim = story_before_voters(seed, 5, 3);
    sim_swap(sim, A, E);
    sim_start_together(sim);
    story_check(next_to_act(sim, SIM_NOBODY, STALLED_MS, seed) == E, seed);
    sim_free(sim);
}

/* The founder is killed before its disk has it that it founded. The record of another voter is lost
 * meanwhile, and must not be made anew if anybody may have voted by then (Z8b). */
Story(strict, who_may_have_voted_gets_no_second_record)
{
    struct sim *sim = story_before_voters(seed, 3, 3);
    sim_start_together(sim);
    for (uint64_t ms = 0; ms < SETTLE_MS && sim_sent(sim, B, MESSAGE_VOTE) == 0; ms++) {
        sim_run(sim, 1);
    }
    sim_stick_record(sim, A, STALLED_MS); /* All have a record; A's stays as it is. */
    sim_run(sim, SETTLE_MS);
    uint64_t votes = sim_sent(sim, C, MESSAGE_CLAIM) + sim_sent(sim, A, MESSAGE_PREPARE);
    story_check(votes == 0, seed);
    sim_free(sim);
}

/* C is not there yet, so that B has not been asked again, and gives up what it made for the
 * founder's former disk (Z8a). */
Story(strict, a_founder_that_gets_another_disk_while_it_waits_founds)
{
    struct sim *sim = story_before_voters(seed, 3, 3);
    sim_start(sim, A);
    sim_start(sim, B);
    sim_run(sim, SETTLE_MS);
    story_check(sim_sent(sim, B, MESSAGE_VOTE) > 0, seed);
    sim_crash(sim, A);
    sim_lose_record(sim, A);
    sim_wipe(sim, A);
    sim_start(sim, A);
    sim_run(sim, SETTLE_MS);
    sim_start(sim, C);
    story_check(next_to_act(sim, SIM_NOBODY, STALLED_MS, seed) == A, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* The founder has lost its record, so it asks for records that it cannot get any more. The others
 * have one, and none of them may wait for it (Z8g). */
Story(strict, a_founder_that_lost_its_record_is_not_waited_for)
{
    struct sim *sim = strict(seed, 3, 3);
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) != SIM_NOBODY, seed);
    for (uint32_t host = A; host <= C; host++) {
        sim_crash(sim, host);
    }
    sim_lose_record(sim, A);
    sim_start_together(sim);
    story_check(next_to_act(sim, SIM_NOBODY, STALLED_MS, seed) != SIM_NOBODY, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* One alone is left, and the disks of those who are back are stuck, so it gets no quorum. They know
 * each other, and would ask for epochs of their own that it had to go above each time (F2c). */
Story(strict, nobody_begins_anew_beside_a_member)
{
    struct sim *sim = strict(seed, 3, 3);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint32_t next = next_oldest(sim, first);
    uint32_t left = A + B + C - first - next;
    uint64_t age = sim_age(sim, left, left);
    sim_crash(sim, first);
    sim_crash(sim, next);
    sim_stick_record(sim, first, STALLED_MS);
    sim_stick_record(sim, next, STALLED_MS);
    uint64_t asked = sim_sent(sim, SIM_ANY, MESSAGE_CLAIM) - sim_sent(sim, left, MESSAGE_CLAIM);
    sim_start(sim, first);
    sim_start(sim, next);
    story_check(next_to_act(sim, SIM_NOBODY, 2 * STALLED_MS, seed) == left, seed);
    story_check(sim_age(sim, left, left) == age, seed);
    story_check(sim_sent(sim, SIM_ANY, MESSAGE_CLAIM) - sim_sent(sim, left, MESSAGE_CLAIM) == asked,
                seed);
    sim_free(sim);
}

/* Two of three voters are members, and the coordinator stops while the third, started anew, asks to
 * be let in. Its vain claims must not lock out the member, whose turn it is. */
Story(strict, an_outsider_does_not_lock_out_the_next_in_line)
{
    struct sim *sim = strict(seed, 3, 3);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint32_t other = first == C ? B : C;
    sim_crash(sim, other);
    sim_run(sim, 2 * SETTLE_MS);
    sim_pause(sim, first);
    sim_start(sim, other);
    uint32_t second = next_to_act(sim, first, 3 * SETTLE_MS, seed);
    story_check(second != SIM_NOBODY && second != first, seed);
    sim_free(sim);
}

/* The next oldest is drained, and goes behind the third, in a view that both accept and nobody
 * commits. It finds that view in the third's grant, and must not take that one for dead (C4e). */
Story(strict, nobody_goes_for_being_older_in_what_was_only_accepted)
{
    struct sim *sim = strict(seed, 3, 3);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint32_t next = next_oldest(sim, first);
    uint32_t third = A + B + C - first - next;
    struct node_id life = core_self(sim_core(sim, third))->id;
    sim_lose(sim, SIM_ANY, first, MESSAGE_VOTE, UINT32_MAX);
    sim_drain(sim, first, next);
    sim_run(sim, 100);
    sim_crash(sim, first);
    sim_lose_nothing(sim);
    story_check(next_to_act(sim, first, STALLED_MS, seed) != SIM_NOBODY, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(id_equal(&core_self(sim_core(sim, third))->id, &life), seed);
    sim_free(sim);
}

/* D came after B had gone, and A, who knew of both, is dead when B is back. But B is a seed (Z4f).
 */
Story(strict, a_voter_of_which_nobody_told_is_found)
{
    struct sim *sim = story_before_voters(seed, 4, 3);
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
    }
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) == A, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_crash(sim, B);
    story_check(sim_sees(sim, C, "A C", SETTLE_MS), seed);
    sim_start(sim, D);
    story_check(sim_sees(sim, D, "A C D", SETTLE_MS), seed);
    sim_crash(sim, C);
    sim_run(sim, 1000);
    sim_start(sim, C);
    story_check(sim_sees(sim, C, "A D C", SETTLE_MS), seed);
    sim_run(sim, 1000);
    sim_crash(sim, A);
    sim_start(sim, B);
    story_check(next_to_act(sim, A, SETTLE_MS, seed) == D, seed);
    story_check(sim_sees(sim, B, "D C B", SETTLE_MS), seed);
    sim_free(sim);
}

/* The seed is up, and votes no more. The other two are a quorum, each at the address that the other
 * one has in its record, so they can hear of each other from the seed alone (F2e). */
Story(strict, voters_that_moved_meet_where_both_ask)
{
    struct sim_options options = story_voters(seed, 4, 3, (struct sim_options){.seed = seed});
    options.seed_count = 1;
    struct sim *sim = story_of(&options);
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) != SIM_NOBODY, seed);
    for (uint32_t host = A; host <= D; host++) {
        sim_crash(sim, host);
    }
    sim_swap(sim, B, C);
    sim_lose_record(sim, A);
    sim_start_together(sim);
    story_check(next_to_act(sim, SIM_NOBODY, STALLED_MS, seed) != SIM_NOBODY, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* C4f: C dies between its vote for an epoch and the view of it, which would have removed A. By the
 * time that a quorum could accept one, A is back. */
Story(strict, who_is_back_before_a_quorum_is_stays)
{
    struct sim *sim = strict(seed, 3, 3);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint32_t next = next_oldest(sim, first);
    uint64_t phases = sim_notices(sim, first, NOTICE_PHASE);
    sim_isolate(sim, first);
    sim_trip(sim, A + B + C - first - next, MESSAGE_VOTE, 1);
    sim_run(sim, 2500);
    story_check(sim_claims(sim, next, CLAIM_WON) > 0, seed);
    sim_mend_one_way(sim, first, next); /* It is heard before it can accept anything. */
    sim_run(sim, 500);
    sim_rejoin_network(sim, first);
    story_check(next_to_act(sim, SIM_NOBODY, 2 * SETTLE_MS, seed) != SIM_NOBODY, seed);
    story_check(sim_notices(sim, first, NOTICE_PHASE) == phases, seed);
    story_check(sim_age(sim, next, first) != 0, seed);
    sim_free(sim);
}

/* C is down when A asks for its first epoch, and A goes down for good when B has accepted its first
 * view: B and C are two of three. */
Story(strict, who_waits_for_the_end_of_a_founding_votes_with_who_has_accepted_a_view)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = 3,
                                                    .seed_count = 3,
                                                    .voter_count = 3,
                                                    .disks = true,
                                                    .exclusive = true,
                                                    .guard = {GUARD_STRICT, 3}});
    sim_start_together(sim);
    for (uint64_t ms = 0; ms < SETTLE_MS && sim_founding_stage(sim, A) < STAGE_OVER; ms++) {
        sim_run(sim, 1);
    }
    sim_crash(sim, C);
    for (uint64_t ms = 0; ms < SETTLE_MS && sim_founding_stage(sim, B) < STAGE_VIEW; ms++) {
        sim_run(sim, 1);
    }
    sim_crash(sim, A);
    sim_start(sim, C);
    story_check(sim_founding_stage(sim, C) == STAGE_AGAIN, seed);
    story_check(next_to_act(sim, SIM_NOBODY, STALLED_MS, seed) != SIM_NOBODY, seed);
    sim_free(sim);
}

/* L3b, Z4h: A and C start again, and their disks are slow: so B waits for them. */
Story(strict, who_won_waits_for_slow_disks_of_voters_that_start_again)
{
    struct sim *sim = strict(seed, 5, 3);
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) == A, seed);
    const struct node_id next = core_self(sim_core(sim, B))->id;
    const struct node_id after = core_self(sim_core(sim, D))->id;

    for (uint32_t host = 0; host < 3; host++) {
        sim_slow_record(sim, host, 3000);
    }
    sim_crash(sim, A);
    sim_crash(sim, C);
    sim_start(sim, A);
    sim_start(sim, C);
    sim_run(sim, MINUTE_MS / 2);
    story_check(sim_acting_count(sim) == 1, seed);
    story_check(id_equal(&core_self(sim_core(sim, B))->id, &next), seed);
    story_check(id_equal(&core_self(sim_core(sim, D))->id, &after), seed);
    sim_free(sim);
}

/* May this part act? Rules G1 to G3, D8. */
#include "story.h"

enum { SOON_MS = 300, LATE_MS = 40000 };

static const struct guard three = {.policy = GUARD_COUNT, .count = 3};

/* G2: membership goes on without the guard; only acting stops. H31: exactly enough is enough. */
Story(guard, too_few_members_go_on_without_acting)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .guard = three});
    story_check(sim_is_acting(sim, A), seed);

    sim_crash(sim, A);
    sim_crash(sim, B);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_is_acting(sim, C), seed);

    sim_crash(sim, E);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, D, "C D", seed);
    story_check(sim_acting_count(sim) == 0, seed);

    sim_set_seeds(sim, E, (const uint32_t[]){D}, 1);
    sim_start(sim, E);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_is_acting(sim, C), seed);
    sim_free(sim);
}

Story(guard, a_founder_acts_when_enough_have_joined)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3, .guard = three});
    sim_start(sim, A);
    sim_run(sim, 2000);
    story_check(sim_phase(sim, A) == PHASE_MEMBER && !sim_is_acting(sim, A), seed);
    sim_start(sim, B);
    sim_run(sim, 2000);
    story_check(!sim_is_acting(sim, A), seed);
    sim_start(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* H32: it counts whom it has heard, not who is in the list. */
Story(guard, a_coordinator_cut_off_stops_acting_before_it_is_succeeded)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .guard = three, .disorder = true});
    sim_isolate(sim, A);
    for (unsigned ms = 0; ms < LOST_MS && !sim_is_acting(sim, B); ms++) {
        sim_run(sim, 1);
        story_check(sim_acting_count(sim) <= 1, seed);
    }
    story_check(!sim_is_acting(sim, A), seed);
    story_check(sim_converges(sim, LOST_MS), seed);
    story_check(sim_is_acting(sim, B), seed);
    sim_run(sim, 5000);

    sim_rejoin_network(sim, A);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_sees(sim, A, "B C D E A", seed);
    sim_free(sim);
}

static uint32_t acting_host(const struct sim *sim)
{
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        if (sim_is_acting(sim, host)) {
            return host;
        }
    }
    return SIM_NOBODY;
}

/* E7d: as where its socket is flooded, and the one for beats is not. What answers its questions is
 * lost, and so it may not act, though all hold it for healthy. */
Story(guard, a_coordinator_whose_answers_are_lost_stands_down)
{
    static const struct guard guards[] = {{.policy = GUARD_NONE},
                                          {.policy = GUARD_COUNT, .count = 3},
                                          {.policy = GUARD_MAJORITY, .count = 5}};
    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        struct sim *sim = story_of(
            &(struct sim_options){.seed = seed, .host_count = 5, .guard = guards[i]});
        sim_lose(sim, SIM_ANY, A, MESSAGE_PONG, UINT32_MAX);
        sim_run(sim, PATIENT_MS);
        story_check(acting_host(sim) == B, seed);
        story_sees(sim, E, "B C D E A", seed);
        sim_lose_nothing(sim);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(acting_host(sim) == B, seed);
        sim_free(sim);
    }
}

/* D8: one that slept has to hear the others again before it acts. */
Story(guard, a_coordinator_that_slept_does_not_act_before_it_heard_others)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .guard = three});
    sim_pause(sim, A);
    sim_run(sim, PATIENT_MS);
    story_check(!sim_is_acting(sim, A), seed);
    for (uint32_t host = B; host <= E; host++) {
        sim_cut(sim, A, host);
    }
    sim_run(sim, 10);
    sim_resume(sim, A);
    sim_run(sim, 2000);
    story_check(!sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* D8, M3: one that was replaced in its sleep still thinks that all hold its view. Nobody gives way
 * to it before that is settled, so somebody acts all the while. */
Story(guard, a_coordinator_that_wakes_does_not_stop_its_successor)
{
    struct sim *sim = story_of_five(seed);
    sim_run(sim, 17 * seed);
    sim_pause(sim, A);
    sim_run(sim, STALLED_MS);
    story_check(sim_is_acting(sim, B), seed);
    sim_resume(sim, A);
    for (unsigned ms = 0; ms < SETTLE_MS; ms += 5) {
        sim_run(sim, 5);
        story_check(sim_acting_count(sim) == 1, seed);
    }
    story_check(sim_agrees(sim), seed);
    sim_free(sim);
}

/* The same for one that others did not hear for about as long as it takes to be replaced. */
Story(guard, a_coordinator_that_was_mute_does_not_stop_its_successor)
{
    for (uint64_t mute_ms = 700; mute_ms <= 2000; mute_ms += 100) {
        struct sim *sim = story_of_five(seed);
        for (uint32_t host = B; host <= E; host++) {
            sim_cut_one_way(sim, A, host);
        }
        sim_run(sim, mute_ms);
        sim_heal(sim);
        uint64_t idle_ms = 0;
        for (unsigned ms = 0; ms < SETTLE_MS; ms += 5) {
            sim_run(sim, 5);
            idle_ms += sim_acting_count(sim) == 0 ? 5 : 0;
        }
        story_check(idle_ms < 2 * REPAIR_MS, seed);
        story_check(sim_agrees(sim), seed);
        sim_free(sim);
    }
}

/* D8: and when nobody replaced it, it acts again as soon as the others could say so. */
Story(guard, a_short_sleep_costs_a_round_trip)
{
    struct sim *sim = story_of_five(seed);
    sim_pause(sim, A);
    sim_run(sim, 1000);
    sim_resume(sim, A);
    sim_run(sim, 20);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* G1: a winner whom nobody heard commits a view that nobody else holds. The others are heard, but
 * they follow another, so they do not count; two act for T_fresh at the most. */
Story(guard, who_is_heard_but_follows_another_does_not_count)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed,
                              .host_count = 5,
                              .disorder = true,
                              .guard = {.policy = GUARD_MAJORITY, .count = 5}});
    sim_run(sim, 17 * seed);
    for (uint32_t host = B; host <= E; host++) {
        sim_cut(sim, A, host);
    }
    for (unsigned ms = 0; ms < PATIENT_MS && sim_claims(sim, B, CLAIM_WON) == 0; ms++) {
        sim_run(sim, 1);
    }
    story_check(sim_claims(sim, B, CLAIM_WON) == 1, seed);
    sim_heal(sim);
    sim_cut_one_way(sim, B, A);
    sim_cut_one_way(sim, B, D);
    sim_cut_one_way(sim, B, E);
    sim_lose(sim, B, C, MESSAGE_PREPARE, 100000);
    sim_lose(sim, B, C, MESSAGE_COMMIT, 100000);
    sim_lose(sim, B, C, MESSAGE_VIEW, 100000);
    uint64_t both_ms = 0;
    for (unsigned ms = 0; ms < STALLED_MS; ms += 5) {
        sim_run(sim, 5);
        both_ms += sim_acting_count(sim) > 1 ? 5 : 0;
    }
    story_check(both_ms <= LOST_MS, seed);
    sim_free(sim);
}

/* D8: a coordinator that most of the others do not hear does not know whether they still follow it:
 * it does not act, though E, who hears it, keeps it in. */
Story(guard, a_coordinator_that_most_do_not_hear_does_not_act)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed,
                              .host_count = 5,
                              .disorder = true,
                              .guard = {.policy = GUARD_MAJORITY, .count = 5}});
    for (uint32_t host = B; host <= D; host++) {
        sim_cut_one_way(sim, A, host);
    }
    sim_run(sim, PATIENT_MS);
    story_check(!sim_is_acting(sim, A), seed);
    story_check(sim_acting_count(sim) == 1, seed); /* E7d */
    story_check(view_has(core_view(sim_core(sim, C)), &core_self(sim_core(sim, A))->id), seed);
    sim_free(sim);
}

/* D8: a loop that is late all the time has its answers late, too. */
Story(guard, a_coordinator_that_is_always_late_acts)
{
    struct sim *sim = story_of_five(seed);
    uint64_t acting_ms = 0;
    sim_slow(sim, A, 500);
    sim_run(sim, PATIENT_MS);
    for (unsigned ms = 0; ms < STALLED_MS; ms += 10) {
        sim_run(sim, 10);
        acting_ms += sim_acting_count(sim) == 1 ? 10 : 0;
    }
    story_check(acting_ms > STALLED_MS / 4, seed);
    sim_free(sim);
}

static void is_refused_as_full(struct sim *sim, uint32_t host, uint64_t seed)
{
    sim_start(sim, host);
    sim_run(sim, SETTLE_MS);
    story_check(sim_phase(sim, host) == PHASE_JOINING, seed);
    story_check(sim_refusal(sim, host).reason == JOIN_REFUSED_FULL, seed);
}

/* G1, H45: three was said, and one of them failed. It may be at work across a cut, so nobody else
 * takes its place; its own next life does. */
Story(guard, under_a_majority_the_failed_keep_their_place)
{
    struct sim *sim = sim_new(&(struct sim_options){
        .seed = seed, .host_count = 4, .guard = {.policy = GUARD_MAJORITY, .count = 3}});
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_crash(sim, C);
    story_check(sim_sees(sim, A, "A B", SETTLE_MS), seed);
    is_refused_as_full(sim, D, seed);
    sim_start(sim, C);
    story_check(sim_sees(sim, A, "A B C", SETTLE_MS), seed);
    sim_free(sim);
}

/* G1e, H45: a successor was a member with those who failed, and reached them. */
Story(guard, a_successor_keeps_the_places_of_the_failed)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed,
                              .host_count = 4,
                              .seed_count = 2,
                              .guard = {.policy = GUARD_MAJORITY, .count = 3}});
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_run(sim, LOST_MS);
    sim_crash(sim, A);
    sim_crash(sim, C);
    story_check(sim_sees(sim, B, "B", SETTLE_MS), seed);
    is_refused_as_full(sim, D, seed);
    sim_start(sim, A);
    story_check(sim_sees(sim, B, "B A", SETTLE_MS), seed);
    sim_free(sim);
}

/* G1a, H20: heartbeats of C from A's first reign come late. A had C forgotten, and C came back
 * under B, cut off from A, which then claims without B. C follows B, and answers A's questions all
 * the same; what it says besides is lost. */
Story(guard, who_named_a_former_reign_is_not_counted)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 3});
    const struct node_id gone = core_self(sim_core(sim, C))->id;

    sim_hold_back(sim, C, A, LATE_MS);
    sim_run(sim, SOON_MS);
    sim_mend_one_way(sim, C, A);
    sim_cut(sim, A, C);
    sim_cut(sim, B, C);
    story_check(sim_sees(sim, A, "A B", SETTLE_MS), seed);
    sim_forget(sim, A, &gone);
    sim_run(sim, SOON_MS);
    story_check(core_view(sim_core(sim, A))->gone_count == 0, seed);
    sim_transfer(sim, A, B);
    story_check(sim_sees(sim, A, "B A", SETTLE_MS), seed);
    sim_mend(sim, B, C);
    story_check(sim_sees(sim, A, "B A C", SETTLE_MS), seed);
    sim_cut_one_way(sim, B, A);
    for (uint64_t ms = 0; ms < SETTLE_MS && sim_coordinator(sim, A) != A; ms++) {
        sim_run(sim, 1);
    }
    story_sees(sim, A, "A C", seed);
    for (uint32_t host = A; host <= C; host++) {
        sim_pause(sim, host);
    }
    sim_run(sim, LATE_MS);
    sim_mend(sim, A, C);
    sim_lose(sim, C, A, MESSAGE_HEARTBEAT, 1000);
    for (uint32_t host = A; host <= C; host++) {
        sim_resume(sim, host);
    }
    for (uint64_t ms = 0; ms < SOON_MS; ms++) {
        sim_run(sim, 1);
        story_check(!sim_is_acting(sim, A) || strcmp(sim_view_text(sim, A), "A C") != 0, seed);
    }
    sim_lose_nothing(sim);
    sim_heal(sim);
    story_check(sim_converges(sim, 4 * SETTLE_MS), seed);
    sim_free(sim);
}

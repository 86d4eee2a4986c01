/* Lost and repeated updates: rules V5, U1, U2, C4. */
#include "story.h"

static struct sim *four_and_a_joiner(uint64_t seed)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 5, .seed_count = 1});
    for (uint32_t host = A; host <= D; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    cr_assert(sim_converges(sim, SETTLE_MS));
    return sim;
}

/* V5: who missed an update has it a heartbeat or two later. */
Story(repair, a_lost_update_costs_a_heartbeat)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_lose(sim, A, C, MESSAGE_COMMIT, 1);
    sim_lose(sim, A, C, MESSAGE_VIEW, 1);
    sim_start(sim, E);
    story_check(sim_sees(sim, A, "A B C D E", SETTLE_MS), seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    sim_free(sim);
}

/* V5: from any fellow member, not the coordinator alone. */
Story(repair, a_fellow_member_repairs_what_the_coordinator_cannot)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_lose(sim, A, C, SIM_ANY, UINT32_MAX);
    sim_start(sim, E);
    story_check(sim_sees(sim, A, "A B C D E", SETTLE_MS), seed);
    story_check(sim_sees(sim, C, "A B C D E", 2 * REPAIR_MS), seed);
    sim_free(sim);
}

/* H14: the update reached one member when the coordinator died. The successor takes over the
 * newest view among the answers (C4), so what was given is not given again. */
Story(repair, an_update_that_reached_one_member_survives_its_coordinator)
{
    for (uint32_t holder = B; holder <= D; holder++) {
        struct sim *sim = four_and_a_joiner(seed);
        for (uint32_t host = B; host <= D; host++) {
            if (host != holder) {
                sim_lose(sim, A, host, MESSAGE_COMMIT, 1);
                sim_lose(sim, A, host, MESSAGE_VIEW, 1);
            }
        }
        sim_set_seeds(sim, E, (const uint32_t[]){A, B}, 2);
        sim_start(sim, E);
        story_check(sim_sees(sim, A, "A B C D E", SETTLE_MS), seed);
        sim_run(sim, 2);
        sim_crash(sim, A);
        story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
        story_sees(sim, D, "B C D E", seed);
        story_check(sim_age(sim, B, E) == 5, seed);
        sim_free(sim);
    }
}

/* U1a: what was lost on its way is sent again after 20 ms, before it is a delay that anybody sees.
 */
Story(repair, a_lost_proposal_costs_little)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_run(sim, FRESH_MS);
    sim_lose(sim, A, B, MESSAGE_PREPARE, 1);
    sim_lose(sim, C, A, MESSAGE_ACK, 1);
    sim_crash(sim, D);
    story_check(sim_sees(sim, A, "A B C", FAST_MS), seed);
    story_check(sim_sees(sim, B, "A B C", FAST_MS), seed);
    sim_free(sim);
}

/* U2f: nor is a lost COMMIT one, though nobody can show C the view. */
Story(repair, a_lost_commit_costs_little)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_run(sim, FRESH_MS);
    sim_lose(sim, A, C, MESSAGE_COMMIT, 1);
    sim_lose(sim, SIM_ANY, C, MESSAGE_VIEW, UINT32_MAX);
    sim_crash(sim, D);
    story_check(sim_sees(sim, A, "A B C", FAST_MS), seed);
    story_check(sim_sees(sim, C, "A B C", 40), seed);
    sim_free(sim);
}

/* C3c: nor is it one when the questions of one who takes over are lost. */
Story(repair, a_lost_claim_costs_little)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_run(sim, FRESH_MS);
    sim_lose(sim, B, C, MESSAGE_CLAIM, 1);
    sim_lose(sim, B, D, MESSAGE_CLAIM, 1);
    sim_crash(sim, A);
    story_check(sim_sees(sim, B, "B C D", FAST_MS), seed);
    story_check(sim_sees(sim, D, "B C D", FAST_MS), seed);
    sim_free(sim);
}

/* H58: C has acknowledged the view with E, and nobody gets through with more: then the next change
 * is one of a view that it does not hold. It takes part in it all the same. */
Story(repair, who_lacks_the_view_that_a_change_is_of_gets_the_whole)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_lose(sim, A, C, MESSAGE_COMMIT, UINT32_MAX);
    sim_lose(sim, SIM_ANY, C, MESSAGE_VIEW, UINT32_MAX);
    sim_lose(sim, E, C, MESSAGE_HEARTBEAT, UINT32_MAX); /* It would stand for the COMMIT (M4g). */
    sim_start(sim, E);
    story_check(sim_sees(sim, A, "A B C D E", SETTLE_MS), seed);
    sim_run(sim, sim_timing(sim).prepare_ms);
    story_sees(sim, C, "A B C D", seed);
    sim_lose_nothing(sim);
    sim_lose(sim, SIM_ANY, C, MESSAGE_VIEW, UINT32_MAX);
    sim_crash(sim, D);
    story_check(sim_sees(sim, A, "A B C E", 2 * FAST_MS), seed);
    story_check(sim_sees(sim, C, "A B C E", FAST_MS), seed);
    sim_free(sim);
}

/* U1: a member that acknowledges nothing does not stop a change; S2 holds for it all the same. */
Story(repair, a_member_that_acknowledges_nothing_stops_no_change)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_lose(sim, C, A, MESSAGE_ACK, 1000);
    sim_start(sim, E);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, C, "A B C D E", seed);
    sim_free(sim);
}

/* U1: a joiner that acknowledges nothing is left out, and tries again. */
Story(repair, a_joiner_that_acknowledges_nothing_is_left_out)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_lose(sim, E, A, MESSAGE_ACK, 6);
    sim_start(sim, E);
    story_check(sim_converges(sim, 4 * SETTLE_MS), seed);
    story_sees(sim, D, "A B C D E", seed);
    sim_free(sim);
}

static uint64_t sent_besides_heartbeats(const struct sim *sim)
{
    uint64_t sent = 0;

    for (enum message_type type = MESSAGE_PULL; type < MESSAGE_TYPE_COUNT; type++) {
        const bool at_rest = type == MESSAGE_PROBE || type == MESSAGE_PING || type == MESSAGE_PONG;
        sent += at_rest ? 0 : sim_sent(sim, SIM_ANY, type);
    }
    return sent;
}

/* Y5: when nothing happens, nothing but heartbeats is sent, and no view changes. */
Story(repair, a_quiet_cluster_is_quiet)
{
    struct sim *sim = four_and_a_joiner(seed);
    sim_run(sim, 5000);
    uint64_t version = sim_version(sim, A);
    uint64_t others = sent_besides_heartbeats(sim);
    uint64_t questions = sim_sent(sim, SIM_ANY, MESSAGE_PING);
    uint64_t heartbeats = sim_sent(sim, SIM_ANY, MESSAGE_HEARTBEAT);

    sim_run(sim, MINUTE_MS);
    story_check(sent_besides_heartbeats(sim) == others, seed);
    story_check(sim_version(sim, D) == version, seed);

    /* Four members, each to three others, every 680 ms give or take 2 %; but the coordinator to one
     * of them twice as often, who answers. */
    heartbeats = sim_sent(sim, SIM_ANY, MESSAGE_HEARTBEAT) - heartbeats;
    story_check(heartbeats > 1150 && heartbeats < 1350, seed);
    story_check(sim_sent(sim, SIM_ANY, MESSAGE_PING) == questions, seed);
    sim_free(sim);
}

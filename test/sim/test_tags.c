/* Tags at run time: rule E8. */
#include "story_voters.h"

static bool all_see(const struct sim *sim, const char *observers, uint32_t subject, const char *tag)
{
    for (; *observers != '\0'; observers++) {
        if (!sim_has_tag(sim, (uint32_t)(*observers - 'A'), subject, tag)) {
            return false;
        }
    }
    return true;
}

/* Waits until they all do. */
static bool will_see(struct sim *sim, const char *observers, uint32_t subject, const char *tag)
{
    for (uint64_t ms = 0; ms < SETTLE_MS + 1000 && !all_see(sim, observers, subject, tag); ms++) {
        sim_run(sim, 1);
    }
    return all_see(sim, observers, subject, tag);
}

/* E8a, E8b */
Story(tags, the_next_view_has_them_and_nothing_else_changes)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    uint64_t epoch = sim_epoch(sim, A);

    sim_set_tags(sim, C, "role=db");
    story_check(will_see(sim, "ABCDE", C, "role=db"), seed);
    sim_run(sim, SETTLE_MS);
    for (uint32_t host = A; host <= E; host++) {
        story_sees(sim, host, "A B C D E", seed);
        story_check(sim_notices(sim, host, NOTICE_TAGS) == 1, seed);
    }
    story_check(sim_version(sim, A) == version + 1, seed);
    story_check(sim_epoch(sim, A) == epoch, seed);
    story_check(sim_age(sim, A, C) == 3, seed);
    sim_set_tags(sim, C, "");
    story_check(will_see(sim, "ABCDE", C, ""), seed);
    sim_free(sim);
}

/* E8a */
Story(tags, a_coordinator_gives_itself_tags)
{
    struct sim *sim = story_of_five(seed);

    sim_set_tags(sim, A, "role=db");
    story_check(will_see(sim, "ABCDE", A, "role=db"), seed);
    sim_free(sim);
}

/* E8b: the voters commit it. */
Story(tags, voters_commit_the_view_that_has_them)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 5);

    sim_set_tags(sim, D, "role=db");
    story_check(will_see(sim, "ABCDE", D, "role=db"), seed);
    story_check(sim_claims(sim, SIM_ANY, CLAIM_STARTED) <= 1, seed);
    sim_free(sim);
}

/* E8b: a minority does not. */
Story(tags, a_minority_of_the_voters_gives_none)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 5);

    sim_crash(sim, A);
    sim_crash(sim, B);
    sim_crash(sim, C);
    sim_set_tags(sim, D, "role=db");
    sim_run(sim, SETTLE_MS);
    story_check(!all_see(sim, "E", D, "role=db"), seed);
    sim_free(sim);
}

/* E8a */
Story(tags, a_lost_message_costs_one_repetition)
{
    const enum message_type types[] = {MESSAGE_WISH, MESSAGE_PREPARE, MESSAGE_ACK, MESSAGE_COMMIT};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct sim *sim = story_of_five(seed);
        sim_lose(sim, SIM_ANY, SIM_ANY, types[i], 1);
        sim_set_tags(sim, C, "role=db");
        story_check(will_see(sim, "ABCDE", C, "role=db"), seed);
        story_check(sim_notices(sim, SIM_ANY, NOTICE_GONE) == 0, seed);
        sim_free(sim);
    }
}

/* E8a: whoever takes over is asked anew. */
Story(tags, a_change_meets_a_claim)
{
    for (uint64_t after_ms = 0; after_ms < 40; after_ms += 5) {
        struct sim *sim = story_of_five(seed);
        sim_set_tags(sim, D, "role=db");
        sim_run(sim, after_ms);
        sim_crash(sim, A);
        story_check(will_see(sim, "BCDE", D, "role=db"), seed);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(all_see(sim, "BCDE", D, "role=db"), seed);
        sim_free(sim);
    }
}

/* E8a, E2, E5 */
Story(tags, a_change_meets_a_hand_over)
{
    for (uint64_t after_ms = 0; after_ms < 40; after_ms += 5) {
        struct sim *sim = story_of_five(seed);
        sim_set_tags(sim, D, "role=db");
        sim_run(sim, after_ms);
        sim_transfer(sim, E, B);
        story_check(will_see(sim, "ABCDE", D, "role=db"), seed);
        story_check(sim_sees(sim, E, "B C D E A", SETTLE_MS), seed);
        story_check(all_see(sim, "ABCDE", D, "role=db"), seed);
        sim_free(sim);
        sim = story_of_five(seed);
        sim_set_tags(sim, D, "role=db");
        sim_run(sim, after_ms);
        sim_leave(sim, A);
        story_check(will_see(sim, "BCDE", D, "role=db"), seed);
        sim_free(sim);
    }
}

/* M4: a member's tags are those of the part that it is in. */
Story(tags, a_change_meets_a_merge)
{
    struct sim *sim = story_of_five(seed);

    for (uint32_t host = C; host <= E; host++) {
        sim_cut(sim, A, host);
        sim_cut(sim, B, host);
    }
    sim_run(sim, STALLED_MS);
    sim_set_tags(sim, B, "role=db");
    sim_set_tags(sim, E, "role=web");
    story_check(will_see(sim, "AB", B, "role=db"), seed);
    story_check(will_see(sim, "CDE", E, "role=web"), seed);
    sim_heal(sim);
    sim_set_tags(sim, D, "role=late");
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(will_see(sim, "ABCDE", D, "role=late"), seed);
    story_check(all_see(sim, "ABCDE", B, "role=db"), seed);
    story_check(all_see(sim, "ABCDE", E, "role=web"), seed);
    sim_free(sim);
}

/* E8c */
Story(tags, a_node_that_comes_back_has_what_it_was_started_with)
{
    struct sim *sim = story_of_five(seed);

    sim_set_tags(sim, D, "role=db");
    story_check(will_see(sim, "ABCDE", D, "role=db"), seed);
    sim_crash(sim, D);
    sim_run(sim, SETTLE_MS);
    sim_start(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(all_see(sim, "ABCDE", D, ""), seed);
    sim_free(sim);
}

/* E8c: what the operator said last is what the node heard last, also of one that is stopped. */
Story(tags, a_node_that_was_stopped_has_what_it_heard_last)
{
    struct sim *sim = story_of_five(seed);

    sim_pause(sim, D);
    sim_set_tags(sim, D, "role=db");
    sim_run(sim, 300);
    sim_set_tags(sim, D, "role=web");
    sim_resume(sim, D);
    sim_run(sim, SETTLE_MS);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_shows_wanted_tags(sim), seed);
    sim_free(sim);
}

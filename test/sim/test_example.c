/* The worked example at the end of proto/protocol.md: what is checked here is what stands there.
 * Whoever changes a number in one of them changes it in the other. */
#include <stdio.h>

#include "story.h"

/* Each of these hosts has these members with their ages, oldest first, and this next age, under
 * this epoch: "B:2 C:3 next 6". */
static void sees(struct sim *sim, const char *hosts, uint64_t epoch, const char *expected,
                 uint64_t seed)
{
    for (; *hosts != '\0'; hosts++) {
        uint32_t host = (uint32_t)(*hosts - 'A');
        const struct view *view = core_view(sim_core(sim, host));
        char text[128];
        int length = 0;

        for (uint32_t i = 0; i < view->member_count; i++) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%c:%u ",
                               view->members[i].name[0] - 'a' + 'A',
                               (unsigned)view->members[i].age);
        }
        snprintf(text + length, sizeof text - (size_t)length, "next %u", (unsigned)view->next_age);
        cr_assert_str_eq(text, expected, "seed %llu, in the view of %c", (unsigned long long)seed,
                         *hosts);
        story_check(view->epoch == epoch, seed);
    }
}

/* B and C on one side, D, E and A on the other. */
static void split(struct sim *sim)
{
    for (uint32_t host = B; host <= C; host++) {
        sim_cut(sim, host, A);
        sim_cut(sim, host, D);
        sim_cut(sim, host, E);
    }
}

Story(example, kill_claim_split_and_merge)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 5, .disks = true});
    sees(sim, "ABCDE", 1, "A:1 B:2 C:3 D:4 E:5 next 6", seed);
    story_check(sim_version(sim, A) == 5, seed);

    sim_crash(sim, A);
    story_check(sim_converges(sim, FAST_MS), seed);
    sees(sim, "BCDE", 2, "B:2 C:3 D:4 E:5 next 6", seed);
    story_check(sim_version(sim, B) == 6, seed);

    sim_start(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sees(sim, "ABCDE", 2, "B:2 C:3 D:4 E:5 A:6 next 7", seed);
    story_check(sim_version(sim, B) == 7, seed);
    sim_run(sim, 500);

    split(sim);
    sim_run(sim, LOST_MS + SETTLE_MS);
    sees(sim, "BC", 2, "B:2 C:3 next 7", seed);
    sees(sim, "DEA", 3, "D:4 E:5 A:6 next 7", seed);
    story_check(sim_version(sim, D) == 8, seed);
    story_check(sim_is_acting(sim, B) && sim_is_acting(sim, D), seed);
    uint64_t version = sim_version(sim, B); /* 8, or up to 10 where the three went one by one */

    sim_heal(sim);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sees(sim, "ABCDE", 4, "D:4 E:5 A:6 B:7 C:8 next 9", seed);
    story_check(sim_version(sim, D) == version + 1, seed);
    sim_free(sim);
}

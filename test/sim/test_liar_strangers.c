/* A stranger lies, under an id that nobody knows: it changes nothing, and keeps nobody out. */
#include <inttypes.h>

#include "story_liar.h"

/* V7: whatever a stranger says, who is started again comes in. */
Story(liar, nobody_is_locked_out)
{
    struct sim *sim = lenient_five(seed);
    const struct lies told = lies_of(seed, (struct lie){.kind = LIE_ANYTHING, .stranger = true});

    liar_goes_on(sim, &told);
    sim_run(sim, told.ms + SETTLE_MS);
    for (uint32_t host = A; host <= E; host++) {
        sim_crash(sim, host);
        sim_start(sim, host);
        cr_assert(sim_converges(sim, SETTLE_MS), "seed %" PRIu64 ": %s", seed,
                  sim_view_text(sim, (host + 1) % 5));
        sim_run(sim, 500);
    }
    story_holds(sim, seed);
    sim_free(sim);
}

static void check_that_strangers_change_nothing(uint64_t seed, enum lie_kind kind)
{
    struct sim *sim = lenient_five(seed);
    uint64_t before = happenings(sim);
    const struct lies told = lies_of(seed, (struct lie){.kind = kind, .stranger = true});

    liar_goes_on(sim, &told);
    sim_run(sim, told.ms + STALLED_MS);
    story_holds(sim, seed);
    cr_assert_eq(happenings(sim), before, "seed %" PRIu64 ": %s", seed, liar_text(kind));
    sim_free(sim);
}

/* What a stranger says of views has a story of its own. */
static bool shows_views(enum lie_kind kind)
{
    return kind == LIE_VIEWS || kind == LIE_CLAIMS || kind == LIE_ANYTHING;
}

/* S15: nothing a stranger says changes anything. */
Story(liar, strangers_change_nothing)
{
    for (enum lie_kind kind = 0; kind < LIE_KINDS; kind++) {
        if (!shows_views(kind)) {
            check_that_strangers_change_nothing(seed, kind);
        }
    }
}

/* S15: nor does what it says of views. */
Story(liar, views_of_strangers_change_nothing)
{
    for (enum lie_kind kind = 0; kind < LIE_KINDS; kind++) {
        if (shows_views(kind)) {
            check_that_strangers_change_nothing(seed, kind);
        }
    }
}

/* V6: whoever floods does not keep two parts from finding each other. */
Story(liar, floods_do_not_keep_a_split_open)
{
    static const enum lie_kind floods[] = {LIE_PULLS, LIE_PROBES, LIE_JOINS, LIE_PINGS};

    for (uint32_t i = 0; i < 4; i++) {
        struct sim *sim = lenient_five(seed);
        struct lies told = lies_of(seed, (struct lie){.kind = floods[i], .stranger = true});
        for (uint32_t host = A; host <= C; host++) {
            sim_cut(sim, host, D);
            sim_cut(sim, host, E);
        }
        sim_run(sim, STALLED_MS);
        story_sees(sim, A, "A B C", seed);
        sim_heal(sim);
        told.gap_ms = 1;
        told.each_time = 3;
        told.ms = UINT64_MAX;
        liar_goes_on(sim, &told);
        cr_assert(sim_converges(sim, SETTLE_MS), "seed %" PRIu64 ", flood %u", seed, i);
        sim_free(sim);
    }
}

/* F2: offers of strangers, or their refusals, do not keep a founder from founding. */
Story(liar, offers_do_not_keep_a_founder_waiting)
{
    for (enum lie_kind kind = LIE_OFFERS; kind <= LIE_REFUSALS; kind++) {
        struct sim *sim = sim_new(
            &(struct sim_options){.seed = seed, .host_count = 2, .seed_count = 2, .lenient = true});
        struct lies told = lies_of(seed, (struct lie){.kind = kind, .stranger = true});

        told.gap_ms = 400;
        told.ms = UINT64_MAX;
        liar_goes_on(sim, &told);
        sim_start(sim, A);
        cr_assert(sim_converges(sim, STALLED_MS), "seed %" PRIu64 ", lie %d", seed, (int)kind);
        story_holds(sim, seed);
        sim_free(sim);
    }
}

/* Z8h, Z2k: nor do questions of strangers keep voters from founding, or from beginning anew. */
Story(liar, ballots_do_not_keep_voters_from_founding)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = 3,
                                                    .seed_count = 3,
                                                    .guard = {.policy = GUARD_STRICT, .count = 3},
                                                    .voter_count = 3,
                                                    .disks = true,
                                                    .lenient = true});
    struct lies told = lies_of(seed, (struct lie){.kind = LIE_BALLOTS, .stranger = true});

    told.gap_ms = 10;
    told.ms = UINT64_MAX;
    liar_goes_on(sim, &told);
    for (int time = 0; time < 2; time++) {
        for (uint32_t host = A; host <= C; host++) {
            sim_start(sim, host);
        }
        story_check(sim_converges(sim, STALLED_MS), seed);
        for (uint32_t host = A; host <= C; host++) {
            sim_crash(sim, host);
        }
    }
    story_holds(sim, seed);
    sim_free(sim);
}

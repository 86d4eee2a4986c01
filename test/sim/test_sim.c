/* The simulator itself: it repeats exactly, and its oracle sees what it is there to see. */
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "oracle_parts.h"
#include "story.h"

static uint64_t hash_of(const struct sim_options *options)
{
    struct sim *sim = sim_new(options);
    struct quality quality = sim_default_quality();
    quality.loss_ppm = 20000;
    quality.duplicate_ppm = 20000;
    sim_set_quality(sim, &quality);
    sim_start_in_order(sim, 200);
    sim_crash(sim, A);
    sim_run(sim, 5000);
    uint64_t hash = sim_trace_hash(sim);
    sim_free(sim);
    return hash;
}

static uint64_t hash_of_run(uint64_t seed)
{
    return hash_of(&(struct sim_options){.seed = seed, .host_count = 5});
}

Test(sim, two_runs_from_one_seed_are_the_same)
{
    cr_assert_eq(hash_of_run(7), hash_of_run(7));
    cr_assert_neq(hash_of_run(7), hash_of_run(8));
}

static struct sim_options options_of_seed(uint64_t seed)
{
    struct sim_options options = {.seed = seed, .host_count = 5, .disorder = true};

    if (seed % 2 == 0) {
        options.guard = (struct guard){.policy = GUARD_STRICT, .count = 3};
        options.voter_count = 3;
        options.exclusive = true;
        options.disks = true;
    } else if (seed % 4 == 1) {
        options.watchers = WATCHERS_MOST;
    }
    return options;
}

/* core_unused: a driver may give it back, and finds anything there later. */
Test(sim, what_a_core_does_not_use_may_be_anything)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct sim_options options = options_of_seed(seed);
        uint64_t as_it_is = hash_of(&options);
        options.scribbles = true;
        cr_assert_eq(hash_of(&options), as_it_is, "seed %u", (unsigned)seed);
    }
}

/* What the codec drops, an open packet must not bring along; nor lack what it reads. */
Test(sim, a_run_that_spares_the_codec_is_the_same)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct sim_options options = options_of_seed(seed);
        uint64_t by_codec = hash_of(&options);
        options.spares_codec = true;
        cr_assert_eq(hash_of(&options), by_codec, "seed %u", (unsigned)seed);
    }
}

/* A trace that is written must not change the run that it tells of. */
Test(sim, a_trace_does_not_change_the_run)
{
    uint64_t hashes[2];
    for (int traced = 0; traced < 2; traced++) {
        struct sim *sim = sim_new(&(struct sim_options){
            .seed = 3, .host_count = 3, .trace = traced ? fopen("/dev/null", "w") : NULL});
        sim_start_in_order(sim, 200);
        sim_crash(sim, A);
        sim_run(sim, 2000);
        hashes[traced] = sim_trace_hash(sim);
        if (traced) {
            fclose(sim->options.trace);
        }
        sim_free(sim);
    }
    cr_assert_eq(hashes[0], hashes[1]);
}

static struct sim *lenient_three(void)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1, .host_count = 3, .lenient = true});
    sim_start_in_order(sim, 300);
    cr_assert(sim_converges(sim, SETTLE_MS));
    cr_assert_null(sim_failure(sim));
    return sim;
}

static void check_failure(const struct sim *sim, const char *rule)
{
    cr_assert_not_null(sim_failure(sim));
    cr_assert_not_null(strstr(sim_failure(sim), rule), "%s", sim_failure(sim));
}

/* H6: the same name, another content. */
Test(sim, the_oracle_sees_two_contents_under_one_name)
{
    struct sim *sim = lenient_three();
    struct view forged = *core_view(sim_core(sim, B));
    forged.hash++;
    oracle_on_sent_view(sim, &sim->hosts[B], &forged);
    check_failure(sim, "S1");
    sim_free(sim);
}

/* The oracle's memory says that B held a higher view than it does now. */
Test(sim, the_oracle_sees_a_view_that_goes_back)
{
    struct sim *sim = lenient_three();
    sim->hosts[B].witness.view.version += 10;
    oracle_after_step(sim, &sim->hosts[B], &(struct effects){0});
    check_failure(sim, "S2");
    sim_free(sim);
}

static struct memory *memory_of(struct sim *sim, uint32_t host, uint32_t other)
{
    struct witness *witness = &sim->hosts[host].witness;
    for (uint32_t i = 0; i < witness->count; i++) {
        if (oracle_host_of(&sim->oracle, &witness->memories[i].id) == other) {
            return &witness->memories[i];
        }
    }
    cr_assert(false, "it does not remember that host");
    return NULL;
}

/* S5, S7: B remembers A as removed, or C with another age, before it installs the same view. */
Test(sim, the_oracle_sees_a_removed_member_and_a_changed_age)
{
    for (int age = 0; age < 2; age++) {
        struct sim *sim = lenient_three();
        sim->hosts[B].witness.view.version--;
        if (age) {
            memory_of(sim, B, C)->age++;
        } else {
            memory_of(sim, B, A)->present = false;
        }
        oracle_after_step(sim, &sim->hosts[B], &(struct effects){0});
        check_failure(sim, age ? "S7" : "S5");
        sim_free(sim);
    }
}

/* R1: A and B do not hear C, D hears it; A is said to have removed it all the same. */
Test(sim, the_oracle_sees_a_member_removed_that_somebody_hears)
{
    static const struct gone failed = {.reason = GONE_FAILED, .verdict = VERDICT_LOST};
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1, .host_count = 4, .lenient = true});
    sim_start_in_order(sim, 300);
    cr_assert(sim_converges(sim, SETTLE_MS));
    sim_run(sim, STALLED_MS);
    sim_cut(sim, A, C);
    sim_cut(sim, B, C);
    sim_run(sim, 2 * LOST_MS);
    cr_assert_null(sim_failure(sim));

    const struct view *held = core_view(sim_core(sim, A));
    const struct memory *victim = memory_of(sim, A, C);
    void *storage = calloc(1, view_bytes(held->capacity));
    struct view forged;
    view_init(&forged, held->capacity, storage);
    view_copy(&forged, held);
    forged.parent = view_id_of(held);
    view_remove(&forged, view_find(&forged, &victim->id), &failed);
    view_seal(&forged);
    oracle_check_removal(sim, &sim->hosts[A], &forged, victim);
    check_failure(sim, "R1");
    free(storage);
    sim_free(sim);
}

static void forge(struct view *forged, const struct view *held, void *storage)
{
    view_init(forged, held->capacity, storage);
    view_copy(forged, held);
    forged->parent = view_id_of(held);
    forged->version++;
    forged->cause = CAUSE_CHANGE;
}

/* S17: one that is built on less than was installed, one from elsewhere, and one that its maker
 * installed by itself while the others went on. */
Test(sim, the_oracle_sees_a_view_beside_the_chain)
{
    enum { AS_IT_SHOULD_BE, BUILT_ON_LESS, FROM_ELSEWHERE, BY_ITSELF, KINDS };

    for (int kind = 0; kind < KINDS; kind++) {
        struct sim *sim = sim_new(&(struct sim_options){
            .seed = 1, .host_count = 3, .exclusive = true, .disorder = true, .lenient = true});
        sim_start_in_order(sim, 300);
        cr_assert(sim_converges(sim, SETTLE_MS));

        const struct view *held = core_view(sim_core(sim, A));
        void *storage = calloc(1, view_bytes(held->capacity));
        struct view forged;
        forge(&forged, held, storage);
        forged.parent = kind == BUILT_ON_LESS ? held->parent : forged.parent;
        forged.lineage += kind == FROM_ELSEWHERE;
        forged.parent.lineage = forged.lineage;
        view_seal(&forged);
        if (kind == BY_ITSELF) {
            sim_leave(sim, A);
            cr_assert(sim_sees(sim, B, "B C", SETTLE_MS));
        }
        cr_assert_null(sim_failure(sim), "%s", sim_failure(sim));
        oracle_on_sent_view(sim, &sim->hosts[A], &forged);
        oracle_check_register(sim, &sim->hosts[A], &forged);
        if (kind == AS_IT_SHOULD_BE) {
            cr_assert_null(sim_failure(sim), "%s", sim_failure(sim));
        } else {
            check_failure(sim, "S17");
        }
        free(storage);
        sim_free(sim);
    }
}

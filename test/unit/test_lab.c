/* What the laboratory counts, against the formulas. */
#include <criterion/criterion.h>

#include "lab/theory.h"
#include "lab/trial.h"

enum {
    LIVE_MAX = 50,
    LIVE_MAX_BY_STARTER = 24, /* As their count grows with the square of it. */
};

static struct trial_result run(const struct trial *trial)
{
    struct trial_result result;

    cr_assert(trial_run(trial, &result));
    cr_assert(result.has_settled, "%s, %zu nodes, seed %llu", trial->algorithm->name, trial->nodes,
              (unsigned long long)trial->seed);
    return result;
}

static struct trial without_faults(const struct election_algorithm *algorithm, size_t live)
{
    return (struct trial){.algorithm = algorithm,
                          .nodes = live + 1,
                          .starters = 1,
                          .delay_ms_min = 1,
                          .delay_ms_max = 1,
                          .seed = live,
                          .has_first_starter = true};
}

/* Each starter, on a ring of ids in an order that is drawn. */
Test(lab, counts_of_one_starter_equal_the_formulas)
{
    size_t count;
    const struct election_algorithm *const *all = algorithms(&count);

    for (size_t i = 0; i < count; i++) {
        for (size_t live = 2; live <= LIVE_MAX_BY_STARTER; live++) {
            const struct theory_range range = theory_range(all[i], live, false);
            uint64_t sum = 0;
            for (size_t starter = 0; starter < live; starter++) {
                struct trial trial = without_faults(all[i], live);
                trial.first_starter = starter;
                const struct trial_result result = run(&trial);
                cr_assert_eq(result.messages, theory_one(all[i], &result.roster, starter),
                             "%s, %zu live, starter %zu: %llu", all[i]->name, live, starter,
                             (unsigned long long)result.messages);
                cr_assert((double)result.messages >= range.least);
                cr_assert((double)result.messages <= range.most);
                sum += result.messages;
            }
            cr_assert_float_eq((double)sum / (double)live, range.mean, 1e-6);
        }
    }
}

Test(lab, counts_of_all_starting_equal_the_formulas)
{
    size_t count;
    const struct election_algorithm *const *all = algorithms(&count);

    for (size_t i = 0; i < count; i++) {
        for (size_t live = 2; live <= LIVE_MAX; live++) {
            struct trial trial = without_faults(all[i], live);
            const struct theory_range range = theory_range(all[i], live, true);
            trial.starters = live;
            const struct trial_result result = run(&trial);
            cr_assert_eq(result.messages, theory_all(all[i], &result.roster), "%s, %zu live",
                         all[i]->name, live);
            cr_assert((double)result.messages >= range.least);
            cr_assert((double)result.messages <= range.most);
        }
    }
}

/* The ends of the range: ids in the order of the ring, and against it. */
Test(lab, the_ring_costs_least_and_most_when_the_ids_are_in_order)
{
    for (size_t live = 2; live <= LIVE_MAX; live++) {
        const struct theory_range range = theory_range(&algorithm_ring, live, true);
        struct trial trial = without_faults(&algorithm_ring, live);
        trial.starters = live;
        trial.ids_by_age = true;
        trial.newest_is_best = true;
        cr_assert_float_eq((double)run(&trial).messages, range.least, 1e-6);
        trial.newest_is_best = false;
        cr_assert_float_eq((double)run(&trial).messages, range.most, 1e-6);
    }
}

Test(lab, times_without_faults_are_hops)
{
    struct trial trial = without_faults(&algorithm_bully, 10);

    trial.ids_by_age = true;
    trial.newest_is_best = true;
    trial.first_starter = 9; /* the best: COORDINATOR is one hop */
    cr_assert_eq(run(&trial).all_ms, 1);
    trial.algorithm = &algorithm_ring;
    cr_assert_eq(run(&trial).all_ms, 2 * 10 - 1);
    trial.algorithm = &algorithm_token_ring;
    cr_assert_eq(run(&trial).all_ms, 2 * 10 - 1);
    trial.algorithm = &algorithm_oldest;
    cr_assert_eq(run(&trial).all_ms, 0);
    trial.algorithm = &algorithm_sequential;
    cr_assert_eq(run(&trial).all_ms, 1);
}

/* Some messages are lost, the leader crashes as soon as it leads, and the view comes at different
 * times: in the end all follow the best of those who are left. */
Test(lab, every_election_ends_under_faults)
{
    size_t count;
    const struct election_algorithm *const *all = algorithms(&count);

    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 0; seed < 150; seed++) {
            const struct trial trial = {.algorithm = all[i],
                                        .nodes = 3 + seed % 10,
                                        .starters = 1 + seed % 3,
                                        .ids_by_age = seed % 2 == 0,
                                        .newest_is_best = seed % 4 == 0,
                                        .delay_ms_min = 1,
                                        .delay_ms_max = 1 + seed % 20,
                                        .loss_permille = seed % 5 * 12,
                                        .crash = (enum trial_crash)(seed % 3),
                                        .heartbeat_ms = 100,
                                        .seed = seed};
            run(&trial);
        }
    }
}

Test(lab, equal_seeds_give_equal_runs)
{
    const struct trial trial = {.algorithm = &algorithm_bully,
                                .nodes = 20,
                                .starters = 5,
                                .delay_ms_min = 1,
                                .delay_ms_max = 9,
                                .loss_permille = 200,
                                .crash = TRIAL_CRASH_LEADER,
                                .heartbeat_ms = 100,
                                .seed = 7};
    const struct trial_result first = run(&trial);
    const struct trial_result second = run(&trial);

    cr_assert_eq(first.messages, second.messages);
    cr_assert_eq(first.all_ms, second.all_ms);
}

#include "lab/theory.h"

/* How many members are better than the one at `place`. */
static uint64_t rank_of(const struct roster *roster, size_t place)
{
    const uint64_t age = roster->members[place].age;
    uint64_t rank = 0;

    for (size_t i = 0; i < roster->count; i++) {
        rank += roster_better(roster, roster->members[i].age, age);
    }
    return rank;
}

/* How many hops it is on the ring from `place` to the next better member; round to itself for the
 * best. */
static uint64_t hops_to_better(const struct roster *roster, size_t place)
{
    uint64_t hops = 1;

    while (hops < roster->count &&
           !roster_better(roster, roster->members[(place + hops) % roster->count].age,
                          roster->members[place].age)) {
        hops++;
    }
    return hops;
}

static uint64_t hops_to_best(const struct roster *roster, size_t place)
{
    const size_t best = roster_find(roster, roster_best(roster));

    return (best + roster->count - place) % roster->count;
}

uint64_t theory_one(const struct election_algorithm *algorithm, const struct roster *roster,
                    size_t starter)
{
    const uint64_t m = roster->count;
    const uint64_t h = rank_of(roster, starter);

    if (algorithm == &algorithm_bully) {
        return h * (h + 1) + m - 1;
    }
    if (algorithm == &algorithm_ring) {
        return 2 * m + hops_to_best(roster, starter);
    }
    if (algorithm == &algorithm_token_ring) {
        return 2 * m;
    }
    if (algorithm == &algorithm_sequential) {
        return 1;
    }
    return algorithm == &algorithm_sequential_herd ? 3 * m : 0;
}

uint64_t theory_all(const struct election_algorithm *algorithm, const struct roster *roster)
{
    const uint64_t m = roster->count;
    uint64_t hops = 0;

    if (algorithm == &algorithm_bully) {
        return m * m - 1;
    }
    if (algorithm == &algorithm_ring) {
        for (size_t i = 0; i < roster->count; i++) {
            hops += hops_to_better(roster, i);
        }
        return hops + m;
    }
    return algorithm == &algorithm_token_ring ? 2 * m * m : theory_one(algorithm, roster, 0);
}

/* 1 + 1/2 + ... + 1/m */
static double harmonic(size_t m)
{
    double sum = 0;

    for (size_t i = 1; i <= m; i++) {
        sum += 1.0 / (double)i;
    }
    return sum;
}

static struct theory_range always(double messages)
{
    return (struct theory_range){messages, messages, messages};
}

struct theory_range theory_range(const struct election_algorithm *algorithm, size_t members,
                                 bool all_start)
{
    const double m = (double)members;

    if (algorithm == &algorithm_bully) {
        return all_start ? always(m * m - 1)
                         : (struct theory_range){m - 1, (m * m - 1) / 3 + m - 1, m * m - 1};
    }
    if (algorithm == &algorithm_ring) {
        return all_start ? (struct theory_range){3 * m - 1, m * harmonic(members) + m,
                                                 m * (m + 1) / 2 + m}
                         : (struct theory_range){2 * m, 2 * m + (m - 1) / 2, 3 * m - 1};
    }
    if (algorithm == &algorithm_token_ring) {
        return always(all_start ? 2 * m * m : 2 * m);
    }
    if (algorithm == &algorithm_sequential) {
        return always(1);
    }
    return always(algorithm == &algorithm_sequential_herd ? 3 * m : 0);
}

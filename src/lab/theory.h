/* What the literature says that an election costs, with m live members of which all know that the
 * leader has fallen: no loss, equal delays, first in first out. It shares nothing with the
 * machines, so that the two can be held against each other. */
#ifndef LAB_THEORY_H
#define LAB_THEORY_H

#include <stdbool.h>
#include <stdint.h>

#include "election/machine.h"

/* Messages of an election that the member at `starter` starts alone. For the elections that members
 * do not start (oldest, sequential) it does not matter who. */
uint64_t theory_one(const struct election_algorithm *algorithm, const struct roster *roster,
                    size_t starter);

/* The same when all start at once. */
uint64_t theory_all(const struct election_algorithm *algorithm, const struct roster *roster);

/* Over all orders of the ids on the ring, and over all starters. */
struct theory_range {
    double least;
    double mean;
    double most;
};

/* For `m` live members, at least 2; one starter or all of them. */
struct theory_range theory_range(const struct election_algorithm *algorithm, size_t m,
                                 bool all_start);

#endif

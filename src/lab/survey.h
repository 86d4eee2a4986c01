/* Many trials of one kind, and what they cost on average. */
#ifndef LAB_SURVEY_H
#define LAB_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/order.h"
#include "lab/theory.h"

/* One algorithm at one size. Means are over the runs that have settled. */
struct survey {
    const struct election_algorithm *algorithm;
    size_t nodes;
    uint64_t runs;
    uint64_t unsettled; /* runs that were not over within TRIAL_MS_MAX */
    uint64_t messages_least;
    uint64_t messages_most;
    double messages;
    double bytes;
    double first_ms;
    double all_ms;
    uint64_t all_ms_most;
    double without_ms;
    double double_ms;
    uint64_t double_runs;       /* in which two led at once */
    bool has_theory;            /* of that number of starters */
    struct theory_range theory; /* without faults */
};

/* Returns false when memory ran out. */
bool survey_run(const struct order *order, const struct election_algorithm *algorithm, size_t nodes,
                struct survey *survey);

/* Has it met what the formulas do not know: faults? */
bool survey_has_faults(const struct order *order);

#endif

/* What doyen-lab was told to do. */
#ifndef LAB_ORDER_H
#define LAB_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/trial.h"

#define LAB_PROGRAM "doyen-lab"

enum {
    ORDER_ALGORITHMS_MAX = 8,
    ORDER_SIZES_MAX = ROSTER_MAX,
};

struct order {
    const struct election_algorithm *algorithms[ORDER_ALGORITHMS_MAX];
    size_t algorithm_count;
    size_t sizes[ORDER_SIZES_MAX]; /* members, with the leader that falls */
    size_t size_count;
    bool all_start;
    struct trial trial; /* what all runs have in common */
    uint64_t runs;
    bool has_runs; /* said, and not by default; so is the next one */
    bool has_best;
    const char *faults;   /* as given; NULL: none */
    const char *svg_path; /* NULL: none */
    bool json;
    bool explain;
};

/* Parses the command line. Does not return when it is wrong, or asks for --help or --version. */
void order_parse(struct order *order, int argc, char **argv);

#endif

/* What the files of doyen_swarm share: what was asked for, and what each worker has done. */
#ifndef SIM_SWARM_H
#define SIM_SWARM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "marks.h"
#include "plan.h"

enum {
    JOBS_MAX = 256,
    HEAL_STEP_MS = 10, /* a place in the table of healing times */
    HEAL_PLACES = 20000,
};

struct swarm_options {
    struct plan_options plan;
    uint64_t from;
    uint64_t to;
    uint64_t limit_s; /* 0: until the last seed */
    uint32_t jobs;
    uint32_t hosts;   /* 0: as drawn */
    uint64_t end_ms;  /* 0: as drawn */
    const char *keep; /* strikes that are not left out; NULL: all */
    bool replay;
    bool trace;
    bool no_shrink;
    bool stop; /* at the first failure */
};

/* What one worker reports, in memory that it shares with its parent. */
struct worker {
    pid_t pid;
    uint64_t seed; /* under way */
    uint64_t runs;
    uint64_t traces; /* of all its runs, as one number that does not depend on their order; 0: they
                        are not taken */
    struct outcome outcome;
    uint64_t reached[MARKS_MAX];
    uint64_t reached_before[MARKS_MAX]; /* by workers that this one replaced */
    uint32_t healed[HEAL_PLACES];       /* runs, by the time in which they healed */
};

struct shared {
    _Atomic uint64_t next_seed;
    struct worker workers[JOBS_MAX];
};

/* --- swarm_options.c --- */

/* As --guard names it. */
const char *swarm_guard_name(enum guard_policy guard);

/* Prints how to call the program. Returns the exit status that goes with it. */
int swarm_usage(FILE *out);
int swarm_list_faults(void);

/* Over what `options` hold already. Says on stderr what it cannot use, and returns false. */
bool swarm_parse(struct swarm_options *options, int argc, char **argv);

/* Leaves out all strikes of the plan but those of `keep`, a list such as 3,5 or - for none. Returns
 * false if it is no such list. */
bool swarm_keep(struct plan *plan, const char *keep);

/* --- swarm_report.c --- */

/* The plan that failed, made as small as it will go, with the line that runs it again. */
void swarm_report(const struct swarm_options *options, uint64_t seed, const char *failure);

/* What all of them did, into `sum`. */
void swarm_add_up(const struct shared *shared, uint32_t jobs, struct worker *sum);
void swarm_print_sum(const struct worker *sum, uint64_t failed, double seconds, double cpu_s);

#endif

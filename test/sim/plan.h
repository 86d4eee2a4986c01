/* One run of the swarm: the cluster, and what happens to it when, all drawn from a seed. A plan can
 * be made smaller, by leaving out what the failure does not need. */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "faults.h"
#include "sim.h"

enum {
    HOSTS_MAX = 256,
    STRIKES_MAX = 512,
};

struct strike {
    uint64_t at_ms; /* from the start of the run */
    uint64_t seed;  /* of its own chance */
    uint32_t fault; /* in fault_table */
    bool off;       /* left out */
};

struct plan {
    uint64_t seed;
    uint32_t hosts;
    uint32_t seeds;
    uint32_t witnesses; /* that may be made voters */
    struct guard guard; /* strict: the first so many hosts are voters, the others are workers */
    uint32_t target;    /* strict: so many are to vote (Z17); 0: as many as do */
    uint32_t expect;    /* of every host (F3); 0: none */
    enum profile profile;
    uint8_t watchers;
    uint32_t fanout;  /* 0: FANOUT_DEFAULT */
    bool roles;       /* clients stand for roles (K) */
    bool terms;       /* operators change the terms (A) */
    bool liars;       /* somebody lies, also in an operator's name, so that terms may change, too */
    bool successors;  /* also of histories that take the place of this one (Z18c) */
    bool hastens;     /* terms become as short as there are */
    bool mixed;       /* hosts are started with other options than the others */
    bool spares_hash; /* the run's trace_hash is not taken */
    bool full;        /* a view of all hosts leaves no room */
    bool together;    /* all start in one instant */
    unsigned kinds;   /* of all faults in the plan, see enum fault_kind */
    uint64_t end_ms;  /* everything heals */
    uint32_t heal_parts; /* not 0: nothing but one long partition into so many */
    bool haunted;        /* a stranger goes on lying when everything has healed */
    uint32_t haunting;   /* in which way, an enum lie_kind */
    uint32_t series;     /* of forged frames, in the end */
    bool narrowed;       /* or nothing long passes to one host, and the coordinator dies */
    bool holed;          /* or between one host and some who start again, see faults_hole.c */
    enum breakage breakage;
    uint32_t broken;
    uint32_t strike_count;
    struct strike strikes[STRIKES_MAX];
};

/* What a swarm asks of its plans. */
struct plan_options {
    bool mixed;           /* each seed draws what is not set here, see plan_mix */
    uint64_t seconds;     /* of faults, virtual */
    uint32_t nodes_least; /* hosts at the least; 0: three, if there may be so many */
    uint32_t nodes;       /* hosts at the most; 0: not set */
    enum profile profile; /* 0: not set */
    uint8_t watchers;
    bool watchers_set;
    uint32_t fanout;         /* 0: not set */
    enum guard_policy guard; /* 0: as drawn */
    uint32_t heal_parts;
    bool liar;        /* somebody lies, too */
    bool roles;       /* clients stand for roles */
    bool terms;       /* operators change the terms */
    const char *only; /* the one fault to draw; NULL: any */
};

/* The options of that seed: those that are asked for, and what it draws where they are mixed. From
 * them as they are plan_draw makes the same plan. */
struct plan_options plan_mix(const struct plan_options *asked, uint64_t seed);

void plan_draw(struct plan *plan, const struct plan_options *options, uint64_t seed);

enum { GUARD_POLICIES = GUARD_STRICT + 1 };

/* Runs under guard strict in which S9 is not promised of all nodes have a place of their own. */
enum { TWO_ACTED_EXCUSED = GUARD_POLICIES, TWO_ACTED_PLACES };

/* How long two nodes could act at once in runs of one guard. */
struct two_acted_sum {
    uint64_t virtual_ms; /* of these runs */
    uint64_t ms;
    uint64_t longest_ms;
};

/* What came of it. */
struct outcome {
    uint64_t steps;
    uint64_t virtual_ms;
    uint64_t heal_ms;
    uint64_t trace_hash; /* 0 where the plan spares it */
    uint64_t struck[FAULTS_MAX];
    uint64_t merges;
    uint64_t forged; /* frames, each told to a cluster at rest */
    uint32_t downs;  /* hosts that were down while frames were forged */
    struct two_acted_sum two_acted[TWO_ACTED_PLACES]; /* by guard_policy */
    char failure[1024];                               /* empty: all was well */
};

/* Runs it; adds to the counts in `outcome` and sets the rest. `trace` may be NULL. */
void plan_run(const struct plan *plan, struct outcome *outcome, FILE *trace);

/* The kind of a failure: the rule that was broken, such as "S5", into `text` of 8 bytes. */
void outcome_rule(const char *failure, char text[8]);

#endif

/* Finds the address of this host by which the way to a seed goes, for a daemon that starts, and
 * waits for no name meanwhile: a process of its own looks up each, and is asked again at each look.
 */
#ifndef DAEMON_SEED_WAYS_H
#define DAEMON_SEED_WAYS_H

#include "runtime/options/config_host.h"

/* A name that is being looked up. */
struct seed_question {
    char host[CONFIG_HOST_MAX + 1]; /* "": none */
    pid_t pid;
    int answer; /* where the process writes the addresses */
};

struct seed_ways {
    struct seed_question questions[CONFIG_SEEDS_MAX];
    uint64_t until_ms; /* the first names are waited for until then; 0: none was yet */
};

/* Zeroed and lent to `host`, whose `address_toward` it becomes, until seed_ways_end. The process
 * has no threads yet. */
void seed_ways_begin(struct seed_ways *ways, struct config_host *host);

/* Ends what is still looking up. */
void seed_ways_end(struct seed_ways *ways);

#endif

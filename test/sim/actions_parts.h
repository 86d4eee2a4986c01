/* What the files of what a story does share; all others use sim.h alone. */
#ifndef SIM_ACTIONS_PARTS_H
#define SIM_ACTIONS_PARTS_H

#include <assert.h>
#include <string.h>

#include "cluster.h"

static inline struct host *host_of(struct sim *sim, uint32_t index)
{
    assert(index < sim->host_count);
    return &sim->hosts[index];
}

/* Z3b: one process votes under a name, and under another's it is not this one. */
static inline bool is_own_record(const struct host *host)
{
    const struct record_write *kept = host->record.kept;
    const char *voter = kept == NULL ? host->right_name : kept->voter;

    return strcmp(host->name, voter) == 0 && !host->record.damaged;
}

/* Is what the disk keeps whole, and its voter's who has the right name? */
static inline bool is_found_again(const struct host *host)
{
    const struct record_write *kept = host->record.kept;

    return kept != NULL && strcmp(kept->voter, host->right_name) == 0 && !host->record.spoilt;
}

/* The host's next process is started with the terms that its operator has written down. */
void actions_tell_right_terms(struct sim *sim, uint32_t index);

/* Has the host's last process forgotten changed terms, or will the next one, as A5a has it: by what
 * its disk and its configuration say? */
bool actions_forgets(const struct host *host);

#endif

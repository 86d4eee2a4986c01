/* The record of a stopped voter whose operator gives up the others (Z18): held, read and judged,
 * and then replaced by that of another history. */
#ifndef RUNTIME_VOTER_RECOVERY_H
#define RUNTIME_VOTER_RECOVERY_H

#include "proto/voter_file.h"
#include "runtime/disk/voter_store.h"
#include "runtime/options/value.h"

struct voter_recovery {
    const struct config *config;
    int lock; /* keeps a daemon out; -1: none */
    int dir;
    struct stored state;
    struct voter_bytes former; /* the file as it was found, */
    struct voter_file file;    /* and what is in it */
    struct view view;          /* that it has accepted */
    struct view founders;      /* of the record to be written */
    void *storage;
    void *founders_storage;
};

/* Locks the state directory and reads the record. Returns false with the complaint set where it is
 * none to begin with: missing, damaged, another's, retired, or that of one who votes alone; or
 * where a daemon runs. To be closed in any case. */
bool voter_recovery_open(struct voter_recovery *recovery, const struct config *config,
                         struct complaint *complaint);

/* The names of all who vote by the accepted view but this one, ", " between them. */
enum { VOTER_NAMES_MAX = VOTERS_LISTED_MAX * (NAME_BYTES_MAX + 2) + 1 };
const char *voter_recovery_others(const struct voter_recovery *recovery, char out[VOTER_NAMES_MAX]);

/* Puts the record aside, and another one in its place. `epoch` and `lineage` are those that it has;
 * `now_s` is of the wall clock. Returns false with the complaint set. */
bool voter_recovery_write(struct voter_recovery *recovery, uint64_t now_s, uint64_t *lineage,
                          uint64_t *epoch, struct complaint *complaint);

void voter_recovery_close(struct voter_recovery *recovery);

#endif

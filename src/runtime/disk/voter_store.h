/* The record of a voter (Z1c), one file in the state directory that is replaced as a whole. A disk
 * may take long, so libuv's threads write; of the records that come meanwhile only the latest is
 * written, and answers for those before it. */
#ifndef RUNTIME_VOTER_STORE_H
#define RUNTIME_VOTER_STORE_H

#include <uv.h>

#include "core/core.h"
#include "runtime/host/own_file.h"
#include "runtime/options/config.h"
#include "runtime/options/value.h"
#include "runtime/process/log.h"

struct voter_store;

/* Whose record it is, and where: all of it is borrowed for the store's life. */
struct voter_place {
    const char *dir;  /* which is locked, and stays so (store.h) */
    const char *file; /* the name of the record's file in it */
    const char *cluster;
    const char *name; /* of the voter */
    bool is_witness;  /* which has no name of its own: people give it one in each cluster */
    bool is_expected; /* to found with: the log tells what it means that there is no record yet */
    uint32_t capacity;
};
#define VOTER_RECORD_FILE "voter"

/* The record with that number, and all before it, are on disk; or could not be written. Called from
 * the loop, never from inside voter_store_write. */
typedef void voter_store_on_synced(void *context, uint64_t number, bool ok);

/* Would voter_store_open find a record to vote by there now, or none, as before a cluster is
 * founded? Changes nothing. Returns false with the complaint set, in the words of a start. */
bool voter_store_check(const struct voter_place *place, struct complaint *complaint);

/* Is this a start that the record in the state directory, if there is one, may be beside? Not under
 * another guard, which acts without the voters whom this one has bound itself to (Z3d); nor where
 * it is of a voter, in another format. Returns false with the complaint set, exit status too. */
bool voter_store_allows(const struct config *config, struct complaint *complaint);

/* The place of the record of a node with this configuration. */
struct voter_place voter_place_of(const struct config *config);

/* Reads what an earlier process of this voter left there. Returns NULL, after one line on the log
 * that names the remedy, when the directory cannot be used. `loop` and `log` are borrowed for the
 * store's life, too. */
struct voter_store *voter_store_open(uv_loop_t *loop, const struct voter_place *place,
                                     struct log *log, voter_store_on_synced *on_synced,
                                     void *context);

/* What was found: a record, borrowed from the store; or NULL. A record that is damaged, or not this
 * voter's, is none (Z3b): the log has said so, and nothing must be written in its place. */
const struct vote_record *voter_store_found(const struct voter_store *store);
bool voter_store_is_damaged(const struct voter_store *store);

/* Whose it is, where it is sound and another's; else NULL. */
const char *voter_store_foreign(const struct voter_store *store, const char **cluster);

/* It is not asked for again: its memory is given back. */
void voter_store_forget(struct voter_store *store);

/* The file as it is; `bytes`, to be freed, are NULL if there is none. */
struct voter_bytes {
    uint8_t *bytes;
    size_t length;
    int64_t written_s; /* by the wall clock, when it was written last */
};

/* Reads it in the open directory `dir`. Returns false with `why` filled in. */
bool voter_store_read(int dir, const char *file, struct voter_bytes *found,
                      char why[OWN_FILE_WHY_MAX]);

/* Puts `next` in the place of a node's record, on the disk, after what it was, `former`, is there
 * as "voter.old", which `kept` says. There is one of the two whenever the host loses its power.
 * Returns 0 or an errno. */
int voter_store_replace(int dir, const struct voter_bytes *former, const struct voter_bytes *next,
                        bool *kept);

/* Begins to write the record, which is copied. Numbers rise. */
void voter_store_write(struct voter_store *store, uint64_t number,
                       const struct vote_record *record);

/* How long the disk took, in microseconds, for the last write and for the slowest one; 0 before the
 * first. */
struct voter_store_times {
    uint64_t last_us;
    uint64_t slowest_us;
};
struct voter_store_times voter_store_times(const struct voter_store *store);

/* Waits for a write that is under way, but begins none and tells nobody; then frees the store, and
 * calls `on_closed` from the loop, never before this returns. */
void voter_store_close(struct voter_store *store, void (*on_closed)(void *context), void *context);

#endif

#include "runtime/disk/voter_recovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/model/recovery.h"
#include "runtime/disk/store.h"
#include "runtime/host/chance.h"

/* --- Reading --------------------------------------------------------------------------------- */

static bool has_memory(struct voter_recovery *recovery, struct complaint *complaint)
{
    recovery->storage = calloc(1, view_bytes(MEMBER_MAX));
    recovery->founders_storage = calloc(1, view_bytes(1));
    if (recovery->storage == NULL || recovery->founders_storage == NULL) {
        return complaint_set(complaint, "not enough memory");
    }
    view_init(&recovery->view, MEMBER_MAX, recovery->storage);
    view_init(&recovery->founders, 1, recovery->founders_storage);
    return true;
}

static bool no_record(const char *dir, struct complaint *complaint)
{
    return complaint_set(complaint,
                         "there is no voter's record in %.300s: recover on a voter that has its "
                         "own",
                         dir);
}

static bool hold_directory(struct voter_recovery *recovery, struct complaint *complaint)
{
    const char *dir = recovery->config->state_dir;
    char why[OWN_FILE_WHY_MAX];

    if (dir[0] == '\0') {
        return complaint_set(complaint, "--recover-voters needs the --state-dir of a voter");
    }
    recovery->dir = own_directory_open(dir, why);
    if (recovery->dir < 0 && errno == ENOENT) {
        return no_record(dir, complaint); /* The lock would make the directory. */
    }
    recovery->lock = store_lock(dir, complaint);
    if (recovery->lock < 0 || !store_peek(dir, &recovery->state, complaint)) {
        return false;
    }
    return recovery->dir >= 0 || complaint_set(complaint, "cannot open %.300s: %s", dir, why);
}

static bool read_record(struct voter_recovery *recovery, struct complaint *complaint)
{
    const char *dir = recovery->config->state_dir;
    struct voter_bytes *former = &recovery->former;
    char why[OWN_FILE_WHY_MAX];

    if (!voter_store_read(recovery->dir, VOTER_RECORD_FILE, former, why)) {
        return complaint_set(complaint,
                             "cannot read %.300s/" VOTER_RECORD_FILE
                             ": %s: mend that, or recover on another voter",
                             dir, why);
    }
    if (former->bytes == NULL) {
        return no_record(dir, complaint);
    }
    return voter_file_read(former->bytes, former->length, &recovery->view, &recovery->file) ==
               VOTER_FILE_OK ||
           complaint_set(complaint,
                         "%.300s/" VOTER_RECORD_FILE
                         " is damaged, or no record of a voter: recover "
                         "on one whose record is sound",
                         dir);
}

/* Is it the record of this very voter? */
static bool is_own(const struct voter_recovery *recovery, struct complaint *complaint)
{
    const struct config *config = recovery->config;
    const struct voter_file *file = &recovery->file;

    if (config->guard.policy != GUARD_STRICT) {
        return complaint_set(complaint,
                             "--recover-voters is for voters of --guard strict: run it with the "
                             "configuration of this one");
    }
    return (text_equal(file->cluster, config->cluster) && text_equal(file->name, config->name)) ||
           complaint_set(complaint,
                         "%.300s/" VOTER_RECORD_FILE " is the record of %s, cluster %s, and not of "
                         "%s, cluster %s: name the right --state-dir, --name and --cluster",
                         config->state_dir, file->name, file->cluster, config->name,
                         config->cluster);
}

/* May another one begin with it? Others know more than one that is retired, as far as it knows. */
static bool is_fit(const struct voter_recovery *recovery, struct complaint *complaint)
{
    const struct vote_record *record = &recovery->file.record;
    char others[VOTER_NAMES_MAX];

    voter_recovery_others(recovery, others);
    if (recovery_may_begin(record)) {
        return others[0] != '\0' ||
               complaint_set(complaint, "%s votes alone: there are no others to give up",
                             recovery->file.name);
    }
    if (record->state == VOTE_RECORD_RETIRED) {
        return complaint_set(complaint,
                             "%s votes no more: its record is retired; recover on one of those who "
                             "voted when it was: %.300s",
                             recovery->file.name, others);
    }
    return complaint_set(complaint,
                         "the record in %.300s has not seen a cluster that was founded: remove it, "
                         "and found one",
                         recovery->config->state_dir);
}

bool voter_recovery_open(struct voter_recovery *recovery, const struct config *config,
                         struct complaint *complaint)
{
    *recovery = (struct voter_recovery){.config = config, .lock = -1, .dir = -1};
    return has_memory(recovery, complaint) && hold_directory(recovery, complaint) &&
           read_record(recovery, complaint) && is_own(recovery, complaint) &&
           is_fit(recovery, complaint);
}

const char *voter_recovery_others(const struct voter_recovery *recovery, char out[VOTER_NAMES_MAX])
{
    const struct voter_lists *lists = &recovery->view.voters;
    size_t used = 0;

    out[0] = '\0';
    for (uint8_t i = 0; recovery->file.record.accepted != NULL && i < lists->count; i++) {
        if (!text_equal(lists->voters[i].name, recovery->file.name)) { /* Or the record it lost. */
            used += (size_t)snprintf(out + used, VOTER_NAMES_MAX - used, "%s%s",
                                     used == 0 ? "" : ", ", lists->voters[i].name);
        }
    }
    return out;
}

/* --- Writing --------------------------------------------------------------------------------- */

static bool make_record(struct voter_recovery *recovery, uint64_t now_s, struct voter_file *next,
                        struct complaint *complaint)
{
    const struct config *config = recovery->config;
    struct recovery made_of = {.name = config->name,
                               .address = config->advertise,
                               .epoch_seen = recovery->state.epoch_seen,
                               .timing = &config->timing,
                               .now_s = now_s};

    if (!chance_draw(&made_of.id, sizeof made_of.id) ||
        !chance_draw(&made_of.drawn, sizeof made_of.drawn)) {
        (void)complaint_set(complaint, "the system gives no random bytes");
        return false;
    }
    *next = recovery->file;
    return recovery_make(&recovery->file.record, &made_of, &recovery->founders, &next->record) ||
           complaint_set(complaint, "no epochs are left above those of this record: "
                                    "found the cluster anew");
}

static bool replace(const struct voter_recovery *recovery, const struct voter_file *next,
                    struct complaint *complaint)
{
    struct voter_bytes bytes = {.bytes = malloc(voter_file_bytes_max(1))};

    if (bytes.bytes == NULL) {
        return complaint_set(complaint, "not enough memory");
    }
    bytes.length = voter_file_write(bytes.bytes, next);
    const char *dir = recovery->config->state_dir;
    bool kept = false;
    const int error = voter_store_replace(recovery->dir, &recovery->former, &bytes, &kept);
    free(bytes.bytes);
    if (error != 0 && !kept) {
        return complaint_set(complaint,
                             "nothing is changed: cannot write %.300s/" VOTER_RECORD_FILE
                             ".old: %s: mend that, and run this once more",
                             dir, strerror(error));
    }
    return error == 0 ||
           complaint_set(
               complaint,
               "cannot write %.300s/" VOTER_RECORD_FILE
               ": %s: mend that, and run this once more; the former record is " VOTER_RECORD_FILE
               ".old, and may still be in place",
               dir, strerror(error));
}

bool voter_recovery_write(struct voter_recovery *recovery, uint64_t now_s, uint64_t *lineage,
                          uint64_t *epoch, struct complaint *complaint)
{
    struct voter_file next;

    if (!make_record(recovery, now_s, &next, complaint) || !replace(recovery, &next, complaint)) {
        return false;
    }
    *lineage = next.record.lineage;
    *epoch = next.record.promise.epoch;
    return true;
}

void voter_recovery_close(struct voter_recovery *recovery)
{
    free(recovery->former.bytes);
    free(recovery->storage);
    free(recovery->founders_storage);
    if (recovery->dir >= 0) {
        (void)close(recovery->dir);
    }
    if (recovery->lock >= 0) {
        (void)close(recovery->lock);
    }
}

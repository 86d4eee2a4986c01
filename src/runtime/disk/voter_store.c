#include "runtime/disk/voter_store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "proto/voter_file.h"
#include "runtime/host/own_file.h"
#include "runtime/host/replace_file.h"
#include "usage/remedy.h"
#include "words/terms_text.h"

enum { NS_PER_US = 1000, FILE_NAME_MAX = NAME_BYTES_MAX + sizeof ".voter.new" };

/* A record as it is to stand in the file; there is one only while it is to be written. */
struct image {
    uint8_t *bytes; /* NULL: there is none, or no memory for it */
    size_t length;
    uint64_t number;
};

struct voter_store {
    uv_loop_t *loop;
    struct voter_place place;
    char new_file[FILE_NAME_MAX];
    char old_file[FILE_NAME_MAX];
    struct log *log;
    voter_store_on_synced *on_synced;
    void *context;
    int dir;

    struct voter_file file; /* as it was found; then with what each new one has in common */
    struct view view;       /* of the record that was found */
    void *view_storage;
    bool found;
    bool damaged; /* or another's */
    bool foreign; /* which is sound, and says whose it is */

    struct image latest;
    struct image writing; /* a thread uses it while the store is busy, and what follows */
    int error;
    uint64_t took_us;
    bool dirty; /* `latest` has not been begun */
    bool busy;
    bool failed; /* the last write: it is said once, and when one succeeds again */
    struct voter_store_times times;

    uv_work_t work;
    bool closing;
    void (*on_closed)(void *context);
    void *closed_context;
};

/* --- Opening --------------------------------------------------------------------------------- */

static void voter_store_free(struct voter_store *store)
{
    if (store->dir >= 0) {
        close(store->dir);
    }
    free(store->view_storage);
    free(store->latest.bytes);
    free(store->writing.bytes);
    free(store);
}

static bool cannot_read(const char *dir, const char *file, const char *why,
                        struct complaint *complaint)
{
    return complaint_set(complaint,
                         "cannot read %.300s/%s: %s: mend that, or choose another --state-dir", dir,
                         file, why);
}

static bool refuse_guard(const char *dir, struct complaint *complaint)
{
    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint,
                         "%.300s/" VOTER_RECORD_FILE
                         " is the record of a voter, by whose word others may "
                         "act: start with --guard strict, or, to leave that for good, stop all "
                         "nodes and remove this file at each voter",
                         dir);
}

static bool refuse_format(const char *dir, unsigned version, struct complaint *complaint)
{
    complaint->exit_code = EXIT_CONFIGURATION;
    if (version > VOTER_FILE_VERSION) {
        return complaint_set(complaint,
                             "%.300s/" VOTER_RECORD_FILE
                             " is a voter's record of format %u, of a later doyend; this doyend "
                             "has format %d: start the later one, and keep the file",
                             dir, version, VOTER_FILE_VERSION);
    }
    return complaint_set(complaint,
                         "%.300s/" VOTER_RECORD_FILE
                         " is a voter's record of format %u, which does not say "
                         "all that it is bound to; this doyend has format %d: stop all nodes, "
                         "remove this file at each voter, and start them to found the cluster anew",
                         dir, version, VOTER_FILE_VERSION);
}

/* The format of the record in the open file; 0 where it is no record at all. */
static unsigned format_of(int fd)
{
    uint8_t bytes[VOTER_FILE_FORMAT_BYTES];
    const ssize_t got = read(fd, bytes, sizeof bytes);

    return got < 0 ? 0 : voter_file_format(bytes, (size_t)got);
}

bool voter_store_allows(const struct config *config, struct complaint *complaint)
{
    char path[CONFIG_DIR_MAX + sizeof "/" VOTER_RECORD_FILE];
    char why[OWN_FILE_WHY_MAX];
    struct stat status;

    if (config->state_dir[0] == '\0') {
        return true;
    }
    snprintf(path, sizeof path, "%s/" VOTER_RECORD_FILE, config->state_dir);
    if (config->guard.policy != GUARD_STRICT) {
        return lstat(path, &status) != 0 || refuse_guard(config->state_dir, complaint);
    }
    const int fd = own_file_open(AT_FDCWD, path, O_RDONLY, why);
    if (fd < 0) {
        return true; /* What is wrong with the file voter_store_open says. */
    }
    const unsigned format = format_of(fd);
    (void)close(fd);
    return format == 0 || format == VOTER_FILE_VERSION ||
           refuse_format(config->state_dir, format, complaint);
}

static bool refuse_file(const struct voter_store *store, const char *why)
{
    struct complaint complaint;

    (void)cannot_read(store->place.dir, store->place.file, why, &complaint);
    log_line(store->log, LOG_ERROR, "voter", "%s", complaint.text);
    return false;
}

static bool why_of(int error, char why[OWN_FILE_WHY_MAX])
{
    snprintf(why, OWN_FILE_WHY_MAX, "%s", strerror(error));
    return false;
}

bool voter_store_read(int dir, const char *file, struct voter_bytes *found,
                      char why[OWN_FILE_WHY_MAX])
{
    const int fd = own_file_open(dir, file, O_RDONLY, why);
    struct stat status;

    *found = (struct voter_bytes){.bytes = NULL};
    if (fd < 0) {
        return errno == ENOENT;
    }
    /* A process that was killed may have put it there without the directory being on disk yet: who
     * votes by it must find it again after a loss of power, too (Z2f). */
    if (fstat(fd, &status) != 0 || fsync(fd) != 0 || fsync(dir) != 0) {
        const int error = errno;
        close(fd);
        return why_of(error, why);
    }
    const size_t size_max = voter_file_bytes_max(MEMBER_MAX) + 1; /* A longer one is damaged. */
    const size_t size = (uint64_t)status.st_size < size_max ? (size_t)status.st_size : size_max;
    found->written_s = status.st_mtim.tv_sec;
    found->bytes = malloc(size + 1); /* Never NULL for an empty file. */
    ssize_t got = 1;
    while (found->bytes != NULL && found->length < size && got != 0) {
        got = read(fd, found->bytes + found->length, size - found->length);
        if (got < 0 && errno != EINTR) {
            const int error = errno;
            close(fd);
            free(found->bytes);
            found->bytes = NULL;
            return why_of(error, why);
        }
        found->length += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return found->bytes != NULL || why_of(ENOMEM, why);
}

/* Reads all of the file. */
static bool read_bytes(const struct voter_store *store, struct voter_bytes *found)
{
    char why[OWN_FILE_WHY_MAX];

    return voter_store_read(store->dir, store->place.file, found, why) || refuse_file(store, why);
}

/* --- Judging a record ------------------------------------------------------------------------ */

enum fitness {
    FIT_TO_VOTE,
    FIT_TO_START,    /* It starts, and does not vote. */
    FIT_FOR_ANOTHER, /* The same; it is sound, and somebody else's. */
    FIT_FOR_NOTHING  /* It does not start. */
};

static const char *kind(const struct voter_place *place)
{
    return place->is_witness ? "witness" : "node";
}

static enum fitness damaged(const struct voter_place *place, enum voter_file_error error,
                            struct complaint *complaint)
{
    (void)complaint_set(
        complaint,
        "%.300s/%s is %s: this %s does not vote; `doyen voters replace %s` gives it another "
        "record; for a cluster that is founded anew move the file away",
        place->dir, place->file, error == VOTER_FILE_OTHER ? "no record of a voter" : "damaged",
        kind(place), place->is_witness ? "NAME" : place->name);
    return FIT_TO_START;
}

static enum fitness foreign(const struct voter_place *place, const struct voter_file *file,
                            struct complaint *complaint)
{
    (void)complaint_set(complaint,
                        "%.300s/%s is the record of %s, cluster %s: this %s does not vote; start "
                        "it under that name, or choose another --state-dir",
                        place->dir, place->file, file->name, file->cluster, kind(place));
    return FIT_FOR_ANOTHER;
}

/* Whose record it is says the record, not the options (Z13a). The complaint is set unless it votes.
 */
static enum fitness judge(const struct voter_place *place, const struct voter_bytes *found,
                          struct view *view, struct voter_file *file, struct complaint *complaint)
{
    const enum voter_file_error error = voter_file_read(found->bytes, found->length, view, file);

    if (error != VOTER_FILE_OK) {
        return damaged(place, error, complaint);
    }
    if (!text_equal(file->cluster, place->cluster) || !text_equal(file->name, place->name)) {
        return foreign(place, file, complaint);
    }
    if (file->record.accepted != NULL && view->member_count > place->capacity) {
        (void)complaint_set(complaint,
                            "%.300s/%s has a view of %u members, more than --capacity %u: raise it",
                            place->dir, place->file, view->member_count, place->capacity);
        return FIT_FOR_NOTHING;
    }
    return FIT_TO_VOTE;
}

static bool judge_alone(const struct voter_place *place, const struct voter_bytes *found,
                        struct complaint *complaint)
{
    void *storage = calloc(1, view_bytes(MEMBER_MAX));
    struct voter_file file;
    struct view view;

    if (storage == NULL) {
        return cannot_read(place->dir, place->file, strerror(ENOMEM), complaint);
    }
    view_init(&view, MEMBER_MAX, storage);
    const enum fitness fitness = judge(place, found, &view, &file, complaint);
    free(storage);
    return fitness == FIT_TO_VOTE;
}

bool voter_store_check(const struct voter_place *place, struct complaint *complaint)
{
    struct voter_bytes found;
    char why[OWN_FILE_WHY_MAX];

    const int dir = open(place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) {
        return errno == ENOENT || cannot_read(place->dir, place->file, strerror(errno), complaint);
    }
    const bool is_read = voter_store_read(dir, place->file, &found, why);
    (void)close(dir);
    if (!is_read) {
        return cannot_read(place->dir, place->file, why, complaint);
    }
    const bool sound = found.bytes == NULL || judge_alone(place, &found, complaint);
    free(found.bytes);
    return sound;
}

static void say_missing(const struct voter_store *store)
{
    if (store->place.is_expected) {
        log_line(store->log, LOG_WARN, "voter",
                 "no record in %s: this node votes when its cluster is founded; after that only "
                 "with the record that it had, or when `doyen voters replace %s` gives it another",
                 store->place.dir, store->place.name);
    }
}

/* A voter whose record was lost has such a one in its place (Z8i). */
static void say_retired(const struct voter_store *store)
{
    const struct vote_record *record = &store->file.record;

    if (record->state == VOTE_RECORD_RETIRED && record->accepted != NULL &&
        voter_lists_find_name(&store->view.voters, store->place.name) != VOTER_NONE) {
        log_line(store->log, LOG_WARN, "voter",
                 "the record in %s is retired: this node votes only with the one that it had "
                 "before, or when `doyen voters replace %s` gives it another",
                 store->place.dir, store->place.name);
    }
}

/* The view is read whatever the capacity is now, so that a file from before is not taken for a
 * damaged one. */
static bool read_record(struct voter_store *store)
{
    struct voter_bytes found;
    struct complaint complaint;

    if (!read_bytes(store, &found)) {
        return false;
    }
    if (found.bytes == NULL) {
        say_missing(store);
        return true;
    }
    store->view_storage = calloc(1, view_bytes(MEMBER_MAX));
    enum fitness fitness = FIT_FOR_NOTHING;
    if (store->view_storage != NULL) {
        view_init(&store->view, MEMBER_MAX, store->view_storage);
        fitness = judge(&store->place, &found, &store->view, &store->file, &complaint);
    } else {
        (void)cannot_read(store->place.dir, store->place.file, strerror(ENOMEM), &complaint);
    }
    if (fitness != FIT_TO_VOTE) {
        log_line(store->log, LOG_ERROR, "voter", "%s", complaint.text);
    }
    store->found = fitness == FIT_TO_VOTE;
    if (store->found) {
        say_retired(store);
    }
    store->foreign = fitness == FIT_FOR_ANOTHER;
    store->damaged = fitness == FIT_TO_START || store->foreign;
    free(found.bytes);
    return fitness != FIT_FOR_NOTHING;
}

static bool open_dir(struct voter_store *store)
{
    store->dir = open(store->place.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->dir < 0) {
        log_line(store->log, LOG_ERROR, "voter",
                 "cannot open the state directory %s: %s: choose another --state-dir",
                 store->place.dir, strerror(errno));
    }
    return store->dir >= 0;
}

struct voter_place voter_place_of(const struct config *config)
{
    return (struct voter_place){
        .dir = config->state_dir,
        .file = VOTER_RECORD_FILE,
        .cluster = config->cluster,
        .name = config->name,
        .capacity = config->capacity,
        .is_expected = voters_find(&config->voters, config->name) != VOTER_NONE,
    };
}

struct voter_store *voter_store_open(uv_loop_t *loop, const struct voter_place *place,
                                     struct log *log, voter_store_on_synced *on_synced,
                                     void *context)
{
    struct voter_store *store = calloc(1, sizeof *store);

    if (store == NULL) {
        log_line(log, LOG_ERROR, "voter", "not enough memory to start");
        return NULL;
    }
    store->loop = loop;
    store->place = *place;
    snprintf(store->new_file, sizeof store->new_file, "%s.new", place->file);
    snprintf(store->old_file, sizeof store->old_file, "%s.old", place->file);
    store->log = log;
    store->on_synced = on_synced;
    store->context = context;
    store->dir = -1;
    if (!open_dir(store) || !read_record(store)) {
        voter_store_free(store);
        return NULL;
    }
    return store;
}

const struct vote_record *voter_store_found(const struct voter_store *store)
{
    return store->found ? &store->file.record : NULL;
}

bool voter_store_is_damaged(const struct voter_store *store)
{
    return store->damaged;
}

const char *voter_store_foreign(const struct voter_store *store, const char **cluster)
{
    *cluster = store->file.cluster;
    return store->damaged && store->foreign ? store->file.name : NULL;
}

void voter_store_forget(struct voter_store *store)
{
    store->found = false;
    free(store->view_storage);
    store->view_storage = NULL;
}

/* --- Writing --------------------------------------------------------------------------------- */

static void start_work(struct voter_store *store);

static void on_work(uv_work_t *work)
{
    struct voter_store *store = work->data;
    const uint64_t began_ns = uv_hrtime();

    store->error = store->writing.bytes == NULL
                       ? ENOMEM
                       : replace_file(store->dir, store->place.file, store->new_file,
                                      store->writing.bytes, store->writing.length);
    store->took_us = (uv_hrtime() - began_ns) / NS_PER_US;
}

static void note_times(struct voter_store *store)
{
    store->times.last_us = store->took_us;
    if (store->took_us > store->times.slowest_us) {
        store->times.slowest_us = store->took_us;
    }
}

static void end_closing(struct voter_store *store)
{
    void (*on_closed)(void *) = store->on_closed;
    void *context = store->closed_context;

    voter_store_free(store);
    if (on_closed != NULL) {
        on_closed(context);
    }
}

static void on_work_done(uv_work_t *work, int status)
{
    struct voter_store *store = work->data;
    const uint64_t number = store->writing.number;

    assert(status == 0); /* Nobody cancels it. */
    (void)status;
    store->busy = false;
    free(store->writing.bytes);
    store->writing.bytes = NULL;
    if (store->closing) {
        end_closing(store);
        return;
    }
    note_times(store);
    if (store->error != 0 && !store->failed) {
        log_line(store->log, LOG_ERROR, "voter",
                 "cannot write %s/%s: %s: this %s does not vote until it can; %s", store->place.dir,
                 store->place.file, strerror(store->error), kind(&store->place),
                 remedy_of_write(store->error));
    } else if (store->error == 0 && store->failed) {
        log_line(store->log, LOG_INFO, "voter", "%s/%s is written again: this %s votes",
                 store->place.dir, store->place.file, kind(&store->place));
    }
    store->failed = store->error != 0;
    if (store->dirty) {
        start_work(store);
    }
    store->on_synced(store->context, number, store->error == 0);
}

static void start_work(struct voter_store *store)
{
    store->writing = store->latest;
    store->latest = (struct image){.bytes = NULL};
    store->dirty = false;
    store->busy = true;
    store->work.data = store;

    /* Lookups of names cannot hold this up: libuv leaves half of its threads to work like this. */
    const int error = uv_queue_work(store->loop, &store->work, on_work, on_work_done);
    assert(error == 0); /* It refuses only work without a function. */
    (void)error;
}

/* Z11e: this node is to vote by another record. What it has is of no use here, but nothing is lost.
 */
static void put_aside(struct voter_store *store)
{
    store->damaged = false;
    if (renameat(store->dir, store->place.file, store->dir, store->old_file) == 0) {
        log_line(store->log, LOG_WARN, "voter", "%s/%s is now %s: this %s votes by another record",
                 store->place.dir, store->place.file, store->old_file, kind(&store->place));
    }
}

void voter_store_write(struct voter_store *store, uint64_t number, const struct vote_record *record)
{
    const uint32_t members = record->accepted == NULL ? 0 : record->accepted->member_count;
    struct voter_file file = {.record = *record};

    assert(!store->closing);
    if (store->damaged) {
        put_aside(store);
    }
    (void)text_set(file.cluster, sizeof file.cluster, store->place.cluster,
                   strlen(store->place.cluster));
    (void)text_set(file.name, sizeof file.name, store->place.name, strlen(store->place.name));
    free(store->latest.bytes); /* Of the one before, which was not begun. */
    store->latest.bytes = malloc(voter_file_bytes_max(members));
    if (store->latest.bytes != NULL) {
        store->latest.length = voter_file_write(store->latest.bytes, &file);
    }
    store->latest.number = number;
    store->dirty = true;
    if (!store->busy) {
        start_work(store);
    }
}

int voter_store_replace(int dir, const struct voter_bytes *former, const struct voter_bytes *next,
                        bool *kept)
{
    const int error = replace_file(dir, VOTER_RECORD_FILE ".old", VOTER_RECORD_FILE ".new",
                                   former->bytes, former->length);

    *kept = error == 0;
    return error != 0 ? error
                      : replace_file(dir, VOTER_RECORD_FILE, VOTER_RECORD_FILE ".new", next->bytes,
                                     next->length);
}

struct voter_store_times voter_store_times(const struct voter_store *store)
{
    return store->times;
}

/* --- Closing --------------------------------------------------------------------------------- */

static void on_nothing(uv_work_t *work)
{
    (void)work;
}

void voter_store_close(struct voter_store *store, void (*on_closed)(void *context), void *context)
{
    assert(!store->closing);
    store->closing = true;
    store->on_closed = on_closed;
    store->closed_context = context;
    if (!store->busy) {
        /* The end then always comes from the loop. */
        store->work.data = store;
        const int error = uv_queue_work(store->loop, &store->work, on_nothing, on_work_done);
        assert(error == 0);
        (void)error;
    }
}

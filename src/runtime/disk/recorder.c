#include "runtime/disk/recorder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "proto/voter_file.h"
#include "record/recording.h"
#include "runtime/host/clock.h"
#include "runtime/host/own_file.h"
#include "runtime/options/config.h"
#include "runtime/process/preflight.h"
#include "usage/remedy.h"

struct recorder {
    int fd; /* -1: the recording is over */
    const char *path;
    struct log *log;
    uint64_t bytes_max;
    uint64_t length; /* bytes written */
    uint64_t hash;   /* of them */
    uint64_t now_ms; /* of the last input */
    uint8_t *start;  /* as recorder_encode_start made it: each file begins with it */
    size_t start_length;
    uint64_t start_ms;
    bool gap; /* this file does not begin with the life */

    /* At the last checkpoint. */
    uint64_t views_installed;
    enum phase phase;
    uint32_t inputs; /* since then */

    uint8_t *buffer; /* one record; grows with the frames that come */
    size_t capacity;
};

/* --- Bytes ----------------------------------------------------------------------------------- */

static void stop(struct recorder *recorder)
{
    (void)close(recorder->fd);
    recorder->fd = -1;
}

static void write_bytes(struct recorder *recorder, const uint8_t *bytes, size_t length)
{
    size_t done = 0;

    while (recorder->fd >= 0 && done < length) {
        const ssize_t written = write(recorder->fd, bytes + done, length - done);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            log_line(recorder->log, LOG_WARN, "record",
                     "cannot write %s: %s: the recording ends here, the node goes on; for another "
                     "one %s, and start doyend again",
                     recorder->path, strerror(errno), remedy_of_write(errno));
            stop(recorder);
        }
    }
    recorder->length += length;
    recorder->hash = hash_bytes(recorder->hash, bytes, length);
}

static void stop_without_memory(struct recorder *recorder)
{
    log_line(recorder->log, LOG_WARN, "record",
             "not enough memory: the recording ends here, the node goes on");
    stop(recorder);
}

static bool reserve(struct recorder *recorder, size_t length)
{
    if (length <= recorder->capacity) {
        return true;
    }
    uint8_t *larger = realloc(recorder->buffer, length);
    if (larger == NULL) {
        stop_without_memory(recorder);
        return false;
    }
    recorder->buffer = larger;
    recorder->capacity = length;
    return true;
}

/* --- Opening --------------------------------------------------------------------------------- */

enum found {
    FOUND_NOTHING,
    FOUND_RECORDING,
    FOUND_BUSY, /* a recording that is being written */
    FOUND_OTHER,
    FOUND_CLOSED, /* it cannot be read, or must not be trusted */
};

/* Finds out what is at `path`. It may be moved aside only if it surely is a recording, or empty. A
 * process that writes a recording holds a lock on it, which ends with the process. `why` is set
 * where it is FOUND_CLOSED. */
static enum found inspect(const char *path, char why[OWN_FILE_WHY_MAX])
{
    struct recording_start start;
    struct recording_reader reader;
    uint8_t bytes[RECORDING_START_BYTES_MAX];
    struct stat status;

    if (lstat(path, &status) != 0) {
        snprintf(why, OWN_FILE_WHY_MAX, "%s", strerror(errno));
        return errno == ENOENT ? FOUND_NOTHING : FOUND_CLOSED;
    }
    if (!S_ISREG(status.st_mode)) {
        return FOUND_OTHER;
    }
    const int fd = own_file_open(AT_FDCWD, path, O_RDONLY, why);
    if (fd < 0) {
        return FOUND_CLOSED;
    }
    const bool busy = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    const ssize_t length = read(fd, bytes, sizeof bytes);
    (void)close(fd);
    if (busy) {
        return FOUND_BUSY;
    }
    const bool is_recording = length > 0 && recording_open(&reader, bytes, (size_t)length,
                                                           &start) != RECORDING_MAGIC;
    return length == 0 || is_recording ? FOUND_RECORDING : FOUND_OTHER;
}

static bool cannot_put_aside(const char *aside, struct complaint *complaint)
{
    return complaint_set(complaint,
                         "cannot put the former recording aside as %.300s: move it away, or choose "
                         "another --record",
                         aside);
}

/* Checks what is at `path`, and at the place to which it would be moved. */
static bool check_place(const char *path, const char *aside, enum found *found,
                        struct complaint *complaint)
{
    char why[OWN_FILE_WHY_MAX];

    *found = inspect(path, why);
    switch (*found) {
    case FOUND_NOTHING:
        return true;
    case FOUND_RECORDING:
        break;
    case FOUND_BUSY:
        return complaint_set(
            complaint, "%.300s is being written by another process: choose another --record", path);
    case FOUND_OTHER:
        return complaint_set(
            complaint, "%.300s is there and is not a recording: choose another --record", path);
    case FOUND_CLOSED:
        return complaint_set(complaint, "cannot look at %.300s: %s: choose another --record", path,
                             why);
    }
    const enum found there = inspect(aside, why);
    return there == FOUND_NOTHING || there == FOUND_RECORDING || cannot_put_aside(aside, complaint);
}

static bool cannot_make(const char *path, struct complaint *complaint)
{
    return complaint_set(complaint, "cannot make %.300s: %s: choose another --record", path,
                         strerror(errno));
}

bool recorder_check(const char *path, struct complaint *complaint)
{
    char aside[CONFIG_DIR_MAX + 3];
    enum found found;

    snprintf(aside, sizeof aside, "%s.1", path);
    return check_place(path, aside, &found, complaint) &&
           (preflight_can_make(path) || cannot_make(path, complaint));
}

/* After a crash the node is started again with the same options: what led to the crash must not be
 * what the new life writes over. */
static bool put_aside(const char *path, struct complaint *complaint)
{
    char aside[CONFIG_DIR_MAX + 3];
    enum found found;

    snprintf(aside, sizeof aside, "%s.1", path);
    return check_place(path, aside, &found, complaint) &&
           (found == FOUND_NOTHING || rename(path, aside) == 0 ||
            cannot_put_aside(aside, complaint));
}

/* The record that a voter was started with, as its file has it; NULL: none. Returns false when
 * memory ran out. */
static bool encode_record(const struct core_options *options, const char *cluster, uint8_t **bytes,
                          size_t *length)
{
    struct voter_file file = {.cluster = ""};

    *bytes = NULL;
    *length = 0;
    if (options->record == NULL) {
        return true;
    }
    file.record = *options->record;
    snprintf(file.cluster, sizeof file.cluster, "%s", cluster);
    snprintf(file.name, sizeof file.name, "%s", options->name);
    *bytes = malloc(voter_file_bytes_max(options->capacity));
    if (*bytes == NULL) {
        return false;
    }
    *length = voter_file_write(*bytes, &file);
    return true;
}

uint8_t *recorder_encode_start(const char *cluster, const struct core_options *options,
                               uint64_t now_ms, size_t *length)
{
    struct recording_start start = {
        .options = *options, .now_ms = now_ms, .wall_ms = clock_wall_ms()};
    uint8_t *record = NULL;

    snprintf(start.cluster, sizeof start.cluster, "%s", cluster);
    snprintf(start.program, sizeof start.program, "%s", DOYEN_VERSION);
    if (!encode_record(options, cluster, &record, &start.record_length)) {
        return NULL;
    }
    start.record = record;
    uint8_t *bytes = malloc(recording_start_bytes_max(&start));
    *length = bytes == NULL ? 0 : recording_write_start(bytes, &start);
    free(record);
    return bytes;
}

/* Makes the file at `path`, for its owner alone: with the seed in it, what this node drew by chance
 * is no secret. */
static bool make_file(struct recorder *recorder)
{
    struct complaint complaint;
    char why[OWN_FILE_WHY_MAX];

    recorder->fd = own_file_open(AT_FDCWD, recorder->path, O_WRONLY | O_CREAT | O_EXCL, why);
    if (recorder->fd < 0) {
        (void)cannot_make(recorder->path, &complaint);
        log_line(recorder->log, LOG_ERROR, "record", "%s", complaint.text);
        return false;
    }
    (void)flock(recorder->fd, LOCK_EX | LOCK_NB); /* Where there are no locks it goes without. */
    recorder->length = 0;
    recorder->hash = HASH_START;
    return true;
}

struct recorder *recorder_open(const char *path, const char *cluster,
                               const struct core_options *options, uint64_t now_ms,
                               uint64_t bytes_max, struct log *log)
{
    struct complaint complaint;

    if (!put_aside(path, &complaint)) {
        log_line(log, LOG_ERROR, "record", "%s", complaint.text);
        return NULL;
    }
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder != NULL) {
        *recorder = (struct recorder){.fd = -1,
                                      .path = path,
                                      .log = log,
                                      .bytes_max = bytes_max,
                                      .now_ms = now_ms,
                                      .start_ms = now_ms};
        recorder->start = recorder_encode_start(cluster, options, now_ms, &recorder->start_length);
    }
    if (recorder == NULL || recorder->start == NULL) {
        log_line(log, LOG_ERROR, "memory", "not enough memory to start");
        free(recorder);
        return NULL;
    }
    if (!make_file(recorder)) {
        recorder_close(recorder, NULL);
        return NULL;
    }
    write_bytes(recorder, recorder->start, recorder->start_length);
    log_line(log, LOG_INFO, "record", "every input goes to %s, the last %llu MiB at least", path,
             (unsigned long long)(bytes_max >> 20));
    return recorder;
}

/* --- Recording ------------------------------------------------------------------------------- */

static void write_checkpoint(struct recorder *recorder, const struct core *core)
{
    const struct checkpoint checkpoint = {.state = core_state_hash(core), .bytes = recorder->hash};
    uint8_t bytes[RECORDING_SMALL_BYTES_MAX];

    write_bytes(recorder, bytes, recording_write_checkpoint(bytes, &checkpoint));
    recorder->views_installed = core_counters(core)->views_installed;
    recorder->phase = core_phase(core);
    recorder->inputs = 0;
}

static void write_end(struct recorder *recorder, const struct core *core, enum recording_end end)
{
    uint8_t bytes[RECORDING_SMALL_BYTES_MAX];

    if (core != NULL && recorder->inputs > 0) {
        write_checkpoint(recorder, core);
    }
    write_bytes(recorder, bytes, recording_write_end(bytes, end));
}

/* Is there room for so many bytes, and for the end of the file? */
static bool has_room(const struct recorder *recorder, size_t length)
{
    return recorder->length + length + (size_t)2 * RECORDING_SMALL_BYTES_MAX <= recorder->bytes_max;
}

/* The file is as long as it may be: it becomes `path`.1, in place of what was there, and the
 * recording goes on in a new one, which begins with a gap. */
static void turn(struct recorder *recorder, const struct core *core)
{
    struct complaint complaint;
    uint8_t bytes[RECORDING_SMALL_BYTES_MAX];

    write_end(recorder, core, RECORDING_FULL);
    if (recorder->fd < 0) {
        return;
    }
    stop(recorder);
    if (!put_aside(recorder->path, &complaint)) {
        log_line(recorder->log, LOG_WARN, "record", "%s: the recording ends here, the node goes on",
                 complaint.text);
        return;
    }
    if (!make_file(recorder)) {
        return;
    }
    if (!recorder->gap) {
        log_line(recorder->log, LOG_INFO, "record",
                 "%s is as long as it may be: it is kept as %s.1 until the next one is, too",
                 recorder->path, recorder->path);
    }
    recorder->gap = true;
    write_bytes(recorder, recorder->start, recorder->start_length);
    write_bytes(recorder, bytes, recording_write_gap(bytes, recorder->now_ms - recorder->start_ms));
}

void recorder_input(struct recorder *recorder, const struct event *event, const uint8_t *frame,
                    size_t frame_length, const struct core *core)
{
    if (recorder == NULL || recorder->fd < 0 ||
        !reserve(recorder, recording_input_bytes_max(event, frame_length))) {
        return;
    }
    const size_t length = recording_write_input(recorder->buffer, event, recorder->now_ms, frame,
                                                frame_length);
    if (!has_room(recorder, length)) {
        turn(recorder, core);
    }
    write_bytes(recorder, recorder->buffer, length);
    recorder->now_ms = event->now_ms;
    recorder->inputs++;
}

void recorder_output(struct recorder *recorder, const struct core *core)
{
    if (recorder == NULL || recorder->fd < 0) {
        return;
    }
    if (recorder->inputs >= RECORDER_CHECKPOINT_EVERY || core_phase(core) != recorder->phase ||
        core_counters(core)->views_installed != recorder->views_installed) {
        write_checkpoint(recorder, core);
    }
}

void recorder_close(struct recorder *recorder, const struct core *core)
{
    if (recorder == NULL) {
        return;
    }
    if (recorder->fd >= 0) {
        write_end(recorder, core, RECORDING_CLOSED);
    }
    if (recorder->fd >= 0) {
        stop(recorder);
    }
    free(recorder->start);
    free(recorder->buffer);
    free(recorder);
}

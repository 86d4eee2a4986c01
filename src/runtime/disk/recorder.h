/* Implements --record: writes every input of the core to a file, from which doyen-replay repeats
 * the run (record/recording.h has the format).
 *
 * An input is written before the core sees it: if it ends the process, by an assertion or a signal,
 * the file has it. A file that is as long as it may be is put aside, and another one begins with a
 * gap. A file that cannot be written any more ends the recording with one line on the log, never
 * the node. */
#ifndef RUNTIME_RECORDER_H
#define RUNTIME_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "runtime/options/value.h"
#include "runtime/process/log.h"

struct recorder;

enum {
    RECORDER_BYTES_MAX = 64 << 20,  /* of a file */
    RECORDER_CHECKPOINT_EVERY = 64, /* in inputs; there is one at each new view or phase, too */
};

/* Starts a recording of the core that core_init is about to make of `options` at `now_ms`. An
 * earlier recording at `path` becomes `path`.1, and so does each file of this one that is full.
 * `path` and `log` are borrowed. `bytes_max` is RECORDER_BYTES_MAX except in tests. Returns NULL
 * after one line on the log that says what failed and how to mend it. */
struct recorder *recorder_open(const char *path, const char *cluster,
                               const struct core_options *options, uint64_t now_ms,
                               uint64_t bytes_max, struct log *log);

/* Encodes the start of a recording of that core. Returns the bytes, to be freed, or NULL when
 * memory ran out. */
uint8_t *recorder_encode_start(const char *cluster, const struct core_options *options,
                               uint64_t now_ms, size_t *length);

/* Could recorder_open begin a recording there now? Makes and moves nothing. Returns false with the
 * complaint set. */
bool recorder_check(const char *path, struct complaint *complaint);

/* Records the event; to be called before the core gets it. A message comes with its frame. In this
 * function and those below, a recorder of NULL does nothing. */
void recorder_input(struct recorder *recorder, const struct event *event, const uint8_t *frame,
                    size_t frame_length, const struct core *core);

/* Writes a checkpoint where one is due; to be called after the step. */
void recorder_output(struct recorder *recorder, const struct core *core);

/* Ends the recording in good order. `core` may be NULL when there was none. */
void recorder_close(struct recorder *recorder, const struct core *core);

#endif

/* --record: keeps every input of the core in a file, from which doyen-replay tells the story again
 * (record/recording.h has the bytes).
 *
 * An input is written before the core sees it: when it is the one that ends the process, by an
 * assertion or by a signal, the file has it. A file that cannot be written any more, or that is as
 * long as it may be, ends the recording with one line on the log, never the node. */
#ifndef RUNTIME_RECORDER_H
#define RUNTIME_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "runtime/log.h"

struct recorder;

enum {
    RECORDER_BYTES_MAX = 64 << 20,  /* of a file */
    RECORDER_CHECKPOINT_EVERY = 64, /* inputs; besides, at each new view or phase */
};

/* Starts a recording of the core that core_init is about to make of `options` at `now_ms`. The
 * recording of the life before, if there is one at `path`, becomes `path`.1. `path` and `log` are
 * borrowed. `bytes_max` is RECORDER_BYTES_MAX but for tests. Returns NULL after one line on the
 * log that says what could not be done and how to mend it. */
struct recorder *recorder_open(const char *path, const char *cluster,
                               const struct core_options *options, uint64_t now_ms,
                               uint64_t bytes_max, struct log *log);

/* To be called before the core is given the event; a message comes with the frame it was in. Here
 * and below a recorder of NULL does nothing. */
void recorder_input(struct recorder *recorder, const struct event *event, const uint8_t *frame,
                    size_t frame_length, const struct core *core);

/* To be called after the step: writes a checkpoint where one is due. */
void recorder_output(struct recorder *recorder, const struct core *core);

/* Ends the recording in good order. `core` may be NULL: there was none. */
void recorder_close(struct recorder *recorder, const struct core *core);

#endif

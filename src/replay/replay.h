/* Runs a recording through a new core: the same inputs at the same times, decoded from their
 * frames, and compares the state with the recorded one at every checkpoint. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "record/recording.h"

/* One input and its effects; valid during the call. */
struct replay_step {
    uint64_t number;    /* of the input, 1 for the first */
    uint64_t offset_ms; /* since the recording began */
    const struct recording_start *start;
    const struct event *event;
    struct effects effects;
    const struct core *core; /* after the step */
};

/* One input that no core was given, because those before it are missing. */
struct replay_listed {
    uint64_t offset_ms;
    const struct recording_start *start;
    const struct event *event;
};

struct replay_options {
    uint64_t until_ms; /* offset of the last input to be run; NEVER_MS for all */

    /* Both may be NULL. `on_step` is called after each input; `on_copy` is given, piece by piece,
     * the same recording with the checkpoints of this run, as far as it went. */
    void (*on_step)(void *context, const struct replay_step *step);
    void (*on_copy)(void *context, const uint8_t *bytes, size_t length);

    /* Called for each input behind a gap; may be NULL, too. */
    void (*on_listed)(void *context, const struct replay_listed *listed);
    void *context;
};

enum replay_verdict {
    REPLAY_SAME,
    REPLAY_DIFFERS,    /* `at` is the first checkpoint whose state differs */
    REPLAY_REFUSED,    /* `at` is a message that this codec refuses */
    REPLAY_UNREADABLE, /* `error` says why, `at` where */
    REPLAY_NO_MEMORY,
};

struct replay_outcome {
    enum replay_verdict verdict;
    enum recording_error error;
    bool torn;            /* cut short because the writer was killed; replayed as far as it goes */
    bool gap;             /* inputs at its beginning are missing: the rest is only listed */
    bool full;            /* the recording ended at its size limit, the node went on */
    size_t at;            /* byte of the file where the fault is */
    uint64_t at_count;    /* inputs run before it */
    uint64_t at_ms;       /* offset of the last of them */
    uint64_t offset_ms;   /* of the last input run */
    uint64_t event_count; /* inputs run */
    uint64_t view_count;  /* views installed */
    uint64_t checked_count;                  /* inputs run before the last checkpoint that agreed */
    uint64_t state;                          /* at the end */
    char program[RECORDING_PROGRAM_MAX + 1]; /* version that recorded it */
};

/* Replays a recording; `bytes` stay the caller's. After a difference it goes on to the end, as far
 * as it can, to show what the core decides differently. */
struct replay_outcome replay_run(const uint8_t *bytes, size_t length,
                                 const struct replay_options *options);

#endif

/* The recording of the last minutes, in memory: always on, for a report of a bug that nobody saw
 * coming. It is a recording like that of --record (record/recording.h), but has no end of its own:
 * the oldest inputs give way to new ones, and what is copied then begins with a gap.
 *
 * RING_BYTES of inputs are some fifteen minutes of five nodes with profile lan. The memory is one
 * block, most of which stays untouched until that much has happened. */
#ifndef RUNTIME_RECORDING_RING_H
#define RUNTIME_RECORDING_RING_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

enum {
    RING_SEGMENTS = 8,
    RING_SEGMENT_BYTES = 256 * 1024, /* the oldest inputs give way by so much at once */
    RING_BYTES = RING_SEGMENTS * RING_SEGMENT_BYTES,
};

struct recording_ring;

/* For the core that core_init is about to make of `options` at `now_ms`. NULL: no memory; a ring of
 * NULL records nothing. */
struct recording_ring *recording_ring_new(const char *cluster, const struct core_options *options,
                                          uint64_t now_ms);
void recording_ring_free(struct recording_ring *ring);

/* Records the event; a message comes with its frame. */
void recording_ring_input(struct recording_ring *ring, const struct event *event,
                          const uint8_t *frame, size_t frame_length);

/* Returns the recording up to now, to be freed, with the state of `core` at its end; NULL when
 * there is none, or no memory. */
uint8_t *recording_ring_copy(const struct recording_ring *ring, const struct core *core,
                             size_t *length);

#endif

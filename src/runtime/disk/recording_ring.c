#include "runtime/disk/recording_ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "record/recording.h"
#include "runtime/disk/recorder.h"

/* Whole records, one after the other. */
struct segment {
    size_t length;
    uint64_t base_ms; /* the time that its first record counts from */
};

struct recording_ring {
    uint8_t *start; /* as recorder_encode_start made it */
    size_t start_length;
    uint64_t start_ms;
    uint64_t now_ms; /* of the last input */
    bool gap;        /* inputs before the oldest segment are lost */
    uint32_t oldest;
    uint32_t newest; /* which is written to */
    struct segment segments[RING_SEGMENTS];
    uint8_t *bytes; /* RING_SEGMENT_BYTES for each of them */
};

struct recording_ring *recording_ring_new(const char *cluster, const struct core_options *options,
                                          uint64_t now_ms)
{
    struct recording_ring *ring = calloc(1, sizeof *ring);

    if (ring == NULL) {
        return NULL;
    }
    ring->start_ms = now_ms;
    ring->now_ms = now_ms;
    ring->segments[0].base_ms = now_ms;
    ring->bytes = malloc(RING_BYTES);
    ring->start = recorder_encode_start(cluster, options, now_ms, &ring->start_length);
    if (ring->bytes == NULL || ring->start == NULL) {
        recording_ring_free(ring);
        return NULL;
    }
    return ring;
}

void recording_ring_free(struct recording_ring *ring)
{
    if (ring != NULL) {
        free(ring->start);
        free(ring->bytes);
        free(ring);
    }
}

/* --- Recording ------------------------------------------------------------------------------- */

static uint32_t after(uint32_t segment)
{
    return (segment + 1) % RING_SEGMENTS;
}

/* Goes on in the next segment, whose inputs give way if there are any. */
static void next_segment(struct recording_ring *ring)
{
    ring->newest = after(ring->newest);
    if (ring->newest == ring->oldest) {
        ring->oldest = after(ring->oldest);
        ring->gap = true;
    }
    ring->segments[ring->newest] = (struct segment){.base_ms = ring->now_ms};
}

/* An input that is larger than a segment: what came before it is of no use without it. */
static void leave_out(struct recording_ring *ring, uint64_t now_ms)
{
    ring->gap = true;
    ring->now_ms = now_ms;
    ring->oldest = ring->newest;
    ring->segments[ring->newest] = (struct segment){.base_ms = now_ms};
}

void recording_ring_input(struct recording_ring *ring, const struct event *event,
                          const uint8_t *frame, size_t frame_length)
{
    if (ring == NULL) {
        return;
    }
    const size_t bytes_max = recording_input_bytes_max(event, frame_length);
    if (bytes_max > RING_SEGMENT_BYTES) {
        leave_out(ring, event->now_ms);
        return;
    }
    if (ring->segments[ring->newest].length + bytes_max > RING_SEGMENT_BYTES) {
        next_segment(ring);
    }
    struct segment *segment = &ring->segments[ring->newest];
    uint8_t *to = ring->bytes + (size_t)ring->newest * RING_SEGMENT_BYTES + segment->length;
    segment->length += recording_write_input(to, event, ring->now_ms, frame, frame_length);
    ring->now_ms = event->now_ms;
}

/* --- Copying --------------------------------------------------------------------------------- */

static size_t used(const struct recording_ring *ring)
{
    size_t length = ring->start_length;

    for (uint32_t i = ring->oldest;; i = after(i)) {
        length += ring->segments[i].length;
        if (i == ring->newest) {
            return length;
        }
    }
}

static size_t append(uint8_t *to, const void *bytes, size_t length)
{
    memcpy(to, bytes, length);
    return length;
}

static size_t append_segments(const struct recording_ring *ring, uint8_t *to)
{
    size_t length = 0;

    for (uint32_t i = ring->oldest;; i = after(i)) {
        length += append(to + length, ring->bytes + (size_t)i * RING_SEGMENT_BYTES,
                         ring->segments[i].length);
        if (i == ring->newest) {
            return length;
        }
    }
}

uint8_t *recording_ring_copy(const struct recording_ring *ring, const struct core *core,
                             size_t *length)
{
    uint8_t *copy = ring == NULL ? NULL
                                 : malloc(used(ring) + (size_t)3 * RECORDING_SMALL_BYTES_MAX);

    if (copy == NULL) {
        return NULL;
    }
    size_t at = append(copy, ring->start, ring->start_length);
    if (ring->gap) {
        at += recording_write_gap(copy + at, ring->segments[ring->oldest].base_ms - ring->start_ms);
    }
    at += append_segments(ring, copy + at);
    const struct checkpoint checkpoint = {.state = core_state_hash(core),
                                          .bytes = hash_bytes(HASH_START, copy, at)};
    at += recording_write_checkpoint(copy + at, &checkpoint);
    at += recording_write_end(copy + at, RECORDING_CLOSED);
    *length = at;
    return copy;
}

/* A recording made in memory, for tests: a node founds a cluster, lets another one in, hears it for
 * a while and loses it. */
#ifndef TEST_UNIT_RECORDED_STORY_H
#define TEST_UNIT_RECORDED_STORY_H

#include <stddef.h>
#include <stdint.h>

enum {
    STORY_BYTES_MAX = 1 << 16,
    STORY_CAPACITY = 8,
    STORY_CHECKPOINT_EVERY = 16,
};

struct recorded_story {
    uint8_t bytes[STORY_BYTES_MAX];
    size_t length;
    uint64_t event_count;
    uint64_t view_count;
    uint64_t state; /* at the end */
    uint64_t duration_ms;
    size_t start_length;
    size_t last_checkpoint; /* where it begins */
};

/* Freed with free(). */
struct recorded_story *recorded_story_new(void);

#endif

/* An answer that several requests get, for as long as it is what a new one would say. */
#ifndef CONTROL_CACHED_ANSWER_H
#define CONTROL_CACHED_ANSWER_H

#include <stdint.h>

#include "control/http/answer.h"

/* All zero holds no answer. */
struct cached_answer {
    struct answer answer; /* `response` NULL: none */
    uint64_t cursor;      /* the newest event that the answer shows */
    uint64_t made_ms;
};

/* Returns the answer, still owned by `cached`, if it shows `cursor` and was made at `oldest_ms`
 * (monotonic) or later; else NULL. */
const struct answer *cached_answer_find(const struct cached_answer *cached, uint64_t cursor,
                                        uint64_t oldest_ms);

/* Replaces the cached answer by `answer`, which the cache owns from here on. `made_ms` is the
 * monotonic time at which it was made. */
void cached_answer_set(struct cached_answer *cached, const struct answer *answer, uint64_t cursor,
                       uint64_t made_ms);

/* Releases the answer; nothing is cached then. */
void cached_answer_drop(struct cached_answer *cached);

#endif

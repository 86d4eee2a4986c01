#include "control/http/cached_answer.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

const struct answer *cached_answer_find(const struct cached_answer *cached, uint64_t cursor,
                                        uint64_t oldest_ms)
{
    const bool is_fresh = cached->cursor == cursor && cached->made_ms >= oldest_ms;

    return cached->answer.response != NULL && is_fresh ? &cached->answer : NULL;
}

void cached_answer_set(struct cached_answer *cached, const struct answer *answer, uint64_t cursor,
                       uint64_t made_ms)
{
    assert(answer->response != NULL);

    cached_answer_drop(cached);
    *cached = (struct cached_answer){.answer = *answer, .cursor = cursor, .made_ms = made_ms};
}

void cached_answer_drop(struct cached_answer *cached)
{
    if (cached->answer.response != NULL) {
        MHD_destroy_response(cached->answer.response);
    }
    *cached = (struct cached_answer){.cursor = 0};
}

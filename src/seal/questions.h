/* What is asked of senders whose frames are refused as played back. Whoever holds the cluster's key
 * can seal under any life and use up its numbers; what that life says itself would then be old for
 * ever. So a receiver asks it for its count, and believes the answer, which brings a nonce that
 * only who gets the life's frames has seen. */
#ifndef SEAL_QUESTIONS_H
#define SEAL_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/id.h"
#include "seal/window.h"

enum {
    QUESTIONS_MAX = 64,
    COUNT_AGAIN_MS = 200, /* of one life */
    COUNT_LIFE_MS = 2000, /* a later answer is none */
    COUNT_NONCE_BYTES = 16,
};

/* The numbers of one sender, by the channels that have rows of their own. */
struct windows {
    struct window datagrams;
    struct window streams; /* those of the frames that begin streams */
};

struct question {
    struct node_id life;
    uint8_t nonce[COUNT_NONCE_BYTES];
    uint64_t begun_ms; /* when it was asked first; 0: never */
    uint64_t asked_ms; /* and last */
    bool open;         /* it has no answer yet */
    /* What came since it was asked first: when an answer comes, that stays known, so that nothing
     * counts twice however late the answer is. */
    struct windows since;
};

/* All zero: nothing was asked. */
struct questions {
    struct question items[QUESTIONS_MAX];
};

/* May that life be asked now? */
bool questions_may_ask(const struct questions *questions, const struct node_id *life,
                       uint64_t now_ms);

/* That life is asked now: returns the question, which is a new one with this nonce unless it is
 * open already. With too many of them the oldest is given up. */
const struct question *questions_ask(struct questions *questions, const struct node_id *life,
                                     const uint8_t nonce[COUNT_NONCE_BYTES], uint64_t now_ms);

/* The open question to that life; NULL: there is none, or it is too old. */
struct question *questions_open(struct questions *questions, const struct node_id *life,
                                uint64_t now_ms);

#endif

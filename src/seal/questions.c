#include "seal/questions.h"

#include <string.h>

/* Where the question is that the life was asked last; QUESTIONS_MAX: none is remembered. */
static size_t find(const struct questions *questions, const struct node_id *life)
{
    size_t at = 0;

    while (at < QUESTIONS_MAX &&
           (questions->items[at].begun_ms == 0 || !id_equal(&questions->items[at].life, life))) {
        at++;
    }
    return at;
}

bool questions_may_ask(const struct questions *questions, const struct node_id *life,
                       uint64_t now_ms)
{
    const size_t at = find(questions, life);

    return at == QUESTIONS_MAX || now_ms - questions->items[at].asked_ms >= COUNT_AGAIN_MS;
}

struct question *questions_open(struct questions *questions, const struct node_id *life,
                                uint64_t now_ms)
{
    const size_t at = find(questions, life);

    if (at == QUESTIONS_MAX || !questions->items[at].open ||
        now_ms - questions->items[at].begun_ms >= COUNT_LIFE_MS) {
        return NULL;
    }
    return &questions->items[at];
}

/* A place for a question to that life: the one that it had, else that of the oldest. */
static struct question *place_for(struct questions *questions, const struct node_id *life)
{
    const size_t at = find(questions, life);
    size_t oldest = 0;

    for (size_t i = 1; i < QUESTIONS_MAX; i++) {
        if (questions->items[i].begun_ms < questions->items[oldest].begun_ms) {
            oldest = i;
        }
    }
    return &questions->items[at == QUESTIONS_MAX ? oldest : at];
}

const struct question *questions_ask(struct questions *questions, const struct node_id *life,
                                     const uint8_t nonce[COUNT_NONCE_BYTES], uint64_t now_ms)
{
    struct question *question = questions_open(questions, life, now_ms);

    if (question == NULL) {
        question = place_for(questions, life);
        *question = (struct question){.life = *life, .begun_ms = now_ms, .open = true};
        memcpy(question->nonce, nonce, COUNT_NONCE_BYTES);
        window_begin(&question->since.datagrams, 0);
        window_begin(&question->since.streams, 0);
    }
    question->asked_ms = now_ms;
    return question;
}

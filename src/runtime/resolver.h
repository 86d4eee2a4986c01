/* The seeds' addresses: every name is looked up again each time the core asks, and all answers
 * count. Names that take long do not hold up the others: what they bring later is in the next
 * answer. */
#ifndef RUNTIME_RESOLVER_H
#define RUNTIME_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "core/id.h"
#include "runtime/config.h"
#include "runtime/latch.h"
#include "runtime/log.h"

enum {
    SEED_ADDRESSES_MAX = 16, /* of one name */
    RESOLVED_MAX = 64,       /* of all together */
};

/* Never called from inside resolver_ask; `addresses` are borrowed for the call. */
typedef void resolver_on_answer(void *context, const struct address *addresses, uint32_t count);

struct lookup;

struct seed {
    struct lookup *lookup; /* under way; NULL else */
    bool failed;           /* and logged */
    uint32_t count;
    struct address addresses[SEED_ADDRESSES_MAX];
};

struct resolver {
    uv_loop_t *loop;
    struct latch *latch;
    const struct config *config;
    struct log *log;
    resolver_on_answer *on_answer;
    void *context;
    bool open;
    bool asked; /* an answer is owed */
    uv_timer_t timer;
    struct seed seeds[CONFIG_SEEDS_MAX];
};

/* `resolver` is zeroed and stays where it is until the latch is free. */
void resolver_open(struct resolver *resolver, uv_loop_t *loop, struct latch *latch,
                   const struct config *config, struct log *log, resolver_on_answer *on_answer,
                   void *context);

/* A lookup that the system does not let go of ends by itself in a later turn of the loop; it does
 * not hold the latch. */
void resolver_close(struct resolver *resolver);

/* Looks all seeds up and answers within two seconds. Does nothing while an answer is owed. */
void resolver_ask(struct resolver *resolver);

#endif

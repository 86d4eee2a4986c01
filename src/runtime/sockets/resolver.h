/* Looks up the seeds' addresses: each time the core asks, every name is resolved again, and all
 * addresses count. A slow name does not hold up the others: its addresses are in a later answer. */
#ifndef RUNTIME_RESOLVER_H
#define RUNTIME_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "core/model/id.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"
#include "runtime/sockets/latch.h"

enum {
    SEED_ADDRESSES_MAX = 16, /* of one name */
    RESOLVED_MAX = 64,       /* of all together */
};

/* Never called from inside resolver_ask; `addresses` are borrowed for the call. */
typedef void resolver_on_answer(void *context, const struct address *addresses, uint32_t count);

struct lookup;

struct seed {
    struct lookup *lookup; /* the lookup under way, or NULL */
    bool failed;           /* its lookup failed, and that was logged */
    bool unsent;           /* sending to it failed, and that was logged */
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
    bool asked; /* an answer is due */
    uv_timer_t timer;
    struct seed seeds[CONFIG_SEEDS_MAX];
};

/* `resolver` is zeroed and stays where it is until the latch is free. */
void resolver_open(struct resolver *resolver, uv_loop_t *loop, struct latch *latch,
                   const struct config *config, struct log *log, resolver_on_answer *on_answer,
                   void *context);

/* A lookup that the system cannot cancel ends by itself in a later turn of the loop; it does not
 * hold the latch. */
void resolver_close(struct resolver *resolver);

/* Sending to `to` failed with libuv's `error`. If that is a seed, logs it, once for each seed, and
 * returns true. */
bool resolver_note_unsent(struct resolver *resolver, const struct address *to, int error);

/* Which seeds are names without an address until now, in words of up to `size` bytes, appended to
 * `out`. */
void resolver_add_words(const struct resolver *resolver, char *out, size_t size);

/* Looks up all seeds and answers within two seconds. Does nothing while an answer is due. */
void resolver_ask(struct resolver *resolver);

/* The configuration has other seeds now: forgets what is known of the former ones, and looks up
 * all. */
void resolver_begin_anew(struct resolver *resolver);

#endif

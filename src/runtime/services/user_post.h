/* Messages between the programs that members live in (USER; section 9 of wire.md): what leaves is
 * numbered, what comes is judged by the present view, and each sender has a budget. The core knows
 * nothing of them. */
#ifndef RUNTIME_USER_POST_H
#define RUNTIME_USER_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "proto/user_message.h"
#include "runtime/frames/user_refusal.h"
#include "runtime/sealing/strangers.h"
#include "seal/window.h"

enum {
    USER_SENT_PER_S = 2000,  /* by this node, to all together */
    USER_TAKEN_PER_S = 1000, /* from each member */
};

/* Gets one message of a member, borrowed for the call. False: there is no room for it. */
typedef bool user_post_on_message(void *context, const struct member *from, const uint8_t *data,
                                  size_t length);

/* What is kept of a life that has sent something. */
struct user_sender {
    struct node_id life;
    struct per_second taken;
    struct window window;
};

struct user_post {
    const struct core *core;
    uint64_t number; /* of the message that was sent last */
    struct per_second sent;
    user_post_on_message *on_message; /* NULL: nobody wants any */
    void *context;
    bool counts_numbers;         /* frames may come twice: not all are sealed */
    struct user_sender *senders; /* as many as a view may have members */
    uint32_t capacity;
};

/* `post` is zeroed; `core`, for views of up to `capacity` members, is borrowed. */
void user_post_open(struct user_post *post, const struct core *core, uint32_t capacity);
void user_post_close(struct user_post *post);

/* From now on messages are handed on. `counts_numbers`: frames that are not sealed are accepted.
 * False: no memory. */
bool user_post_listen(struct user_post *post, bool counts_numbers, user_post_on_message *on_message,
                      void *context);

/* The number for a message that leaves now; 0: too many have left in this second. */
uint64_t user_post_take_number(struct user_post *post, uint64_t now_ms);

/* Hands the message on. Returns USER_TAKEN, or why that was not done. */
enum user_refusal user_post_receive(struct user_post *post, const struct user_message *message,
                                    uint64_t now_ms);

#endif

/* Lifelines: one stream that this node holds open to each member it watches (D2). It closes in
 * the moment the process dies, its port then refuses, and while it is open the other end's kernel
 * can be asked whether it is there, without its process having a part in the answer. */
#ifndef RUNTIME_LINK_H
#define RUNTIME_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "core/event.h"
#include "core/message.h"
#include "runtime/chain.h"
#include "runtime/stream.h"

/* News of one peer. Never called from inside a function of this header. */
typedef void links_on_news(void *context, const struct node_id *peer, enum link_news news);

/* Is the way to this peer cut on purpose? Then no attempt is made, and no news but LINK_OPENED and
 * LINK_FAILED comes through. */
typedef bool links_is_cut(void *context, const struct node_id *peer, const struct address *address);

struct lifeline;

struct links {
    struct streams *streams;
    links_on_news *on_news;
    links_is_cut *is_cut;
    void *context;
    struct chain all;
    struct chain asked; /* those whose other end's kernel owes an answer */
    uv_timer_t ask_timer;
    bool open;
    uint32_t bucket_mask;
    struct lifeline **buckets; /* by the peer's id */
};

/* For about `capacity` peers. `links` is zeroed and stays where it is until the latch is free.
 * Returns false when there is no memory. */
bool links_open(struct links *links, struct streams *streams, uint32_t capacity,
                links_on_news *on_news, links_is_cut *is_cut, void *context);
void links_close(struct links *links);

/* Frees what links_open allocated, once the latch is free. */
void links_free(struct links *links);

/* Holds a lifeline to the peer until told otherwise, and tries again for ever. */
void links_hold(struct links *links, const struct node_id *peer, const struct address *address);
void links_release(struct links *links, const struct node_id *peer);

/* Does the peer's kernel answer? LINK_KERNEL comes if it does. Without a lifeline one is opened
 * for the purpose. Asking again while an answer is awaited is harmless. */
void links_ask_kernel(struct links *links, const struct node_id *peer,
                      const struct address *address);

/* Sends by the lifeline to that peer. Returns false when there is none that is up; true also for
 * a message that it had to drop. */
bool links_send(struct links *links, const struct node_id *peer, enum message_type type,
                const uint8_t *bytes, size_t length);

#endif

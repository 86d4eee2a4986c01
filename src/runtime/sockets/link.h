/* Lifelines: a node holds one open stream to each member that it watches (D2). The stream closes at
 * the moment the process dies, whose port then refuses; while it is open, the node can ask the
 * other host's kernel whether it is up, without any action of the process. */
#ifndef RUNTIME_LINK_H
#define RUNTIME_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "core/model/event.h"
#include "core/model/message.h"
#include "runtime/frames/outgoing.h"
#include "runtime/sockets/chain.h"
#include "runtime/sockets/stream.h"

/* News of one peer. Never called from inside a function of this header. */
typedef void links_on_news(void *context, const struct node_id *peer, enum link_news news);

/* Is the link to this peer cut by an injected fault? Then no attempt is made, and only LINK_OPENED
 * and LINK_FAILED are reported. */
typedef bool links_is_cut(void *context, const struct node_id *peer, const struct address *address);

struct lifeline;

struct links {
    struct streams *streams;
    links_on_news *on_news;
    links_is_cut *is_cut;
    void *context;
    struct chain all;
    struct chain asked; /* the lifelines whose peer's kernel owes an answer */
    uv_timer_t ask_timer;
    bool open;
    uint32_t bucket_mask;
    struct lifeline **buckets; /* by the peer's id */
};

/* Prepares for about `capacity` peers. `links` is zeroed and stays where it is until the latch is
 * free. Returns false when there is no memory. */
bool links_open(struct links *links, struct streams *streams, uint32_t capacity,
                links_on_news *on_news, links_is_cut *is_cut, void *context);
void links_close(struct links *links);

/* Frees what links_open allocated, once the latch is free. */
void links_free(struct links *links);

/* Holds a lifeline to the peer until links_release, and retries for ever. */
void links_hold(struct links *links, const struct node_id *peer, const struct address *address);
void links_release(struct links *links, const struct node_id *peer);

/* Asks whether the peer's kernel answers; LINK_KERNEL is reported if it does. Without a lifeline,
 * one is opened for the purpose. Asking again while an answer is awaited is harmless. */
void links_ask_kernel(struct links *links, const struct node_id *peer,
                      const struct address *address);

/* libuv's code for why no connection to the peer comes about, and since when none has been up; 0:
 * one is, or there was no attempt, or the last one did connect. */
int links_error(const struct links *links, const struct node_id *peer, uint64_t *since_ms);

/* Sends the message by the lifeline to whom it goes to first: its receiver, or the relay (R2b).
 * Returns false when none is up; true also for a message that it had to drop. */
bool links_send(struct links *links, const struct outgoing *outgoing);

#endif

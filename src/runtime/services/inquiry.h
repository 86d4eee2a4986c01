/* Asks the other members how they do, and answers when they ask: what `doyen status --all` shows.
 * Questions and answers travel beside the protocol (proto/wire.md, section 8; decision 21): the
 * core knows nothing of them, and nothing that they say changes what a node decides. Only members
 * of the view are asked, and answered, at the addresses that the view has for them. */
#ifndef RUNTIME_INQUIRY_H
#define RUNTIME_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "runtime/frames/frame_reader.h"
#include "runtime/frames/outgoing.h"
#include "runtime/sealing/strangers.h"

enum {
    INQUIRY_TEXT_MAX = 800,
    INQUIRY_TURN = 64,              /* members that one call of inquiry_ask asks */
    INQUIRY_ROUND_MS = 250,         /* a round that began so lately serves the next who asks, too */
    INQUIRY_ANSWERS_PER_S = 64,     /* more questions than that are not answered */
    INQUIRY_PROBES_PER_S = 2048,    /* nor are more probes: they cost next to nothing */
    INQUIRY_PROBE_BYTES_MIN = 58,   /* of a probe's frame */
    INQUIRY_PROBE_BYTES_MAX = 1472, /* plain, a packet of 1500 bytes */
};

/* What is known of one member in the round that runs. */
struct inquiry_slot {
    struct node_id life;
    int64_t asked_wall_ms;
    uint64_t asked_ns;
    uint64_t took_us; /* from the question to the answer */
    bool answered;
    uint16_t length;
    char text[INQUIRY_TEXT_MAX]; /* as the member wrote it: anything */
};

/* Writes this node's own answer; returns its length, 0 for none. */
typedef size_t inquiry_answerer(void *context, char text[INQUIRY_TEXT_MAX]);

/* Questions of another kind, whose rounds are their asker's: the answer to each is a page of a
 * list, from one entry on. */
struct inquiry_pages {
    /* Writes this node's own page from entry `from` on; returns its length, 0 for no answer. */
    size_t (*answer)(void *context, uint64_t from, char text[INQUIRY_TEXT_MAX]);
    /* Takes the page of the member at that position, which says anything. */
    void (*take)(void *context, uint32_t position, uint64_t nonce, const char *text, size_t length);
    void *context;
};

/* What takes the answers to probes, which measure the way to a member and back. */
struct inquiry_prober {
    /* The member at that position answered a probe of that nonce and number with a frame of
     * `bytes`, and its own clock (clock_ns) stood at `clock_us`, or so it says. */
    void (*take)(void *context, uint32_t position, uint64_t nonce, uint64_t number, size_t bytes,
                 uint64_t clock_us);
    void *context;
};

struct inquiry_options {
    const struct core *core;
    const uint8_t *header; /* of plain frames: wire_header */
    void (*transmit)(void *context, const struct outgoing *outgoing);
    bool (*is_cut)(void *context, const struct node_id *peer, const struct address *address);
    void *context;
};

struct inquiry {
    struct inquiry_options options;
    inquiry_answerer *answerer; /* NULL: nothing is answered */
    void *answerer_context;
    struct per_second answers;
    struct inquiry_pages pages;   /* all zero: nobody answers, or asks */
    struct inquiry_prober prober; /* all zero: nobody probes */
    struct per_second probes;

    uint64_t nonce; /* of the round */
    uint64_t began_ms;
    struct inquiry_slot *slots; /* NULL: no round yet */
    uint32_t slot_count;        /* the members of the view when the round began */
    uint32_t asked_count;       /* of them, in order */
};

/* What the options point to is borrowed for the life of `inquiry`, which is zeroed. */
void inquiry_open(struct inquiry *inquiry, const struct inquiry_options *options);
void inquiry_close(struct inquiry *inquiry);

/* Who answers for this node; NULL: nobody any more. */
void inquiry_set_answerer(struct inquiry *inquiry, inquiry_answerer *answerer, void *context);

/* Who answers and asks for pages; all zero: nobody any more. */
void inquiry_set_pages(struct inquiry *inquiry, const struct inquiry_pages *pages);

/* Asks the member at that position, which is another, for a page. */
void inquiry_ask_page(struct inquiry *inquiry, uint32_t position, uint64_t nonce, uint64_t from);

/* Who takes the answers to probes; all zero: nobody any more. Probes are answered all the same. */
void inquiry_set_prober(struct inquiry *inquiry, const struct inquiry_prober *prober);

/* What a probe is: a frame of `bytes`, whose answer is as long. */
struct path_probe {
    uint64_t nonce;
    uint64_t number;
    size_t bytes;
    bool as_datagram; /* there and back whatever its length; else a long one goes by stream (U3a) */
};

/* Sends it to the member at that position, which is another. */
void inquiry_probe(struct inquiry *inquiry, uint32_t position, const struct path_probe *probe);

/* Begins a round with the members of now, unless one began a moment ago. Returns false when memory
 * ran out. */
bool inquiry_begin(struct inquiry *inquiry);

/* Asks up to INQUIRY_TURN members that were not asked yet in this round, so that a large cluster's
 * answers do not all come at once. */
void inquiry_ask(struct inquiry *inquiry);

/* The slot of the member at that position of the view; NULL: it is not in this round. */
const struct inquiry_slot *inquiry_find(const struct inquiry *inquiry, uint32_t position);

/* Is it a question or an answer? Then inquiry_on_frame takes it. */
bool inquiry_is_frame(struct bytes frame);
void inquiry_on_frame(struct inquiry *inquiry, struct bytes frame);

#endif

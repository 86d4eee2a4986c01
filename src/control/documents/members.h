/* The members document, the one that programs ask for all the time.
 *
 * Between two changes nearly all of it stays the same: names, ids, addresses, tags, order. That
 * part is rendered once per change into a template, a text with holes; an answer copies the text
 * and writes a handful of numbers into the holes. This, and not the request, is where building a
 * JSON tree, escaping and formatting are paid for. */
#ifndef CONTROL_MEMBERS_H
#define CONTROL_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/facts/facts.h"
#include "control/text/document.h"
#include "control/text/text_builder.h"

/* The values that fill a hole: those that may change from one moment to the next without an event.
 */
enum hole_kind {
    HOLE_ACKED,
    HOLE_ACTING,
    HOLE_ACTING_MS,
    HOLE_ACTING_SAID_MS,
    HOLE_NEEDED,
    HOLE_FRESH,
    HOLE_MET,
    HOLE_VOTER,
    HOLE_STATE,
    HOLE_SILENT,   /* of the member at `position` */
    HOLE_BEHIND,   /* of the member at `position` */
    HOLE_HEARD_MS, /* of the member at `position` */
    HOLE_SINCE_MS, /* of the gone entry at `position` */
};

struct hole {
    size_t at; /* bytes of the text that come before it */
    enum hole_kind kind;
    uint32_t position;
};

/* All zero is a template of nothing. */
struct members {
    bool built;
    uint64_t cursor; /* the newest event when it was built */
    bool named;      /* it names the coordinator: under guard strict, only one that acts (Z9) */
    struct text_builder text;
    struct hole *holes;
    size_t hole_count;
    size_t hole_capacity;
};

/* Renders the document as of `facts` into memory of `pool`; the caller is its one reader. Returns
 * NULL when memory ran out or the pool is full. */
struct document *members_render(struct members *members, const struct facts *facts,
                                struct document_pool *pool);

void members_deinit(struct members *members);

#endif

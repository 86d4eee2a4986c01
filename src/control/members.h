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

#include "control/document.h"
#include "control/facts.h"
#include "control/sheet.h"

/* What stands in a hole: what may differ from one moment to the next without a change. */
enum hole_kind {
    HOLE_ACKED,
    HOLE_ACTING,
    HOLE_NEEDED,
    HOLE_FRESH,
    HOLE_MET,
    HOLE_STATE,    /* of the member at `position` */
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
    uint64_t cursor; /* what it was built from: each change has a new cursor */
    struct sheet text;
    struct hole *holes;
    size_t hole_count;
    size_t hole_capacity;
};

/* The document as of `facts`, with the caller as its reader, on `shelf`. NULL when memory ran out
 * or the shelf is full. */
struct document *members_render(struct members *members, const struct facts *facts,
                                struct shelf *shelf);

void members_deinit(struct members *members);

#endif

/* A view written as what differs from another one, the base, which the receiver holds (U3b).
 * Reading and writing stand side by side; wire.md has the table. What is read is the whole view
 * again. */
#ifndef PROTO_BODY_CHANGE_H
#define PROTO_BODY_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/view.h"
#include "proto/body_view.h"
#include "proto/reader.h"
#include "proto/writer.h"

enum {
    BODY_CHANGE_FIELDS = 11, /* and further ones as in a whole view, but the voters only where they
                                are others than the base's */
    /* What one value may write behind the limit that body_write_change is told. */
    BODY_CHANGE_BEYOND = 3072,
};

/* The views that this node holds, of which a change may come: the one that it has installed, and
 * the one that its record as a voter has accepted. NULL, or empty: there is none. */
struct bases {
    const struct view *installed;
    const struct view *accepted;
};

/* What follows the head of the array. Makes `view` out of the base that the bytes name, unless that
 * is none of these (WIRE_BASE), or what comes out is not the view that they announce (WIRE_RESULT).
 */
void body_read_change(struct reader *reader, const struct bases *bases, struct view *view,
                      struct body_view_tail tail);

/* Writes `view` as a change of `base`. Returns false, and what was written is of no use, if there
 * is no such form, or it reaches `limit`; behind that there must be room for BODY_CHANGE_BEYOND
 * bytes. */
bool body_write_change(struct writer *writer, const struct view *view, const struct view *base,
                       const uint8_t *limit);

#endif

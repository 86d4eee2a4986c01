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

/* What follows the head of the array. Makes `view` out of `base`, unless that is not the view which
 * the bytes name (WIRE_BASE), or what comes out is not the one that they announce (WIRE_RESULT). */
void body_read_change(struct reader *reader, const struct view *base, struct view *view,
                      struct body_view_tail tail);

/* Writes `view` as a change of `base`. Returns false, and what was written is of no use, if there
 * is no such form, or it reaches `limit`; behind that there must be room for BODY_CHANGE_BEYOND
 * bytes. */
bool body_write_change(struct writer *writer, const struct view *view, const struct view *base,
                       const uint8_t *limit);

#endif

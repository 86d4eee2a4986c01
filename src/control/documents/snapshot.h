/* The newest members document, for GET /v1/members and for the snapshots of /v1/events alike: both
 * give it out again while it is fresh. */
#ifndef CONTROL_SNAPSHOT_H
#define CONTROL_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "control/documents/members.h"
#include "control/facts/facts.h"
#include "control/text/document.h"

/* All zero but for `facts` holds no document. */
struct snapshot {
    struct facts *facts; /* borrowed; collected anew for each document */
    struct document_pool pool;
    struct members members;
    struct document *document; /* NULL: none, or it could not be made */
    uint64_t cursor;           /* the newest event that it shows */
    uint64_t made_ms;
    uint64_t right; /* the lease page's change when it was made */
};

/* Does the document show the newest event and the right to act that there is, and is it young
 * enough? Rendering costs O(members), so
 * that a document is given out again within the millisecond in which it was made, and one of a
 * large view for member_count / 256 milliseconds. */
bool snapshot_is_fresh(const struct snapshot *snapshot);

/* Returns a share of the document, which the caller has to release; makes a new document unless
 * there is a fresh one. Returns NULL when memory ran out or slow readers hold too much of it. */
struct document *snapshot_share(struct snapshot *snapshot);

/* Releases the snapshot's own share. The shares of others live on, and need the pool. */
void snapshot_deinit(struct snapshot *snapshot);

#endif

/* Views out of the daemon's documents, and who holds them. */
#ifndef CLIENT_VIEW_H
#define CLIENT_VIEW_H

#include <jansson.h>

#include "client/allocator.h"
#include "client/arena.h"
#include "client/problem.h"
#include "doyen/client.h"

/* Reads the document of /v1/members, or of a snapshot, whose text is `json`. Returns a view that is
 * held once, with functions of `memory` but without `memory` itself; or NULL with the problem
 * filled in: DOYEN_E_PROTOCOL or DOYEN_E_MEMORY. */
const struct doyen_view *view_read(const char *json, const struct allocator *memory,
                                   struct problem *problem);

/* The member of that id, or NULL; also for a view that is NULL. */
const struct doyen_member *view_find_life(const struct doyen_view *view, const char *id);

/* Reads what an object says of a member; what it does not say is zero or "". */
void view_read_member(const json_t *object, struct arena *arena, struct doyen_member *member);

#endif

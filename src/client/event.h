/* Events as a callback gets them, out of what a daemon or a node tells. */
#ifndef CLIENT_EVENT_H
#define CLIENT_EVENT_H

#include <jansson.h>

#include "client/allocator.h"
#include "client/arena.h"
#include "doyen/client.h"

/* An event with what it is made of. */
struct read_event {
    struct doyen_event event;
    json_t *data;
    struct arena arena;
    struct doyen_member member; /* where no view has it */
};

/* Reads the event of that kind (`name`) with its data `json`; both are borrowed. `view` is at least
 * as late, `before` is the one before; both may be NULL. To be deinited. */
void event_read(struct read_event *read, const char *name, const char *json,
                const struct doyen_view *view, const struct doyen_view *before,
                const struct allocator *memory);
void event_deinit(struct read_event *read);

#endif

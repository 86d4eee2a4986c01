/* Hands events on to the callback of a watch: those that the daemon told, and those that follow
 * from comparing two views. Each function returns whether the watch goes on. */
#ifndef CLIENT_TELL_H
#define CLIENT_TELL_H

#include "client/client_state.h"

/* Makes an event of what the stream said; NULL when memory ran out. */
struct told *told_new(const struct allocator *memory, const struct sse_event *event);

/* Hands on one event. `view` is at least as late and may be NULL, `before` is the view before it or
 * NULL. */
bool tell_event(struct doyen *d, const struct told *told, const struct doyen_view *view,
                const struct doyen_view *before);

/* Hands on a gap, and what changed meanwhile as far as `before` is known. */
bool tell_gap(struct doyen *d, const struct told *gap, const struct doyen_view *view,
              const struct doyen_view *before);

/* A line for the options' log, if there is one: the daemon is away, and waited for, or it is back.
 */
void tell_log_away(const struct doyen *d, const struct problem *problem);
void tell_log_back(const struct doyen *d);

/* The daemon is away, or back: in the log, too. */
bool tell_away(struct doyen *d, const struct problem *problem);
bool tell_back(struct doyen *d);

#endif

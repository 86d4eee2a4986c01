/* A run as text, a line for each event and for each of its effects, and as one hash. */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include "core/model/effect.h"
#include "core/model/event.h"

struct host;
struct sim;

/* Adds one step to the run's hash, and to its trace where one is kept. */
void trace_step(struct sim *sim, const struct host *host, const struct event *event,
                const struct effects *effects);

/* A line of the story itself: a crash, a cut, a heal. Costs nothing when no trace is kept. */
void trace_note(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

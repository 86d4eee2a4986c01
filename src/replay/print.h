/* Decisions on paper: a line for each notice of a replay, with when it was and what led to it, as
 * text or as JSON. */
#ifndef REPLAY_PRINT_H
#define REPLAY_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "replay/replay.h"
#include "words/journal.h"

struct printer {
    FILE *out;
    bool json;
    bool begun;              /* the line that says whose recording it is */
    struct journal *journal; /* puts names to ids while they are known */
};

/* To be called for each step of a replay. */
void print_step(struct printer *printer, const struct replay_step *step);

/* "1204 events, 7 views, same state", or what else came of it. */
void print_summary(const struct printer *printer, const struct replay_outcome *outcome);

#endif

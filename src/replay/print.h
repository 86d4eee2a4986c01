/* Prints the decisions of a replay: a line for each notice and for each refusal, with its time and
 * the input that led to it; or each message with all that came of it. As text or as JSON. */
#ifndef REPLAY_PRINT_H
#define REPLAY_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "replay/replay.h"
#include "words/journal.h"

struct printer {
    FILE *out;
    bool json;
    bool messages;            /* each input with all that came of it, but quiet heartbeats */
    const char *from;         /* only messages of that sender, as lines name it; NULL: all */
    uint64_t message_number;  /* and of that number */
    bool found;               /* there was such a message */
    bool begun;               /* the line that names the recorded node was printed */
    struct bound_state bound; /* after the step before */
    struct journal *journal;  /* resolves ids to names while they are known */
};

/* Prints what came of a step; to be called for each step of a replay. */
void print_step(struct printer *printer, const struct replay_step *step);

/* "opened", "refused" */
const char *link_news_text(enum link_news news);

/* Prints "1204 events, 7 views, same state", or what differed. */
void print_summary(const struct printer *printer, const struct replay_outcome *outcome);

#endif

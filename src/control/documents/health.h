/* The two questions of whoever supervises a node: is it alive, and is it ready? Both are a list of
 * checks over the facts of one moment. The node is alive, or ready, when all of them hold. */
#ifndef CONTROL_HEALTH_H
#define CONTROL_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "control/facts/facts.h"
#include "control/text/text_builder.h"
#include "words/whole.h"

enum { HEALTH_CHECKS_MAX = 4, HEALTH_TEXT_MAX = 160 };

struct health_check {
    const char *name;
    bool holds;
    char text[HEALTH_TEXT_MAX]; /* what it found, without a full stop */
};

struct health {
    const char *word; /* what the node is where all checks hold: "ready" */
    size_t count;
    struct health_check checks[HEALTH_CHECKS_MAX];
};

/* Alive: the loop answers, and the node has not stopped. Nothing that a restart would not mend
 * counts here. */
struct health health_live(const struct facts *facts);

/* Ready: a member whose view is not stale. It is stale where the coordinator is not heard, or is
 * this node and hears nobody, or where fewer members are heard than the guard asks for: then the
 * others may hold a later view. O(members). */
struct health health_ready(const struct facts *facts);

bool health_is_good(const struct health *health);

/* Appends "ok", or why not, on one line; with `verbose` a line for each check before it and, unless
 * it is NULL, the state of the whole, which decides nothing: a node of a part that split is ready.
 */
void health_write(const struct health *health, bool verbose, const struct whole *whole,
                  struct text_builder *text);

#endif

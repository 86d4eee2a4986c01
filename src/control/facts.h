/* What a node knows at one moment, as plain data: taken once for an answer, so that what renders
 * it is a function of this struct alone. */
#ifndef CONTROL_FACTS_H
#define CONTROL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/node.h"

struct facts {
    /* Borrowed; valid until the node's next step. */
    const struct config *config;
    struct journal *journal;
    const struct core_counters *counters;
    const struct node_traffic *traffic;
    const struct member *self;
    const struct view *view;
    const struct member *coordinator; /* NULL: none to be named */

    enum phase phase;
    bool acting;
    bool merging;
    struct guard_state guard;
    uint32_t acked;
    uint64_t cursor;
    uint64_t now_ms;
    uint64_t uptime_ms;

    /* Owned: by position in the view's members and gone. */
    struct peer_state *peers;
    uint32_t peer_capacity;
    uint64_t gone_ms[GONE_MAX];
};

/* Takes the facts of this moment; `facts` is all zero before the first time. `started_ms` is when
 * the node's uptime began. Returns false when memory ran out. */
bool facts_take(struct facts *facts, struct node *node, uint64_t started_ms);

void facts_deinit(struct facts *facts);

/* The name of the member, present or gone, that has this age, or NULL. */
const char *facts_name_of_age(const struct view *view, uint64_t age);

/* The position of the entry of view.gone with this name, newest first, or VIEW_NONE. */
uint32_t facts_find_gone(const struct view *view, const char *name);

#endif

/* What a node knows at one moment, as plain data. It is collected once per answer, so that
 * rendering is a function of this struct alone. */
#ifndef CONTROL_FACTS_H
#define CONTROL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "control/text/cursor.h"
#include "runtime/node/node.h"

struct facts {
    struct node *node; /* borrowed for life */
    uint64_t started_ms;
    uint32_t life; /* of this process: the beginning of the id that the node began with */

    /* Borrowed; valid until the node's next step. */
    const struct config *config;
    struct journal *journal;
    const struct core_counters *counters;
    const struct node_traffic *traffic;
    const struct refusals *refusals;
    const struct member *self;
    const struct view *view;
    const struct member *coordinator; /* NULL: there is none */

    enum phase phase;
    bool acting;
    uint64_t acting_ms; /* certainly left of the right to act; 0: it does not act */
    bool advisory;      /* the guard only narrows the window in which two nodes act */
    bool withdrawn;     /* the right was given up, for a hand-over */
    bool merging;
    enum reign reign;        /* does the coordinator act? */
    uint64_t acting_said_ms; /* how old that word is; NEVER_MS: nobody is known to act */
    struct guard_state guard;
    const struct terms *terms;   /* in force, and those that this node was started with */
    const struct terms *started; /* the same unless `agreed` says otherwise */
    const struct agreed *agreed;
    const struct voter_lists *voters; /* as the view names them; until there is one, the founders */
    struct voter_lists founders;      /* without records */
    struct voter_state voter;
    const char *record_name; /* whose record it has found instead of its own; NULL: nobody's */
    const char *record_cluster;
    struct autopilot_state autopilot;
    struct voter_store_times voter_times;
    struct voter_contact contacts[VOTERS_LISTED_MAX]; /* by place in `voters`; the coordinator's */
    uint32_t acked;
    uint64_t cursor;
    uint64_t now_ms;
    uint64_t uptime_ms;

    /* Owned; indexed by position in the view's members, or in its gone list. */
    struct peer_state *peers;
    bool *silent; /* watched, and not heard for longer than the profile's patience, or suspected */
    uint32_t peer_capacity;
    uint64_t gone_ms[GONE_MAX];
};

/* Begins without facts; the node's uptime counts from now. */
void facts_init(struct facts *facts, struct node *node);

/* Collects the facts of this moment, in O(members). What is certain of the right to act has to be
 * so for `kept_ms` more, in which the answer may still be given out. Returns false when memory ran
 * out. */
bool facts_collect(struct facts *facts, uint64_t kept_ms);

/* Whether this node votes, in the words of clients; NULL: it is no voter. */
const char *facts_voter_text(const struct facts *facts);

/* The cursor of the newest event, as clients see it. */
struct cursor facts_cursor(const struct facts *facts);

void facts_deinit(struct facts *facts);

/* The name of the member, present or gone, that has this age, or NULL. */
const char *facts_name_of_age(const struct view *view, uint64_t age);

/* The position of the entry of view.gone with this name, newest first, or VIEW_NONE. */
uint32_t facts_find_gone(const struct view *view, const char *name);

#endif

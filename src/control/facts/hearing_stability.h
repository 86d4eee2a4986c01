/* Since when this node hears, or does not hear, each member without a change. What other members
 * report is as old as their last heartbeats: a process that was stopped is heard here again before
 * they say so. Until its hearing has been stable for long enough, their reports are no evidence
 * against a link. Nor are they before it is heard again: others may miss a process that stops up to
 * a heartbeat sooner than this node. */
#ifndef CONTROL_HEARING_STABILITY_H
#define CONTROL_HEARING_STABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

/* Whether this node hears one member, and since when. */
struct heard_member {
    uint64_t age;
    uint64_t since_ms; /* monotonic; when `heard` last changed */
    bool heard;
    bool doubted;        /* others say that they do not hear it */
    uint64_t doubted_ms; /* monotonic; since when they do; 0: nobody does */
};

/* All zero has seen no view yet. */
struct hearing_stability {
    struct heard_member *members; /* in order of age, as in the latest view */
    uint32_t count;
    uint64_t updated_ms; /* when it was last updated; 0: never */
    uint64_t heartbeat_ms;
    uint64_t silent_ms;
};

/* Reads from the core which members it hears. Call it as often as you like: it does its work once
 * per heartbeat. When memory is short, new members count as not stable. */
void hearing_stability_update(struct hearing_stability *stability, const struct core *core,
                              const struct timing *timing, uint64_t now_ms);

/* Are other members' reports about the member of this age as recent as what this node hears itself?
 * `heard_ms_ago` says when this node last heard it. */
bool hearing_is_stable(const struct hearing_stability *stability, uint64_t age,
                       uint64_t heard_ms_ago, uint64_t now_ms);

/* Has this node heard the member a heartbeat after others first said that they do not? Then it was
 * not stopped, or they would say by now that they hear it again. True as well of one that this node
 * does not hear itself. */
bool hearing_outlasts_doubt(const struct hearing_stability *stability, uint64_t age,
                            uint64_t heard_ms_ago, uint64_t now_ms);

void hearing_stability_deinit(struct hearing_stability *stability);

#endif

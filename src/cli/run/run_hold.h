/* The right to act under which a command was started, as the lease page tells of it. It is over for
 * good as soon as the page names another one or none: what comes later is another right. */
#ifndef CLI_RUN_HOLD_H
#define CLI_RUN_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "doyen/lease.h"

/* Why a command has to end. */
enum run_reason {
    REASON_NONE,
    REASON_LAPSED,       /* the lease was not renewed */
    REASON_WITHDRAWN,    /* the node gives its right up, to hand over */
    REASON_STEPPED_DOWN, /* the node does not act any more */
    REASON_EPOCH,        /* it acts under another epoch */
    REASON_DAEMON,       /* doyend is gone */
    REASON_ASKED,        /* doyen run was told to end */
    REASON_ORPHANED,     /* doyen run is gone */
    REASON_LEFTOVERS,    /* the command has ended and left processes behind */
    REASON_WATCHDOG,     /* the watchdog is stopped or gone */
};

struct run_hold {
    const struct doyen_lease *lease; /* borrowed */
    uint64_t epoch;
    uint64_t lineage;
    unsigned char id[sizeof((struct doyen_lease_content){0}.id)];
    uint64_t deadline_ns; /* the last that the page has named for this right */
    enum run_reason over; /* REASON_NONE: the page still names it */
};

/* Holds what `content`, just read from the page, says. */
void run_hold_begin(struct run_hold *hold, const struct doyen_lease *lease,
                    const struct doyen_lease_content *content);

/* Reads the page and takes over its deadline. Returns REASON_NONE while the deadline is more than
 * `lead_ns` away, else why the command has to end. */
enum run_reason run_hold_look(struct run_hold *hold, uint64_t lead_ns);

#endif

/* The lease page: what this node knows of its right to act, in a page of memory that clients may
 * read and not write (include/doyen/lease.h). It says until when the right lasts, so that a reader
 * needs nobody to tell it that the right is over.
 *
 * Who reads the page and has asked to be waited for is a holder: when the node gives its right up
 * before the end, it waits for them with what would give the right to another. */
#ifndef RUNTIME_LEASE_PAGE_H
#define RUNTIME_LEASE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "doyen/lease.h"
#include "runtime/leases/lease_margin.h"
#include "runtime/leases/page_memory.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"

/* One holder; the memory is its owner's. */
struct lease_holder {
    struct lease_holder *next;
    struct lease_holder *previous;
    bool must_stop; /* the right was given up, and it has not said yet that it has stopped */
};

/* What a node's right hangs on besides the leases of others, in a few words. */
struct lease_reign {
    uint64_t epoch;
    uint64_t version;
    enum phase phase;
    bool coordinates;
    bool merging;
    bool handed_over;
};

struct lease_page {
    struct page_memory memory;      /* none where the system has none to lend */
    struct doyen_lease_content now; /* as it was written last */
    struct lease_reign reign;       /* of which the core was asked last, */
    uint64_t looked_ms;             /* and when */
    uint64_t due_ms;                /* of lease_page_due_ms */
    uint64_t change; /* rises when something else than a later end of the same right was written */

    struct lease_margin margin; /* lease_margin.c */

    bool withdrawn;
    uint64_t withdrawn_until_ms; /* when the right that was given up would have ended */
    struct lease_holder *first;
    uint32_t must_stop_count;
};

/* Makes the page. Where the system has none to lend, that is logged once, and everything else
 * works.
 */
void lease_page_open(struct lease_page *lease, const struct config *config, struct log *log);

/* Writes that the right is over, for good, and gives the memory back; clients keep theirs. */
void lease_page_close(struct lease_page *lease);

/* To be called after each step and before its effects are carried out: when others hear that this
 * node gives way, the page says so already. Asks the core, and writes what has changed; while the
 * same reign goes on, it walks through the members once a millisecond at the most. */
void lease_page_on_step(struct lease_page *lease, const struct core *core, uint64_t now_ms);

/* The same, in any case. */
void lease_page_update(struct lease_page *lease, const struct core *core, uint64_t now_ms);

/* When the page has to be looked after though no step does it; NEVER_MS: not at all. A node that
 * acts alone may have nothing else to do for long. */
uint64_t lease_page_due_ms(const struct lease_page *lease);

/* Until when this node may act, as the page says: 0 when it does not. The core is asked anew. */
uint64_t lease_page_until_ms(const struct lease_page *lease, const struct core *core,
                             uint64_t now_ms);

/* Has anybody asked to be waited for? */
bool lease_page_has_holders(const struct lease_page *lease);

/* Gives the right up: the page says so from now on, whatever the core says, and each holder must
 * stop. Harmless when repeated. */
void lease_page_withdraw(struct lease_page *lease, const struct core *core, uint64_t now_ms);

/* Takes that back: nothing came of the hand-over. The core says again what holds. */
void lease_page_restore(struct lease_page *lease);

/* The earliest moment, as far as is known now, at which nobody acts any more under the right that
 * was given up: 0 when all holders have stopped. */
uint64_t lease_page_free_ms(const struct lease_page *lease);

void lease_page_add(struct lease_page *lease, struct lease_holder *holder);
void lease_page_remove(struct lease_page *lease, struct lease_holder *holder);
void lease_page_stopped(struct lease_page *lease, struct lease_holder *holder);

#endif

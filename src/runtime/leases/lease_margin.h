/* How much of the right to act was left each time that it was renewed: who is woken while it gets
 * less is woken before acting is lost. */
#ifndef RUNTIME_LEASE_MARGIN_H
#define RUNTIME_LEASE_MARGIN_H

#include <stdint.h>

enum { LEASE_MARGIN_BOUNDS = 10 };

/* Of the span of the right; a renewal is counted under the lowest that is not below what was left.
 * 0: it was over before it was renewed. In percent. */
extern const uint32_t lease_margin_bounds[LEASE_MARGIN_BOUNDS];

struct lease_margin {
    uint64_t counts[LEASE_MARGIN_BOUNDS];
    double sum; /* of what was left, as parts of the span */
};

/* The right that would have ended at `deadline_ns` is renewed, or found to be over. */
void lease_margin_note(struct lease_margin *margin, uint64_t deadline_ns, uint64_t now_ns,
                       uint64_t span_ns);

#endif

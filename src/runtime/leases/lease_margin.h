/* How much of the right to act was left each time that it was renewed, for a histogram of the
 * metrics: an alert on it comes before the right is lost. */
#ifndef RUNTIME_LEASE_MARGIN_H
#define RUNTIME_LEASE_MARGIN_H

#include <stdint.h>

enum { LEASE_MARGIN_BOUNDS = 10 };

/* The bounds of the histogram, in percent of the span of the right. A renewal is counted under the
 * lowest bound that is not below what was left; under 0 if the right was over by then. */
extern const uint32_t lease_margin_bounds[LEASE_MARGIN_BOUNDS];

struct lease_margin {
    uint64_t counts[LEASE_MARGIN_BOUNDS];
    double sum; /* of what was left each time, as a part of the span: 0 to 1 */
};

/* Counts that the right of `span_ns`, which would have ended at `deadline_ns`, is renewed at
 * `now_ns`, or is found to be over by then. */
void lease_margin_note(struct lease_margin *margin, uint64_t deadline_ns, uint64_t now_ns,
                       uint64_t span_ns);

#endif

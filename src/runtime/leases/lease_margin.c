#include "runtime/leases/lease_margin.h"

const uint32_t lease_margin_bounds[LEASE_MARGIN_BOUNDS] = {0, 5, 10, 15, 20, 25, 30, 40, 50, 100};

void lease_margin_note(struct lease_margin *margin, uint64_t deadline_ns, uint64_t now_ns,
                       uint64_t span_ns)
{
    const double left = deadline_ns > now_ns ? (double)(deadline_ns - now_ns) : 0;
    const double part = span_ns == 0 ? 1 : left < (double)span_ns ? left / (double)span_ns : 1;
    int bound = 0;

    while (bound < LEASE_MARGIN_BOUNDS - 1 && part * 100 > lease_margin_bounds[bound]) {
        bound++;
    }
    margin->counts[bound]++;
    margin->sum += part;
}

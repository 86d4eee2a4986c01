/* An operator changes the terms, whatever else goes on. A majority stays one, so that it can be
 * said what it must not do; and all hosts have room, so that they can find together in the end. */
#include "faults_parts.h"

static void change_guard(struct sim *sim, struct random *random, struct rules *rules)
{
    const uint32_t hosts = sim_host_count(sim);
    const uint32_t size = draw_u32(random, hosts, hosts + 2);
    const uint64_t choice = draw(random, 0, 2);

    if (rules->guard.policy == GUARD_MAJORITY && sim_keeps_majority(sim)) {
        rules->guard.count = size;
    } else if (choice == 0) {
        rules->guard = (struct guard){.policy = GUARD_NONE};
    } else if (choice == 1) {
        rules->guard = (struct guard){.policy = GUARD_COUNT, .count = hosts / 2 + 1};
    } else {
        rules->guard = (struct guard){.policy = GUARD_MAJORITY, .count = size};
    }
}

/* No shorter than timing_override would have it. */
void fault_scale_lengths(struct sim *sim, struct rules *rules, uint64_t fifths)
{
    const struct timing timing = sim_timing(sim);

    rules->heartbeat_ms = timing.heartbeat_ms * fifths / 5;
    rules->lost_ms = (timing.lost_ms * fifths + 4) / 5;
}

/* H99: under strict the length of leases goes up and down with them. */
static void change_timing(struct sim *sim, struct random *random, struct rules *rules)
{
    const bool strict = rules->guard.policy == GUARD_STRICT;

    fault_scale_lengths(sim, rules, draw(random, 3, strict ? 10 : 5));
}

void strike_change_of_terms(struct sim *sim, struct random *random)
{
    const uint32_t host = any_host(sim, random);
    const uint64_t what = draw(random, 0, 3);

    if (!sim_is_running(sim, host)) {
        return;
    }
    struct rules rules = sim_rules(sim, host);
    const bool strict = rules.guard.policy == GUARD_STRICT;
    if (rules.capacity < sim_usual_terms(sim).capacity) {
        return; /* It began anew with a smaller one, which would be the most for good (A1). */
    }
    if (what != 0 && !strict) {
        change_guard(sim, random, &rules);
    }
    if (what != 1 || strict) {
        change_timing(sim, random, &rules);
    }
    sim_change_terms(sim, host, &rules);
}

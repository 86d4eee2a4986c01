/* Somebody who does not know better starts hosts with other options than the others have, and later
 * somebody notices. What doyend refuses beside a voter's record stays down until then (Z3d). */
#include <string.h>

#include "faults_parts.h"

#include "core/model/quorum.h"

/* What is told of durations: shorter ones, longer ones, or another profile's. */
static void draw_durations(struct sim *sim, struct random *random, struct sim_terms *terms)
{
    const struct timing timing = sim_timing(sim);

    switch (draw(random, 0, 4)) {
    case 0:
        terms->profile = PROFILE_LOCAL;
        break;
    case 1:
        terms->profile = PROFILE_WAN;
        break;
    case 2:
        terms->heartbeat_ms = timing.heartbeat_ms * 3 / 5;
        break;
    case 3:
        terms->heartbeat_ms = timing.heartbeat_ms * 2;
        break;
    default:
        terms->lost_ms = timing.lost_ms * 2;
        break;
    }
}

static uint32_t members_needed(const struct sim_terms *terms)
{
    const uint32_t needed = guard_asks(&terms->guard).needed;
    const uint32_t size = guard_asks(&terms->guard).size_max;
    const uint32_t counted = size != UINT32_MAX && size > needed ? size : needed;

    return terms->voters.count > counted ? terms->voters.count : counted;
}

static void draw_guard(struct sim *sim, struct random *random, struct sim_terms *terms)
{
    static const enum guard_policy policies[] = {GUARD_NONE, GUARD_COUNT, GUARD_MAJORITY};
    const uint32_t hosts = sim_host_count(sim);

    terms->guard = (struct guard){.policy = policies[random_below(random, 3)]};
    if (terms->guard.policy != GUARD_NONE) {
        terms->guard.count = draw_u32(random, 1, hosts + 1);
    }
    terms->voters = (struct voters){0};
}

/* Some of the voters alone, which a record of all of them does not go with (Z3b). Before there is
 * one nothing tells the lists apart, and what is founded with the wrong one has to be undone by
 * hand. */
static void draw_voters(struct random *random, struct sim_terms *terms)
{
    const struct voters all = terms->voters;
    const uint32_t first = (uint32_t)random_below(random, all.count);
    const uint32_t count = draw_u32(random, 1, all.count - 1U);

    terms->voters = (struct voters){.count = (uint8_t)count};
    for (uint32_t i = 0; i < count; i++) {
        memcpy(terms->voters.names[i], all.names[(first + i) % all.count],
               sizeof terms->voters.names[i]);
    }
    terms->guard.count = count;
}

static struct sim_terms draw_terms(struct sim *sim, struct random *random)
{
    struct sim_terms terms = sim_usual_terms(sim);
    const uint64_t what = draw(random, 0, 7);

    if (what == 0) {
        draw_guard(sim, random, &terms);
    } else if (what == 1 && terms.voters.count > 1 && sim_has_founded(sim)) {
        draw_voters(random, &terms);
    } else if (what == 2 && members_needed(&terms) < terms.capacity) {
        const uint32_t needed = members_needed(&terms);
        terms.capacity = draw_u32(random, needed == 0 ? 1 : needed, terms.capacity - 1);
    } else {
        draw_durations(sim, random, &terms);
    }
    return terms;
}

static void mend(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend(sim, a, b);
}

static void cut_off_for(struct sim *sim, uint32_t host, uint64_t ms)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            sim_cut(sim, host, i);
            sim_after(sim, ms, mend, host, i);
        }
    }
}

static void start_with(struct sim *sim, struct random *random, uint32_t host,
                       const struct sim_terms *terms)
{
    const bool at_once = draw(random, 0, 3) != 0;
    const uint64_t ms = draw(random, 0, 1000);

    struct sim_terms stated = *terms;

    /* It would found with them what nobody asked for. */
    if (terms->guard.policy == GUARD_STRICT && !sim_knows_of_founding(sim, host)) {
        stated.guard = sim_usual_terms(sim).guard;
        stated.voters = sim_usual_terms(sim).voters;
    }
    sim_crash(sim, host);
    sim_set_terms(sim, host, &stated);
    sim_after(sim, at_once ? 0 : ms, fault_start_again, host, KEEP_DISK);
    sim_after(sim, draw(random, 1000, 15000), fault_put_right, host, 0);
}

/* One, some or all, perhaps but for the coordinator, which may be cut off meanwhile: whoever takes
 * over goes by other durations than the one whose lease still runs. */
void strike_other_options(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    const uint32_t coordinator = sim_coordinator(sim, first);
    const bool spares = draw(random, 0, 1) == 0;
    const bool cuts = draw(random, 0, 1) == 0;
    const uint64_t cut_ms = draw(random, 200, 10000);
    const uint32_t count = draw_u32(random, 1, sim_host_count(sim));
    const struct sim_terms terms = draw_terms(sim, random);

    if (spares && cuts && coordinator != SIM_NOBODY) {
        cut_off_for(sim, coordinator, cut_ms);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t host = (first + i) % sim_host_count(sim);
        if (!spares || host != coordinator) {
            start_with(sim, random, host, &terms);
        }
    }
}

/* Faults of what several hosts share: a hypervisor, a store of disks, a line. They strike at one
 * instant, and end at one. */
#include "faults_parts.h"

/* Hosts and witnesses. */
static uint32_t all_count(const struct sim *sim)
{
    return sim_host_count(sim) + sim_witness_count(sim);
}

/* How long they stand still: about as long as leases last, as a silence may, or for long. */
static uint32_t standstill_ms(struct sim *sim, struct random *random)
{
    const struct timing timing = sim_timing(sim);

    switch (draw(random, 0, 3)) {
    case 0:
        return draw_u32(random, 50, timing.lease_ms);
    case 1:
        return draw_u32(random, timing.lease_ms, 2 * timing.lost_ms);
    default:
        return draw_u32(random, timing.lost_ms, 12000);
    }
}

/* H46: a hypervisor with some of them on it, or all, stands still, or writes out their memory. They
 * go on at once, or one after the other. */
void strike_pause_of_several(struct sim *sim, struct random *random)
{
    const uint32_t ms = standstill_ms(sim, random);
    const bool all = draw(random, 0, 2) == 0;
    const bool at_once = draw(random, 0, 1) == 0;

    for (uint32_t i = 0; i < all_count(sim); i++) {
        const bool hit = draw(random, 0, 1) == 0;
        const uint32_t later_ms = draw_u32(random, 0, ms);
        if (hit || all) {
            sim_pause(sim, i);
            sim_after(sim, at_once ? ms : ms + later_ms, fault_resume, i, 0);
        }
    }
}

/* The store under all disks is stuck; now and then power fails meanwhile, and what was asked of the
 * disks is on some of them only. */
void strike_stuck_store(struct sim *sim, struct random *random)
{
    const uint32_t ms = draw_u32(random, 50, 6000);
    const bool power_fails = draw(random, 0, 2) == 0;
    const uint32_t down_ms = draw_u32(random, 0, 1000);

    for (uint32_t i = 0; i < all_count(sim); i++) {
        sim_stick_record(sim, i, ms);
        if (power_fails) {
            sim_after(sim, ms / 2, fault_crash_and_return, i, down_ms);
        }
    }
}

static void mend(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, from, to);
}

static void hold_back(struct sim *sim, uint32_t from, uint32_t to, uint64_t ms, uint64_t later_ms)
{
    sim_hold_back(sim, from, to, ms + later_ms);
    sim_after(sim, ms, mend, from, to);
}

/* A line holds what is sent to or from one host, or between two, and lets it go at one instant:
 * when it is well again, or as much as a minute later, as a line that nobody uses any more. */
void strike_held_back(struct sim *sim, struct random *random)
{
    const uint32_t host = any_host(sim, random);
    const uint32_t other = another_host(sim, random, host);
    const uint64_t ms = standstill_ms(sim, random);
    const uint64_t later_ms = draw(random, 0, 1) == 0 ? 0 : draw(random, 0, 60000);
    const uint64_t ways = draw(random, 0, 3);
    const bool all = draw(random, 0, 2) != 0;

    for (uint32_t i = 0; i < all_count(sim); i++) {
        if (i == host || (!all && i != other)) {
            continue;
        }
        if (ways != 1) {
            hold_back(sim, i, host, ms, later_ms);
        }
        if (ways != 2) {
            hold_back(sim, host, i, ms, later_ms);
        }
    }
}

static void better(struct sim *sim, uint32_t unused, uint32_t also_unused)
{
    (void)unused;
    (void)also_unused;
    const struct quality quality = sim_default_quality();
    sim_set_quality(sim, &quality);
}

/* H90: a line loses some of what is long, as one does that cuts packets into pieces and loses
 * those. Of one host, or all. */
void strike_loss_of_what_is_long(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    const bool all = draw(random, 0, 1) == 0;
    const uint32_t host = any_host(sim, random);

    quality.long_loss_ppm = draw_u32(random, 200000, 990000);
    if (all) {
        sim_set_quality(sim, &quality);
    } else {
        sim_set_quality_from(sim, host, &quality);
    }
    sim_after(sim, draw(random, 500, 15000), better, 0, 0);
}

/* Faults of one host that go on for long, or that give it back as something else: it crashes again
 * and again, is away while everything changes, has another disk or address, or has slept and does
 * not know it. */
#include "faults_parts.h"

/* --- Processes --- */

/* For sim_after: how often yet, and for how long it is up and down, in 50 ms. */
static uint32_t pack_loop(struct random *random)
{
    const bool is_short = draw(random, 0, 1) == 0;
    const uint32_t up = draw_u32(random, 0, is_short ? 4 : 60);
    const uint32_t down = draw_u32(random, 0, is_short ? 4 : 30);

    return draw_u32(random, 3, 20) | up << 8 | down << 16;
}

void fault_crash_again(struct sim *sim, uint32_t host, uint32_t packed)
{
    const uint32_t left = packed & 0xff;
    const uint64_t up_ms = 1 + 50 * (uint64_t)(packed >> 8 & 0xff);
    const uint64_t down_ms = 50 * (uint64_t)(packed >> 16 & 0xff);

    fault_crash_and_return(sim, host, (uint32_t)down_ms);
    if (left > 0) {
        sim_after(sim, down_ms + up_ms, fault_crash_again, host,
                  left == 0xff ? packed : packed - 1);
    }
}

/* Its supervisor starts it each time, and it never lives for long: before it is in, when it has
 * just been let in, or when it is to act. */
void strike_crash_loop(struct sim *sim, struct random *random)
{
    const uint32_t loop = pack_loop(random);

    fault_crash_again(sim, any_host(sim, random), loop);
}

/* Some are off, for so long that the terms, the voters and all others may be other ones when they
 * come back, at one instant or each for itself. */
void strike_long_absence(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    const uint32_t count = draw_u32(random, 1, (sim_host_count(sim) + 1) / 2);
    const uint32_t ms = draw_u32(random, 8000, 50000);
    const bool together = draw(random, 0, 1) == 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t later_ms = draw_u32(random, 0, 5000);
        fault_crash_and_return(sim, (first + i) % sim_host_count(sim),
                               together ? ms : ms + later_ms);
    }
}

/* --- Addresses and disks --- */

/* A voter moves to the address of another host, which moves to its own, each with its disk. */
void strike_moved_voter(struct sim *sim, struct random *random)
{
    const uint32_t voter = any_voter(sim, random);
    const uint32_t other = another_host(sim, random, voter);
    const uint32_t down_ms = draw_u32(random, 0, 3000);
    const uint32_t other_down_ms = draw_u32(random, 0, 3000);

    if (!sim_has_founded(sim) || !sim_is_voter(sim, voter)) {
        return;
    }
    sim_crash(sim, voter);
    sim_crash(sim, other);
    sim_swap(sim, voter, other);
    sim_after(sim, down_ms, fault_start_again, voter, KEEP_DISK);
    sim_after(sim, other_down_ms, fault_start_again, other, KEEP_DISK);
}

static void wish_anew(struct sim *sim, uint32_t asked, uint32_t voter)
{
    const uint32_t set = listed_hosts(sim);
    const uint32_t anew = UINT32_C(1) << voter;

    if ((set & anew) != 0) {
        sim_change_voters(sim, asked, set, anew);
    }
}

static void exchange_disk(struct sim *sim, uint32_t host, uint32_t down_ms)
{
    if (sim_may_exchange_disk(sim, host)) {
        sim_crash(sim, host);
        sim_exchange_disk(sim, host);
        sim_after(sim, down_ms, fault_start_again, host, KEEP_DISK);
    }
}

/* H87: its disk is taken for broken, and another one is put in, for which it is to get another
 * record; then the old one turns out to be sound, and is put back, perhaps in the midst of that,
 * and perhaps the new one once more. */
void strike_two_disks(struct sim *sim, struct random *random)
{
    const uint32_t host = any_voter(sim, random);
    const uint32_t times = draw_u32(random, 2, 4);
    uint64_t at_ms = 0;

    for (uint32_t i = 0; i < times; i++) {
        const uint32_t down_ms = draw_u32(random, 0, 1500);
        const uint32_t asked = any_host(sim, random);
        const uint64_t wish_ms = draw(random, 0, 5000);
        const bool is_wished = draw(random, 0, 3) != 0;
        const bool is_soon = draw(random, 0, 1) == 0;
        sim_after(sim, at_ms, exchange_disk, host, down_ms);
        if (is_wished) {
            sim_after(sim, at_ms + wish_ms, wish_anew, asked, host);
        }
        at_ms += is_soon ? wish_ms + draw(random, 0, 300) : draw(random, 500, 12000);
    }
}

/* --- Clocks --- */

static void resume_unaware(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_resume_unaware(sim, host);
}

static bool may_stand_still(const struct sim *sim, uint32_t host)
{
    return sim_voter_count(sim) == 0 || host >= sim_host_count(sim);
}

/* H46: a virtual machine is suspended, and its clock with it. Guard strict is not for those
 * (docs/strict.md), but for a witness, which holds its leases for longer then. */
void strike_standstill(struct sim *sim, struct random *random)
{
    const uint32_t count = sim_host_count(sim) + sim_witness_count(sim);
    const uint32_t one = (uint32_t)random_below(random, count);
    const uint64_t ms = draw(random, 0, 1) == 0 ? draw(random, 50, 2000) : draw(random, 500, 20000);
    const bool several = draw(random, 0, 2) == 0;

    for (uint32_t i = 0; i < count; i++) {
        const bool hit = draw(random, 0, 1) == 0;
        if ((i == one || (several && hit)) && may_stand_still(sim, i)) {
            sim_pause(sim, i);
            sim_after(sim, ms, resume_unaware, i, 0);
        }
    }
}

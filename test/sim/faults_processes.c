/* Faults of processes and their hosts: killed, stopped, slowed, asked to leave, and with a bad
 * clock or disk. */
#include "faults_parts.h"

/* Restarts take up to this long. */
#define DOWN_MS_MAX 8000U

/* Mostly at once, for restarts before detection are the harder case. */
static void restart_later(struct sim *sim, struct random *random, uint32_t host)
{
    bool soon = draw(random, 0, 2) == 0;
    uint64_t ms = draw(random, 0, soon ? 300 : DOWN_MS_MAX);
    uint64_t fate = draw(random, 0, 7);
    uint32_t disk = fate < 2 ? WIPE_DISK : fate == 2 ? ROLL_BACK_DISK : KEEP_DISK;
    sim_after(sim, ms, fault_start_again, host, disk);
}

void strike_crash(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_crash(sim, host);
    restart_later(sim, random, host);
}

void strike_crash_of_coordinator(struct sim *sim, struct random *random)
{
    uint32_t host = sim_coordinator(sim, any_host(sim, random));
    if (host != SIM_NOBODY) {
        sim_crash(sim, host);
        restart_later(sim, random, host);
    }
}

/* Killed in the middle of sending, and somebody else with it, so that there is something to send.
 */
void strike_crash_while_sending(struct sim *sim, struct random *random)
{
    static const enum message_type types[] = {
        MESSAGE_PREPARE, MESSAGE_PREPARE, MESSAGE_COMMIT, MESSAGE_VIEW,  MESSAGE_CLAIM,
        MESSAGE_VOTE,    MESSAGE_ACK,     MESSAGE_MERGE,  MESSAGE_OFFER, MESSAGE_HANDOVER};
    enum message_type type = types[random_below(random, sizeof types / sizeof types[0])];
    uint32_t count = (uint32_t)draw(random, 1, sim_host_count(sim));
    uint32_t host = sim_coordinator(sim, any_host(sim, random));

    if (host == SIM_NOBODY || draw(random, 0, 3) == 0) {
        host = any_host(sim, random);
    }
    sim_trip(sim, host, type, count);
    if (draw(random, 0, 1) == 0) {
        sim_lose_nothing(sim); /* Of an earlier strike. */
        sim_lose(sim, host, another_host(sim, random, host), type, 1);
    }
    restart_later(sim, random, host);
    strike_crash(sim, random);
}

void strike_crash_of_several(struct sim *sim, struct random *random)
{
    for (uint64_t left = draw(random, 2, sim_host_count(sim)); left > 0; left--) {
        strike_crash(sim, random);
    }
}

/* Power comes back everywhere at one instant. */
void strike_power_cut(struct sim *sim, struct random *random)
{
    uint64_t ms = draw(random, 0, 2000);
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        sim_crash(sim, host);
        sim_after(sim, ms, fault_start_again, host, KEEP_DISK);
    }
}

void strike_vanish(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_vanish(sim, host);
    restart_later(sim, random, host);
}

void strike_leave(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    if (sim_is_running(sim, host)) {
        sim_leave(sim, host);
        sim_after(sim, draw(random, LEFT_MS, DOWN_MS_MAX), fault_start_again, host, KEEP_DISK);
    }
}

/* Its supervisor starts it as soon as it has ended. */
static void start_when_ended(struct sim *sim, uint32_t host, uint32_t looks)
{
    if (sim_is_running(sim, host) && looks > 0) {
        sim_after(sim, 100, start_when_ended, host, looks - 1);
    } else {
        fault_start_again(sim, host, KEEP_DISK);
    }
}

static void leave_and_return(struct sim *sim, uint32_t host, uint32_t down_ms)
{
    if (sim_is_running(sim, host) && !sim_is_leaving(sim, host)) {
        sim_leave(sim, host);
        sim_after(sim, down_ms, start_when_ended, host, LEFT_MS / 100);
    }
}

/* Another release, or another machine under each: operators restart all of them, or half, in their
 * order or backwards, and wait for some time after each, or for none. */
void strike_rolling_restart(struct sim *sim, struct random *random)
{
    const uint32_t count = sim_host_count(sim);
    const uint32_t first = any_host(sim, random);
    const uint32_t step = draw(random, 0, 1) == 0 ? 1 : count - 1;
    const uint32_t share = draw_u32(random, 1, 2);
    const uint64_t pace = draw(random, 0, 2);
    const uint64_t gap_ms = pace == 0   ? 0
                            : pace == 1 ? draw(random, 20, 1000)
                                        : draw(random, 1000, 5000);
    const bool leaves = draw(random, 0, 2) != 0;
    const uint32_t down_ms = draw(random, 0, 1) == 0 ? 0 : draw_u32(random, 1, 5000);

    for (uint32_t i = 0; i < (count + share - 1) / share; i++) {
        sim_after(sim, i * gap_ms, leaves ? leave_and_return : fault_crash_and_return,
                  (first + i * step) % count, down_ms);
    }
}

void strike_short_pause(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_pause(sim, host);
    sim_after(sim, draw(random, 50, 4000), fault_resume, host, 0);
}

void strike_long_pause(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_pause(sim, host);
    sim_after(sim, draw(random, 4000, 12000), fault_resume, host, 0);
}

static void quicken(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_slow(sim, host, 0);
    sim_delay_timers(sim, host, 0);
}

void strike_slowness(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_slow(sim, host, draw(random, 20, 800));
    sim_after(sim, draw(random, 500, 5000), quicken, host, 0);
}

void strike_late_timers(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_delay_timers(sim, host, draw(random, 5, 400));
    sim_after(sim, draw(random, 500, 8000), quicken, host, 0);
}

/* For good: nobody ever mends a quartz. */
void strike_skew(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_skew(sim, host, (int64_t)draw(random, 0, 20000) - 10000);
}

/* NTP slews every clock anew: by nothing, as much as it may, or anything between. */
void strike_clock_rates(struct sim *sim, struct random *random)
{
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        uint64_t kind = draw(random, 0, 3);
        int64_t rate_ppm = (int64_t)draw(random, 0, 2 * CLOCK_RATE_PPM_MAX) - CLOCK_RATE_PPM_MAX;
        if (kind == 0) {
            rate_ppm = 0;
        } else if (kind < 3) {
            rate_ppm = kind == 1 ? CLOCK_RATE_PPM_MAX : -CLOCK_RATE_PPM_MAX;
        }
        sim_skew(sim, host, rate_ppm);
    }
}

static void write_again(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_fail_disk(sim, host, false);
}

void strike_disk(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_fail_disk(sim, host, true);
    sim_after(sim, draw(random, 1000, 10000), write_again, host, 0);
}

/* Any operator wants it of any member; mostly it is one that runs. */
void strike_transfer(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint32_t to = any_host(sim, random);
    sim_transfer(sim, host, to);
}

void strike_drain(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint32_t subject = any_host(sim, random);
    sim_drain(sim, host, subject);
}

void strike_undrain(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint32_t subject = any_host(sim, random);
    sim_undrain(sim, host, subject);
}

/* E9: of those who are gone in the eyes of any member, also where they live on, across a cut. */
void strike_remove(struct sim *sim, struct random *random)
{
    const uint32_t host = any_host(sim, random);
    const uint64_t drawn = random_u64(random);

    if (!sim_is_running(sim, host)) {
        return;
    }
    const struct view *view = core_view(sim_core(sim, host));
    if (view->gone_count > 0) {
        sim_forget(sim, host, &view->gone[drawn % view->gone_count].id);
    }
}

/* Members that are no neighbours may not have heard each other for days, and do when the rings turn
 * or somebody else comes to coordinate. Here all have sent more than is taken at once (D6a), or
 * some; and mostly the coordinator dies then. */
void strike_long_lives(struct sim *sim, struct random *random)
{
    const uint64_t all = draw(random, 0, 1);
    const uint32_t coordinator = sim_coordinator(sim, any_host(sim, random));

    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        const uint64_t chance = draw(random, 0, 1);
        const uint64_t magnitude = draw(random, 18, 28); /* 2^32 stand for days. */
        const uint64_t count = UINT64_C(1) << magnitude;
        if (all == 1 || chance == 1) {
            sim_send_to_nobody(sim, host, count);
        }
    }
    const uint64_t blow = draw(random, 0, 2);
    if (blow > 0 && coordinator != SIM_NOBODY) {
        const uint64_t after_ms = draw(random, 0, 1000);
        sim_after(sim, after_ms, fault_crash_and_return, coordinator, draw_u32(random, 0, 5000));
    }
}

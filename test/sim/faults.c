#include "faults.h"

#include <stddef.h>
#include <string.h>

/* Restarts take up to this long. */
#define DOWN_MS_MAX 8000U

/* Whoever was asked to leave has ended by then, of every profile. */
#define LEFT_MS 6000U

/* Never two draws among the arguments of one call: compilers differ in which comes first, and a
 * seed must mean the same run with each of them. */
static uint64_t draw(struct random *random, uint64_t low, uint64_t high)
{
    return random_between(random, low, high);
}

static uint32_t draw_ppm(struct random *random, uint64_t low, uint64_t high)
{
    return (uint32_t)random_between(random, low, high);
}

static uint32_t any_host(struct sim *sim, struct random *random)
{
    return (uint32_t)random_below(random, sim_host_count(sim));
}

static uint32_t another_host(struct sim *sim, struct random *random, uint32_t host)
{
    uint32_t step = (uint32_t)random_below(random, sim_host_count(sim) - 1) + 1;
    return (host + step) % sim_host_count(sim);
}

/* --- Ends of faults, called later --- */

enum { KEEP_DISK, WIPE_DISK, ROLL_BACK_DISK };

/* A seed keeps its disk: without one, and with all other seeds down, it has nobody to ask and
 * founds a second cluster (F2). */
static void start_again(struct sim *sim, uint32_t host, uint32_t disk)
{
    if (sim_is_running(sim, host)) {
        return; /* Another fault's end came first. */
    }
    if (disk == WIPE_DISK && !sim_is_seed(sim, host)) {
        sim_wipe(sim, host);
    } else if (disk == ROLL_BACK_DISK) {
        sim_roll_back(sim, host);
    }
    sim_start(sim, host);
}

static void resume(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_resume(sim, host);
}

static void quicken(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_slow(sim, host, 0);
    sim_delay_timers(sim, host, 0);
}

static void mend(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, from, to);
}

static void mend_streams(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend_streams(sim, a, b);
}

static void better(struct sim *sim, uint32_t unused, uint32_t also_unused)
{
    (void)unused;
    (void)also_unused;
    struct quality quality = sim_default_quality();
    sim_set_quality(sim, &quality);
}

static void resolve_again(struct sim *sim, uint32_t unused, uint32_t also_unused)
{
    (void)unused;
    (void)also_unused;
    sim_set_resolver(sim, 20, false);
}

static void write_again(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_fail_disk(sim, host, false);
}

/* --- Processes and hosts --- */

/* Mostly at once, for restarts before detection are the harder case. */
static void restart_later(struct sim *sim, struct random *random, uint32_t host)
{
    bool soon = draw(random, 0, 2) == 0;
    uint64_t ms = draw(random, 0, soon ? 300 : DOWN_MS_MAX);
    uint64_t fate = draw(random, 0, 7);
    uint32_t disk = fate < 2 ? WIPE_DISK : fate == 2 ? ROLL_BACK_DISK : KEEP_DISK;
    sim_after(sim, ms, start_again, host, disk);
}

static void strike_crash(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_crash(sim, host);
    restart_later(sim, random, host);
}

static void strike_crash_of_coordinator(struct sim *sim, struct random *random)
{
    uint32_t host = sim_coordinator(sim, any_host(sim, random));
    if (host != SIM_NOBODY) {
        sim_crash(sim, host);
        restart_later(sim, random, host);
    }
}

/* Killed in the middle of sending, and somebody else with it, so that there is something to send.
 */
static void strike_crash_while_sending(struct sim *sim, struct random *random)
{
    static const enum message_type types[] = {
        MESSAGE_PREPARE, MESSAGE_PREPARE, MESSAGE_COMMIT, MESSAGE_VIEW,  MESSAGE_CLAIM,
        MESSAGE_GRANT,   MESSAGE_ACK,     MESSAGE_MERGE,  MESSAGE_OFFER, MESSAGE_HANDOVER};
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

static void strike_crash_of_several(struct sim *sim, struct random *random)
{
    for (uint64_t left = draw(random, 2, sim_host_count(sim)); left > 0; left--) {
        strike_crash(sim, random);
    }
}

/* Power comes back everywhere at one instant. */
static void strike_power_cut(struct sim *sim, struct random *random)
{
    uint64_t ms = draw(random, 0, 2000);
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        sim_crash(sim, host);
        sim_after(sim, ms, start_again, host, KEEP_DISK);
    }
}

static void strike_vanish(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_vanish(sim, host);
    restart_later(sim, random, host);
}

static void strike_leave(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    if (sim_is_running(sim, host)) {
        sim_leave(sim, host);
        sim_after(sim, draw(random, LEFT_MS, DOWN_MS_MAX), start_again, host, KEEP_DISK);
    }
}

static void strike_short_pause(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_pause(sim, host);
    sim_after(sim, draw(random, 50, 4000), resume, host, 0);
}

static void strike_long_pause(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_pause(sim, host);
    sim_after(sim, draw(random, 4000, 12000), resume, host, 0);
}

static void strike_slowness(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_slow(sim, host, draw(random, 20, 800));
    sim_after(sim, draw(random, 500, 5000), quicken, host, 0);
}

static void strike_late_timers(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_delay_timers(sim, host, draw(random, 5, 400));
    sim_after(sim, draw(random, 500, 8000), quicken, host, 0);
}

/* For good: nobody ever mends a quartz. */
static void strike_skew(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_skew(sim, host, (int64_t)draw(random, 0, 20000) - 10000);
}

static void strike_disk(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    sim_fail_disk(sim, host, true);
    sim_after(sim, draw(random, 1000, 10000), write_again, host, 0);
}

/* --- Links --- */

static void cut_for(struct sim *sim, uint32_t from, uint32_t to, uint64_t ms)
{
    sim_cut_one_way(sim, from, to);
    sim_after(sim, ms, mend, from, to);
}

static void cut_both_for(struct sim *sim, uint32_t a, uint32_t b, uint64_t ms)
{
    cut_for(sim, a, b, ms);
    cut_for(sim, b, a, ms);
}

/* Shorter than T_lost, so that nobody has to be lost for it. */
static void strike_cut(struct sim *sim, struct random *random)
{
    uint32_t from = any_host(sim, random);
    uint32_t to = another_host(sim, random, from);
    uint64_t ms = draw(random, 50, 800);
    cut_for(sim, from, to, ms);
    if (draw(random, 0, 1) == 0) {
        cut_for(sim, to, from, ms);
    }
}

/* One bad link may last: the others carry news around it (H51). */
static void strike_long_cut_of_one_link(struct sim *sim, struct random *random)
{
    uint32_t from = any_host(sim, random);
    uint32_t to = another_host(sim, random, from);
    uint64_t ms = draw(random, 1000, 15000);
    cut_for(sim, from, to, ms);
    if (draw(random, 0, 1) == 0) {
        cut_for(sim, to, from, ms);
    }
}

static uint64_t cut_ms(struct random *random)
{
    switch (draw(random, 0, 3)) {
    case 0:
        return draw(random, 100, 1500);
    case 1:
        return draw(random, 500, 4000);
    default:
        return draw(random, 2000, 12000);
    }
}

/* Into 2 to `parts_max` groups; hosts fall into them at random. */
static void split(struct sim *sim, struct random *random, uint32_t parts_max, uint64_t ms)
{
    uint32_t groups = (uint32_t)draw(random, 2, parts_max);
    uint32_t group[256];

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        group[i] = (uint32_t)random_below(random, groups);
    }
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        for (uint32_t k = i + 1; k < sim_host_count(sim); k++) {
            if (group[i] != group[k]) {
                cut_both_for(sim, i, k, ms);
            }
        }
    }
}

static void strike_partition(struct sim *sim, struct random *random)
{
    split(sim, random, 3, cut_ms(random));
}

static void strike_many_parts(struct sim *sim, struct random *random)
{
    split(sim, random, sim_host_count(sim) < 3 ? 2 : sim_host_count(sim), cut_ms(random));
}

static void strike_long_partition(struct sim *sim, struct random *random)
{
    split(sim, random, 3, 30000);
}

/* Two groups that do not hear each other, and one host between them that both hear (H8). */
static void strike_bridge(struct sim *sim, struct random *random)
{
    uint32_t bridge = any_host(sim, random);
    uint64_t ms = cut_ms(random);
    uint64_t sides = random_u64(random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        for (uint32_t k = i + 1; k < sim_host_count(sim); k++) {
            if (i != bridge && k != bridge && (sides >> (i % 64) & 1) != (sides >> (k % 64) & 1)) {
                cut_both_for(sim, i, k, ms);
            }
        }
    }
}

/* Each hears its neighbours alone. */
static void strike_ring(struct sim *sim, struct random *random)
{
    uint32_t count = sim_host_count(sim);
    uint64_t ms = cut_ms(random);

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (k - i != 1 && k - i != count - 1) {
                cut_both_for(sim, i, k, ms);
            }
        }
    }
}

/* Every direction of every link for itself. */
static void strike_random_links(struct sim *sim, struct random *random)
{
    uint64_t ms = cut_ms(random);
    uint64_t percent = draw(random, 5, 50);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        for (uint32_t k = 0; k < sim_host_count(sim); k++) {
            if (i != k && random_below(random, 100) < percent) {
                cut_for(sim, i, k, ms);
            }
        }
    }
}

static void strike_isolation(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint64_t ms = cut_ms(random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            cut_both_for(sim, i, host, ms);
        }
    }
}

static void strike_deafness(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint64_t ms = cut_ms(random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            cut_for(sim, i, host, ms);
        }
    }
}

static void strike_muteness(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint64_t ms = cut_ms(random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            cut_for(sim, host, i, ms);
        }
    }
}

/* `b` packs how often yet (8 bits), and how long it is down and up, in 25 ms (8 bits each). */
static void flap_host(struct sim *sim, uint32_t host, uint32_t packed)
{
    uint32_t left = packed & 0xff;
    uint64_t down_ms = 25 * (uint64_t)(packed >> 8 & 0xff);
    uint64_t up_ms = 25 * (uint64_t)(packed >> 16 & 0xff);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            cut_both_for(sim, i, host, down_ms);
        }
    }
    if (left > 0) {
        uint32_t next = left == 0xff ? packed : packed - 1; /* 0xff: for ever */
        sim_after(sim, down_ms + up_ms, flap_host, host, next);
    }
}

static uint32_t pack_flap(struct random *random, uint32_t times)
{
    uint32_t down = (uint32_t)draw(random, 2, 200);
    uint32_t up = (uint32_t)draw(random, 2, 200);
    return times | down << 8 | up << 16;
}

static void strike_flapping(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    flap_host(sim, host, pack_flap(random, (uint32_t)draw(random, 2, 8)));
}

/* Connections fail, datagrams pass: a firewall's mistake. */
static void strike_streams(struct sim *sim, struct random *random)
{
    uint32_t a = any_host(sim, random);
    uint32_t b = another_host(sim, random, a);
    sim_cut_streams(sim, a, b);
    sim_after(sim, draw(random, 500, 8000), mend_streams, a, b);
}

/* --- Packets --- */

static void set_quality_for(struct sim *sim, const struct quality *quality, uint64_t ms)
{
    sim_set_quality(sim, quality);
    sim_after(sim, ms, better, 0, 0);
}

static void strike_loss(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.loss_ppm = draw_ppm(random, 1000, 200000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void strike_heavy_loss(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.loss_ppm = draw_ppm(random, 200000, 600000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

/* Its own socket refuses to send (ENOBUFS, a firewall rule). */
static void strike_send_failures(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    uint32_t host = any_host(sim, random);
    quality.loss_ppm = draw_ppm(random, 300000, 1000000);
    sim_set_quality_from(sim, host, &quality);
    sim_after(sim, draw(random, 100, 3000), better, 0, 0);
}

static void strike_duplication(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.duplicate_ppm = draw_ppm(random, 1000, 500000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void strike_replay(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.duplicate_ppm = draw_ppm(random, 1000, 300000);
    quality.replay_ppm = draw_ppm(random, 1000, 100000);
    set_quality_for(sim, &quality, draw(random, 500, 15000));
}

static void strike_reordering(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.latency_us_max = draw_ppm(random, 5000, 60000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void strike_delay(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.latency_us_max = draw_ppm(random, 1000, 30000);
    quality.late_ppm = draw_ppm(random, 1000, 100000);
    quality.late_us_max = draw_ppm(random, 10000, 500000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

/* Some arrive seconds later, when everything has changed. */
static void strike_heavy_tail(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.late_ppm = draw_ppm(random, 1000, 50000);
    quality.late_us_max = draw_ppm(random, 500000, 8000000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void strike_corruption(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.damage_ppm = draw_ppm(random, 1000, 100000);
    quality.garbage_ppm = draw_ppm(random, 1000, 300000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void strike_truncation(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.damage_ppm = draw_ppm(random, 1000, 100000);
    quality.truncate_ppm = draw_ppm(random, 1000, 300000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void strike_foreign_packets(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.foreign_ppm = draw_ppm(random, 10000, 500000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void strike_black_hole(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.datagram_bytes_max = draw_ppm(random, 300, 800);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

/* --- Configuration --- */

static void strike_resolver(struct sim *sim, struct random *random)
{
    uint64_t ms = draw(random, 0, 2000);
    bool fails = draw(random, 0, 1) == 0;
    sim_set_resolver(sim, ms, fails);
    sim_after(sim, draw(random, 500, 5000), resolve_again, 0, 0);
}

static void put_right(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    if (sim_is_configured(sim, host)) {
        return;
    }
    sim_crash(sim, host);
    sim_configure(sim, host);
    sim_start(sim, host);
}

/* Somebody starts it with seeds that are wrong, or dead, or itself; later somebody notices. */
static void strike_wrong_seeds(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint32_t seeds[2] = {another_host(sim, random, host), any_host(sim, random)};

    sim_crash(sim, host);
    sim_set_seeds(sim, host, seeds, (uint32_t)draw(random, 0, 2));
    sim_after(sim, draw(random, 0, 1000), start_again, host, KEEP_DISK);
    sim_after(sim, draw(random, 2000, 15000), put_right, host, 0);
}

/* Under another's name: refused while that one lives, and takes its place when it does not. */
static void strike_name_clash(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint32_t other = another_host(sim, random, host);

    sim_crash(sim, host);
    sim_rename(sim, host, sim_name(sim, other));
    sim_after(sim, draw(random, 0, 1000), start_again, host, KEEP_DISK);
    sim_after(sim, draw(random, 2000, 15000), put_right, host, 0);
}

/* Two nodes change places: each comes up under the address of the other. */
static void strike_address_reuse(struct sim *sim, struct random *random)
{
    uint32_t a = any_host(sim, random);
    uint32_t b = another_host(sim, random, a);

    sim_crash(sim, a);
    sim_crash(sim, b);
    sim_swap(sim, a, b);
    sim_after(sim, draw(random, 0, 2000), start_again, a, KEEP_DISK);
    sim_after(sim, draw(random, 0, 2000), start_again, b, KEEP_DISK);
}

const struct fault *fault_table(uint32_t *count)
{
    static const struct fault table[] = {
        {"crash", 20, FAULT_HARMLESS, strike_crash},
        {"crash of the coordinator", 15, FAULT_HARMLESS, strike_crash_of_coordinator},
        {"crash while sending", 8, FAULT_HARMLESS, strike_crash_while_sending},
        {"crash of several", 4, FAULT_FORGETS, strike_crash_of_several},
        {"power cut", 2, FAULT_FORGETS, strike_power_cut},
        {"vanish", 6, FAULT_SPLITS, strike_vanish},
        {"leave", 8, FAULT_HARMLESS, strike_leave},
        {"short pause", 8, FAULT_SPLITS, strike_short_pause},
        {"long pause", 5, FAULT_SPLITS, strike_long_pause},
        {"slowness", 4, FAULT_SPLITS, strike_slowness},
        {"late timers", 3, FAULT_SPLITS, strike_late_timers},
        {"clock skew", 2, FAULT_HARMLESS, strike_skew},
        {"failing disk", 2, FAULT_FORGETS, strike_disk},
        {"short cut", 8, FAULT_SPLITS, strike_cut},
        {"long cut of one link", 6, FAULT_SPLITS, strike_long_cut_of_one_link},
        {"partition", 10, FAULT_SPLITS, strike_partition},
        {"many parts", 4, FAULT_SPLITS, strike_many_parts},
        {"long partition", 3, FAULT_SPLITS, strike_long_partition},
        {"bridge", 4, FAULT_SPLITS, strike_bridge},
        {"ring", 4, FAULT_SPLITS, strike_ring},
        {"random links", 4, FAULT_SPLITS, strike_random_links},
        {"isolation", 5, FAULT_SPLITS, strike_isolation},
        {"deafness", 4, FAULT_SPLITS, strike_deafness},
        {"muteness", 4, FAULT_SPLITS, strike_muteness},
        {"flapping", 4, FAULT_SPLITS, strike_flapping},
        {"streams cut", 3, FAULT_SPLITS, strike_streams},
        {"loss", 5, FAULT_SPLITS, strike_loss},
        {"heavy loss", 3, FAULT_SPLITS, strike_heavy_loss},
        {"send failures", 3, FAULT_SPLITS, strike_send_failures},
        {"duplication", 3, FAULT_HARMLESS, strike_duplication},
        {"replay", 4, FAULT_SPLITS, strike_replay},
        {"reordering", 3, FAULT_HARMLESS, strike_reordering},
        {"delay", 4, FAULT_SPLITS, strike_delay},
        {"heavy tail", 4, FAULT_SPLITS, strike_heavy_tail},
        {"corruption", 2, FAULT_SPLITS, strike_corruption},
        {"truncation", 2, FAULT_SPLITS, strike_truncation},
        {"foreign packets", 2, FAULT_HARMLESS, strike_foreign_packets},
        {"black hole", 3, FAULT_SPLITS, strike_black_hole},
        {"resolver", 2, FAULT_FORGETS, strike_resolver},
        {"wrong seeds", 2, FAULT_FORGETS | FAULT_SPLITS, strike_wrong_seeds},
        {"name clash", 2, FAULT_FORGETS, strike_name_clash},
        {"address reuse", 2, FAULT_FORGETS, strike_address_reuse},
    };
    *count = sizeof table / sizeof table[0];
    return table;
}

void fault_break(struct sim *sim, enum breakage breakage, uint32_t host)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host && breakage == BREAK_DEAF) {
            sim_cut_one_way(sim, i, host);
        } else if (i != host && breakage == BREAK_MUTE) {
            sim_cut_one_way(sim, host, i);
        }
    }
    if (breakage == BREAK_FLAPPING) {
        flap_host(sim, host, 0xff | 60U << 8 | 80U << 16); /* down 1.5 s, up 2 s, for ever */
    }
    if (breakage != BREAK_NOTHING) {
        sim_break(sim, host);
    }
}

void fault_end_all(struct sim *sim, struct random *random)
{
    sim_heal(sim);
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        bool stays_down = draw(random, 0, 7) == 0 && !sim_is_seed(sim, host);
        put_right(sim, host, 0);
        if (!sim_is_running(sim, host) && !stays_down) {
            sim_start(sim, host);
        } else if (sim_is_leaving(sim, host)) {
            sim_after(sim, LEFT_MS, start_again, host, KEEP_DISK);
        }
    }
}

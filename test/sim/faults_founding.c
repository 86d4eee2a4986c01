/* Faults under guard strict while a cluster is founded (Z8). Each waits for its moment: one of
 * those to found with has come so far, or a little further. */
#include <string.h>

#include "faults_parts.h"

enum {
    WAITS_MS = 30000, /* for its moment, at the most */
    NOW = 0,          /* its moment has come */
    DOWN_MS = 1500,   /* mostly */
    LATE_MS = 15000,  /* or so long: the others wait for it */
};

struct moment {
    uint32_t host;
    enum founding_stage stage;
    uint32_t later_ms;
};

typedef void blow(struct sim *sim, struct random *random, uint32_t host);

static uint32_t any_founder(struct sim *sim, struct random *random)
{
    return (uint32_t)random_below(random, sim_voter_count(sim));
}

/* Mostly of the first one, who founds; and one step takes a few milliseconds. */
static struct moment draw_moment(struct sim *sim, struct random *random)
{
    const bool first = draw(random, 0, 1) == 0;
    const uint32_t any = any_founder(sim, random);
    const uint32_t stage = draw_u32(random, STAGE_NOTHING, STAGE_PROMISED);
    const uint32_t most_ms = draw(random, 0, 3) == 0 ? 1000 : 12;

    return (struct moment){.host = first ? 0 : any,
                           .stage = (enum founding_stage)stage,
                           .later_ms = draw_u32(random, 0, most_ms)};
}

/* Looks each millisecond; the same seed draws the same moment each time. */
static void when(struct sim *sim, uint32_t seed, uint32_t left, sim_call *again, blow *strikes)
{
    struct random random;

    random_seed(&random, seed);
    const struct moment moment = draw_moment(sim, &random);
    if (left == NOW) {
        strikes(sim, &random, moment.host);
    } else if (sim_founding_stage(sim, moment.host) >= moment.stage) {
        sim_after(sim, moment.later_ms, again, seed, NOW);
    } else if (left > 1) {
        sim_after(sim, 1, again, seed, left - 1);
    }
}

static uint32_t draw_down_ms(struct random *random)
{
    const bool late = draw(random, 0, 3) == 0;

    return draw_u32(random, 0, late ? LATE_MS : DOWN_MS);
}

/* --- Disks --- */

static void reinstall(struct sim *sim, struct random *random, uint32_t host)
{
    const uint32_t down_ms = draw_down_ms(random);

    if (sim_may_reinstall(sim, host)) {
        sim_crash(sim, host);
        sim_reinstall(sim, host);
        sim_after(sim, down_ms, fault_start_again, host, KEEP_DISK);
    }
}

/* That one, now and then another one, or two. */
static void give_new_disks(struct sim *sim, struct random *random, uint32_t host)
{
    const uint64_t which = draw(random, 0, 5);
    const uint32_t other = any_founder(sim, random);

    if (which != 0) {
        reinstall(sim, random, host);
    }
    if (which < 2) {
        reinstall(sim, random, other);
    }
}

static void give_new_disks_when(struct sim *sim, uint32_t seed, uint32_t left)
{
    when(sim, seed, left, give_new_disks_when, give_new_disks);
}

void strike_new_disk_in_a_founding(struct sim *sim, struct random *random)
{
    give_new_disks_when(sim, draw_u32(random, 0, UINT32_MAX), WAITS_MS);
}

/* Nobody has promised anything, and so it has forgotten nothing that counts. */
static void put_back(struct sim *sim, uint32_t host, uint32_t down_ms)
{
    if (!sim_has_promised(sim)) {
        sim_crash(sim, host);
        sim_restore(sim, host);
        sim_after(sim, down_ms, fault_start_again, host, KEEP_DISK);
    }
}

static void back_up(struct sim *sim, struct random *random, uint32_t host)
{
    const uint64_t most_ms = draw(random, 0, 1) == 0 ? 20 : 5000;
    const uint32_t down_ms = draw_down_ms(random);

    sim_back_up(sim, host);
    sim_after(sim, draw(random, 0, most_ms), put_back, host, down_ms);
}

static void back_up_when(struct sim *sim, uint32_t seed, uint32_t left)
{
    when(sim, seed, left, back_up_when, back_up);
}

void strike_old_disk_in_a_founding(struct sim *sim, struct random *random)
{
    back_up_when(sim, draw_u32(random, 0, UINT32_MAX), WAITS_MS);
}

/* It is slow, or stuck, or full, and then the node is started again. */
static void trouble(struct sim *sim, struct random *random, uint32_t host)
{
    const uint32_t ms = draw_u32(random, 50, 6000);
    const uint32_t down_ms = draw_down_ms(random);

    switch (draw(random, 0, 2)) {
    case 0:
        sim_slow_record(sim, host, ms / 4);
        break;
    case 1:
        sim_stick_record(sim, host, ms);
        break;
    default:
        sim_fail_record(sim, host, true);
        break;
    }
    sim_after(sim, ms / 2, fault_crash_and_return, host, down_ms);
}

static void trouble_when(struct sim *sim, uint32_t seed, uint32_t left)
{
    when(sim, seed, left, trouble_when, trouble);
}

void strike_disk_trouble_in_a_founding(struct sim *sim, struct random *random)
{
    trouble_when(sim, draw_u32(random, 0, UINT32_MAX), WAITS_MS);
}

/* --- Processes --- */

static void restart(struct sim *sim, struct random *random, uint32_t host)
{
    const bool all = draw(random, 0, 1) == 0;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const uint32_t down_ms = draw_down_ms(random);
        if (i == host || all) {
            fault_crash_and_return(sim, i, down_ms);
        }
    }
}

static void restart_when(struct sim *sim, uint32_t seed, uint32_t left)
{
    when(sim, seed, left, restart_when, restart);
}

void strike_restart_in_a_founding(struct sim *sim, struct random *random)
{
    restart_when(sim, draw_u32(random, 0, UINT32_MAX), WAITS_MS);
}

/* --- Names, and lists of them --- */

static void rename_and_start(struct sim *sim, uint32_t host, uint32_t other)
{
    if (!sim_is_running(sim, host) && strcmp(sim_name(sim, host), sim_name(sim, other)) != 0) {
        sim_rename(sim, host, sim_name(sim, other));
        fault_start_again(sim, host, KEEP_DISK);
    }
}

/* One that is not to found goes by the name of one that is, which is down meanwhile, mostly, and
 * may have a new disk. */
static void go_by_its_name(struct sim *sim, struct random *random, uint32_t host)
{
    const uint32_t founders = sim_voter_count(sim);
    const uint32_t others = sim_host_count(sim) - founders;
    const uint64_t way = draw(random, 0, 2);
    const uint32_t down_ms = draw_down_ms(random);

    if (others == 0) {
        return;
    }
    const uint32_t other = founders + (uint32_t)random_below(random, others);
    if (way == 0) {
        reinstall(sim, random, host);
    } else if (way == 1) {
        fault_crash_and_return(sim, host, down_ms);
    }
    sim_crash(sim, other);
    sim_after(sim, draw(random, 0, 500), rename_and_start, other, host);
    sim_after(sim, draw(random, 500, LATE_MS), fault_put_right, other, 0);
}

static void go_by_its_name_when(struct sim *sim, uint32_t seed, uint32_t left)
{
    when(sim, seed, left, go_by_its_name_when, go_by_its_name);
}

void strike_double_in_a_founding(struct sim *sim, struct random *random)
{
    go_by_its_name_when(sim, draw_u32(random, 0, UINT32_MAX), WAITS_MS);
}

/* The same names in another order: two of them take themselves for the first. */
static void reorder(struct sim *sim, struct random *random, uint32_t host)
{
    struct sim_terms terms = sim_usual_terms(sim);
    const struct voters usual = terms.voters;
    const uint32_t down_ms = draw_u32(random, 0, DOWN_MS);

    for (uint32_t i = 0; i < usual.count; i++) {
        memcpy(terms.voters.names[i], usual.names[(host + i) % usual.count],
               sizeof terms.voters.names[i]);
    }
    sim_crash(sim, host);
    sim_set_terms(sim, host, &terms);
    sim_after(sim, down_ms, fault_start_again, host, KEEP_DISK);
    sim_after(sim, draw(random, 500, LATE_MS), fault_put_right, host, 0);
}

static void reorder_when(struct sim *sim, uint32_t seed, uint32_t left)
{
    when(sim, seed, left, reorder_when, reorder);
}

void strike_other_order_in_a_founding(struct sim *sim, struct random *random)
{
    reorder_when(sim, draw_u32(random, 0, UINT32_MAX), WAITS_MS);
}

/* --- Links --- */

static void mend(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, from, to);
}

/* To it, from it, or both, of one or of each other one. */
static void cut(struct sim *sim, struct random *random, uint32_t host)
{
    const uint64_t ways = draw(random, 0, 2);
    const bool all = draw(random, 0, 1) == 0;
    const uint32_t other = another_host(sim, random, host);
    const uint64_t ms = draw(random, 20, 6000);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i == host || (i != other && !all)) {
            continue;
        }
        if (ways != 1) {
            sim_cut_one_way(sim, i, host);
            sim_after(sim, ms, mend, i, host);
        }
        if (ways != 2) {
            sim_cut_one_way(sim, host, i);
            sim_after(sim, ms, mend, host, i);
        }
    }
}

static void cut_when(struct sim *sim, uint32_t seed, uint32_t left)
{
    when(sim, seed, left, cut_when, cut);
}

void strike_cut_in_a_founding(struct sim *sim, struct random *random)
{
    cut_when(sim, draw_u32(random, 0, UINT32_MAX), WAITS_MS);
}

/* Faults of links: cut one by one, or so that parts, bridges and rings are left. */
#include "faults_parts.h"

static void mend(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, from, to);
}

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
void strike_cut(struct sim *sim, struct random *random)
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
void strike_long_cut_of_one_link(struct sim *sim, struct random *random)
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

void strike_partition(struct sim *sim, struct random *random)
{
    split(sim, random, 3, cut_ms(random));
}

void strike_many_parts(struct sim *sim, struct random *random)
{
    split(sim, random, sim_host_count(sim) < 3 ? 2 : sim_host_count(sim), cut_ms(random));
}

void strike_long_partition(struct sim *sim, struct random *random)
{
    split(sim, random, 3, 30000);
}

/* Two groups that do not hear each other, and one host between them that both hear (H8). */
void strike_bridge(struct sim *sim, struct random *random)
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
void strike_ring(struct sim *sim, struct random *random)
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
void strike_random_links(struct sim *sim, struct random *random)
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

void strike_isolation(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint64_t ms = cut_ms(random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            cut_both_for(sim, i, host, ms);
        }
    }
}

void strike_deafness(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint64_t ms = cut_ms(random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            cut_for(sim, i, host, ms);
        }
    }
}

void strike_muteness(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint64_t ms = cut_ms(random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            cut_for(sim, host, i, ms);
        }
    }
}

void fault_flap(struct sim *sim, uint32_t host, uint32_t packed)
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
        sim_after(sim, down_ms + up_ms, fault_flap, host, next);
    }
}

static uint32_t pack_flap(struct random *random, uint32_t times)
{
    uint32_t down = (uint32_t)draw(random, 2, 200);
    uint32_t up = (uint32_t)draw(random, 2, 200);
    return times | down << 8 | up << 16;
}

void strike_flapping(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    fault_flap(sim, host, pack_flap(random, (uint32_t)draw(random, 2, 8)));
}

static void mend_streams(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend_streams(sim, a, b);
}

/* Connections fail, datagrams pass: a firewall's mistake. */
void strike_streams(struct sim *sim, struct random *random)
{
    uint32_t a = any_host(sim, random);
    uint32_t b = another_host(sim, random, a);
    sim_cut_streams(sim, a, b);
    sim_after(sim, draw(random, 500, 8000), mend_streams, a, b);
}

static void mend_datagrams(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_datagrams(sim, from, to);
}

static void cut_datagrams_for(struct sim *sim, uint32_t from, uint32_t to, uint64_t ms)
{
    sim_cut_datagrams(sim, from, to);
    sim_after(sim, ms, mend_datagrams, from, to);
}

/* The other mistake: connections are made, so its kernel answers and what is long arrives, but no
 * datagram passes to or from one host, or between two. A coordinator's, now and then. */
void strike_datagrams(struct sim *sim, struct random *random)
{
    const uint32_t any = any_host(sim, random);
    const uint32_t other = another_host(sim, random, any);
    const uint32_t coordinator = sim_coordinator(sim, any);
    const bool is_any = draw(random, 0, 1) == 0 || coordinator == SIM_NOBODY;
    const uint32_t host = is_any ? any : coordinator;
    const uint64_t ms = draw(random, 500, 20000);
    const uint64_t ways = draw(random, 0, 3);
    const bool all = draw(random, 0, 2) != 0;

    for (uint32_t i = 0; i < sim_host_count(sim) + sim_witness_count(sim); i++) {
        if (i == host || (!all && i != other)) {
            continue;
        }
        if (ways != 1) {
            cut_datagrams_for(sim, i, host, ms);
        }
        if (ways != 2) {
            cut_datagrams_for(sim, host, i, ms);
        }
    }
}

#include "faults.h"

#include <stddef.h>

/* Restarts take up to this long. */
#define DOWN_MS_MAX 8000U

/* Never two draws among the arguments of one call: compilers differ in which comes first, and a
 * seed must mean the same run with each of them. */
static uint64_t draw(struct sim *sim, uint64_t low, uint64_t high)
{
    return random_between(sim_random(sim), low, high);
}

static uint32_t any_host(struct sim *sim)
{
    return (uint32_t)random_below(sim_random(sim), sim_host_count(sim));
}

static uint32_t another_host(struct sim *sim, uint32_t host)
{
    uint32_t step = (uint32_t)random_below(sim_random(sim), sim_host_count(sim) - 1) + 1;
    return (host + step) % sim_host_count(sim);
}

/* --- Ends of faults, called later --- */

/* A seed keeps its disk: without one, and with all other seeds down, it has nobody to ask and
 * founds a second cluster (F2), which takes a merge to mend once others have joined it. */
static void start_again(struct sim *sim, uint32_t host, uint32_t wiped)
{
    if (sim_is_running(sim, host)) {
        return; /* Another fault's end came first. */
    }
    if (wiped && !sim_is_seed(sim, host)) {
        sim_wipe(sim, host);
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
}

static void mend(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, from, to);
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

/* --- The faults --- */

/* Mostly at once, for restarts before detection are the harder case. */
static void restart_later(struct sim *sim, uint32_t host)
{
    bool soon = draw(sim, 0, 2) == 0;
    uint64_t ms = draw(sim, 0, soon ? 300 : DOWN_MS_MAX);
    bool wiped = draw(sim, 0, 3) == 0;
    sim_after(sim, ms, start_again, host, wiped);
}

static void strike_crash(struct sim *sim)
{
    uint32_t host = any_host(sim);
    sim_crash(sim, host);
    restart_later(sim, host);
}

static void strike_crash_of_coordinator(struct sim *sim)
{
    uint32_t host = sim_coordinator(sim, any_host(sim));
    if (host != SIM_NOBODY) {
        sim_crash(sim, host);
        restart_later(sim, host);
    }
}

static void strike_crash_of_several(struct sim *sim)
{
    for (uint64_t left = draw(sim, 2, sim_host_count(sim)); left > 0; left--) {
        strike_crash(sim);
    }
}

static void strike_vanish(struct sim *sim)
{
    uint32_t host = any_host(sim);
    sim_vanish(sim, host);
    restart_later(sim, host);
}

static void strike_leave(struct sim *sim)
{
    uint32_t host = any_host(sim);
    if (sim_is_running(sim, host)) {
        sim_leave(sim, host);
        /* Longer than T_leave: by then the process has ended. */
        sim_after(sim, draw(sim, 2500, DOWN_MS_MAX), start_again, host, false);
    }
}

static void strike_short_pause(struct sim *sim)
{
    uint32_t host = any_host(sim);
    sim_pause(sim, host);
    sim_after(sim, draw(sim, 50, 4000), resume, host, 0);
}

static void strike_long_pause(struct sim *sim)
{
    uint32_t host = any_host(sim);
    sim_pause(sim, host);
    sim_after(sim, draw(sim, 4000, 12000), resume, host, 0);
}

static void strike_slowness(struct sim *sim)
{
    uint32_t host = any_host(sim);
    sim_slow(sim, host, draw(sim, 20, 800));
    sim_after(sim, draw(sim, 500, 5000), quicken, host, 0);
}

/* Shorter than T_lost, so that nobody has to be lost for it. */
static void strike_cut(struct sim *sim)
{
    uint32_t from = any_host(sim);
    uint32_t to = another_host(sim, from);
    uint64_t ms = draw(sim, 50, 800);
    sim_cut_one_way(sim, from, to);
    sim_after(sim, ms, mend, from, to);
    if (draw(sim, 0, 1) == 0) {
        sim_cut_one_way(sim, to, from);
        sim_after(sim, ms, mend, to, from);
    }
}

/* One bad link may last: the others carry news around it (H51). */
static void strike_long_cut_of_one_link(struct sim *sim)
{
    uint32_t from = any_host(sim);
    uint32_t to = another_host(sim, from);
    uint64_t ms = draw(sim, 1000, 6000);
    sim_cut_one_way(sim, from, to);
    sim_after(sim, ms, mend, from, to);
}

static void strike_loss(struct sim *sim)
{
    struct quality quality = sim_default_quality();
    quality.loss_ppm = (uint32_t)draw(sim, 1000, 200000);
    sim_set_quality(sim, &quality);
    sim_after(sim, draw(sim, 500, 8000), better, 0, 0);
}

static void strike_repetition(struct sim *sim)
{
    struct quality quality = sim_default_quality();
    quality.duplicate_ppm = (uint32_t)draw(sim, 1000, 300000);
    quality.replay_ppm = (uint32_t)draw(sim, 0, 100000);
    sim_set_quality(sim, &quality);
    sim_after(sim, draw(sim, 500, 8000), better, 0, 0);
}

static void strike_delay(struct sim *sim)
{
    struct quality quality = sim_default_quality();
    quality.latency_us_max = (uint32_t)draw(sim, 1000, 30000);
    quality.late_ppm = (uint32_t)draw(sim, 1000, 100000);
    quality.late_us_max = (uint32_t)draw(sim, 10000, 500000);
    sim_set_quality(sim, &quality);
    sim_after(sim, draw(sim, 500, 8000), better, 0, 0);
}

static void strike_resolver(struct sim *sim)
{
    uint64_t ms = draw(sim, 0, 2000);
    bool fails = draw(sim, 0, 1) == 0;
    sim_set_resolver(sim, ms, fails);
    sim_after(sim, draw(sim, 500, 5000), resolve_again, 0, 0);
}

const struct fault *fault_table(void)
{
    static const struct fault table[] = {
        {"crash", 20, strike_crash},
        {"crash of the coordinator", 15, strike_crash_of_coordinator},
        {"crash of several", 3, strike_crash_of_several},
        {"vanish", 6, strike_vanish},
        {"leave", 8, strike_leave},
        {"short pause", 10, strike_short_pause},
        {"long pause", 4, strike_long_pause},
        {"slowness", 5, strike_slowness},
        {"cut", 12, strike_cut},
        {"long cut of one link", 4, strike_long_cut_of_one_link},
        {"loss", 6, strike_loss},
        {"repetition", 4, strike_repetition},
        {"delay", 4, strike_delay},
        {"resolver", 2, strike_resolver},
        {NULL, 0, NULL},
    };
    return table;
}

void fault_strike(struct sim *sim)
{
    const struct fault *table = fault_table();
    uint64_t sum = 0;

    for (const struct fault *fault = table; fault->name != NULL; fault++) {
        sum += fault->weight;
    }
    uint64_t at = random_below(sim_random(sim), sum);
    while (at >= table->weight) {
        at -= table->weight;
        table++;
    }
    table->strike(sim);
}

void fault_end_all(struct sim *sim)
{
    sim_heal(sim);
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        if (!sim_is_running(sim, host) && (sim_is_seed(sim, host) || draw(sim, 0, 7) != 0)) {
            sim_start(sim, host);
        }
    }
}

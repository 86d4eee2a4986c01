/* A large cluster on rings in the simulator: how long what happens to it takes in its own time, how
 * long this machine works for that, and how much memory a host takes, what its node keeps and what
 * the simulator does.
 *
 *     bench_large [--table] [HOSTS]
 *
 * prints one JSON object, or a table, for 300 hosts if it is not told; progress goes to stderr.
 * 4096 hosts take a quarter of an hour and 14 GiB. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench/figures.h"
#include "sim/sim.h"

enum { LIMIT_MS = 120000, REST_MS = 1500, APART_MS = 10000 };

static double processor_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (file != NULL && fscanf(file, "%*u %lu", &pages) != 1) {
        pages = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static double most_resident_kb(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss;
}

/* --- What happens to it, one after the other --- */

static void start_all(struct sim *sim)
{
    sim_start_together(sim);
}

static void lose_one(struct sim *sim)
{
    sim_vanish(sim, sim_host_count(sim) / 3);
}

static void lose_the_first(struct sim *sim)
{
    sim_vanish(sim, sim_coordinator(sim, sim_host_count(sim) - 1));
}

static void bring_back(struct sim *sim)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (!sim_is_running(sim, i)) {
            sim_start(sim, i);
        }
    }
}

static void split_in_halves(struct sim *sim)
{
    const uint32_t count = sim_host_count(sim);

    for (uint32_t i = 0; i < count / 2; i++) {
        for (uint32_t k = count / 2; k < count; k++) {
            sim_cut(sim, i, k);
        }
    }
    sim_run(sim, APART_MS);
}

static void heal(struct sim *sim)
{
    sim_heal(sim);
}

static void lose_half(struct sim *sim)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i += 2) {
        if (sim_is_running(sim, i)) {
            sim_vanish(sim, i);
        }
    }
}

static const struct {
    void (*happens)(struct sim *sim);
    const char *text; /* NULL: no agreement is to come of it */
    const char *work;
    const char *views;
} events[] = {
    {start_all, "all start at once, until all agree", "work for that", "views that it took"},
    {lose_one, "a host falls silent, until all others agree", "work for that loss",
     "views for that loss"},
    {lose_the_first, "the coordinator's host falls silent, until all others agree",
     "work for that loss of the coordinator", "views for that loss of the coordinator"},
    {bring_back, "both are back, until all agree", "work for the return", "views for the return"},
    {split_in_halves, NULL, "work for ten seconds in two halves", "views of a half in that time"},
    {heal, "the two halves can meet again, until all agree", "work for that merge",
     "views for that merge"},
    {lose_half, "half of the hosts fall silent, until all others agree", "work for that half",
     "views for that half"},
};

/* By one that is never lost. */
static double views_seen(const struct sim *sim)
{
    const struct core *core = sim_core(sim, 1);

    return core == NULL ? 0 : (double)core_counters(core)->views_installed;
}

/* Returns false where no agreement comes of it. */
static bool go_through(struct sim *sim, size_t event, struct figures *figures)
{
    const double began_s = processor_s();
    double views = -views_seen(sim);

    events[event].happens(sim);
    if (events[event].text != NULL) {
        if (!sim_converges(sim, LIMIT_MS)) {
            fprintf(stderr, "bench_large: no agreement: %s\n", events[event].text);
            return false;
        }
        double ms = (double)sim_converged_ms(sim);
        figures_add(figures, events[event].text, "ms", &ms, 1);
    }
    double work_s = processor_s() - began_s;
    views += views_seen(sim);
    figures_add(figures, events[event].work, "s", &work_s, 1);
    figures_add(figures, events[event].views, "", &views, 1);
    sim_run(sim, REST_MS);
    return true;
}

static bool measure(uint32_t hosts, struct figures *figures)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1,
                                                    .host_count = hosts,
                                                    .capacity = hosts < 4096 - 8 ? hosts + 8 : 4096,
                                                    .disks = true,
                                                    .spares_codec = true,
                                                    .spares_hash = true});
    const size_t count = sizeof events / sizeof events[0];
    bool agreed = true;

    for (size_t i = 0; i < count && agreed; i++) {
        agreed = go_through(sim, i, figures);
        if (i == 0) {
            double kb = resident_kb() / hosts;
            figures_add(figures, "memory of a host when all are there", "kB", &kb, 1);
        }
    }
    double kb = most_resident_kb() / hosts;
    figures_add(figures, "the same at its most", "kB", &kb, 1);
    sim_free(sim);
    return agreed;
}

static void refuse_usage(void)
{
    fputs("usage: bench_large [--table] [HOSTS]: HOSTS 5 to 4096\n", stderr);
    exit(64);
}

static uint32_t hosts_of(const char *text)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < 5 || value > 4096) {
        refuse_usage();
    }
    return (uint32_t)value;
}

int main(int argc, char **argv)
{
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    char **rest = argv + 1 + table;
    const int left = argc - 1 - table;
    static struct figures figures;
    char heading[64];

    if (left > 1) {
        refuse_usage();
    }
    const uint32_t hosts = left > 0 ? hosts_of(rest[0]) : 300;

    bool agreed = measure(hosts, &figures);
    snprintf(heading, sizeof heading, "%u hosts, simulated", hosts);
    figures_print(&figures, table, "large", heading);
    return agreed ? EXIT_SUCCESS : EXIT_FAILURE;
}

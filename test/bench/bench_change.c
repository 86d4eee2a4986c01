/* How a change of the view spreads in a large cluster on rings, in the simulator, where its
 * coordinator sends it to few members itself, to as many as usual, and to all: how long it takes
 * from the first PREPARE until all have installed it, and what is sent for that, by the
 * coordinator, by the busiest other member, and by all.
 *
 *     bench_change [--table] [HOSTS [RUNS [MICROSECONDS]]]
 *
 * prints one JSON object, or a table, for 100 hosts and 10 changes if it is not told; progress goes
 * to stderr. A process takes so many MICROSECONDS, 15 unless said, for each datagram that it sends
 * or reads, one after the other. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures.h"
#include "sim/sim.h"

enum { FORM_MS = 120000, REST_MS = 1500, CHANGE_MS = 10000, RUNS_MAX = 100, WORK_US = 15 };

static const struct {
    uint32_t ppm;
    const char *text;
} losses[] = {{0, "no loss"}, {50000, "5 % loss"}, {200000, "20 % loss"}};

static const struct {
    uint32_t fanout;
    const char *text;
} ways[] = {
    {FANOUT_LEAST, "fanout 4"}, {FANOUT_DEFAULT, "fanout 128"}, {FANOUT_MOST, "fanout 4096"}};

static const struct {
    const char *text;
    const char *unit;
} measures[] = {
    {"until all have a change", "ms"},
    {"messages of the coordinator", ""},
    {"messages of the busiest other", ""},
    {"messages of all", ""},
    {"bytes of the coordinator", "kB"},
    {"bytes of the busiest other", "kB"},
    {"bytes of all", "kB"},
};

static const char *const tags[] = {"role=db", "role=web"};

enum { MEASURES = sizeof measures / sizeof measures[0] };

static void give_up(const char *what)
{
    fprintf(stderr, "bench_change: no agreement: %s\n", what);
    exit(EXIT_FAILURE);
}

static struct sim *cluster_of(uint32_t hosts, uint32_t fanout)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1,
                                                    .host_count = hosts,
                                                    .fanout = fanout,
                                                    .capacity = hosts < 4096 - 8 ? hosts + 8 : 4096,
                                                    .spares_codec = true,
                                                    .spares_hash = true});

    sim_start_together(sim);
    if (!sim_converges(sim, FORM_MS)) {
        give_up("the start");
    }
    sim_run(sim, REST_MS);
    return sim;
}

static void set_loss(struct sim *sim, uint32_t ppm)
{
    struct quality quality = sim_default_quality();

    quality.loss_ppm = ppm;
    sim_set_quality(sim, &quality);
}

static bool all_have(struct sim *sim, uint32_t subject, const char *tag)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (!sim_has_tag(sim, i, subject, tag)) {
            return false;
        }
    }
    return true;
}

static void run_while(struct sim *sim, uint64_t until_ms)
{
    if (sim_now_ms(sim) >= until_ms) {
        give_up("a change");
    }
    sim_run(sim, 1);
}

/* What each has sent since `before`, of which this makes the sum of now. */
static void count_sent(const struct sim *sim, uint32_t first, struct sim_traffic *before,
                       double found[MEASURES])
{
    double all[2] = {0};
    double busiest[2] = {0};
    double firsts[2] = {0};

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const struct sim_traffic now = sim_traffic(sim, i);
        const double sent[2] = {(double)(now.messages - before[i].messages),
                                (double)(now.bytes - before[i].bytes) / 1000};
        for (int what = 0; what < 2; what++) {
            double *most = i == first ? &firsts[what] : &busiest[what];
            *most = sent[what] > *most ? sent[what] : *most;
            all[what] += sent[what];
        }
        before[i] = now;
    }
    for (int what = 0; what < 2; what++) {
        found[1 + 3 * what] = firsts[what];
        found[2 + 3 * what] = busiest[what];
        found[3 + 3 * what] = all[what];
    }
}

/* A member gets another tag: a small change, which the coordinator makes a moment after it was
 * asked for. */
static void change_one(struct sim *sim, uint32_t subject, const char *tag,
                       struct sim_traffic *before, double found[MEASURES])
{
    const uint32_t first = sim_coordinator(sim, 0);
    const uint64_t until_ms = sim_now_ms(sim) + CHANGE_MS;
    const uint64_t prepares = sim_sent(sim, first, MESSAGE_PREPARE);

    count_sent(sim, first, before, found);
    sim_set_tags(sim, subject, tag);
    while (sim_sent(sim, first, MESSAGE_PREPARE) == prepares) {
        run_while(sim, until_ms);
    }
    const uint64_t began_ms = sim_now_ms(sim);
    while (!all_have(sim, subject, tag)) {
        run_while(sim, until_ms);
    }
    found[0] = (double)(sim_now_ms(sim) - began_ms);
    count_sent(sim, first, before, found);
}

static void refuse_usage(void)
{
    fprintf(stderr,
            "usage: bench_change [--table] [HOSTS [RUNS [MICROSECONDS]]]: HOSTS 8 to 4096, RUNS 1 "
            "to %d, MICROSECONDS 0 to 1000\n",
            RUNS_MAX);
    exit(64);
}

static uint32_t number(const char *text, uint32_t least, uint32_t most)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < least || value > most) {
        refuse_usage();
    }
    return (uint32_t)value;
}

/* All losses, one after the other, in one cluster. */
static void measure_way(size_t way, uint32_t hosts, uint32_t runs, uint32_t work_us,
                        struct figures *figures)
{
    static char texts[sizeof ways / sizeof ways[0]][sizeof losses / sizeof losses[0]][MEASURES][64];
    struct sim *sim = cluster_of(hosts, ways[way].fanout);
    struct sim_traffic *before = calloc(hosts, sizeof *before);
    uint32_t changes = 0; /* of each member once, and then with the other tag */

    sim_set_work(sim, work_us);
    for (size_t loss = 0; loss < sizeof losses / sizeof losses[0]; loss++) {
        double samples[MEASURES][RUNS_MAX];
        set_loss(sim, losses[loss].ppm);
        for (uint32_t run = 0; run < runs; run++) {
            double found[MEASURES];
            change_one(sim, changes % hosts, tags[changes / hosts % 2], before, found);
            changes++;
            for (size_t i = 0; i < MEASURES; i++) {
                samples[i][run] = found[i];
            }
            sim_run(sim, REST_MS);
        }
        for (size_t i = 0; i < MEASURES; i++) {
            char *text = texts[way][loss][i];
            snprintf(text, sizeof texts[0][0][0], "%s, %s: %s", ways[way].text, losses[loss].text,
                     measures[i].text);
            figures_add(figures, text, measures[i].unit, samples[i], runs);
        }
    }
    free(before);
    sim_free(sim);
}

int main(int argc, char **argv)
{
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    char **rest = argv + 1 + table;
    const int left = argc - 1 - table;
    static struct figures figures;
    char heading[64];

    if (left > 3) {
        refuse_usage();
    }
    const uint32_t hosts = left > 0 ? number(rest[0], 8, 4096) : 100;
    const uint32_t runs = left > 1 ? number(rest[1], 1, RUNS_MAX) : 10;
    const uint32_t work_us = left > 2 ? number(rest[2], 0, 1000) : WORK_US;

    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        measure_way(way, hosts, runs, work_us, &figures);
    }
    snprintf(heading, sizeof heading, "%u hosts, simulated", hosts);
    figures_print(&figures, table, "change", heading);
    return EXIT_SUCCESS;
}

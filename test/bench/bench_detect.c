/* How soon a lost host is noticed, what that costs, and what is taken for one that is none, by the
 * number of members and by the loss of packets, in the simulator.
 *
 *     bench_detect [--table] [--watchers N] [--heartbeat MS] [--lost MS] [--loss PERCENT]
 *                  [--jitter MS] [HOSTS [RUNS]]
 *
 * prints one JSON object, or a table, for 5 hosts and 20 runs without loss if it is not told.
 * --jitter holds up one packet in ten, for up to so long. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures.h"
#include "sim/sim.h"

enum {
    SAMPLES_MAX = 4000,
    LIMIT_MS = 120000,
    SETTLE_MS = 60000, /* longer than a missing heartbeat is remembered (D2i) */
    PHASE_MS = 1000,   /* events fall anywhere between two rounds of heartbeats */
    QUIET_MS = 10000,
    MINUTE_MS = 60000,
    OUTAGES = 4, /* of each duration in each run */
};

static const uint64_t outages_ms[] = {600, 650, 675, 700, 725, 750};
enum { OUTAGE_COUNT = sizeof outages_ms / sizeof outages_ms[0] };

struct asked {
    uint32_t hosts;
    uint32_t runs;
    struct sim_options sim;
    struct quality quality;
};

struct samples {
    double values[SAMPLES_MAX];
    size_t count;
};

struct found {
    struct samples member; /* ms until all others agree */
    struct samples coordinator;
    struct samples sent;   /* messages of a member in a second of quiet */
    struct samples bytes;  /* of heartbeats and questions, as they are on the wire */
    struct samples alarms; /* views that a minute without any failure brought */
    struct samples replaced[OUTAGE_COUNT]; /* 1 where the view changed: of a member, */
    struct samples deposed[OUTAGE_COUNT];  /* and of the coordinator */
};

static struct found found;

static void take(struct samples *samples, double value)
{
    if (samples->count < SAMPLES_MAX) {
        samples->values[samples->count++] = value;
    }
}

static void settle(struct sim *sim, const char *what)
{
    if (!sim_converges(sim, LIMIT_MS)) {
        fprintf(stderr, "bench_detect: no agreement after %s\n", what);
        exit(EXIT_FAILURE);
    }
    sim_run(sim, SETTLE_MS + random_below(sim_random(sim), PHASE_MS));
}

/* Without loss, so that agreement is soon there. */
static void come_back(struct sim *sim, const struct asked *asked, uint32_t host)
{
    const struct quality usual = sim_default_quality();

    sim_set_quality(sim, &usual);
    if (!sim_is_running(sim, host)) {
        sim_start(sim, host);
    }
    settle(sim, "a return");
    sim_set_quality(sim, &asked->quality);
    sim_run(sim, SETTLE_MS + random_below(sim_random(sim), PHASE_MS));
}

static void lose_host(struct sim *sim, const struct asked *asked, uint32_t host,
                      struct samples *samples)
{
    sim_vanish(sim, host);
    if (!sim_converges(sim, LIMIT_MS)) {
        fprintf(stderr, "bench_detect: no agreement after the loss of a host\n");
        exit(EXIT_FAILURE);
    }
    take(samples, (double)sim_converged_ms(sim));
    come_back(sim, asked, host);
}

/* With much loss the last outage may not be over for all. */
static uint32_t coordinator_of(struct sim *sim)
{
    settle(sim, "an outage");
    return sim_coordinator(sim, 0);
}

static uint32_t any_member(struct sim *sim)
{
    uint32_t host;

    do {
        host = (uint32_t)random_below(sim_random(sim), sim_host_count(sim));
    } while (host == sim_coordinator(sim, host));
    return host;
}

static void interrupt(struct sim *sim, const struct asked *asked, uint32_t host, uint64_t ms,
                      struct samples *samples)
{
    const uint32_t other = host == 0 ? 1 : 0;
    const uint64_t version = sim_version(sim, other);
    const uint64_t epoch = sim_epoch(sim, other);

    sim_isolate(sim, host);
    sim_run(sim, ms);
    sim_rejoin_network(sim, host);
    sim_run(sim, SETTLE_MS / 2 + random_below(sim_random(sim), PHASE_MS));
    const bool changed = sim_version(sim, other) != version || sim_epoch(sim, other) != epoch;
    take(samples, changed ? 1 : 0);
    if (changed) {
        come_back(sim, asked, host);
    }
}

static uint64_t sent_of(const struct sim *sim, bool in_bytes)
{
    enum { BEAT = 64, PING = 150 }; /* A beat is 22 bytes; 42 of headers. */
    uint64_t sum = 0;

    for (int type = 1; type < MESSAGE_TYPE_COUNT; type++) {
        const uint64_t sent = sim_sent(sim, SIM_ANY, (enum message_type)type);
        sum += sent * (!in_bytes ? 1 : type == MESSAGE_HEARTBEAT ? BEAT : PING);
    }
    return sum;
}

static uint64_t views_of(const struct sim *sim)
{
    return sim_notices(sim, SIM_ANY, NOTICE_VIEW);
}

static void rest(struct sim *sim)
{
    const double member_seconds = (double)sim_host_count(sim) * QUIET_MS / 1000;
    const uint64_t sent = sent_of(sim, false);
    const uint64_t bytes = sent_of(sim, true);
    const uint64_t views = views_of(sim);

    sim_run(sim, QUIET_MS);
    take(&found.sent, (double)(sent_of(sim, false) - sent) / member_seconds);
    take(&found.bytes, (double)(sent_of(sim, true) - bytes) / member_seconds);
    sim_run(sim, MINUTE_MS - QUIET_MS);
    take(&found.alarms, (double)(views_of(sim) - views));
}

static void measure(const struct asked *asked, uint64_t seed)
{
    struct sim_options options = asked->sim;

    options.seed = seed;
    struct sim *sim = sim_new(&options);
    sim_start_together(sim);
    settle(sim, "the start");
    sim_set_quality(sim, &asked->quality);
    sim_run(sim, SETTLE_MS);
    rest(sim);
    for (int i = 0; i < OUTAGES; i++) {
        for (int k = 0; k < OUTAGE_COUNT; k++) {
            interrupt(sim, asked, any_member(sim), outages_ms[k], &found.replaced[k]);
            interrupt(sim, asked, coordinator_of(sim), outages_ms[k], &found.deposed[k]);
        }
        settle(sim, "an outage");
        lose_host(sim, asked, any_member(sim), &found.member);
        lose_host(sim, asked, coordinator_of(sim), &found.coordinator);
    }
    sim_free(sim);
}

/* --- Telling --- */

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;

    return (left > right) - (left < right);
}

static double percentile(struct samples *samples, double share)
{
    qsort(samples->values, samples->count, sizeof samples->values[0], compare);
    return samples->values[(size_t)((double)(samples->count - 1) * share + 0.5)];
}

static double mean(const struct samples *samples)
{
    double sum = 0;

    for (size_t i = 0; i < samples->count; i++) {
        sum += samples->values[i];
    }
    return sum / (double)samples->count;
}

static void print_table(void)
{
    static struct figures figures;
    static char captions[OUTAGE_COUNT][64];

    figures_add(&figures, "a host falls silent, until all others agree", "ms", found.member.values,
                found.member.count);
    figures_add(&figures, "the coordinator's host falls silent, until all others agree", "ms",
                found.coordinator.values, found.coordinator.count);
    figures_add(&figures, "messages that a member sends in quiet, a second", "", found.sent.values,
                found.sent.count);
    figures_add(&figures, "views that a minute without a failure brings", "", found.alarms.values,
                found.alarms.count);
    for (int k = 0; k < OUTAGE_COUNT; k++) {
        double percent = 100 * mean(&found.replaced[k]);
        snprintf(captions[k], sizeof captions[k],
                 "outages of %llu ms of a member that change the view",
                 (unsigned long long)outages_ms[k]);
        figures_add(&figures, captions[k], "%", &percent, 1);
    }
    figures_print(&figures, true, "detect", "detection, simulated");
}

static void print_json(const struct asked *asked)
{
    printf("{\"bench\": \"detect\", \"hosts\": %u, \"loss_percent\": %g, \"heartbeat_ms\": %llu, "
           "\"lost_ms\": %llu",
           asked->hosts, asked->quality.loss_ppm / 1e4, (unsigned long long)asked->sim.heartbeat_ms,
           (unsigned long long)asked->sim.lost_ms);
    printf(", \"sent\": %.2f, \"bytes\": %.0f, \"alarms\": %g", mean(&found.sent),
           mean(&found.bytes), mean(&found.alarms) * (double)found.alarms.count);
    printf(", \"member_ms\": [%.0f, %.0f, %.0f, %.0f]", percentile(&found.member, 0),
           percentile(&found.member, 0.5), percentile(&found.member, 0.9),
           percentile(&found.member, 0.99));
    printf(", \"coordinator_ms\": [%.0f, %.0f, %.0f, %.0f]", percentile(&found.coordinator, 0),
           percentile(&found.coordinator, 0.5), percentile(&found.coordinator, 0.9),
           percentile(&found.coordinator, 0.99));
    for (int k = 0; k < OUTAGE_COUNT; k++) {
        printf(", \"outage_%llu\": [%.3f, %.3f]", (unsigned long long)outages_ms[k],
               mean(&found.replaced[k]), mean(&found.deposed[k]));
    }
    printf(", \"samples\": %zu}\n", found.member.count);
}

/* --- The command line --- */

static void refuse_usage(void)
{
    fprintf(stderr, "usage: bench_detect [--table] [--watchers N] [--heartbeat MS] [--lost MS]\n"
                    "                    [--loss PERCENT] [--jitter MS] [HOSTS [RUNS]]\n");
    exit(64);
}

static uint64_t number(const char *text, uint64_t most)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value > most) {
        refuse_usage();
    }
    return value;
}

static void take_option(struct asked *asked, const char *name, const char *value)
{
    if (strcmp(name, "--watchers") == 0) {
        asked->sim.watchers = (uint8_t)number(value, WATCHERS_MOST);
    } else if (strcmp(name, "--heartbeat") == 0) {
        asked->sim.heartbeat_ms = number(value, 60000);
    } else if (strcmp(name, "--lost") == 0) {
        asked->sim.lost_ms = number(value, 3600000);
    } else if (strcmp(name, "--loss") == 0) {
        asked->quality.loss_ppm = (uint32_t)number(value, 100) * 10000;
    } else if (strcmp(name, "--jitter") == 0) {
        asked->quality.late_ppm = 100000;
        asked->quality.late_us_max = (uint32_t)number(value, 60000) * 1000;
    } else {
        refuse_usage();
    }
}

int main(int argc, char **argv)
{
    struct asked asked = {.hosts = 5, .runs = 20, .quality = sim_default_quality()};
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    int at = table ? 2 : 1;

    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        take_option(&asked, argv[at], argv[at + 1]);
    }
    if (at < argc) {
        asked.hosts = (uint32_t)number(argv[at++], 2000);
    }
    if (at < argc) {
        asked.runs = (uint32_t)number(argv[at++], SAMPLES_MAX / OUTAGES);
    }
    if (at < argc || asked.hosts < 2 || asked.runs < 1) {
        refuse_usage();
    }
    asked.sim.host_count = asked.hosts;
    asked.sim.capacity = asked.hosts + 8;
    asked.sim.disks = true;
    asked.sim.disorder = true; /* A part that is cut off goes on by itself. */
    asked.sim.spares_codec = true;
    asked.sim.spares_hash = true;
    for (uint32_t run = 0; run < asked.runs; run++) {
        measure(&asked, run + 1);
    }
    if (table) {
        print_table();
    } else {
        print_json(&asked);
    }
    return EXIT_SUCCESS;
}

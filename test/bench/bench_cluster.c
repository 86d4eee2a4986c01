/* Measures a cluster of five real daemons at their default settings, over the loopback interface:
 * how long it takes to form and to get over the loss of a process, whether a pause costs anybody
 * the membership, what a query costs, and what the daemons use while nothing happens.
 *
 *     bench_cluster [--table] [RUNS]
 *
 * prints one JSON object, or the table that docs/guide/sizing.md quotes; progress goes to stderr.
 * doyend is taken from DOYEND_PATH, else from beside this program. */
#include <ftw.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/figures.h"
#include "e2e/http.h"
#include "e2e/loopback.h"
#include "e2e/process.h"

enum {
    NODES = 5,
    RUNS_DEFAULT = 15,
    RUNS_MAX = 1000,
    LIMIT_MS = 30000, /* a cluster that takes longer has failed */
    PAUSE_MS = 3000,
    PAUSE_RUNS = 2,
    SETTLE_MS = 1000, /* all heartbeats have been exchanged, nothing is under way */
    IDLE_MS = 5000,
    QUERIES = 20000,
    QUERIES_TO_WARM_UP = 1000,
};

struct daemon {
    char name[32];
    char address[32];
    char control[96];
    char log[96];
    struct process process;
    int fd; /* kept alive for asking; -1: not connected */
};

struct cluster {
    char dir[64];
    const char *program;
    struct daemon daemons[NODES];
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench_cluster: %s\n", what);
    exit(EXIT_FAILURE); /* The daemons end with their parent. */
}

/* --- Daemons --------------------------------------------------------------------------------- */

static void init_cluster(struct cluster *cluster, const char *program)
{
    static const char *const names[NODES] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
    char host[HOST_TEXT_MAX];

    *cluster = (struct cluster){.program = program, .dir = "/tmp/doyen-bench-XXXXXX"};
    if (mkdtemp(cluster->dir) == NULL) {
        fail("cannot make a directory in /tmp");
    }
    loopback_host(host);
    for (size_t i = 0; i < NODES; i++) {
        struct daemon *daemon = &cluster->daemons[i];
        const char *dir = cluster->dir;
        *daemon = (struct daemon){.fd = -1};
        snprintf(daemon->name, sizeof daemon->name, "%s", names[i]);
        snprintf(daemon->address, sizeof daemon->address, "%s:%u", host, loopback_port(host));
        snprintf(daemon->control, sizeof daemon->control, "%.63s/%.20s.sock", dir, names[i]);
        snprintf(daemon->log, sizeof daemon->log, "%.63s/%.20s.log", dir, names[i]);
    }
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void daemon_start(struct cluster *cluster, struct daemon *daemon)
{
    const char *const argv[] = {cluster->program,
                                "--name",
                                daemon->name,
                                "--listen",
                                daemon->address,
                                "--seed",
                                cluster->daemons[0].address,
                                "--control",
                                daemon->control,
                                NULL};

    if (!process_start(&daemon->process, argv, daemon->log, daemon->log)) {
        fail("cannot start doyend");
    }
}

static void daemon_kill(struct daemon *daemon)
{
    process_kill(&daemon->process);
    if (daemon->fd >= 0) {
        close(daemon->fd);
    }
    daemon->fd = -1;
}

static void end_cluster(struct cluster *cluster)
{
    for (size_t i = 0; i < NODES; i++) {
        daemon_kill(&cluster->daemons[i]);
    }
    (void)nftw(cluster->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- Asking ---------------------------------------------------------------------------------- */

/* The document at `path`, the caller's to decref, over a connection that stays open; NULL when
 * there is no answer. */
static json_t *daemon_ask(struct daemon *daemon, const char *path)
{
    struct http_answer answer;

    if (daemon->fd < 0) {
        daemon->fd = dial_unix(daemon->control);
    }
    if (daemon->fd < 0 || !http_ask(daemon->fd, "GET", path, NULL, LIMIT_MS, &answer)) {
        if (daemon->fd >= 0) {
            close(daemon->fd);
        }
        daemon->fd = -1;
        return NULL;
    }
    json_t *document = json_loads(answer.body, 0, NULL);
    http_answer_deinit(&answer);
    return document;
}

/* What is compared: epoch, version, coordinator and the number of members. */
static void daemon_view(struct daemon *daemon, char view[128])
{
    json_t *document = daemon_ask(daemon, "/v1/members");
    const json_t *number = json_object_get(document, "view");
    const char *coordinator = json_string_value(json_object_get(document, "coordinator"));
    const char *epoch = json_string_value(json_object_get(number, "epoch"));
    const char *version = json_string_value(json_object_get(number, "version"));

    snprintf(view, 128, "%s.%s %s %zu", epoch == NULL ? "?" : epoch,
             version == NULL ? "?" : version, coordinator == NULL ? "nobody" : coordinator,
             json_array_size(json_object_get(document, "members")));
    json_decref(document);
}

/* Do all that run hold one view of `count` members, led by `coordinator`? */
static bool cluster_agrees(struct cluster *cluster, const char *coordinator, size_t count)
{
    char first[128] = "";
    char wanted[64];
    char view[128];

    snprintf(wanted, sizeof wanted, " %s %zu", coordinator, count);
    for (size_t i = 0; i < NODES; i++) {
        struct daemon *daemon = &cluster->daemons[i];
        if (daemon->process.pid == 0) {
            continue;
        }
        daemon_view(daemon, view);
        if (first[0] == '\0') {
            memcpy(first, view, sizeof first);
        }
        const char *tail = strchr(view, ' ');
        if (tail == NULL || strcmp(tail, wanted) != 0 || strcmp(view, first) != 0) {
            return false;
        }
    }
    return true;
}

/* Waits until they agree; returns how long that took since `began_ms`. */
static double await_agreement(struct cluster *cluster, const char *coordinator, size_t count,
                              double began_ms)
{
    while (!cluster_agrees(cluster, coordinator, count)) {
        if (figures_now_ms() - began_ms > LIMIT_MS) {
            fail("the cluster does not agree within 30 s");
        }
        clock_nap_ms(1);
    }
    return figures_now_ms() - began_ms;
}

/* Starts all five at once; returns how long they took to agree. */
static double form(struct cluster *cluster)
{
    const double began_ms = figures_now_ms();

    for (size_t i = 0; i < NODES; i++) {
        daemon_start(cluster, &cluster->daemons[i]);
    }
    return await_agreement(cluster, cluster->daemons[0].name, NODES, began_ms);
}

/* The names of the members, oldest first, as athens lists them. */
static json_t *member_names(struct cluster *cluster)
{
    json_t *document = daemon_ask(&cluster->daemons[0], "/v1/members");
    json_t *names = json_array();
    json_t *member = NULL;
    size_t i = 0;

    json_array_foreach(json_object_get(document, "members"), i, member)
    {
        json_array_append(names, json_object_get(member, "name"));
    }
    json_decref(document);
    return names;
}

static struct daemon *daemon_of_name(struct cluster *cluster, const char *name)
{
    for (size_t i = 0; i < NODES; i++) {
        if (name != NULL && strcmp(cluster->daemons[i].name, name) == 0) {
            return &cluster->daemons[i];
        }
    }
    fail("a member that was never started");
}

/* --- What is measured ------------------------------------------------------------------------ */

/* How a node goes. */
enum going { KILLED, LEAVING };

/* Takes the member at `position` of the view out; returns how long the others take to agree. */
static double lose(struct cluster *cluster, size_t position, enum going going)
{
    json_t *names = member_names(cluster);
    struct daemon *victim = daemon_of_name(cluster,
                                           json_string_value(json_array_get(names, position)));
    const char *heir = json_string_value(json_array_get(names, position == 0 ? 1 : 0));
    const double began_ms = figures_now_ms();

    const pid_t pid = victim->process.pid;
    (void)kill(pid, going == KILLED ? SIGKILL : SIGTERM);
    victim->process.pid = 0; /* It is asked no more. */
    const double took_ms = await_agreement(cluster, heir, NODES - 1, began_ms);
    victim->process.pid = pid;
    if (!process_wait(&victim->process, LIMIT_MS)) {
        fail("a daemon does not end");
    }
    daemon_kill(victim);
    json_decref(names);
    return took_ms;
}

static void measure_losses(struct figures *figures, const char *program, size_t runs)
{
    static const char *const what[] = {"kill -9 of a member, until all others agree",
                                       "kill -9 of the coordinator, until all others agree",
                                       "SIGTERM of a member, until all others agree",
                                       "SIGTERM of the coordinator, until all others agree"};
    double samples[4][RUNS_MAX];
    double formation[4 * RUNS_MAX];

    for (size_t run = 0; run < runs; run++) {
        for (size_t kind = 0; kind < 4; kind++) {
            struct cluster cluster;
            init_cluster(&cluster, program);
            formation[4 * run + kind] = form(&cluster);
            clock_nap_ms(run * 17 % 250); /* At any moment between two heartbeats. */
            samples[kind][run] = lose(&cluster, kind % 2 == 0 ? 2 : 0, kind < 2 ? KILLED : LEAVING);
            end_cluster(&cluster);
        }
        if (isatty(STDERR_FILENO) != 0) {
            fprintf(stderr, "  run %zu of %zu\r", run + 1, runs);
        }
    }
    figures_add(figures, "five nodes start at once, until all agree", "ms", formation, 4 * runs);
    for (size_t kind = 0; kind < 4; kind++) {
        figures_add(figures, what[kind], "ms", samples[kind], runs);
    }
}

/* How many views the others install because of a pause. */
static double pause_cost(struct cluster *cluster, size_t position)
{
    struct daemon *witness = &cluster->daemons[1];
    struct daemon *paused = &cluster->daemons[position];
    char before[128];
    char after[128];
    double changes = 0;

    daemon_view(witness, before);
    (void)kill(paused->process.pid, SIGSTOP);
    for (const double until_ms = figures_now_ms() + PAUSE_MS; figures_now_ms() < until_ms;) {
        daemon_view(witness, after);
        if (strcmp(before, after) != 0) {
            changes++;
            memcpy(before, after, sizeof before);
        }
        clock_nap_ms(5);
    }
    (void)kill(paused->process.pid, SIGCONT);
    clock_nap_ms(SETTLE_MS);
    daemon_view(witness, after);
    return changes + (strcmp(before, after) != 0);
}

static void measure_pauses(struct figures *figures, const char *program)
{
    double members[PAUSE_RUNS];
    double coordinators[PAUSE_RUNS];
    struct cluster cluster;

    init_cluster(&cluster, program);
    (void)form(&cluster);
    clock_nap_ms(SETTLE_MS);
    for (size_t run = 0; run < PAUSE_RUNS; run++) {
        members[run] = pause_cost(&cluster, 2);
        coordinators[run] = pause_cost(&cluster, 0);
    }
    end_cluster(&cluster);
    figures_add(figures, "a member stopped for 3 s: changes of view", "", members, PAUSE_RUNS);
    figures_add(figures, "the coordinator stopped for 3 s: changes of view", "", coordinators,
                PAUSE_RUNS);
}

static void measure_queries(struct figures *figures, const char *program)
{
    double samples[QUERIES];
    struct http_answer answer;
    struct cluster cluster;

    init_cluster(&cluster, program);
    (void)form(&cluster);
    struct daemon *daemon = &cluster.daemons[0];
    uint64_t cpu_ms = 0;
    for (int i = -QUERIES_TO_WARM_UP; i < QUERIES; i++) {
        if (i == 0) {
            cpu_ms = process_cpu_ms(&daemon->process);
        }
        const double began_ms = figures_now_ms();
        if (!http_ask(daemon->fd, "GET", "/v1/members", NULL, LIMIT_MS, &answer)) {
            fail("a query was not answered");
        }
        http_answer_deinit(&answer);
        if (i >= 0) {
            samples[i] = (figures_now_ms() - began_ms) * 1e3;
        }
    }
    double cpu_us = (double)(process_cpu_ms(&daemon->process) - cpu_ms) * 1e3 / QUERIES;
    end_cluster(&cluster);
    figures_add(figures, "GET /v1/members over one connection", "us", samples, QUERIES);
    figures_add(figures, "99 of 100 of them answered within", "us",
                &samples[(size_t)QUERIES * 99 / 100], 1);
    figures_add(figures, "processor time of the daemon for each", "us", &cpu_us, 1);
}

/* A counter of the daemon's status. */
static double counter(struct daemon *daemon, const char *name)
{
    json_t *status = daemon_ask(daemon, "/v1/status");
    const json_t *counters = json_object_get(status, "counters");
    const double value = (double)json_integer_value(json_object_get(counters, name));

    json_decref(status);
    return value;
}

static void measure_idle(struct figures *figures, const char *program)
{
    double cpu[NODES];
    double bytes[NODES];
    double datagrams[NODES];
    double rss[NODES];
    double pss[NODES];
    struct cluster cluster;

    init_cluster(&cluster, program);
    (void)form(&cluster);
    clock_nap_ms(SETTLE_MS);
    for (size_t i = 0; i < NODES; i++) {
        cpu[i] = (double)process_cpu_ms(&cluster.daemons[i].process);
        bytes[i] = counter(&cluster.daemons[i], "bytes_out");
        datagrams[i] = counter(&cluster.daemons[i], "datagrams_out");
    }
    clock_nap_ms(IDLE_MS);
    for (size_t i = 0; i < NODES; i++) {
        struct daemon *daemon = &cluster.daemons[i];
        cpu[i] = ((double)process_cpu_ms(&daemon->process) - cpu[i]) * 100 / IDLE_MS;
        bytes[i] = (counter(daemon, "bytes_out") - bytes[i]) * 1e3 / IDLE_MS;
        datagrams[i] = (counter(daemon, "datagrams_out") - datagrams[i]) * 1e3 / IDLE_MS;
        rss[i] = (double)process_kb(&daemon->process, "VmRSS") / 1024;
        pss[i] = (double)process_pss_kb(&daemon->process) / 1024;
    }
    end_cluster(&cluster);
    figures_add(figures, "idle: processor, each node", "%", cpu, NODES);
    figures_add(figures, "idle: memory (RSS), each node", "MiB", rss, NODES);
    figures_add(figures, "idle: memory (PSS), each node", "MiB", pss, NODES);
    figures_add(figures, "idle: datagrams sent, each node", "/s", datagrams, NODES);
    figures_add(figures, "idle: bytes sent, each node", "B/s", bytes, NODES);
}

int main(int argc, char **argv)
{
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    const char *count = argc > (table ? 2 : 1) ? argv[table ? 2 : 1] : NULL;
    const long runs = count == NULL ? RUNS_DEFAULT : strtol(count, NULL, 10);
    struct figures figures = {.count = 0};
    char path[4096];

    if (argc > (table ? 3 : 2) || runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: bench_cluster [--table] [RUNS], with 1 to %d runs\n", RUNS_MAX);
        return 64;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    const char *program = figures_doyend("bench_cluster", path);

    measure_losses(&figures, program, (size_t)runs);
    measure_queries(&figures, program);
    measure_idle(&figures, program);
    measure_pauses(&figures, program);
    figures_print(&figures, table, "cluster", "five nodes, default settings, loopback");
    return EXIT_SUCCESS;
}

/* Measures what sealing costs: two idle clusters of five real daemons side by side, one with a key
 * and one without, at their default settings over the loopback interface.
 *
 *     bench_key [--table]
 *
 * prints one JSON object, or a table; progress goes to stderr. doyend is taken from DOYEND_PATH,
 * else from beside this program. */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/daemons.h"
#include "bench/figures.h"
#include "e2e/process.h"

enum {
    NODES = 5,
    CLUSTERS = 2,
    LIMIT_MS = 30000,
    SETTLE_MS = 2000,
    IDLE_MS = 30000,
};

static double counter(const struct daemon *daemon, const char *name)
{
    json_t *status = daemon_ask(daemon, "/v1/status", LIMIT_MS);
    const double value = (double)json_integer_value(
        json_object_get(json_object_get(status, "counters"), name));

    json_decref(status);
    return value;
}

static void make_key(const char *program, const char *key)
{
    const char *const argv[] = {program, "--make-key", key, NULL};
    struct process process = {.pid = 0};

    if (!process_start(&process, argv, "/dev/null", "/dev/null") ||
        !process_wait(&process, LIMIT_MS) || process_exit_code(&process) != 0) {
        daemons_fail("cannot make a key");
    }
}

/* What one cluster used, the sum of its nodes. */
struct use {
    double cpu;
    double datagrams;
    double bytes;
};

static struct use use_of(const struct daemon daemons[NODES])
{
    struct use use = {.cpu = 0};

    for (size_t i = 0; i < NODES; i++) {
        use.cpu += daemon_cpu_ms(&daemons[i]);
        use.datagrams += counter(&daemons[i], "datagrams_out");
        use.bytes += counter(&daemons[i], "bytes_out");
    }
    return use;
}

static void add(struct figures *figures, const char *what, const char *unit, double value)
{
    figures_add(figures, what, unit, &value, 1);
}

static void measure(struct figures *figures, const char *program, const char *dir)
{
    static struct daemon daemons[CLUSTERS][NODES]; /* without, with */
    struct use use[CLUSTERS];
    char key[128];

    snprintf(key, sizeof key, "%s/key", dir);
    make_key(program, key);
    daemons_start(daemons[0], NODES, program, dir, "plain", NULL, NULL, LIMIT_MS);
    daemons_start(daemons[1], NODES, program, dir, "sealed", "--key", key, LIMIT_MS);
    clock_nap_ms(SETTLE_MS);
    for (size_t i = 0; i < CLUSTERS; i++) {
        use[i] = use_of(daemons[i]);
    }
    clock_nap_ms(IDLE_MS);
    for (size_t i = 0; i < CLUSTERS; i++) {
        const struct use now = use_of(daemons[i]);
        use[i] = (struct use){.cpu = now.cpu - use[i].cpu,
                              .datagrams = now.datagrams - use[i].datagrams,
                              .bytes = now.bytes - use[i].bytes};
    }
    for (size_t i = 0; i < CLUSTERS; i++) {
        daemons_end(daemons[i], NODES);
    }
    const double node_s = (double)NODES * IDLE_MS / 1e3;
    add(figures, "idle without a key: processor, each node", "%", use[0].cpu / node_s / 10);
    add(figures, "idle with a key: processor, each node", "%", use[1].cpu / node_s / 10);
    add(figures, "processor, with a key to without", "times", use[1].cpu / use[0].cpu);
    add(figures, "datagrams, with a key to without", "times", use[1].datagrams / use[0].datagrams);
    add(figures, "bytes sent, with a key to without", "times", use[1].bytes / use[0].bytes);
}

int main(int argc, char **argv)
{
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    struct figures figures = {.count = 0};
    char dir[32];
    char path[4096];

    if (argc > (table ? 2 : 1)) {
        fprintf(stderr, "usage: bench_key [--table]\n");
        return 64;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    daemons_dir_make(dir);
    measure(&figures, figures_doyend("bench_key", path), dir);
    daemons_dir_remove(dir);
    figures_print(&figures, table, "key", "two idle clusters of five side by side");
    return EXIT_SUCCESS;
}

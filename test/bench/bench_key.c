/* Measures what sealing costs: two idle clusters of five real daemons side by side, one with a key
 * and one without, at their default settings over the loopback interface.
 *
 *     bench_key [--table]
 *
 * prints one JSON object, or a table; progress goes to stderr. doyend is taken from DOYEND_PATH,
 * else from beside this program. */
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
    CLUSTERS = 2,
    LIMIT_MS = 30000,
    SETTLE_MS = 2000,
    IDLE_MS = 30000,
};

struct daemon {
    char address[32];
    char control[128];
    char log[128];
    struct process process;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench_key: %s\n", what);
    exit(EXIT_FAILURE); /* The daemons end with their parent. */
}

static json_t *ask(const struct daemon *daemon, const char *path)
{
    struct http_answer answer;

    if (!http_get(daemon->control, path, LIMIT_MS, &answer)) {
        return NULL;
    }
    json_t *document = json_loads(answer.body, 0, NULL);
    http_answer_deinit(&answer);
    return document;
}

static double counter(const struct daemon *daemon, const char *name)
{
    json_t *status = ask(daemon, "/v1/status");
    const double value = (double)json_integer_value(
        json_object_get(json_object_get(status, "counters"), name));

    json_decref(status);
    return value;
}

static size_t members(const struct daemon *daemon)
{
    json_t *document = ask(daemon, "/v1/members");
    const size_t count = json_array_size(json_object_get(document, "members"));

    json_decref(document);
    return count;
}

/* Processor time used so far, in milliseconds, as the scheduler counts it. */
static double cpu_ms(const struct daemon *daemon)
{
    char path[64];
    unsigned long long nanoseconds = 0;

    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)daemon->process.pid);
    char *text = file_read(path, NULL);
    if (text == NULL) {
        fail("this kernel does not count processor time (schedstat)");
    }
    nanoseconds = strtoull(text, NULL, 10);
    free(text);
    return (double)nanoseconds / 1e6;
}

static void start(struct daemon daemons[NODES], const char *program, const char *dir,
                  const char *key)
{
    char host[HOST_TEXT_MAX];
    char name[16];

    loopback_host(host);
    for (size_t i = 0; i < NODES; i++) {
        struct daemon *daemon = &daemons[i];
        *daemon = (struct daemon){.process = {.pid = 0}};
        snprintf(name, sizeof name, "n%zu", i);
        snprintf(daemon->address, sizeof daemon->address, "%s:%u", host, loopback_port(host));
        snprintf(daemon->control, sizeof daemon->control, "%s/%s%zu.sock", dir,
                 key == NULL ? "p" : "k", i);
        snprintf(daemon->log, sizeof daemon->log, "%s/%s%zu.log", dir, key == NULL ? "p" : "k", i);
        const char *argv[] = {program,
                              "--name",
                              name,
                              "--listen",
                              daemon->address,
                              "--seed",
                              daemons[0].address,
                              "--control",
                              daemon->control,
                              key == NULL ? NULL : "--key",
                              key,
                              NULL};
        if (!process_start(&daemon->process, argv, daemon->log, daemon->log)) {
            fail("cannot start doyend");
        }
    }
    const double until_ms = figures_now_ms() + LIMIT_MS;
    for (size_t i = 0; i < NODES; i++) {
        while (members(&daemons[i]) != NODES) {
            if (figures_now_ms() > until_ms) {
                fail("a cluster did not form within 30 s");
            }
            clock_nap_ms(10);
        }
    }
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void make_key(const char *program, const char *key)
{
    const char *const argv[] = {program, "--make-key", key, NULL};
    struct process process = {.pid = 0};

    if (!process_start(&process, argv, "/dev/null", "/dev/null") ||
        !process_wait(&process, LIMIT_MS) || process_exit_code(&process) != 0) {
        fail("cannot make a key");
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
        use.cpu += cpu_ms(&daemons[i]);
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
    start(daemons[0], program, dir, NULL);
    start(daemons[1], program, dir, key);
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
        for (size_t n = 0; n < NODES; n++) {
            process_kill(&daemons[i][n].process);
        }
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
    char dir[] = "/tmp/doyen-bench-XXXXXX";
    char path[4096];

    if (argc > (table ? 2 : 1)) {
        fprintf(stderr, "usage: bench_key [--table]\n");
        return 64;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    if (mkdtemp(dir) == NULL) {
        fail("cannot make a directory in /tmp");
    }
    measure(&figures, figures_doyend("bench_key", path), dir);
    (void)nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    figures_print(&figures, table, "key", "two idle clusters of five side by side");
    return EXIT_SUCCESS;
}

/* Measures what a scrape costs: GET /metrics, and beside it GET /v1/members and /readyz, of one
 * member of a cluster of a hundred real daemons over the loopback interface, profile wan.
 *
 *     bench_metrics [--table] [NODES]
 *
 * prints one JSON object, or a table; progress goes to stderr. doyend is taken from DOYEND_PATH,
 * else from beside this program. Requests are some milliseconds apart, as an answer is given out
 * again within the millisecond in which it was made. */
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
    NODES_DEFAULT = 100,
    NODES_MAX = 200,
    LIMIT_MS = 120000,
    REQUESTS = 500,
    PAUSE_MS = 3,
    US_PER_MS = 1000,
};

struct daemon {
    char address[32];
    char control[128];
    char log[128];
    struct process process;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench_metrics: %s\n", what);
    exit(EXIT_FAILURE); /* The daemons end with their parent. */
}

static size_t members(const struct daemon *daemon)
{
    struct http_answer answer;

    if (!http_get(daemon->control, "/v1/members", LIMIT_MS, &answer)) {
        return 0;
    }
    json_t *document = json_loads(answer.body, 0, NULL);
    http_answer_deinit(&answer);
    const size_t count = json_array_size(json_object_get(document, "members"));

    json_decref(document);
    return count;
}

static void start(struct daemon *daemons, size_t count, const char *program, const char *dir)
{
    char host[HOST_TEXT_MAX];
    char name[16];

    loopback_host(host);
    for (size_t i = 0; i < count; i++) {
        struct daemon *daemon = &daemons[i];
        *daemon = (struct daemon){.process = {.pid = 0}};
        snprintf(name, sizeof name, "n%zu", i);
        snprintf(daemon->address, sizeof daemon->address, "%s:%u", host, loopback_port(host));
        snprintf(daemon->control, sizeof daemon->control, "%s/%zu.sock", dir, i);
        snprintf(daemon->log, sizeof daemon->log, "%s/%zu.log", dir, i);
        const char *const argv[] = {program,
                                    "--name",
                                    name,
                                    "--listen",
                                    daemon->address,
                                    "--seed",
                                    daemons[0].address,
                                    "--profile",
                                    "wan",
                                    "--control",
                                    daemon->control,
                                    NULL};
        if (!process_start(&daemon->process, argv, daemon->log, daemon->log)) {
            fail("cannot start doyend");
        }
    }
    const double until_ms = figures_now_ms() + LIMIT_MS;
    for (size_t i = 0; i < count; i++) {
        while (members(&daemons[i]) != count) {
            if (figures_now_ms() > until_ms) {
                fail("the cluster did not form within two minutes");
            }
            clock_nap_ms(50);
        }
    }
}

/* Processor time used so far, in milliseconds, as the scheduler counts it. */
static double cpu_ms(const struct daemon *daemon)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)daemon->process.pid);
    char *text = file_read(path, NULL);
    if (text == NULL) {
        fail("this kernel does not count processor time (schedstat)");
    }
    const double nanoseconds = (double)strtoull(text, NULL, 10);
    free(text);
    return nanoseconds / 1e6;
}

/* Processor time that the daemon uses in a millisecond of its ordinary work. */
static double idle_share(const struct daemon *daemon)
{
    const double began_ms = figures_now_ms();
    const double began_cpu_ms = cpu_ms(daemon);

    clock_nap_ms(5000);
    return (cpu_ms(daemon) - began_cpu_ms) / (figures_now_ms() - began_ms);
}

static void measure(struct figures *figures, const struct daemon *daemon, const char *path,
                    const char *what_time, const char *what_cpu)
{
    const double idle = idle_share(daemon);
    const int fd = dial_unix(daemon->control);
    const double began_ms = figures_now_ms();
    const double began_cpu_ms = cpu_ms(daemon);
    double samples[REQUESTS];

    for (size_t i = 0; i < REQUESTS; i++) {
        struct http_answer answer;
        const double asked_ms = figures_now_ms();
        if (!http_ask(fd, "GET", path, NULL, LIMIT_MS, &answer) || answer.status != 200) {
            fail("no answer");
        }
        samples[i] = (figures_now_ms() - asked_ms) * US_PER_MS;
        http_answer_deinit(&answer);
        clock_nap_ms(PAUSE_MS);
    }
    const double used_ms = cpu_ms(daemon) - began_cpu_ms - idle * (figures_now_ms() - began_ms);
    double cpu_us = used_ms * US_PER_MS / REQUESTS;

    close(fd);
    figures_add(figures, what_time, "us", samples, REQUESTS);
    figures_add(figures, what_cpu, "us", &cpu_us, 1);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

int main(int argc, char **argv)
{
    static struct daemon daemons[NODES_MAX];
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    const char *number = argc > 1 + table ? argv[1 + table] : NULL;
    const size_t count = number == NULL ? NODES_DEFAULT : strtoul(number, NULL, 10);
    struct figures figures = {.count = 0};
    char dir[] = "/tmp/doyen-bench-XXXXXX";
    char path[4096];

    if (argc > 2 + table || count == 0 || count > NODES_MAX) {
        fprintf(stderr, "usage: bench_metrics [--table] [NODES], at most %d\n", NODES_MAX);
        return 64;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    if (mkdtemp(dir) == NULL) {
        fail("cannot make a directory in /tmp");
    }
    start(daemons, count, figures_doyend("bench_metrics", path), dir);
    measure(&figures, &daemons[0], "/metrics", "GET /metrics, until the answer is there",
            "GET /metrics, processor time of the daemon");
    measure(&figures, &daemons[0], "/v1/members", "GET /v1/members, until the answer is there",
            "GET /v1/members, processor time of the daemon");
    measure(&figures, &daemons[0], "/readyz", "GET /readyz, until the answer is there",
            "GET /readyz, processor time of the daemon");
    for (size_t i = 0; i < count; i++) {
        process_kill(&daemons[i].process);
    }
    (void)nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    figures_print(&figures, table, "metrics", "one member of many");
    return EXIT_SUCCESS;
}

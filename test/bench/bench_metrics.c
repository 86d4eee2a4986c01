/* Measures what a scrape costs: GET /metrics, and beside it GET /v1/members and /readyz, of one
 * member of a cluster of a hundred real daemons over the loopback interface, profile wan.
 *
 *     bench_metrics [--table] [NODES]
 *
 * prints one JSON object, or a table; progress goes to stderr. doyend is taken from DOYEND_PATH,
 * else from beside this program. Requests are some milliseconds apart, as an answer is given out
 * again within the millisecond in which it was made. */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/daemons.h"
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

/* Processor time that the daemon uses in a millisecond of its ordinary work. */
static double idle_share(const struct daemon *daemon)
{
    const double began_ms = figures_now_ms();
    const double began_cpu_ms = daemon_cpu_ms(daemon);

    clock_nap_ms(5000);
    return (daemon_cpu_ms(daemon) - began_cpu_ms) / (figures_now_ms() - began_ms);
}

static void measure(struct figures *figures, const struct daemon *daemon, const char *path,
                    const char *what_time, const char *what_cpu)
{
    const double idle = idle_share(daemon);
    const int fd = dial_unix(daemon->control);
    const double began_ms = figures_now_ms();
    const double began_cpu_ms = daemon_cpu_ms(daemon);
    double samples[REQUESTS];

    for (size_t i = 0; i < REQUESTS; i++) {
        struct http_answer answer;
        const double asked_ms = figures_now_ms();
        if (!http_ask(fd, "GET", path, NULL, LIMIT_MS, &answer) || answer.status != 200) {
            daemons_fail("no answer");
        }
        samples[i] = (figures_now_ms() - asked_ms) * US_PER_MS;
        http_answer_deinit(&answer);
        clock_nap_ms(PAUSE_MS);
    }
    const double used_ms = daemon_cpu_ms(daemon) - began_cpu_ms -
                           idle * (figures_now_ms() - began_ms);
    double cpu_us = used_ms * US_PER_MS / REQUESTS;

    close(fd);
    figures_add(figures, what_time, "us", samples, REQUESTS);
    figures_add(figures, what_cpu, "us", &cpu_us, 1);
}

int main(int argc, char **argv)
{
    static struct daemon daemons[NODES_MAX];
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    const char *number = argc > 1 + table ? argv[1 + table] : NULL;
    const size_t count = number == NULL ? NODES_DEFAULT : strtoul(number, NULL, 10);
    struct figures figures = {.count = 0};
    char dir[32];
    char path[4096];

    if (argc > 2 + table || count == 0 || count > NODES_MAX) {
        fprintf(stderr, "usage: bench_metrics [--table] [NODES], at most %d\n", NODES_MAX);
        return 64;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    daemons_dir_make(dir);
    daemons_start(daemons, count, figures_doyend("bench_metrics", path), dir, "n", "--profile",
                  "wan", LIMIT_MS);
    measure(&figures, &daemons[0], "/metrics", "GET /metrics, until the answer is there",
            "GET /metrics, processor time of the daemon");
    measure(&figures, &daemons[0], "/v1/members", "GET /v1/members, until the answer is there",
            "GET /v1/members, processor time of the daemon");
    measure(&figures, &daemons[0], "/readyz", "GET /readyz, until the answer is there",
            "GET /readyz, processor time of the daemon");
    daemons_end(daemons, count);
    daemons_dir_remove(dir);
    figures_print(&figures, table, "metrics", "one member of many");
    return EXIT_SUCCESS;
}

/* Clusters of real daemons over the loopback interface, for benchmarks. What fails ends the program
 * with one line on stderr; the daemons end with their parent. */
#ifndef BENCH_DAEMONS_H
#define BENCH_DAEMONS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "e2e/process.h"

struct daemon {
    char address[32];
    char control[128]; /* path of its control socket */
    char log[128];
    struct process process;
};

/* Prints `what` behind the name of this program. */
_Noreturn void daemons_fail(const char *what);

/* A new folder in /tmp for a benchmark's files, in `dir`; the other removes it with all in it. */
void daemons_dir_make(char dir[32]);
void daemons_dir_remove(const char *dir);

/* Starts `count` daemons of `program` with `option` and its `value` (NULL: neither), and returns
 * when all are members of one cluster, which `limit_ms` limits. Their files in `dir` begin with
 * `prefix`, which no other cluster there has. */
void daemons_start(struct daemon *daemons, size_t count, const char *program, const char *dir,
                   const char *prefix, const char *option, const char *value, uint64_t limit_ms);

/* Kills them all. */
void daemons_end(struct daemon *daemons, size_t count);

/* The document of one resource, to be freed; NULL: no answer within `limit_ms`. */
json_t *daemon_ask(const struct daemon *daemon, const char *path, uint64_t limit_ms);

/* Processor time used so far, in milliseconds, as the scheduler counts it. */
double daemon_cpu_ms(const struct daemon *daemon);

#endif

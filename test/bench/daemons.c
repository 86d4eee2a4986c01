#include "bench/daemons.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures.h"
#include "e2e/http.h"
#include "e2e/loopback.h"

enum { LOOK_AGAIN_MS = 20 };

_Noreturn void daemons_fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(EXIT_FAILURE);
}

/* --- Folders --------------------------------------------------------------------------------- */

void daemons_dir_make(char dir[32])
{
    snprintf(dir, 32, "/tmp/doyen-bench-XXXXXX");
    if (mkdtemp(dir) == NULL) {
        daemons_fail("cannot make a directory in /tmp");
    }
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void daemons_dir_remove(const char *dir)
{
    (void)nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- Asking ---------------------------------------------------------------------------------- */

json_t *daemon_ask(const struct daemon *daemon, const char *path, uint64_t limit_ms)
{
    struct http_answer answer;

    if (!http_get(daemon->control, path, limit_ms, &answer)) {
        return NULL;
    }
    json_t *document = json_loads(answer.body, 0, NULL);
    http_answer_deinit(&answer);
    return document;
}

static size_t member_count(const struct daemon *daemon, uint64_t limit_ms)
{
    json_t *document = daemon_ask(daemon, "/v1/members", limit_ms);
    const size_t count = json_array_size(json_object_get(document, "members"));

    json_decref(document);
    return count;
}

double daemon_cpu_ms(const struct daemon *daemon)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)daemon->process.pid);
    char *text = file_read(path, NULL);
    if (text == NULL) {
        daemons_fail("this kernel does not count processor time (schedstat)");
    }
    const double nanoseconds = (double)strtoull(text, NULL, 10);
    free(text);
    return nanoseconds / 1e6;
}

/* --- Starting and ending --------------------------------------------------------------------- */

void daemons_start(struct daemon *daemons, size_t count, const char *program, const char *dir,
                   const char *prefix, const char *option, const char *value, uint64_t limit_ms)
{
    char host[HOST_TEXT_MAX];
    char name[24];

    loopback_host(host);
    for (size_t i = 0; i < count; i++) {
        struct daemon *daemon = &daemons[i];
        *daemon = (struct daemon){.process = {.pid = 0}};
        snprintf(name, sizeof name, "n%zu", i);
        snprintf(daemon->address, sizeof daemon->address, "%s:%u", host, loopback_port(host));
        snprintf(daemon->control, sizeof daemon->control, "%s/%s%zu.sock", dir, prefix, i);
        snprintf(daemon->log, sizeof daemon->log, "%s/%s%zu.log", dir, prefix, i);
        const char *const argv[] = {program,
                                    "--name",
                                    name,
                                    "--listen",
                                    daemon->address,
                                    "--seed",
                                    daemons[0].address,
                                    "--control",
                                    daemon->control,
                                    option,
                                    value,
                                    NULL};
        if (!process_start(&daemon->process, argv, daemon->log, daemon->log)) {
            daemons_fail("cannot start doyend");
        }
    }
    const double until_ms = figures_now_ms() + (double)limit_ms;
    for (size_t i = 0; i < count; i++) {
        while (member_count(&daemons[i], limit_ms) != count) {
            if (figures_now_ms() > until_ms) {
                daemons_fail("a cluster did not form in time");
            }
            clock_nap_ms(LOOK_AGAIN_MS);
        }
    }
}

void daemons_end(struct daemon *daemons, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        process_kill(&daemons[i].process);
    }
}

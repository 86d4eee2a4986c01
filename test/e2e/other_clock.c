#include "other_clock.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CODE_NONE = 100 };

/* Kernels that know the namespace may yet let only children enter it, which is no use here. */
void other_clock_require(struct cluster *cluster)
{
    const char *out = cluster_path(cluster, "other-clock");
    struct process trial = {.pid = 0};
    char here[64] = "";

    cr_assert_gt(readlink("/proc/self/ns/time", here, sizeof here - 1), 0);
    cr_assert(process_start(&trial, ARGS(OTHER_CLOCK, "/usr/bin/readlink", "/proc/self/ns/time"),
                            out, out));
    cr_assert(process_wait(&trial, LIMIT_MS));
    char *there = file_read(out, NULL);
    const bool possible = process_exit_code(&trial) == 0 && there != NULL &&
                          strncmp(there, "time:", 5) == 0 &&
                          strncmp(there, here, strlen(here)) != 0;
    free(there);
    if (!possible) {
        cr_skip_test("no time namespaces here, or not for this account");
    }
}

const char *other_clock_program(struct cluster *cluster, const char *program)
{
    static const char *const words[] = {OTHER_CLOCK};
    const char *path = cluster_path(cluster, "by-another-clock");
    FILE *script = fopen(path, "w");

    cr_assert_not_null(script);
    fputs("#!/bin/sh\nexec", script);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        fprintf(script, " %s", words[i]);
    }
    fprintf(script, " %s \"$@\"\n", program);
    cr_assert_eq(fclose(script), 0);
    cr_assert_eq(chmod(path, S_IRWXU), 0);
    return path;
}

static bool set_offset(void)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "boottime %d 0", OTHER_CLOCK_S);
    const int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    const bool set = fd >= 0 && write(fd, text, (size_t)length) == length;

    if (fd >= 0) {
        close(fd);
    }
    return set;
}

static int code_of(pid_t child)
{
    int status = 0;

    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                    : CODE_NONE;
}

/* The first process of such a namespace is a child of who makes it, which stays outside. */
int other_clock_call(int (*function)(void *context), void *context)
{
    const pid_t maker = fork();

    if (maker == 0) {
        if (unshare(CLONE_NEWTIME) != 0 || !set_offset()) {
            _exit(CODE_NONE);
        }
        const pid_t child = fork();
        _exit(child == 0 ? function(context) : code_of(child));
    }
    const int code = code_of(maker);
    cr_assert_neq(code, CODE_NONE);
    return code;
}

#include "runtime/process/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    FILES = 32, /* standard ones, the loop's, sockets that listen, state, recording: about 20 */
    STREAMS_PER_MEMBER = 2,
};

static uint64_t reserved(uint64_t limit)
{
    return limit / 4 < DESCRIPTORS_RESERVED_MAX ? limit / 4 : DESCRIPTORS_RESERVED_MAX;
}

bool descriptors_open_standard(void)
{
    int fd;

    do { /* What is printed to an output that was closed is lost, and must fail to be written. */
        fd = open("/dev/null", fcntl(STDOUT_FILENO, F_GETFD) < 0 ? O_RDONLY : O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    return fd >= 0 && close(fd) == 0;
}

uint64_t descriptors_for_streams(uint64_t limit)
{
    return limit - reserved(limit);
}

uint64_t descriptors_for_clients(uint64_t limit, uint32_t member_count)
{
    const uint64_t others = FILES + (uint64_t)STREAMS_PER_MEMBER * member_count;
    const uint64_t left = limit > others ? limit - others : 0;

    return left > reserved(limit) ? left : reserved(limit);
}

uint64_t descriptors_needed(uint32_t member_count)
{
    const uint64_t wanted = FILES + (uint64_t)STREAMS_PER_MEMBER * member_count;
    const uint64_t of_small = (4 * wanted - 1) /
                              3; /* the lowest limit that leaves `wanted` without a quarter */
    const uint64_t of_large = wanted + DESCRIPTORS_RESERVED_MAX;

    return of_small < of_large ? of_small : of_large;
}

uint64_t descriptors_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

void descriptors_raise(struct log *log, uint32_t member_count)
{
    const uint64_t needed = descriptors_needed(member_count);
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* If that fails, we go on with fewer. */
    }
    if (descriptors_limit() < needed) {
        log_line(log, LOG_WARN, "starved",
                 "only %llu file descriptors, too few for %u members: raise the limit (ulimit -n) "
                 "to %llu or more, or lower --capacity",
                 (unsigned long long)descriptors_limit(), member_count, (unsigned long long)needed);
    }
}

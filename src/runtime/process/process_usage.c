#include "runtime/process/process_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/host/clock.h"
#include "runtime/process/descriptors.h"

void process_meter_open(struct process_meter *meter)
{
    *meter = (struct process_meter){
        .memory_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC),
        .descriptors_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .started_wall_ms = clock_wall_ms(),
    };
}

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

void process_meter_close(struct process_meter *meter)
{
    close_one(&meter->memory_fd);
    close_one(&meter->descriptors_fd);
}

static uint64_t cpu_us(void)
{
    struct timespec used;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used); /* cannot fail */
    return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

/* The second number of statm is the resident pages. */
static uint64_t resident_bytes(int fd)
{
    char text[128];
    char *end;
    const ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);

    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    (void)strtoull(text, &end, 10);
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The directory's size is the count since Linux 6.2; before that it is 0. */
static uint64_t descriptor_count(int fd)
{
    _Alignas(struct dirent64) char entries[4096];
    struct stat status;
    uint64_t count = 0;
    ssize_t length;

    if (fd < 0) {
        return 0;
    }
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        return (uint64_t)status.st_size;
    }
    (void)lseek(fd, 0, SEEK_SET);
    while ((length = getdents64(fd, entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < length; count++) {
            at += ((const struct dirent64 *)(const void *)(entries + at))->d_reclen;
        }
    }
    return count > 2 ? count - 2 : 0; /* Without . and .. */
}

struct process_usage process_meter_read(const struct process_meter *meter)
{
    return (struct process_usage){
        .cpu_us = cpu_us(),
        .resident_bytes = resident_bytes(meter->memory_fd),
        .descriptors = descriptor_count(meter->descriptors_fd),
        .descriptors_max = descriptors_limit(),
        .started_wall_ms = meter->started_wall_ms,
    };
}

/* What `doyen run` and `doyen campaign` run while chaos reigns: writes to one log that all workers
 * of all nodes share.
 *
 *     worker LOG NODE
 *
 * Each record says node, epoch (or the role's token), process and time. They are appended, so their
 * order in the log is the order in which they were written, whatever the clock says; and nothing in
 * here looks at the lease: what is shown is that doyen run ends it in time. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct entry {
    uint64_t ns; /* of CLOCK_BOOTTIME, asked of the kernel: the node's own clock may be wrong */
    uint64_t epoch;
    uint32_t node;
    uint32_t process;
};

int main(int argc, char **argv)
{
    const char *token = getenv("DOYEN_TOKEN"); /* of `doyen campaign` */
    const char *epoch = token != NULL ? token : getenv("DOYEN_EPOCH");
    const struct timespec pause = {.tv_nsec = 1000 * 1000};
    struct entry entry = {.process = (uint32_t)getpid()};
    struct timespec now;
    int log;

    if (argc != 3 || epoch == NULL || (log = open(argv[1], O_WRONLY | O_APPEND)) < 0) {
        fprintf(stderr, "usage: DOYEN_EPOCH=N worker LOG NODE, and LOG has to be there\n");
        return 64;
    }
    entry.node = (uint32_t)strtoul(argv[2], NULL, 10);
    entry.epoch = strtoull(epoch, NULL, 10);
    for (;;) {
        if (syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now) != 0) {
            return 1;
        }
        entry.ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
        if (write(log, &entry, sizeof entry) != (ssize_t)sizeof entry) {
            return 1;
        }
        (void)nanosleep(&pause, NULL);
    }
}

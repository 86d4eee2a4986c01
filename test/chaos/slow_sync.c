/* To be preloaded: makes fsync and fdatasync take as long as a file says.
 *
 * The first four bytes of the file that CHAOS_SYNC names are that many milliseconds, and may change
 * at any time, also while a call waits: a disk that is stuck comes free when they become 0. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile const uint32_t *delay_ms;

__attribute__((constructor)) static void open_control(void)
{
    const char *path = getenv("CHAOS_SYNC");
    const int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        void *at = mmap(NULL, sizeof *delay_ms, PROT_READ, MAP_SHARED, fd, 0);
        delay_ms = at == MAP_FAILED ? NULL : at;
        (void)close(fd);
    }
}

static void wait_for_disk(void)
{
    const struct timespec one_ms = {.tv_nsec = 1000 * 1000};

    for (uint32_t waited = 0; delay_ms != NULL && waited < *delay_ms; waited++) {
        (void)nanosleep(&one_ms, NULL);
    }
}

static int sync_later(const char *name, int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);

    wait_for_disk();
    return real(fd);
}

int fsync(int fd)
{
    return sync_later("fsync", fd);
}

int fdatasync(int fd)
{
    return sync_later("fdatasync", fd);
}

/* A wall clock that a test can set: loaded into a program by LD_PRELOAD, it adds the seconds that
 * stand at the beginning of the file $DOYEN_TEST_CLOCK, as one int64_t. The file is mapped when the
 * program starts, so that what it may open later is of no matter. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int clock_reader(clockid_t clock, struct timespec *now);

static const _Atomic int64_t *off_s;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("DOYEN_TEST_CLOCK");
    const int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void *page = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *off_s, PROT_READ, MAP_SHARED, fd, 0);

    off_s = page == MAP_FAILED ? NULL : page;
    if (fd >= 0) {
        (void)close(fd);
    }
}

/* Asked for at each call: others that are loaded before may call, too. */
static clock_reader *true_clock(void)
{
    const union {
        void *object;
        clock_reader *function;
    } found = {.object = dlsym(RTLD_NEXT, "clock_gettime")};

    return found.function;
}

static int64_t off(void)
{
    return off_s == NULL ? 0 : atomic_load(off_s);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = true_clock()(clock, now);

    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += (time_t)off();
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact = {.tv_sec = 0};
    const int result = clock_gettime(CLOCK_REALTIME, &exact);

    (void)zone;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return result;
}

time_t time(time_t *now)
{
    struct timespec exact = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_REALTIME, &exact);
    if (now != NULL) {
        *now = exact.tv_sec;
    }
    return exact.tv_sec;
}

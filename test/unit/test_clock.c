/* The clock of the runtime. Where the kernel permits it, the tests look at it from a time namespace
 * in which CLOCK_BOOTTIME is far from CLOCK_MONOTONIC, as on a host that was suspended. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/host/clock.h"

enum {
    SUSPENDED_S = 1000,
    CODE_RIGHT = 0,
    CODE_WRONG = 1,
    CODE_NO_NAMESPACE = 2,
};

/* An offset that is no whole number of milliseconds: the two clocks' milliseconds begin at other
 * moments. */
static bool set_offset(void)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "boottime %d 400000", SUSPENDED_S);
    const int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    const bool set = fd >= 0 && write(fd, text, (size_t)length) == length;

    if (fd >= 0) {
        close(fd);
    }
    return set;
}

/* Runs `is_right` in a new time namespace, whose first process is a child of who makes it. */
static int code_in_namespace(bool (*is_right)(void))
{
    int status = 0;

    if (unshare(CLONE_NEWTIME) != 0 || !set_offset()) {
        return CODE_NO_NAMESPACE;
    }
    const pid_t child = fork();
    if (child == 0) {
        _exit(is_right() ? CODE_RIGHT : CODE_WRONG);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                    : CODE_WRONG;
}

static void assert_in_namespace(bool (*is_right)(void))
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        _exit(code_in_namespace(is_right));
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == CODE_NO_NAMESPACE) {
        cr_skip_test("no time namespace can be made here: %s", "it takes root");
    }
    cr_assert_eq(WEXITSTATUS(status), CODE_RIGHT);
}

static bool counts_the_suspension(void)
{
    const uint64_t loop_ms = uv_hrtime() / CLOCK_NS_PER_MS;

    return clock_ms() >= loop_ms + (uint64_t)SUSPENDED_S * 1000;
}

Test(clock, time_goes_on_while_the_host_is_suspended)
{
    assert_in_namespace(counts_the_suspension);
}

static void on_timer(uv_timer_t *timer)
{
    uint64_t *fired_ms = timer->data;
    *fired_ms = clock_ms();
}

static bool no_timer_is_early(void)
{
    uv_loop_t loop;
    uv_timer_t timer;
    uint64_t fired_ms = 0;
    bool right = uv_loop_init(&loop) == 0 && uv_timer_init(&loop, &timer) == 0;

    timer.data = &fired_ms;
    for (unsigned i = 0; right && i < 20; i++) {
        const uint64_t due_ms = clock_ms() + 1 + i % 3;
        clock_start_timer(&timer, on_timer, due_ms);
        uv_run(&loop, UV_RUN_DEFAULT);
        right = fired_ms >= due_ms;
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop) == 0 && right;
}

Test(clock, a_timer_is_never_early)
{
    assert_in_namespace(no_timer_is_early);
    cr_assert(no_timer_is_early());
}

Test(clock, a_timer_that_is_due_fires_at_once)
{
    uv_loop_t loop;
    uv_timer_t timer;
    uint64_t fired_ms = 0;

    cr_assert_eq(uv_loop_init(&loop), 0);
    cr_assert_eq(uv_timer_init(&loop, &timer), 0);
    timer.data = &fired_ms;
    clock_start_timer(&timer, on_timer, 0);
    cr_assert_eq(uv_timer_get_due_in(&timer), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    cr_assert_gt(fired_ms, 0);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    cr_assert_eq(uv_loop_close(&loop), 0);
}

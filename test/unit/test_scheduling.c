/* Precedence over other programs, each time in a process of its own: it is taken, not handed on,
 * lost by who does not pause, and taken again. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "runtime/host/precedence.h"
#include "runtime/process/scheduling.h"

enum { PASSED = 0, FAILED = 1, NOT_PERMITTED = 2 };

/* Generous: a busy machine gives the children little time. */
enum { PATIENCE_S = 60 };

static time_t now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Passes when `try` returns true in a child; skips where no child may have the priority. */
static void expect_passes(bool (*try)(void))
{
    int status = 0;
    const pid_t child = fork();

    cr_assert_geq(child, 0);
    if (child == 0) {
        if (precedence_take() != PRECEDENCE_REALTIME) {
            _exit(NOT_PERMITTED);
        }
        _exit(try() ? PASSED : FAILED);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_PERMITTED) {
        cr_skip_test("this account, kernel or container gives no real-time priority");
    }
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == PASSED, "status %x", (unsigned)status);
}

static bool has_the_lowest(void)
{
    struct sched_param param;

    return precedence_is_realtime() && sched_getparam(0, &param) == 0 &&
           param.sched_priority == sched_get_priority_min(SCHED_RR);
}

Test(scheduling, it_is_the_lowest_real_time_priority)
{
    expect_passes(has_the_lowest);
}

static void *policy_of_thread(void *policy)
{
    *(int *)policy = sched_getscheduler(0);
    return NULL;
}

static bool a_thread_has_it(void)
{
    pthread_t thread;
    int policy = -1;

    return pthread_create(&thread, NULL, policy_of_thread, &policy) == 0 &&
           pthread_join(thread, NULL) == 0 && policy == SCHED_RR && precedence_is_realtime();
}

/* Those that look up names and write to disks. */
Test(scheduling, a_thread_has_it_too)
{
    expect_passes(a_thread_has_it);
}

static bool loses_it_by_not_pausing(void)
{
    const time_t end = now_s() + PATIENCE_S;

    if (!precedence_limit(20)) {
        return false;
    }
    while (precedence_is_realtime() && now_s() < end) {
        /* Busy. */
    }
    return !precedence_is_realtime();
}

Test(scheduling, who_does_not_pause_loses_it)
{
    expect_passes(loses_it_by_not_pausing);
}

static bool keeps_it_by_pausing(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    if (!precedence_limit(1000)) {
        return false;
    }
    for (int i = 0; i < 100; i++) { /* 2 s of work */
        const clock_t start = clock();
        while (clock() - start < CLOCKS_PER_SEC / 50) {
            /* Busy. */
        }
        (void)nanosleep(&pause, NULL);
    }
    return precedence_is_realtime();
}

Test(scheduling, who_pauses_keeps_it)
{
    expect_passes(keeps_it_by_pausing);
}

static void *take_the_signal(void *sent)
{
    sigset_t limit;

    (void)sigemptyset(&limit);
    (void)sigaddset(&limit, SIGXCPU);
    (void)pthread_sigmask(SIG_UNBLOCK, &limit, NULL);
    *(bool *)sent = kill(getpid(), SIGXCPU) == 0;
    return NULL;
}

/* The kernel sends it to the process, and any thread may be the one that takes it. */
static bool a_thread_takes_the_signal(void)
{
    pthread_t thread;
    sigset_t limit;
    bool sent = false;

    return precedence_limit(500) && sigemptyset(&limit) == 0 && sigaddset(&limit, SIGXCPU) == 0 &&
           pthread_sigmask(SIG_BLOCK, &limit, NULL) == 0 &&
           pthread_create(&thread, NULL, take_the_signal, &sent) == 0 &&
           pthread_join(thread, NULL) == 0 && sent && !precedence_is_realtime();
}

Test(scheduling, the_first_thread_loses_it_whichever_takes_the_signal)
{
    expect_passes(a_thread_takes_the_signal);
}

static void never(uv_timer_t *timer)
{
    uv_stop(timer->loop);
}

static bool takes_it_again(void)
{
    const time_t end = now_s() + PATIENCE_S;
    struct scheduling scheduling;
    struct log log;
    uv_timer_t turn; /* so that the loop has turns */
    uv_loop_t loop;

    log_init(&log, open("/dev/null", O_WRONLY), LOG_INFO, LOG_TEXT, "athens");
    if (uv_loop_init(&loop) != 0) {
        return false;
    }
    (void)uv_timer_init(&loop, &turn);
    (void)uv_timer_start(&turn, never, 5, 5);
    scheduling_open(&scheduling, &loop, &log);
    scheduling_start(&scheduling, 500, 20);
    (void)raise(SIGXCPU);
    if (precedence_is_realtime()) {
        return false;
    }
    while (!precedence_is_realtime() && now_s() < end) {
        (void)uv_run(&loop, UV_RUN_DEFAULT);
    }
    scheduling_close(&scheduling);
    uv_close((uv_handle_t *)&turn, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    return precedence_is_realtime() && uv_loop_close(&loop) == 0;
}

Test(scheduling, it_is_taken_again_after_a_while)
{
    expect_passes(takes_it_again);
}

/* The sandbox: each forbidden thing is tried in a process of its own, and what the daemon needs
 * still works. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorded_core.h"
#include "runtime/disk/recorder.h"
#include "runtime/host/replace_file.h"
#include "runtime/process/sandbox.h"
#include "runtime/process/sandbox_files.h"

enum { PASSED = 0, FAILED = 1, NO_SANDBOX = 2 };

/* A state directory, a recording beside it, and a control socket's directory. */
struct desk {
    char dir[64];
    char outside[96];
    struct config config;
};

static void make_directory(const struct desk *desk, const char *name)
{
    char path[96];

    snprintf(path, sizeof path, "%s/%s", desk->dir, name);
    cr_assert_eq(mkdir(path, 0700), 0);
}

static void desk_open(struct desk *desk)
{
    *desk = (struct desk){.dir = "/tmp/doyen-sandbox-XXXXXX"};
    cr_assert_not_null(mkdtemp(desk->dir));
    snprintf(desk->outside, sizeof desk->outside, "%s/outside", desk->dir);
    snprintf(desk->config.state_dir, sizeof desk->config.state_dir, "%s/state", desk->dir);
    snprintf(desk->config.control, sizeof desk->config.control, "%s/run/a.sock", desk->dir);
    snprintf(desk->config.record, sizeof desk->config.record, "%s/rec/a.rec", desk->dir);
    cr_assert_eq(mkdir(desk->config.state_dir, 0700), 0);
    make_directory(desk, "run");
    make_directory(desk, "rec");
    const int fd = open(desk->outside, O_WRONLY | O_CREAT, 0600);
    cr_assert_geq(fd, 0);
    close(fd);
}

static void desk_close(const struct desk *desk)
{
    char command[96];

    snprintf(command, sizeof command, "rm -rf '%s'", desk->dir);
    cr_assert_eq(system(command), 0);
}

/* What becomes of a process that enters the sandbox and tries this; it passes by returning true.
 * Skips the test where there is no sandbox. */
static int fate_of(const struct desk *desk, bool (*try)(const struct desk *desk))
{
    int status = 0;
    const pid_t child = fork();

    cr_assert_geq(child, 0);
    if (child == 0) {
        struct log log;
        const int silent = open("/dev/null", O_WRONLY);
        log_init(&log, silent, LOG_ERROR, LOG_TEXT, "athens");
        if (!sandbox_enter(&desk->config, &log)) {
            _exit(NO_SANDBOX);
        }
        _exit(try(desk) ? PASSED : FAILED);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SANDBOX) {
        cr_skip_test("no sandbox: an instrumented build, or a kernel without");
    }
    return status;
}

static void expect_passes(bool (*try)(const struct desk *desk))
{
    struct desk desk;

    desk_open(&desk);
    const int status = fate_of(&desk, try);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == PASSED, "status %x", (unsigned)status);
    desk_close(&desk);
}

static void expect_killed(bool (*try)(const struct desk *desk))
{
    struct desk desk;

    desk_open(&desk);
    const int status = fate_of(&desk, try);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "status %x", (unsigned)status);
    desk_close(&desk);
}

/* --- What is forbidden --- */

static bool runs_a_program(const struct desk *desk)
{
    (void)desk;
    (void)execl("/bin/true", "true", (char *)NULL);
    return false;
}

Test(sandbox, no_other_program_is_started)
{
    expect_killed(runs_a_program);
}

static bool traces(const struct desk *desk)
{
    (void)desk;
    (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    return false;
}

Test(sandbox, no_other_process_is_looked_into)
{
    expect_killed(traces);
}

static bool becomes_somebody_else(const struct desk *desk)
{
    (void)desk;
    return setuid(65534) == 0;
}

Test(sandbox, nobody_else_is_become)
{
    expect_killed(becomes_somebody_else);
}

static bool is_denied(const char *path, int flags)
{
    const int fd = open(path, flags | O_CLOEXEC, 0600);

    return fd < 0 && errno == EACCES;
}

static bool is_fenced(const struct desk *desk)
{
    char fresh[112];
    char beside[112];

    snprintf(fresh, sizeof fresh, "%s.new", desk->outside);
    snprintf(beside, sizeof beside, "%s/run/other", desk->dir);
    return is_denied(desk->outside, O_RDONLY) && is_denied(desk->outside, O_WRONLY) &&
           is_denied(fresh, O_WRONLY | O_CREAT) && is_denied("/", O_RDONLY | O_DIRECTORY) &&
           is_denied("/etc/doyen-x", O_WRONLY | O_CREAT) && is_denied("/proc/self/mem", O_RDWR) &&
           is_denied(beside, O_WRONLY | O_CREAT) && unlink(desk->outside) != 0 && errno == EACCES;
}

Test(sandbox, no_file_outside_is_opened)
{
    expect_passes(is_fenced);
}

/* The key may be where everybody's files are: then nothing is made there. */
static bool makes_nothing_beside_its_key(const struct desk *desk)
{
    (void)desk;
    return is_denied("/etc/doyen-sandbox-test", O_WRONLY | O_CREAT) &&
           is_denied("/etc/passwd", O_WRONLY);
}

Test(sandbox, nothing_is_made_in_a_directory_of_the_system)
{
    struct desk desk;

    desk_open(&desk);
    snprintf(desk.config.key, sizeof desk.config.key, "/etc/doyen-sandbox.key");
    const int status = fate_of(&desk, makes_nothing_beside_its_key);
    (void)unlink("/etc/doyen-sandbox-test");
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == PASSED, "status %x", (unsigned)status);
    desk_close(&desk);
}

Test(sandbox, a_directory_of_the_system_is_told_from_one_of_its_own)
{
    cr_expect(sandbox_shares_directory("/etc/doyen.key"));
    cr_expect(sandbox_shares_directory("/key"));
    cr_expect(sandbox_shares_directory("/usr/lib/key"));
    cr_expect(sandbox_shares_directory("/tmp/../etc/doyen.key"));
    cr_expect_not(sandbox_shares_directory("/tmp/a.rec"));
    cr_expect_not(sandbox_shares_directory("/nowhere/doyen/key"));
}

static bool has_no_fork(const struct desk *desk)
{
    const pid_t child = fork();

    (void)desk;
    if (child == 0) {
        _exit(FAILED);
    }
    return child < 0;
}

Test(sandbox, no_process_is_started)
{
    expect_passes(has_no_fork);
}

static bool has_no_other_socket(const struct desk *desk)
{
    (void)desk;
    return socket(AF_PACKET, SOCK_RAW, 0) < 0 && errno == EAFNOSUPPORT;
}

Test(sandbox, no_socket_of_another_family_is_made)
{
    expect_passes(has_no_other_socket);
}

/* Whose number is known before the process is in the sandbox. */
static pid_t other;

static bool is_not_permitted(long result)
{
    return result == -1 && errno == EPERM;
}

static bool leaves_others_alone(const struct desk *desk)
{
    const struct sched_param usual = {.sched_priority = 0};
    struct rlimit limit;

    (void)desk;
    return is_not_permitted(syscall(SYS_tgkill, other, other, 0)) &&
           is_not_permitted(syscall(SYS_prlimit64, other, RLIMIT_NOFILE, NULL, &limit)) &&
           is_not_permitted(syscall(SYS_sched_setscheduler, other, SCHED_OTHER, &usual)) &&
           kill(other, 0) != 0 && errno == ENOSYS && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           sched_setscheduler(0, SCHED_OTHER, &usual) == 0 &&
           sched_setscheduler(getpid(), SCHED_OTHER, &usual) == 0;
}

Test(sandbox, other_processes_are_left_alone)
{
    other = getpid();
    expect_passes(leaves_others_alone);
}

static bool types_nothing(const struct desk *desk)
{
    char letter = 'x';
    int count = 0;

    (void)desk;
    return is_not_permitted(ioctl(STDIN_FILENO, TIOCSTI, &letter)) &&
           (ioctl(STDIN_FILENO, FIONREAD, &count) == 0 || errno != EPERM);
}

Test(sandbox, nothing_is_typed_into_a_terminal)
{
    expect_passes(types_nothing);
}

static bool has_no_ring(const struct desk *desk)
{
    (void)desk;
    return syscall(SYS_io_uring_setup, 1, NULL) == -1 && errno == ENOSYS;
}

Test(sandbox, nothing_passes_by_the_list_of_calls)
{
    expect_passes(has_no_ring);
}

static bool lacks_a_rare_call(const struct desk *desk)
{
    (void)desk;
    return chroot("/") != 0 && errno == ENOSYS;
}

Test(sandbox, a_call_that_is_not_listed_is_not_there)
{
    expect_passes(lacks_a_rare_call);
}

/* --- What is needed --- */

static bool keeps_its_state(const struct desk *desk)
{
    const int dir = open(desk->config.state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return dir >= 0 && replace_file(dir, "state", "state.new", "x", 1) == 0 &&
           replace_file(dir, "state", "state.new", "y", 1) == 0;
}

Test(sandbox, the_state_is_still_written)
{
    expect_passes(keeps_its_state);
}

/* A file that is full is put aside, and another one is made. */
static bool goes_on_recording(const struct desk *desk)
{
    enum { BYTES_MAX = 1024, INPUTS = 1000 };
    struct event event = {.type = EVENT_TICK, .now_ms = 1};
    char aside[sizeof desk->config.record + 2];
    struct log log;

    log_init(&log, open("/dev/null", O_WRONLY), LOG_ERROR, LOG_TEXT, "athens");
    struct core *core = recorded_core_new(&recorded_options, event.now_ms);
    struct recorder *recorder = recorder_open(desk->config.record, "doyen", &recorded_options,
                                              event.now_ms, BYTES_MAX, &log);
    for (int i = 0; i < INPUTS; i++) {
        event.now_ms++;
        recorder_input(recorder, &event, NULL, 0, core);
    }
    recorder_close(recorder, core);
    free(core);
    snprintf(aside, sizeof aside, "%s.1", desk->config.record);
    return recorder != NULL && access(desk->config.record, R_OK) == 0 && access(aside, R_OK) == 0;
}

Test(sandbox, the_recording_still_goes_on_in_another_file)
{
    expect_passes(goes_on_recording);
}

static void *look_up(void *found)
{
    struct addrinfo *addresses = NULL;

    *(bool *)found = getaddrinfo("localhost", NULL, NULL, &addresses) == 0;
    freeaddrinfo(addresses);
    return NULL;
}

/* In a thread that did not exist before, as libuv has it. */
static bool resolves(const struct desk *desk)
{
    pthread_t thread;
    bool found = false;

    (void)desk;
    return pthread_create(&thread, NULL, look_up, &found) == 0 && pthread_join(thread, NULL) == 0 &&
           found;
}

Test(sandbox, names_are_still_looked_up)
{
    expect_passes(resolves);
}

/* A thread is no way out. */
static void *open_outside(void *context)
{
    const struct desk *desk = context;

    return is_denied(desk->outside, O_RDONLY) ? context : NULL;
}

static bool holds_its_threads(const struct desk *desk)
{
    struct desk copy = *desk;
    pthread_t thread;
    void *result = NULL;

    return pthread_create(&thread, NULL, open_outside, &copy) == 0 &&
           pthread_join(thread, &result) == 0 && result != NULL;
}

Test(sandbox, threads_are_inside_too)
{
    expect_passes(holds_its_threads);
}

/* An assertion that fails must end the process by its own signal, with its words. */
static bool aborts(const struct desk *desk)
{
    (void)desk;
    abort();
}

Test(sandbox, a_failed_assertion_still_aborts)
{
    struct desk desk;

    desk_open(&desk);
    const int status = fate_of(&desk, aborts);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %x", (unsigned)status);
    desk_close(&desk);
}

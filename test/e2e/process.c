#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 2 };

uint64_t clock_now_ms(void)
{
    struct timespec now = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void clock_nap_ms(uint64_t milliseconds)
{
    struct timespec left = {.tv_sec = (time_t)(milliseconds / 1000),
                            .tv_nsec = (long)(milliseconds % 1000) * 1000000};

    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* --- Starting -------------------------------------------------------------------------------- */

static bool enter(const struct place *place)
{
    return (place->user < 0 || setns(place->user, CLONE_NEWUSER) == 0) &&
           (place->net < 0 || setns(place->net, CLONE_NEWNET) == 0);
}

/* Everything but the three standard descriptors is closed, so that no pipe of the test runner is
 * held open by a program that it does not know. */
static _Noreturn void become(const struct place *place, const char *const *argv, int out, int err,
                             pid_t parent)
{
    const union {
        const char *const *in;
        char *const *out;
    } arguments = {.in = argv};
    const int none = open("/dev/null", O_RDONLY);

    /* In this order: to enter a user namespace takes the signal back. */
    if (!enter(place) || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        _exit(127);
    }
    if (dup2(none, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(err, STDERR_FILENO) < 0) {
        _exit(127);
    }
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++) {
        (void)close(fd);
    }
    (void)signal(SIGINT, SIG_DFL); /* A shell has what it runs in the background ignore it. */
    execv(argv[0], arguments.out);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

bool process_start(struct process *process, const char *const *argv, const char *out_path,
                   const char *err_path)
{
    return process_start_at(process, &(struct place){.user = -1, .net = -1}, argv, out_path,
                            err_path);
}

bool process_start_at(struct process *process, const struct place *place, const char *const *argv,
                      const char *out_path, const char *err_path)
{
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    const int out = open(out_path, flags, 0600);
    const int err = open(err_path, flags, 0600);
    const pid_t parent = getpid();
    const pid_t pid = out < 0 || err < 0 ? -1 : fork();

    if (pid == 0) {
        become(place, argv, out, err, parent);
    }
    if (out >= 0) {
        close(out);
    }
    if (err >= 0) {
        close(err);
    }
    *process = (struct process){.pid = pid > 0 ? pid : 0};
    return pid > 0;
}

/* --- Ending ---------------------------------------------------------------------------------- */

bool process_is_running(struct process *process)
{
    if (process->pid == 0) {
        return false;
    }
    if (waitpid(process->pid, &process->status, WNOHANG) != process->pid) {
        return true;
    }
    process->pid = 0;
    return false;
}

bool process_wait(struct process *process, uint64_t limit_ms)
{
    const uint64_t deadline_ms = clock_now_ms() + limit_ms;

    while (process_is_running(process)) {
        if (clock_now_ms() >= deadline_ms) {
            return false;
        }
        clock_nap_ms(LOOK_MS);
    }
    return true;
}

void process_kill(struct process *process)
{
    if (process->pid == 0) {
        return;
    }
    (void)kill(process->pid, SIGKILL);
    while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR) {
    }
    process->pid = 0;
}

int process_exit_code(const struct process *process)
{
    if (WIFSIGNALED(process->status)) {
        return 128 + WTERMSIG(process->status);
    }
    return WEXITSTATUS(process->status);
}

/* --- Looking at it --------------------------------------------------------------------------- */

/* The number behind "FIELD:" in a file of /proc/PID; 0 when there is none. */
static uint64_t proc_number(const struct process *process, const char *name, const char *field)
{
    const size_t length = strlen(field);
    uint64_t kb = 0;
    char path[64];
    char line[256];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)process->pid, name);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, field, length) == 0 && line[length] == ':') {
            kb = strtoull(line + length + 1, NULL, 10);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kb;
}

uint64_t process_kb(const struct process *process, const char *field)
{
    return proc_number(process, "status", field);
}

uint64_t process_pss_kb(const struct process *process)
{
    return proc_number(process, "smaps_rollup", "Pss");
}

uint64_t process_cpu_ms(const struct process *process)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)process->pid);
    char *text = file_read(path, NULL);
    /* The name of the program, in brackets, may have any characters; behind it are fields 3, 4...
     * of which 14 and 15 are the ticks in user and kernel mode. */
    const char *at = text == NULL ? NULL : strrchr(text, ')');
    for (int field = 2; at != NULL && field < 14; field++) {
        at = strchr(at + 1, ' ');
    }
    uint64_t ticks = 0;
    if (at != NULL) {
        char *end = NULL;
        ticks = strtoull(at, &end, 10);
        ticks += strtoull(end, NULL, 10);
    }
    free(text);
    return ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

char *file_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "re");
    size_t size = 0;
    size_t used = 0;
    char *text = NULL;

    if (file == NULL) {
        return NULL;
    }
    do {
        size = size == 0 ? 4096 : 2 * size;
        char *grown = realloc(text, size);
        if (grown == NULL) {
            break;
        }
        text = grown;
        used += fread(text + used, 1, size - used - 1, file);
    } while (used == size - 1);
    fclose(file);
    if (text != NULL) {
        text[used] = '\0';
    }
    if (length != NULL) {
        *length = used;
    }
    return text;
}

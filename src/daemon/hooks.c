#include "daemon/hooks.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "usage/hook_files.h"

enum { PAUSE_S = 1, NOT_STARTED = 127 };

/* The command that was built and installed with this program; false when it is not there. */
static bool find_command(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    char *const slash = strrchr(path, '/');
    if (slash == NULL || slash + sizeof "/doyen" > path + PATH_MAX) {
        return false;
    }
    memcpy(slash, "/doyen", sizeof "/doyen");
    return access(path, X_OK) == 0;
}

/* Can they be run at all? What is wrong with the mode of one can be mended while the node runs. */
static bool may_start(const struct config *config, struct complaint *complaint)
{
    char fault[HOOK_FAULT_MAX];
    char command[PATH_MAX];
    struct stat status;

    if (stat(config->hooks, &status) != 0 || !S_ISDIR(status.st_mode)) {
        complaint_set(complaint,
                      "--hooks %s: is no folder that can be read: make it, and put hooks in it",
                      config->hooks);
        return false;
    }
    if (!find_command(command)) {
        complaint_set(complaint,
                      "--hooks %s: the command doyen runs them, and is not beside this program: "
                      "install it there",
                      config->hooks);
        return false;
    }
    if (hook_files_worst(config->hooks, fault) == HOOK_IS_NO_FILE) {
        complaint_set(complaint, "--hooks: %s", fault);
        return false;
    }
    return true;
}

bool hooks_check(const struct config *config, struct complaint *complaint)
{
    char fault[HOOK_FAULT_MAX];

    if (config->hooks[0] == '\0') {
        return true;
    }
    if (!may_start(config, complaint)) {
        return false;
    }
    const enum hook_fitness worst = hook_files_worst(config->hooks, fault);
    if (worst == HOOK_IS_ABSENT) { /* One may be put there later. */
        fprintf(stderr, "doyend: warning: --hooks: " HOOK_NONE_FORMAT "\n", config->hooks);
    }
    return worst < HOOK_IS_REFUSED || complaint_set(complaint, "--hooks: %s", fault);
}

/* Becomes `doyen hook`, which HUP tells that the daemon is gone. */
_Noreturn static void run_command(const char *command, const struct config *config, pid_t keeper)
{
    char resume[CONFIG_DIR_MAX + sizeof "/hooks"];
    /* Where there was no room to make the folder the node goes on without, and so do hooks. */
    const bool keeps = config->state_dir[0] != '\0' && access(config->state_dir, F_OK) == 0;

    if (prctl(PR_SET_PDEATHSIG, SIGHUP) != 0 || getppid() != keeper) {
        _exit(NOT_STARTED);
    }
    snprintf(resume, sizeof resume, "%s/hooks", config->state_dir);
    char *const arguments[] = {(char *)(uintptr_t)command,
                               (char *)(uintptr_t) "--control",
                               (char *)(uintptr_t)config->control,
                               (char *)(uintptr_t) "hook",
                               (char *)(uintptr_t)config->hooks,
                               keeps ? (char *)(uintptr_t) "--resume" : NULL,
                               resume,
                               NULL};
    (void)execv(command, arguments);
    _exit(NOT_STARTED);
}

/* Until it has ended. One that is stopped would tell no hook of the end of the right to act. */
static void attend(pid_t child)
{
    for (;;) {
        int status = 0;
        const pid_t pid = waitpid(child, &status, WUNTRACED);
        if (pid < 0 && errno == EINTR) {
            continue;
        }
        if (pid < 0 || !WIFSTOPPED(status)) {
            return;
        }
        (void)kill(child, SIGCONT);
    }
}

/* Again and again while the daemon lives: somebody may have ended it. This process goes with the
 * daemon, whatever ends that. */
_Noreturn static void keep_running(const char *command, const struct config *config, pid_t daemon)
{
    const struct timespec pause = {.tv_sec = PAUSE_S};
    const pid_t keeper = getpid();

    (void)unsetenv("NOTIFY_SOCKET"); /* The service manager's words are for the daemon. */
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    while (getppid() == daemon) {
        const pid_t child = fork();
        if (child == 0) {
            run_command(command, config, keeper);
        }
        if (child > 0) {
            attend(child);
        }
        (void)nanosleep(&pause, NULL);
    }
    _exit(EXIT_SUCCESS);
}

bool hooks_start(const struct config *config, struct log *log)
{
    char command[PATH_MAX];
    struct complaint complaint;
    const pid_t daemon = getpid();

    if (config->hooks[0] == '\0') {
        return true;
    }
    if (!may_start(config, &complaint) || !find_command(command)) {
        log_line(log, LOG_ERROR, "hooks", "%s", complaint.text);
        return false;
    }
    const pid_t keeper = fork();
    if (keeper == 0) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)signal(SIGHUP, SIG_IGN); /* They are the daemon's. */
        (void)signal(SIGUSR1, SIG_IGN);
        (void)signal(SIGUSR2, SIG_IGN);
        keep_running(command, config, daemon);
    }
    if (keeper < 0) {
        log_line(log, LOG_ERROR, "hooks", "--hooks %s: no process for them: %s", config->hooks,
                 strerror(errno));
    }
    return keeper > 0;
}

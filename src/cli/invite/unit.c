#include "cli/invite/unit.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/request/clock.h"

enum {
    READY_MS =
        60000, /* until doyend is a member; a seed that is there lets it in within a second */
    LOOK_MS = 20,
    JOBS_MAX = 64,
    NAME_BYTES = 256,
};

bool unit_system_is_here(void)
{
    struct stat status;

    return lstat("/run/systemd/system", &status) == 0 && S_ISDIR(status.st_mode);
}

/* --- Containers ----------------------------------------------------------------------------- */

static const char drop_in[] =
    "# In a container that shows another boot id than the kernel's, as those of LXC and\n"
    "# systemd-nspawn do, doyend must see the same as doyen run, or its lease page is refused.\n"
    "[Service]\n"
    "ProtectProc=default\n"
    "ProtectKernelTunables=no\n"
    "ProtectControlGroups=no\n";

/* Is something mounted over the boot id? A unit with a /proc of its own does not see that.
 */
static bool has_other_boot_id(void)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char line[4096];
    bool found = false;

    while (mounts != NULL && !found && fgets(line, sizeof line, mounts) != NULL) {
        found = strstr(line, " /proc/sys/kernel/random/boot_id ") != NULL;
    }
    if (mounts != NULL) {
        (void)fclose(mounts);
    }
    return found;
}

/* --- Jobs ----------------------------------------------------------------------------------- */

/* Is it a name that an instance of a unit can have without being escaped? */
static bool is_job(const struct host *host, const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:";
    char path[HOST_PATH_MAX + NAME_BYTES];
    struct stat status;

    snprintf(path, sizeof path, "%s/%s", host->jobs, name);
    return name[0] != '.' && strspn(name, allowed) == strlen(name) && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && (status.st_mode & S_IXUSR) != 0;
}

/* Calls `each` for the unit of each job, until it returns another code than EXIT_DONE. */
static enum exit_code each_job(const struct host *host,
                               enum exit_code (*each)(const char *unit, struct failure *failure),
                               struct failure *failure)
{
    enum exit_code code = EXIT_DONE;
    DIR *folder = opendir(host->jobs);
    const struct dirent *entry;

    while (folder != NULL && code == EXIT_DONE && (entry = readdir(folder)) != NULL) {
        char unit[NAME_BYTES + 32];
        if (is_job(host, entry->d_name)) {
            snprintf(unit, sizeof unit, "doyen-run@%s.service", entry->d_name);
            code = each(unit, failure);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return code;
}

static enum exit_code print_job(const char *unit, struct failure *failure)
{
    (void)failure;
    printf("systemctl enable --now %s\n", unit);
    return EXIT_DONE;
}

void unit_print(const struct host *host)
{
    struct failure failure;

    if (has_other_boot_id()) {
        printf("%s:\n\n%s\n", host->drop_in, drop_in);
        puts("systemctl daemon-reload");
    }
    puts("systemctl enable doyend.service\nsystemctl restart doyend.service");
    (void)each_job(host, print_job, &failure);
}

/* --- Starting ------------------------------------------------------------------------------- */

/* Runs systemctl; one that is overdue is ended, and what it asked for goes on. */
static enum exit_code systemctl(const char *const *arguments, const char *told,
                                struct failure *failure)
{
    const uint64_t until_ms = clock_now_ms() + READY_MS;
    char *line[6] = {(char[]){"systemctl"}, (char[]){"--quiet"}};
    char words[3][NAME_BYTES + 32];
    pid_t pid;
    int status = 0;

    for (size_t i = 0; arguments[i] != NULL && i < 3; i++) {
        snprintf(words[i], sizeof words[i], "%s", arguments[i]);
        line[2 + i] = words[i];
    }
    const int error = posix_spawnp(&pid, "systemctl", NULL, NULL, line, environ);
    if (error != 0) {
        return failure_set(failure, EXIT_REFUSED, "cannot run systemctl: %s", strerror(error));
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (clock_now_ms() >= until_ms) {
            (void)kill(pid, SIGTERM);
            (void)waitpid(pid, &status, 0);
            return failure_set(failure, EXIT_TIMED_OUT,
                               "doyend has started and is no member after %d s: doyen status says "
                               "what it waits for",
                               READY_MS / 1000);
        }
        clock_sleep_ms(LOOK_MS);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? EXIT_DONE
               : failure_set(failure, EXIT_REFUSED, "%s", told);
}

static enum exit_code start_job(const char *unit, struct failure *failure)
{
    const char *const enable[] = {"enable", "--now", unit, NULL};

    return systemctl(
        enable, "a job of /etc/doyen/run did not start: systemctl status 'doyen-run@*' says why",
        failure);
}

static enum exit_code fit_container(const struct host *host, struct failure *failure)
{
    static const char *const reload[] = {"daemon-reload", NULL};

    if (!has_other_boot_id()) {
        return EXIT_DONE;
    }
    return host_write_drop_in(host, drop_in, failure) == EXIT_DONE
               ? systemctl(reload, "systemd does not read its units again", failure)
               : failure->code;
}

enum exit_code unit_start(const struct host *host, struct failure *failure)
{
    static const char *const enable[] = {"enable", "doyend.service", NULL};
    static const char *const restart[] = {"restart", "doyend.service", NULL};

    if (fit_container(host, failure) != EXIT_DONE ||
        systemctl(enable,
                  "systemd does not take doyend.service: is the package installed? The files are "
                  "written",
                  failure) != EXIT_DONE ||
        systemctl(restart, "doyend did not start: journalctl -u doyend says why", failure) !=
            EXIT_DONE) {
        return failure->code;
    }
    return each_job(host, start_job, failure);
}

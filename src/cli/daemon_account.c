#include "cli/daemon_account.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"

#define SYSTEM_DIRECTORY "/run/doyen"

enum exit_code daemon_account_find(const char *user, uid_t *account, struct failure *failure)
{
    const struct passwd *entry = getpwnam(user);
    char *end = NULL;

    errno = 0;
    const unsigned long number = strtoul(user, &end, 10);
    if (entry != NULL) {
        *account = entry->pw_uid;
    } else if (user[0] >= '0' && user[0] <= '9' && *end == '\0' && errno == 0 &&
               number < (uid_t)-1) {
        *account = (uid_t)number;
    } else {
        return failure_set(failure, EXIT_USAGE,
                           "--expect-user %s: there is no such account; give the one that doyend "
                           "runs as, by its name or number",
                           user);
    }
    return EXIT_DONE;
}

/* Is the socket in the directory that root gave to this account? */
static bool is_of_system_directory(const char *socket, uid_t owner)
{
    char directory[sizeof(((struct sockaddr_un *)0)->sun_path)];
    const char *slash = strrchr(socket, '/');
    struct stat here;
    struct stat system;

    return slash != NULL &&
           text_set(directory, sizeof directory, socket, (size_t)(slash - socket)) &&
           stat(directory, &here) == 0 && stat(SYSTEM_DIRECTORY, &system) == 0 &&
           here.st_dev == system.st_dev && here.st_ino == system.st_ino && system.st_uid == owner;
}

enum exit_code daemon_account_check(int fd, const char *socket, const uid_t *expected,
                                    struct failure *failure)
{
    struct ucred daemon;
    socklen_t bytes = sizeof daemon;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &daemon, &bytes) != 0) {
        return failure_set(failure, EXIT_REFUSED, "cannot tell whose daemon answers at %s: %s",
                           socket, strerror(errno));
    }
    if (daemon.uid == 0 || daemon.uid == geteuid() ||
        (expected != NULL && daemon.uid == *expected) ||
        is_of_system_directory(socket, daemon.uid)) {
        return EXIT_DONE;
    }
    const struct passwd *account = getpwuid(daemon.uid);
    return failure_set(failure, EXIT_REFUSED,
                       "the process at %s belongs to the account %s%s%llu%s, neither to this one "
                       "nor to root: it is not asked; if doyend runs as that account, say so with "
                       "--expect-user %llu",
                       socket, account == NULL ? "" : account->pw_name, account == NULL ? "" : " (",
                       (unsigned long long)daemon.uid, account == NULL ? "" : ")",
                       (unsigned long long)daemon.uid);
}

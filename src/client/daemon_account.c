#include "client/daemon_account.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"

#define SYSTEM_DIRECTORY "/run/doyen"

enum { ENTRY_BYTES = 4096 }; /* of one line of the accounts; sysconf has no better advice */

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

static int refuse(const struct target *target, uid_t uid, struct problem *problem)
{
    struct passwd *entry = NULL;
    struct passwd space;
    char text[ENTRY_BYTES];
    char named[ENTRY_BYTES / 16];
    const unsigned long long number = uid;

    if (getpwuid_r(uid, &space, text, sizeof text, &entry) == 0 && entry != NULL) {
        snprintf(named, sizeof named, "%.200s (%llu)", entry->pw_name, number);
    } else {
        snprintf(named, sizeof named, "%llu", number);
    }
    return problem_set(problem, DOYEN_E_REFUSED,
                       "the process at %s belongs to the account %s, neither to this one nor to "
                       "root: it is not asked; if doyend runs as that account, say so with %s %llu",
                       target->socket, named, target->names.user, number);
}

int daemon_account_check(int fd, const struct target *target, struct problem *problem)
{
    struct ucred daemon;
    socklen_t bytes = sizeof daemon;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &daemon, &bytes) != 0) {
        return problem_set(problem, DOYEN_E_REFUSED, "cannot tell whose daemon answers at %s: %s",
                           target->socket, strerrordesc_np(errno));
    }
    if (daemon.uid == 0 || daemon.uid == geteuid() ||
        (target->expects && daemon.uid == target->expected) ||
        is_of_system_directory(target->socket, daemon.uid)) {
        return 0;
    }
    return refuse(target, daemon.uid, problem);
}

#include "control/http/peer.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59 /* Linux 4.13; older headers lack it. */
#endif

enum { GROUPS_AT_FIRST = 64 };

static bool contains(const gid_t *groups, size_t bytes, gid_t group)
{
    for (size_t i = 0; i < bytes / sizeof *groups; i++) {
        if (groups[i] == group) {
            return true;
        }
    }
    return false;
}

/* Is `group` among the peer's supplementary groups? Where the kernel cannot tell, it is not. */
static bool has_supplementary(int fd, gid_t group)
{
    gid_t few[GROUPS_AT_FIRST];
    socklen_t bytes = sizeof few;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, few, &bytes) == 0) {
        return contains(few, bytes, group);
    }
    gid_t *many = errno == ERANGE ? malloc(bytes) : NULL;
    const bool found = many != NULL &&
                       getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, many, &bytes) == 0 &&
                       contains(many, bytes, group);
    free(many);
    return found;
}

bool peer_account(int fd, struct ucred *account)
{
    socklen_t bytes = sizeof *account;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, account, &bytes) == 0;
}

bool peer_may_change(int fd, const gid_t *group)
{
    struct ucred account;

    if (!peer_account(fd, &account)) {
        return false;
    }
    return account.uid == 0 || account.uid == geteuid() ||
           (group != NULL && (account.gid == *group || has_supplementary(fd, *group)));
}

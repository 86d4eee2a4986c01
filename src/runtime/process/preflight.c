#include "runtime/process/preflight.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "words/address_text.h"

bool preflight_can_make(const char *path)
{
    char trial[CONFIG_DIR_MAX + 1];
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/') {
        length--; /* "run/x/" is to be made in run. */
    }
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    const int used = snprintf(trial, sizeof trial, "%.*s.doyend-check-%d", (int)length, path,
                              (int)getpid());
    if (used < 0 || (size_t)used >= sizeof trial) {
        errno = ENAMETOOLONG;
        return false;
    }
    /* Permissions alone do not tell: not of a file system that is read-only, or makes its own. */
    return mkdir(trial, 0700) == 0 && rmdir(trial) == 0;
}

bool preflight_cannot_listen(const struct address *address, const char *option, int error,
                             struct complaint *complaint)
{
    char text[ADDRESS_TEXT_MAX];

    address_text(address, text);
    switch (error) {
    case UV_EADDRINUSE:
        return complaint_set(complaint,
                             "address %s is in use: stop the other process or choose another %s",
                             text, option);
    case UV_EADDRNOTAVAIL:
        return complaint_set(complaint, "%s is not an address of this host: choose another %s",
                             text, option);
    case UV_EACCES:
        return complaint_set(complaint, "may not listen on %s: choose a %s with a port above 1023",
                             text, option);
    case UV_EMFILE:
    case UV_ENFILE:
        return complaint_set(complaint,
                             "cannot listen on %s: no file descriptors left: raise the limit "
                             "(ulimit -n)",
                             text);
    default:
        return complaint_set(complaint, "cannot listen on %s (%s): choose another %s", text,
                             uv_strerror(error), option);
    }
}

/* As the start has it: streams may bind where closed connections linger, and the wildcard of IPv6
 * takes IPv4 as well. */
static bool bind_as_a_start_does(int fd, enum preflight_socket kind, const struct address *address)
{
    const int on = 1;
    const int only_ipv6 = !address_is_wildcard(address);
    struct sockaddr_storage name;
    const int family = address_family(address);
    const socklen_t length = address_to_sockaddr(address, family, &name);

    return (family != AF_INET6 ||
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_ipv6, sizeof only_ipv6) == 0) &&
           (kind == PREFLIGHT_UDP ||
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0) &&
           bind(fd, (const struct sockaddr *)&name, length) == 0 &&
           (kind == PREFLIGHT_UDP || listen(fd, 1) == 0);
}

bool preflight_listen(enum preflight_socket kind, const struct address *address, const char *option,
                      struct complaint *complaint)
{
    const int type = kind == PREFLIGHT_UDP ? SOCK_DGRAM : SOCK_STREAM;
    const int fd = socket(address_family(address), type | SOCK_CLOEXEC, 0);
    const bool bound = fd >= 0 && bind_as_a_start_does(fd, kind, address);
    const int error = uv_translate_sys_error(errno);

    if (fd >= 0) {
        (void)close(fd);
    }
    return bound || preflight_cannot_listen(address, option, error, complaint);
}

#include "control/entrance.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "words/address_text.h"

enum {
    BACKLOG = 1024, /* a client that connects without blocking fails when it is full */
    SOCKET_MODE = 0600,
    DIRECTORY_MODE = 0700,
};

_Static_assert(sizeof(((struct sockaddr_un *)0)->sun_path) == CONFIG_PATH_MAX + 1,
               "a path that fits the configuration fits the system's structure");

static struct sockaddr_un unix_address(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    (void)text_set(address.sun_path, sizeof address.sun_path, path, strlen(path));
    return address;
}

static int connect_unix(int fd, const char *path)
{
    const struct sockaddr_un address = unix_address(path);
    return connect(fd, (const struct sockaddr *)&address, sizeof address);
}

static int bind_unix(int fd, const char *path)
{
    const struct sockaddr_un address = unix_address(path);
    return bind(fd, (const struct sockaddr *)&address, sizeof address);
}

static bool make_directory(const char *path, struct log *log)
{
    char directory[CONFIG_PATH_MAX + 1];
    const char *slash = strrchr(path, '/');

    if (slash == NULL || slash == path ||
        !text_set(directory, sizeof directory, path, (size_t)(slash - path))) {
        return true;
    }
    if (mkdir(directory, DIRECTORY_MODE) == 0 || errno == EEXIST) {
        return true;
    }
    log_line(log, LOG_ERROR, "control",
             "cannot make %s for the control socket: %s; choose another place with --control PATH",
             directory, strerror(errno));
    return false;
}

/* A daemon that was killed leaves its file behind. Only when nobody answers there is it removed:
 * a full queue (EAGAIN) is somebody's. */
static bool clear_stale(const char *path, struct log *log)
{
    struct stat status;

    if (lstat(path, &status) != 0) {
        return true; /* Nothing there, or nothing to be seen: bind will say. */
    }
    if (!S_ISSOCK(status.st_mode)) {
        log_line(log, LOG_ERROR, "control",
                 "%s is there already and is no socket; choose another --control PATH", path);
        return false;
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        log_line(log, LOG_ERROR, "control", "cannot make a socket: %s", strerror(errno));
        return false;
    }
    const bool stale = connect_unix(fd, path) != 0 && errno == ECONNREFUSED;
    close(fd);
    if (!stale) {
        log_line(log, LOG_ERROR, "control",
                 "another process answers at %s; stop it, or choose another --control PATH", path);
        return false;
    }
    if (unlink(path) != 0 && errno != ENOENT) {
        log_line(log, LOG_ERROR, "control", "cannot remove the stale control socket %s: %s", path,
                 strerror(errno));
        return false;
    }
    return true;
}

bool entrance_open_unix(struct entrance *entrance, const char *path, struct log *log)
{
    struct stat status;

    *entrance = (struct entrance){.fd = -1};
    if (!text_set(entrance->path, sizeof entrance->path, path, strlen(path)) || path[0] == '\0') {
        log_line(log, LOG_ERROR, "control",
                 "the control socket's path must have 1 to %d bytes, not %zu; choose a shorter "
                 "--control PATH",
                 CONFIG_PATH_MAX, strlen(path));
        return false;
    }
    if (!make_directory(path, log) || !clear_stale(path, log)) {
        return false;
    }
    /* The mode is set before bind: the file is never there with a wider one. */
    entrance->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (entrance->fd < 0 || fchmod(entrance->fd, SOCKET_MODE) != 0 ||
        bind_unix(entrance->fd, path) != 0 || lstat(path, &status) != 0 ||
        listen(entrance->fd, BACKLOG) != 0) {
        log_line(log, LOG_ERROR, "control",
                 "cannot listen at %s: %s; choose another place with --control PATH", path,
                 strerror(errno));
        if (entrance->fd >= 0) {
            close(entrance->fd);
        }
        return false;
    }
    entrance->device = status.st_dev;
    entrance->inode = status.st_ino;
    return true;
}

bool entrance_open_tcp(struct entrance *entrance, const struct address *address, struct log *log)
{
    const int on = 1;
    const int family = address_family(address);
    char text[ADDRESS_TEXT_MAX];
    struct sockaddr_storage to;
    const socklen_t length = address_to_sockaddr(address, family, &to);

    *entrance = (struct entrance){.fd = -1};
    entrance->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (entrance->fd < 0 ||
        setsockopt(entrance->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(entrance->fd, (const struct sockaddr *)&to, length) != 0 ||
        listen(entrance->fd, BACKLOG) != 0) {
        log_line(log, LOG_ERROR, "control",
                 "cannot serve HTTP at %s: %s; choose another --http ADDR:PORT",
                 address_text(address, text), strerror(errno));
        if (entrance->fd >= 0) {
            close(entrance->fd);
        }
        return false;
    }
    return true;
}

void entrance_unlink(const struct entrance *entrance)
{
    struct stat status;

    if (entrance->path[0] != '\0' && lstat(entrance->path, &status) == 0 &&
        status.st_dev == entrance->device && status.st_ino == entrance->inode) {
        unlink(entrance->path);
    }
}

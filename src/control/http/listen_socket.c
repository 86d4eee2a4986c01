#include "control/http/listen_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/host/own_file.h"
#include "runtime/process/preflight.h"
#include "runtime/sockets/segments.h"
#include "words/address_text.h"

enum {
    BACKLOG = 1024,           /* a client that connects without blocking fails when it is full */
    SOCKET_MODE_FIRST = 0600, /* until it has its group */
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

/* The directory of the path, if it may have to be made: neither the root nor the current directory.
 */
static bool directory_of(const char *path, char directory[CONFIG_PATH_MAX + 1])
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash != path &&
           text_set(directory, CONFIG_PATH_MAX + 1, path, (size_t)(slash - path));
}

/* Says where the path comes from, for a line about what is wrong with it. */
static const char *origin_of(const struct config *config)
{
    return config->control_from_environment ? " (DOYEN_CONTROL in the environment says so)" : "";
}

/* The group of the socket, as given; empty: none. */
static const char *group_name(const struct config *config)
{
    return config->control_group[0] != '\0' ? config->control_group : config->control_admin;
}

static gid_t group_of(const struct config *config)
{
    return group_name(config)[0] != '\0' ? config->control_gid : (gid_t)-1;
}

/* The directory of the path, in any case. */
static void place_of(const char *path, char directory[CONFIG_PATH_MAX + 1])
{
    if (!directory_of(path, directory)) {
        (void)text_set(directory, CONFIG_PATH_MAX + 1, path[0] == '/' ? "/" : ".", 1);
    }
}

/* Is this the group that files get which are made in the directory of the socket? */
static bool is_born_with(const struct config *config, gid_t group)
{
    char directory[CONFIG_PATH_MAX + 1];
    struct stat status;

    place_of(config->control, directory);
    return stat(directory, &status) == 0 &&
           ((status.st_mode & S_ISGID) != 0 ? status.st_gid : getegid()) == group;
}

static bool cannot_make(const struct config *config, const char *directory,
                        struct complaint *complaint)
{
    return complaint_set(complaint,
                         "cannot make %s for the control socket: %s; choose another place with "
                         "--control PATH%s",
                         directory, strerror(errno), origin_of(config));
}

static bool cannot_listen(const struct config *config, struct complaint *complaint)
{
    if (errno == EMFILE || errno == ENFILE) {
        return complaint_set(complaint,
                             "cannot listen at %s: no file descriptors left: raise the limit "
                             "(ulimit -n)",
                             config->control);
    }
    return complaint_set(complaint,
                         "cannot listen at %s: %s; choose another place with --control PATH%s",
                         config->control, strerror(errno), origin_of(config));
}

/* Everyone whom the socket's mode lets in must be able to enter its directory and to list it. What
 * is made in it has its group: the sandbox forbids to give one to a socket that is made again. */
static mode_t directory_mode(mode_t socket_mode)
{
    return S_IRWXU | ((socket_mode & S_IWGRP) != 0 ? S_IRGRP | S_IXGRP | S_ISGID : 0) |
           ((socket_mode & S_IWOTH) != 0 ? S_IROTH | S_IXOTH : 0);
}

/* Asks for a change only where there is one to make: a unit that forbids chown, as the package's
 * does, has its group already. */
static bool give_group(const char *path, gid_t group)
{
    struct stat status;

    return group == (gid_t)-1 || (lstat(path, &status) == 0 && status.st_gid == group) ||
           lchown(path, (uid_t)-1, group) == 0;
}

/* A unit may forbid to set this bit (RestrictSUIDSGID); then the group may be the wrong one if the
 * socket has to be made again. */
static bool set_directory_mode(const char *directory, mode_t mode)
{
    return chmod(directory, mode) == 0 || chmod(directory, mode & ~(mode_t)S_ISGID) == 0;
}

static bool make_directory(const struct config *config, struct complaint *complaint)
{
    char directory[CONFIG_PATH_MAX + 1];

    if (!directory_of(config->control, directory)) {
        return true;
    }
    if (mkdir(directory, S_IRWXU) != 0) {
        return errno == EEXIST || cannot_make(config, directory, complaint);
    }
    return (give_group(directory, group_of(config)) &&
            set_directory_mode(directory, directory_mode(config->control_mode))) ||
           cannot_make(config, directory, complaint);
}

/* Who may rename or remove what is in the directory could put a socket of its own in the place of
 * this one, and its answers would pass for this daemon's. */
static bool check_directory(const struct config *config, struct complaint *complaint)
{
    char directory[CONFIG_PATH_MAX + 1];
    char why[OWN_FILE_WHY_MAX];
    struct stat status;

    place_of(config->control, directory);
    return stat(directory, &status) != 0 || /* Then bind will tell. */
           own_directory_is_safe(&status, true, why) ||
           complaint_set(complaint,
                         "the control socket is not safe in %.200s: %s; choose another place with "
                         "--control PATH%s",
                         directory, why, origin_of(config));
}

/* An existing directory may serve others too and is left as it is; but users whom it keeps out
 * should know. */
static void warn_of_closed_directory(const struct config *config, struct log *log)
{
    char directory[CONFIG_PATH_MAX + 1];
    struct stat status;

    if (group_name(config)[0] != '\0' && directory_of(config->control, directory) &&
        stat(directory, &status) == 0 && (status.st_mode & S_IXOTH) == 0 &&
        (status.st_gid != config->control_gid || (status.st_mode & S_IXGRP) == 0)) {
        log_line(log, LOG_WARN, "control",
                 "%s does not let the group %s through to the control socket; run chgrp and chmod "
                 "g+rx on it",
                 directory, group_name(config));
    }
}

/* A daemon that was killed leaves its file behind. A socket is unused only where nobody answers: a
 * full queue (EAGAIN) is somebody's. Sets `*stale` when such a file is there. */
static bool check_path(const struct config *config, bool *stale, struct complaint *complaint)
{
    const char *path = config->control;
    struct stat status;

    *stale = false;
    if (lstat(path, &status) != 0) {
        return true; /* Nothing is there, or we may not look: bind will tell. */
    }
    if (!S_ISSOCK(status.st_mode)) {
        return complaint_set(
            complaint, "%s is there already and is no socket; choose another --control PATH%s",
            path, origin_of(config));
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return complaint_set(complaint, "cannot make a socket: %s", strerror(errno));
    }
    *stale = connect_unix(fd, path) != 0 && errno == ECONNREFUSED;
    close(fd);
    return *stale || complaint_set(complaint,
                                   "another process answers at %s; stop it, or choose another "
                                   "--control PATH%s",
                                   path, origin_of(config));
}

static bool clear_stale(const struct config *config, struct log *log, struct complaint *complaint)
{
    const char *path = config->control;
    bool stale = false;

    if (!check_path(config, &stale, complaint)) {
        return false;
    }
    if (stale && unlink(path) != 0 && errno != ENOENT) {
        return complaint_set(complaint, "cannot remove the stale control socket %s: %s", path,
                             strerror(errno));
    }
    if (stale) {
        log_line(log, config->control_from_environment ? LOG_WARN : LOG_INFO, "control",
                 "replacing the control socket %s, which nobody answered at%s", path,
                 origin_of(config));
    }
    return true;
}

bool listen_socket_check_unix(const struct config *config, struct complaint *complaint)
{
    char directory[CONFIG_PATH_MAX + 1];
    bool stale = false;

    if (!check_directory(config, complaint) || !check_path(config, &stale, complaint)) {
        return false;
    }
    if (preflight_can_make(config->control)) {
        return true;
    }
    if (errno != ENOENT || !directory_of(config->control, directory)) {
        return cannot_listen(config, complaint);
    }
    return preflight_can_make(directory) || cannot_make(config, directory, complaint);
}

/* Binds a socket that only its owner may use until it has its group: the file never has a wider
 * mode than it is to have. */
static bool bind_with_mode(int fd, const struct config *config)
{
    const gid_t group = group_of(config);
    const bool ready = group == (gid_t)-1 || is_born_with(config, group);

    if (fchmod(fd, ready ? config->control_mode : SOCKET_MODE_FIRST) != 0) {
        return false;
    }
    const mode_t mask = umask(0);
    const bool bound = bind_unix(fd, config->control) == 0;
    (void)umask(mask);
    if (!bound || ready ||
        (give_group(config->control, group) && chmod(config->control, config->control_mode) == 0)) {
        return bound;
    }
    const int error = errno;
    (void)unlink(config->control);
    errno = error;
    return false;
}

/* Listens where nothing is in the way any more, and notes which file it made. */
static bool listen_at(struct listen_socket *listen_socket, const struct config *config,
                      struct complaint *complaint)
{
    struct stat status;

    listen_socket->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listen_socket->fd < 0 || !bind_with_mode(listen_socket->fd, config) ||
        lstat(config->control, &status) != 0 || listen(listen_socket->fd, BACKLOG) != 0) {
        (void)cannot_listen(config, complaint);
        if (listen_socket->fd >= 0) {
            close(listen_socket->fd);
        }
        return false;
    }
    listen_socket->device = status.st_dev;
    listen_socket->inode = status.st_ino;
    return true;
}

bool listen_socket_open_unix(struct listen_socket *listen_socket, const struct config *config,
                             struct log *log)
{
    struct complaint complaint;

    *listen_socket = (struct listen_socket){.fd = -1};
    (void)text_set(listen_socket->path, sizeof listen_socket->path, config->control,
                   strlen(config->control)); /* It fits. */
    if (!make_directory(config, &complaint) || !check_directory(config, &complaint) ||
        !clear_stale(config, log, &complaint) || !listen_at(listen_socket, config, &complaint)) {
        log_line(log, LOG_ERROR, "control", "%s", complaint.text);
        return false;
    }
    warn_of_closed_directory(config, log);
    return true;
}

bool listen_socket_open_tcp(struct listen_socket *listen_socket, const struct address *address,
                            struct log *log)
{
    const int on = 1;
    const int family = address_family(address);
    char text[ADDRESS_TEXT_MAX];
    struct sockaddr_storage to;
    const socklen_t length = address_to_sockaddr(address, family, &to);

    *listen_socket = (struct listen_socket){.fd = -1};
    listen_socket->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    segments_keep_small(listen_socket->fd);
    if (listen_socket->fd < 0 ||
        setsockopt(listen_socket->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listen_socket->fd, (const struct sockaddr *)&to, length) != 0 ||
        listen(listen_socket->fd, BACKLOG) != 0) {
        log_line(log, LOG_ERROR, "control",
                 "cannot serve HTTP at %s: %s; choose another --http ADDR:PORT",
                 address_text(address, text), strerror(errno));
        if (listen_socket->fd >= 0) {
            close(listen_socket->fd);
        }
        return false;
    }
    return true;
}

/* Is the file there that it made? */
static bool has_file(const struct listen_socket *listen_socket)
{
    struct stat status;

    return listen_socket->path[0] != '\0' && lstat(listen_socket->path, &status) == 0 &&
           status.st_dev == listen_socket->device && status.st_ino == listen_socket->inode;
}

bool listen_socket_is_lost(const struct listen_socket *listen_socket)
{
    return listen_socket->path[0] != '\0' && !has_file(listen_socket);
}

/* The sandbox lets nobody make one, nor a socket in one that was made meanwhile. */
static bool has_directory(const struct config *config, struct complaint *complaint)
{
    char directory[CONFIG_PATH_MAX + 1];

    place_of(config->control, directory);
    return access(directory, F_OK) == 0 ||
           complaint_set(complaint, "its directory %s is gone, too: restart this daemon",
                         directory);
}

/* Under the same number: whoever polls it need not know. */
static bool take_place(struct listen_socket *listen_socket, const struct listen_socket *again)
{
    const bool done = dup3(again->fd, listen_socket->fd, O_CLOEXEC) >= 0;

    close(again->fd);
    if (done) {
        listen_socket->device = again->device;
        listen_socket->inode = again->inode;
    }
    return done;
}

void listen_socket_renew(struct listen_socket *listen_socket, const struct config *config,
                         struct log *log)
{
    struct listen_socket again = *listen_socket;
    struct complaint complaint = {.text = "no file descriptor is left"};

    if (has_directory(config, &complaint) && check_directory(config, &complaint) &&
        clear_stale(config, log, &complaint) && listen_at(&again, config, &complaint) &&
        take_place(listen_socket, &again)) {
        listen_socket->lost_is_said = false;
        log_line(log, LOG_WARN, "control", "the control socket's file %s was gone: made it again",
                 config->control);
        return;
    }
    if (!listen_socket->lost_is_said) {
        listen_socket->lost_is_said = true;
        log_line(log, LOG_ERROR, "control",
                 "the control socket's file is gone: doyen does not find this daemon; it cannot be "
                 "made again: %s",
                 complaint.text);
    }
}

void listen_socket_close(struct listen_socket *listen_socket)
{
    if (has_file(listen_socket)) {
        unlink(listen_socket->path);
    }
    close(listen_socket->fd);
}

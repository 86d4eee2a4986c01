#include "cli/invite/host.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "seal/keyring.h"
#include "usage/remedy.h"

static const char account[] = "doyen";

bool host_has_account(void)
{
    return getpwnam(account) != NULL;
}

/* For what is not there yet, and is only to be shown. */
static void show_absolute(const char *root, char out[PATH_MAX])
{
    char here[PATH_MAX / 2];

    if (root[0] == '/' || getcwd(here, sizeof here) == NULL) {
        here[0] = '\0';
    }
    snprintf(out, PATH_MAX, "%s%s%.*s", here, here[0] == '\0' ? "" : "/", PATH_MAX / 4, root);
}

enum exit_code host_init(struct host *host, const char *root, bool make, struct failure *failure)
{
    char absolute[PATH_MAX] = "";

    if (root != NULL && make && mkdir(root, 0755) != 0 && errno != EEXIST) {
        return failure_set(failure, EXIT_REFUSED, "cannot make --root %s: %s: %s", root,
                           strerror(errno), remedy_of_write(errno));
    }
    if (root != NULL && !make && access(root, F_OK) != 0) {
        show_absolute(root, absolute);
    } else if (root != NULL && realpath(root, absolute) == NULL) {
        return failure_set(failure, EXIT_REFUSED, "--root %s: %s", root, strerror(errno));
    }
    if (strlen(absolute) >= sizeof host->root) {
        return failure_set(failure, EXIT_USAGE, "--root %s: choose a path of less than %d bytes",
                           root, (int)sizeof host->root);
    }
    snprintf(host->root, sizeof host->root, "%.*s", (int)sizeof host->root - 1,
             strcmp(absolute, "/") == 0 ? "" : absolute);
    snprintf(host->conf, sizeof host->conf, "%s/etc/doyen/doyend.conf", host->root);
    snprintf(host->key, sizeof host->key, "%s/var/lib/doyen/key", host->root);
    snprintf(host->state_dir, sizeof host->state_dir, "%s/var/lib/doyen", host->root);
    snprintf(host->jobs, sizeof host->jobs, "%s/etc/doyen/run", host->root);
    snprintf(host->drop_in, sizeof host->drop_in,
             "%s/etc/systemd/system/doyend.service.d/container.conf", host->root);
    return EXIT_DONE;
}

enum exit_code host_check_account(const struct host *host, struct failure *failure)
{
    if (host->root[0] == '\0' && geteuid() != 0) {
        return failure_set(
            failure, EXIT_REFUSED,
            "this command writes %s and starts a service: run it as root, as with sudo; "
            "--dry-run shows what it would do",
            host->conf);
    }
    return EXIT_DONE;
}

/* --- Reading -------------------------------------------------------------------------------- */

/* What an errno means for a file of this host; NULL: what it means everywhere. */
static const char *fault_of(int error)
{
    switch (error) {
    case EINVAL:
        return "it is no text file: move it away";
    case EFBIG:
        return "it is too long for what doyen writes there: move it away";
    case ELOOP:
        return "it is a symbolic link, or lies below one, which is not followed: put the file or "
               "the folder itself there";
    case ENOTDIR:
        return "a folder above it is a file: move that away";
    default:
        return NULL;
    }
}

static enum exit_code cannot_read(const char *what, int error, struct failure *failure)
{
    const char *fault = fault_of(error);

    return fault != NULL
               ? failure_set(failure, EXIT_REFUSED, "cannot read %s: %s", what, fault)
               : failure_set(failure, EXIT_REFUSED, "cannot read %s: %s: %s", what, strerror(error),
                             error == EACCES ? "run this as root" : "look after that file");
}

/* Reads the whole file as text. Returns 0 or an errno. */
static int read_file(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    size_t length = 0;
    ssize_t more = 1;

    text[0] = '\0';
    if (fd < 0) {
        return errno;
    }
    int error = fstat(fd, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : EINVAL;
    while (error == 0 && more > 0 && length < size) {
        more = read(fd, text + length, size - length);
        error = more < 0 && errno != EINTR ? errno : 0;
        length += more > 0 ? (size_t)more : 0;
        more = more < 0 ? 1 : more;
    }
    (void)close(fd);
    error = error == 0 && length == size ? EFBIG : error;
    text[error == 0 ? length : 0] = '\0';
    return error == 0 && strlen(text) != length ? EINVAL : error;
}

enum exit_code host_read_conf(const struct host *host, char text[CONF_TEXT_MAX],
                              struct failure *failure)
{
    const int error = read_file(host->conf, text, CONF_TEXT_MAX);

    if (error == ENOENT) {
        return failure_set(failure, EXIT_REFUSED,
                           "there is no %s: doyen init makes it on the first host of a cluster, "
                           "doyen join on the others",
                           host->conf);
    }
    return error == 0 ? EXIT_DONE : cannot_read(host->conf, error, failure);
}

enum exit_code host_read_key(const char *path, char *text, size_t size, struct failure *failure)
{
    const int error = read_file(path, text, size);
    struct keyring ring;
    uint32_t line;

    if (error != 0) {
        return cannot_read(path, error, failure);
    }
    /* Nothing else is ever handed on, whatever lies in the place of the key. */
    const bool good = keyring_parse(&ring, text, strlen(text), &line) == KEYRING_OK;
    keyring_wipe(&ring);
    if (!good) {
        secret_wipe(text, size);
        return failure_set(failure, EXIT_REFUSED, "%s is no key file: doyend --check says more",
                           path);
    }
    return EXIT_DONE;
}

enum exit_code host_check_free(const struct host *host, struct failure *failure)
{
    static const char *const chosen[] = {"key", "seed", "guard", "voters", "insecure"};
    char value[CONF_VALUE_MAX];
    char text[CONF_TEXT_MAX];
    struct stat status;

    const int error = read_file(host->conf, text, sizeof text);
    if (error != 0 && error != ENOENT) {
        return cannot_read(host->conf, error, failure);
    }
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        if (conf_value(text, chosen[i], value)) {
            return failure_set(failure, EXIT_REFUSED,
                               "this host has been set up: %s has a line \"%s\"; doyen invite lets "
                               "further hosts in, and to begin anew move that file away",
                               host->conf, chosen[i]);
        }
    }
    if (lstat(host->key, &status) == 0) {
        return failure_set(failure, EXIT_REFUSED,
                           "%s is there already, and a key is never overwritten: move it away if "
                           "no cluster needs it",
                           host->key);
    }
    return EXIT_DONE;
}

/* --- Writing -------------------------------------------------------------------------------- */

/* Makes all folders above the file. Below --root a link could lead out of it, to this host's own
 * files, and is not followed. */
static int make_folders(const struct host *host, const char *path)
{
    char folder[HOST_PATH_MAX];
    struct stat status;

    for (const char *at = path + strlen(host->root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        if (mkdir(folder, 0755) != 0 && errno != EEXIST) {
            return errno;
        }
        if (host->root[0] != '\0' && lstat(folder, &status) == 0 && S_ISLNK(status.st_mode)) {
            return ELOOP;
        }
    }
    return 0;
}

/* Has the names in the folder of that file on the disk. */
static int sync_folder(const char *path)
{
    char folder[HOST_PATH_MAX];

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return error;
}

/* To doyend's account, where root writes for it. */
static bool hand_over(int fd)
{
    const struct passwd *doyen = geteuid() == 0 ? getpwnam(account) : NULL;

    return doyen == NULL || fchown(fd, doyen->pw_uid, doyen->pw_gid) == 0;
}

static int write_all(int fd, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        const ssize_t done = write(fd, text, left);
        if (done < 0 && errno != EINTR) {
            return errno;
        }
        text += done > 0 ? done : 0;
        left -= done > 0 ? (size_t)done : 0;
    }
    return fsync(fd) == 0 ? 0 : errno;
}

/* A new file of that mode; whatever follows from a name that somebody else chose is refused. */
static int make_file(const char *path, const char *text, mode_t mode, bool handed_over)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        S_IRUSR | S_IWUSR);

    if (fd < 0) {
        return errno;
    }
    int error = write_all(fd, text);
    if (error == 0 && ((handed_over && !hand_over(fd)) || fchmod(fd, mode) != 0)) {
        error = errno;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error != 0) {
        (void)unlink(path);
    }
    return error;
}

static int remove_file(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}

/* The same in the place of what is there: a link goes, not what it leads to. */
static int make_anew(const char *path, const char *text, mode_t mode)
{
    const int error = remove_file(path);

    return error == 0 ? make_file(path, text, mode, false) : error;
}

/* Gives the file, if it is there, a second name in the place of what has that. */
static int keep_as(const char *path, const char *second)
{
    const int error = remove_file(second);

    return error != 0 ? error : link(path, second) == 0 || errno == ENOENT ? 0 : errno;
}

static enum exit_code cannot_write(const char *path, int error, struct failure *failure)
{
    const char *fault = fault_of(error);

    return fault == NULL ? failure_set(failure, EXIT_REFUSED, "cannot write %s: %s: %s", path,
                                       strerror(error), remedy_of_write(error))
                         : failure_set(failure, EXIT_REFUSED, "cannot write %s: %s", path, fault);
}

enum exit_code host_write_conf(const struct host *host, const char *text, bool keep,
                               struct failure *failure)
{
    char made[HOST_PATH_MAX + 8];
    char before[HOST_PATH_MAX + 8];
    struct stat former;

    /* What is changed stays whose it was: who could not read it is not to read it now. */
    const bool same = !keep && lstat(host->conf, &former) == 0 && S_ISREG(former.st_mode);
    const mode_t mode = same ? former.st_mode & 0777 : 0644;
    snprintf(made, sizeof made, "%s.new", host->conf);
    snprintf(before, sizeof before, "%s.before", host->conf);
    int error = make_folders(host, host->conf);
    error = error == 0 ? make_anew(made, text, mode) : error;
    if (error == 0 && same && geteuid() == 0 && lchown(made, former.st_uid, former.st_gid) != 0) {
        error = errno;
    }
    error = error == 0 && keep ? keep_as(host->conf, before) : error;
    if (error == 0 && rename(made, host->conf) != 0) {
        error = errno;
    }
    error = error == 0 ? sync_folder(host->conf) : error;
    return error == 0 ? EXIT_DONE : cannot_write(host->conf, error, failure);
}

enum exit_code host_write_drop_in(const struct host *host, const char *text,
                                  struct failure *failure)
{
    int error = make_folders(host, host->drop_in);

    error = error == 0 ? make_anew(host->drop_in, text, 0644) : error;
    error = error == 0 ? sync_folder(host->drop_in) : error;
    return error == 0 ? EXIT_DONE : cannot_write(host->drop_in, error, failure);
}

/* The state directory, as systemd would make it for the unit. */
static int make_state_dir(const struct host *host)
{
    int error = make_folders(host, host->state_dir);

    if (error != 0) {
        return error;
    }
    if (mkdir(host->state_dir, 0700) != 0) {
        return errno == EEXIST ? make_folders(host, host->key) : errno;
    }
    const int fd = open(host->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = fd < 0 || !hand_over(fd) ? errno : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return error;
}

enum exit_code host_write_key(const struct host *host, const char *text, struct failure *failure)
{
    int error = make_state_dir(host);

    error = error == 0 ? make_file(host->key, text, 0600, true) : error;
    error = error == 0 ? sync_folder(host->key) : error;
    return error == 0 ? EXIT_DONE : cannot_write(host->key, error, failure);
}

#include "runtime/process/sandbox_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of some systems that have them. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13) /* version 2 */
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* version 3 */
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15) /* version 5 */
#endif

#define OF_VERSION_1 (LANDLOCK_ACCESS_FS_REFER - 1)
#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITING                                                                                    \
    (READING | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |                    \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_TRUNCATE)
#define OF_FILES                                                                                   \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |   \
     LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV)

struct fence {
    int ruleset;
    uint64_t handled; /* all that this kernel can forbid */
};

static uint64_t handled_by(long version)
{
    return OF_VERSION_1 | (version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0) |
           (version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0) |
           (version >= 5 ? LANDLOCK_ACCESS_FS_IOCTL_DEV : 0);
}

static int fence_open(struct fence *fence)
{
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                                 LANDLOCK_CREATE_RULESET_VERSION);

    if (version < 0) {
        return errno;
    }
    fence->handled = handled_by(version);
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = fence->handled};
    fence->ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    return fence->ruleset < 0 ? errno : 0;
}

/* Opens a gap for a file, or a directory with all that is in it. One that is not there needs none.
 */
static int allow(const struct fence *fence, const char *path, uint64_t access)
{
    const int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    int error = 0;

    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
    }
    if (fstat(fd, &status) == 0) {
        const struct landlock_path_beneath_attr gap = {
            .parent_fd = fd,
            .allowed_access = access & fence->handled &
                              (S_ISDIR(status.st_mode) ? UINT64_MAX : OF_FILES)};
        error = syscall(SYS_landlock_add_rule, fence->ruleset, LANDLOCK_RULE_PATH_BENEATH, &gap,
                        0) == 0
                    ? 0
                    : errno;
    }
    (void)close(fd);
    return error;
}

static void directory_of(const char *file, char directory[PATH_MAX])
{
    const char *slash = strrchr(file, '/');

    if (slash == NULL) {
        snprintf(directory, PATH_MAX, ".");
    } else {
        snprintf(directory, PATH_MAX, "%.*s", slash == file ? 1 : (int)(slash - file), file);
    }
}

/* The same for the directory that a file is in. */
static int allow_around(const struct fence *fence, const char *file, uint64_t access)
{
    char directory[PATH_MAX];

    directory_of(file, directory);
    return allow(fence, directory, access);
}

/* Whoever may make files in these can have others run them. */
static const char *const shared[] = {
    "/",     "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64",   "/opt",       "/proc",
    "/root", "/run", "/sbin", "/srv", "/sys", "/usr",  "/var", "/var/lib", "/var/spool",
};

bool sandbox_shares_directory(const char *file)
{
    char directory[PATH_MAX];
    char resolved[PATH_MAX];
    bool is_shared;

    directory_of(file, directory);
    if (realpath(directory, resolved) == NULL) {
        return false; /* There is nothing to allow, either. */
    }
    is_shared = strncmp(resolved, "/usr/", strlen("/usr/")) == 0;
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        is_shared = is_shared || strcmp(resolved, shared[i]) == 0;
    }
    return is_shared;
}

bool sandbox_is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A file that is replaced by another one: what is around it may be written, unless others have
 * theirs there. */
static int allow_replacing(const struct fence *fence, const char *file)
{
    if (file[0] == '\0') {
        return 0;
    }
    return allow_around(fence, file, sandbox_shares_directory(file) ? READING : WRITING);
}

static int allow_own(const struct fence *fence, const struct config *config)
{
    int error = config->state_dir[0] == '\0' ? 0 : allow(fence, config->state_dir, WRITING);

    if (error == 0) {
        error = allow_replacing(fence, config->record);
    }
    if (error == 0) {
        error = sandbox_is_directory(config->key)
                    ? allow(fence, config->key, READING)
                    : allow_replacing(fence, config->key); /* doyen keys use replaces it. */
    }
    if (error == 0 && config->file[0] != '\0') {
        error = allow_around(fence, config->file, LANDLOCK_ACCESS_FS_READ_FILE);
    }
    /* The socket's file goes when the daemon does, and comes back when somebody has removed it. */
    return error != 0 || config->control[0] == '\0'
               ? error
               : allow_around(fence, config->control,
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                  LANDLOCK_ACCESS_FS_MAKE_SOCK);
}

/* What looking up a name and lending a page read: the configuration, often a link to where it is
 * made, and modules of the C library, which are loaded when they are first asked for. */
static int allow_resolver(const struct fence *fence)
{
    static const char *const paths[] = {
        "/etc",
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/dev/null",
        "/dev/random",
        "/dev/urandom",
        "/sys/devices/system/cpu",
        "/proc/sys/kernel/random/boot_id", /* what names the clock of a page that is lent */
    };
    char resolved[PATH_MAX];
    Dl_info library;
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof paths / sizeof paths[0]; i++) {
        error = allow(fence, paths[i], READING);
    }
    if (error == 0 && realpath("/etc/resolv.conf", resolved) != NULL) {
        error = allow_around(fence, resolved, READING);
    }
    void *const lookup = dlsym(RTLD_DEFAULT, "getaddrinfo"); /* The library may be elsewhere. */
    if (error == 0 && lookup != NULL && dladdr(lookup, &library) != 0) {
        error = allow_around(fence, library.dli_fname, READING);
    }
    return error;
}

int sandbox_fence_files(const struct config *config)
{
    struct fence fence = {.ruleset = -1};
    int error = fence_open(&fence);

    if (error != 0) {
        return error;
    }
    error = allow_own(&fence, config);
    if (error == 0) {
        error = allow_resolver(&fence);
    }
    if (error == 0 && syscall(SYS_landlock_restrict_self, fence.ruleset, 0) != 0) {
        error = errno;
    }
    (void)close(fence.ruleset);
    return error;
}

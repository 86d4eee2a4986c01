#include "cli/hook/hook_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { FILE_MAX = 1024, LINES_MIN = 3 };

static const char *const told_words[] = {[TOLD_NOTHING] = "", [TOLD_NO] = "no", [TOLD_YES] = "yes"};
static const char first_key[] = "resume=";

static bool take_told(enum hook_told *told, const char *word)
{
    for (enum hook_told i = TOLD_NOTHING; i <= TOLD_YES; i++) {
        if (strcmp(word, told_words[i]) == 0) {
            *told = i;
            return true;
        }
    }
    return false;
}

static bool take_line(struct hook_memory *memory, const char *key, const char *value)
{
    if (strcmp(key, "resume") == 0) {
        return text_set(memory->resume, sizeof memory->resume, value, strlen(value));
    }
    if (strcmp(key, "acting") == 0) {
        return take_told(&memory->acting, value);
    }
    if (strcmp(key, "guard") == 0) {
        return take_told(&memory->guard_met, value);
    }
    memory->coordinator_told = strcmp(key, "coordinator") == 0 &&
                               text_set(memory->coordinator, sizeof memory->coordinator, value,
                                        strlen(value));
    return memory->coordinator_told;
}

/* False: it is damaged. Changes the text. */
static bool take_text(struct hook_memory *memory, char *text, size_t length)
{
    char *rest = NULL;
    uint32_t lines = 0;

    if (length == FILE_MAX || text[length - 1] != '\n' || memchr(text, '\0', length) != NULL) {
        return false;
    }
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '=');
        if (value == NULL) {
            return false;
        }
        *value++ = '\0';
        if (!take_line(memory, line, value)) {
            return false;
        }
        lines++;
    }
    return lines >= LINES_MIN;
}

/* The length of what is in the file, 0 when there is none; -1 with `failure` filled in. */
static ssize_t read_file(const char *path, char text[FILE_MAX + 1], struct failure *failure)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const char *fault = NULL;
    ssize_t length = 0;

    if (fd < 0) {
        fault = errno == ENOENT  ? NULL
                : errno == ELOOP ? "is a symbolic link, which is not followed"
                                 : strerror(errno);
    } else if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        fault = "is no regular file";
    } else {
        length = read(fd, text, FILE_MAX);
        fault = length < 0 ? strerror(errno) : NULL;
    }
    if (fault != NULL) {
        (void)failure_set(failure, EXIT_REFUSED,
                          "%s: %s: name a file of this account with --resume", path, fault);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return fault == NULL ? length : -1;
}

/* Is the file one that may be written over? False with `failure` filled in: it is of somebody else,
 * or cannot be read. */
static bool is_own(const char *path, char text[FILE_MAX + 1], ssize_t *length,
                   struct failure *failure)
{
    *length = read_file(path, text, failure);
    /* A disk that lost its power may leave zeros. */
    if (*length > 0 && text[0] != '\0' && strncmp(text, first_key, sizeof first_key - 1) != 0) {
        (void)failure_set(failure, EXIT_REFUSED,
                          "%s is not what doyen hook keeps, and would be lost: name another file "
                          "with --resume, or remove it",
                          path);
        return false;
    }
    return *length >= 0;
}

/* The memory's own name with a suffix. False: it is too long, and errno is set. */
static bool name_beside(char to[PATH_MAX], const char *path, const char *suffix)
{
    errno = ENAMETOOLONG;
    return snprintf(to, PATH_MAX, "%s%s", path, suffix) < PATH_MAX;
}

/* Hooks are told without a memory while a disk is full: after a restart they are told again. */
static enum hook_kept failed(const char *path, const char *what, int error, struct failure *failure)
{
    const bool no_room = error == ENOSPC || error == EDQUOT;

    (void)failure_set(failure, EXIT_REFUSED, "%s%s: %s: %s", path, what, strerror(error),
                      no_room ? "going on without, so that after a restart hooks are told again; "
                                "make room"
                              : "name a file of this account with --resume");
    return no_room ? HOOK_NO_ROOM : HOOK_NOT_KEPT;
}

enum hook_kept hook_memory_open_lock(const char *path, int *fd, struct failure *failure)
{
    static const char *const suffixes[] = {"", ".next", ".lock"}; /* the lock's name stays */
    char text[FILE_MAX + 1];
    char name[PATH_MAX];
    ssize_t length = 0;

    *fd = -1;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (!name_beside(name, path, suffixes[i])) {
            return failed(path, suffixes[i], errno, failure);
        }
        if (!is_own(name, text, &length, failure)) { /* Then no lock is to be left beside it. */
            return HOOK_NOT_KEPT;
        }
    }
    *fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    return *fd >= 0 ? HOOK_KEPT : failed(path, ".lock cannot be opened", errno, failure);
}

bool hook_memory_try_lock(int lock)
{
    return flock(lock, LOCK_EX | LOCK_NB) == 0;
}

void hook_memory_report_damage(const char *path)
{
    struct failure damage;

    (void)failure_set(&damage, EXIT_DONE,
                      "%s is damaged: the hooks are told how things are, but not what has happened "
                      "since they were told last",
                      path);
    (void)failure_report(&damage);
}

bool hook_memory_read(const char *path, struct hook_memory *memory, struct failure *failure)
{
    char text[FILE_MAX + 1] = "";
    ssize_t length = 0;

    *memory = (struct hook_memory){.acting = TOLD_NOTHING};
    if (!is_own(path, text, &length, failure) || length == 0) {
        return length == 0;
    }
    if (!take_text(memory, text, (size_t)length)) {
        *memory = (struct hook_memory){.acting = TOLD_NOTHING};
        hook_memory_report_damage(path);
    }
    return true;
}

/* Returns 0 or an errno: a write that is short says nothing of why. */
static int write_whole(int fd, const char *text, size_t length)
{
    const ssize_t written = write(fd, text, length);

    if (written < 0 || (written == (ssize_t)length && fsync(fd) != 0)) {
        return errno;
    }
    return written < (ssize_t)length ? ENOSPC : 0;
}

enum hook_kept hook_memory_write(const char *path, const struct hook_memory *memory,
                                 struct failure *failure)
{
    char text[FILE_MAX];
    char next[PATH_MAX];
    int length = snprintf(text, sizeof text, "resume=%s\nacting=%s\nguard=%s\n", memory->resume,
                          told_words[memory->acting], told_words[memory->guard_met]);

    if (memory->coordinator_told) {
        length += snprintf(text + length, sizeof text - (size_t)length, "coordinator=%s\n",
                           memory->coordinator);
    }
    const int fd =
        name_beside(next, path, ".next")
            ? open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)
            : -1;
    int error = fd < 0 ? errno : write_whole(fd, text, (size_t)length);
    if (fd >= 0 && close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && rename(next, path) != 0) {
        error = errno;
    }
    return error == 0 ? HOOK_KEPT : failed(path, " cannot be written", error, failure);
}

#include "cli/hook_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { FILE_MAX = 1024 };

static const char *const told_words[] = {[TOLD_NOTHING] = "", [TOLD_NO] = "no", [TOLD_YES] = "yes"};

static enum hook_told told_of(const char *word)
{
    return strcmp(word, "yes") == 0 ? TOLD_YES : strcmp(word, "no") == 0 ? TOLD_NO : TOLD_NOTHING;
}

static void take_line(struct hook_memory *memory, const char *key, const char *value)
{
    if (strcmp(key, "resume") == 0) {
        (void)text_set(memory->resume, sizeof memory->resume, value, strlen(value));
    } else if (strcmp(key, "acting") == 0) {
        memory->acting = told_of(value);
    } else if (strcmp(key, "guard") == 0) {
        memory->guard_met = told_of(value);
    } else if (strcmp(key, "coordinator") == 0) {
        memory->coordinator_told = text_set(memory->coordinator, sizeof memory->coordinator, value,
                                            strlen(value));
    }
}

bool hook_memory_read(const char *path, struct hook_memory *memory, struct failure *failure)
{
    char text[FILE_MAX + 1];

    *memory = (struct hook_memory){.acting = TOLD_NOTHING};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        return true;
    }
    const ssize_t length = fd < 0 ? -1 : read(fd, text, FILE_MAX);
    if (length < 0) {
        (void)failure_set(failure, EXIT_REFUSED,
                          "%s: %s: name a file of this account with --resume", path,
                          strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    if (length < 0) {
        return false;
    }
    text[length] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '=');
        if (value != NULL) {
            *value++ = '\0';
            take_line(memory, line, value);
        }
    }
    return true;
}

bool hook_memory_write(const char *path, const struct hook_memory *memory, struct failure *failure)
{
    char text[FILE_MAX];
    char next[PATH_MAX];
    int length = snprintf(text, sizeof text, "resume=%s\nacting=%s\nguard=%s\n", memory->resume,
                          told_words[memory->acting], told_words[memory->guard_met]);

    if (memory->coordinator_told) {
        length += snprintf(text + length, sizeof text - (size_t)length, "coordinator=%s\n",
                           memory->coordinator);
    }
    bool written = snprintf(next, sizeof next, "%s.next", path) < (int)sizeof next;
    errno = ENAMETOOLONG;
    const int fd = written ? open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)
                           : -1;
    written = fd >= 0 && write(fd, text, (size_t)length) == length;
    if (fd >= 0) {
        written = close(fd) == 0 && written;
    }
    if (!written || rename(next, path) != 0) {
        (void)failure_set(failure, EXIT_REFUSED,
                          "%s cannot be written: %s: name a file of this account with --resume",
                          path, strerror(errno));
        return false;
    }
    return true;
}

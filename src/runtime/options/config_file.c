#include "runtime/options/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* before the text, as some editors write it */

struct file_reading {
    const char *path;
    FILE *file;
    char *line; /* getline's */
    size_t line_size;
    uint32_t number; /* of the line read last, 1 for the first */
    config_file_on_setting *on_setting;
    void *context;
    struct complaint *complaint;
    bool faulty;
    bool stopped;
};

static void refuse_line(struct file_reading *reading, const char *why)
{
    reading->faulty = true;
    (void)complaint_set(reading->complaint, "%.300s:%u: %s", reading->path, reading->number, why);
}

/* Is the line KEY = VALUE? inih takes a colon for the sign, too, which other readers do not. */
static bool is_setting(const char *text)
{
    const size_t key_bytes = strcspn(text, "=:");

    return key_bytes > 0 && text[key_bytes] == '=';
}

/* Hands inih one line. inih itself would take a line that is longer than its buffer for two, and
 * an indented one for more of the value above it; neither is what somebody meant. It does not say
 * which line it is at either, so that is counted here. */
static char *next_line(char *out, int size, void *context)
{
    struct file_reading *reading = context;

    if (reading->faulty || reading->stopped) {
        return NULL;
    }
    const ssize_t length = getline(&reading->line, &reading->line_size, reading->file);
    if (length < 0) {
        return NULL;
    }
    reading->number++;

    const char *text = reading->line;
    if (reading->number == 1 && strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
        text += strlen(BYTE_ORDER_MARK);
    }
    text += strspn(text, " \t\r\n");
    size_t bytes = strlen(text);
    if (strlen(reading->line) != (size_t)length) {
        refuse_line(reading, "has a zero byte in it: give a text file");
        return NULL;
    }
    if (text[0] == '#' || text[0] == ';') {
        bytes = 0; /* A comment may have any length. */
    }
    while (bytes > 0 && strchr(" \t\r\n", text[bytes - 1]) != NULL) {
        bytes--;
    }
    if (bytes > CONFIG_LINE_MAX || bytes >= (size_t)size) {
        char why[80];
        snprintf(why, sizeof why, "a line of %zu bytes: use at most %d", bytes, CONFIG_LINE_MAX);
        refuse_line(reading, why);
        return NULL;
    }
    memcpy(out, text, bytes);
    out[bytes] = '\0';
    if (bytes > 0 && out[0] == '[') {
        refuse_line(reading, "there are no sections here: remove this line");
        return NULL;
    }
    if (bytes > 0 && !is_setting(out)) {
        refuse_line(reading, "neither a setting nor a comment: write KEY = VALUE");
        return NULL;
    }
    return out;
}

/* inih's handler: 0 stands for an error. */
static int on_inih_setting(void *context, const char *section, const char *key, const char *value)
{
    struct file_reading *reading = context;

    (void)section; /* There are none. */
    if (reading->faulty || reading->stopped) {
        return 0;
    }
    if (!reading->on_setting(reading->context, key, value, reading->number)) {
        reading->stopped = true;
        return 0;
    }
    return 1;
}

/* Opens a regular file alone: others could make the start wait, or read without an end. */
static FILE *open_regular(const char *path, const char **why)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0) {
        *why = strerror(errno);
    } else if (S_ISDIR(status.st_mode)) {
        *why = strerror(EISDIR);
    } else if (!S_ISREG(status.st_mode)) {
        *why = "it is no regular file";
    } else {
        FILE *file = fdopen(fd, "r");
        if (file != NULL) {
            return file;
        }
        *why = strerror(errno);
    }
    if (fd >= 0) {
        close(fd);
    }
    return NULL;
}

static bool cannot_read(const struct config_path *path, const char *why,
                        struct complaint *complaint)
{
    return complaint_set(complaint, "cannot read the configuration file %.300s: %s: check %s",
                         path->file, why, path->said_by);
}

bool config_file_read(const struct config_path *path, config_file_on_setting *on_setting,
                      void *context, struct complaint *complaint)
{
    struct file_reading reading = {
        .path = path->file, .on_setting = on_setting, .context = context, .complaint = complaint};

    const char *why = "";
    reading.file = open_regular(path->file, &why);
    if (reading.file == NULL) {
        return cannot_read(path, why, complaint);
    }

    const int bad_line = ini_parse_stream(next_line, &reading, on_inih_setting, &reading);
    const bool unreadable = ferror(reading.file) != 0;
    const int error = errno;
    fclose(reading.file);
    free(reading.line);

    if (unreadable) {
        return cannot_read(path, strerror(error), complaint);
    }
    /* The number of the first line that inih or the on_setting did not like. */
    if (bad_line > 0 &&
        ((!reading.faulty && !reading.stopped) || (uint32_t)bad_line < reading.number)) {
        return complaint_set(complaint,
                             "%.300s:%d: neither a setting nor a comment: write KEY = VALUE",
                             path->file, bad_line);
    }
    return !reading.faulty;
}

bool config_file_can_say(const char *key, const char *value)
{
    const size_t length = strlen(value);

    if (length == 0 || strlen(key) + strlen(" = ") + length > CONFIG_LINE_MAX) {
        return false;
    }
    if (strchr(" \t", value[0]) != NULL || strchr(" \t", value[length - 1]) != NULL) {
        return false;
    }
    return value[0] != ';' && strstr(value, " ;") == NULL && strstr(value, "\t;") == NULL;
}

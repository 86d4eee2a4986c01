/* Lines on stderr: text where a person looks, JSON lines where a machine does. Each is one fact
 * with its numbers. A line is cut at LOG_LINE_MAX and written in one piece; when nobody takes it
 * within LOG_WAIT_MS it is dropped and counted, because membership must not wait for a log. */
#ifndef RUNTIME_LOG_H
#define RUNTIME_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/config.h"

enum {
    LOG_LINE_MAX = 2048,   /* bytes with the newline; below what a pipe takes at once */
    LOG_MESSAGE_MAX = 800, /* bytes of a message before JSON doubles its quotes */
    LOG_WAIT_MS = 20,
};

struct log {
    int fd;
    enum log_level level;
    bool json;
    char node[NAME_BYTES_MAX + 1];
    uint64_t dropped;      /* lines nobody took, since the last that somebody did */
    uint64_t last_refusal; /* hash of the last refused join, which repeats itself at each try */
};

/* `format` LOG_AUTO means text when `fd` is a terminal, JSON else. `fd` stays the caller's. */
void log_init(struct log *log, int fd, enum log_level level, enum log_format format,
              const char *node);

bool log_on(const struct log *log, enum log_level level);

/* `event` is a short word to search for ("view", "suspect"); the format's result the message. */
void log_line(struct log *log, enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

struct journal_entry;

/* Renders a notice: every change of view, phase and coordinator is one greppable line with its
 * cause, at info; suspects and claims at info, the rest at debug. In JSON each number is a field
 * as well; 64-bit ones are strings. */
void log_notice(struct log *log, const struct journal_entry *entry);

#endif

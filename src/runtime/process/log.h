/* Writes log lines to stderr: text for people, JSON lines for machines. A line is one fact with its
 * numbers. It is cut at LOG_LINE_MAX and written in one piece; if it cannot be written within
 * LOG_WAIT_MS, it is dropped and counted, because membership must not wait for a log. Of more than
 * LOG_LINES_PER_SECOND the rest is left out and counted, because strangers can cause lines, and
 * must not fill a disk with them. */
#ifndef RUNTIME_LOG_H
#define RUNTIME_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/options/config.h"

enum {
    LOG_LINE_MAX = 2048,   /* bytes with the newline; below what a pipe takes at once */
    LOG_MESSAGE_MAX = 800, /* bytes of a message before JSON doubles its quotes */
    LOG_WAIT_MS = 20,
    LOG_LINES_PER_SECOND = 50, /* and as many again for errors alone */
};

/* Takes one line, without its end. */
typedef void log_sink(void *context, const char *line);

struct log {
    int fd;
    log_sink *sink; /* gets the lines instead; NULL: `fd` does */
    void *sink_context;
    enum log_level level;
    bool json;
    bool journal; /* what reads it stamps lines itself, and sorts them by a priority in front */
    char node[NAME_BYTES_MAX + 1];
    uint64_t second_ms;    /* monotonic: when the second began in which lines are counted */
    uint32_t second_lines; /* written in it */
    uint64_t left_out;     /* lines beyond that, since the last that could be written */
    uint64_t dropped;      /* lines dropped since the last that could be written */
    uint64_t dropped_ever; /* both, since the log began */
    uint64_t left_out_ever;
    uint64_t last_refusal; /* hash of the last refused join, which repeats itself at each attempt */
};

/* `format` LOG_AUTO means text when `fd` is a terminal or the system's journal (JOURNAL_STREAM, see
 * systemd.exec(5)), JSON else. To the journal each line goes with its priority, and text without
 * the time. `fd` stays the caller's. */
void log_init(struct log *log, int fd, enum log_level level, enum log_format format,
              const char *node);

bool log_on(const struct log *log, enum log_level level);

/* Logs a line. `event` is a short word to search for ("view", "suspect"); the message is the result
 * of the format. */
void log_line(struct log *log, enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

struct journal_entry;

/* Logs a notice: every change of view, phase and coordinator is one greppable line with its cause,
 * at info; suspects and claims too; the rest is at debug. In JSON each number is also a field;
 * 64-bit numbers are strings. */
void log_notice(struct log *log, const struct journal_entry *entry);

struct refused_message;

/* One line, at debug, about a message that was not acted on; `left_out` others before it got none.
 */
void log_refused(struct log *log, const struct refused_message *refused, const char *sender,
                 uint64_t left_out);

#endif

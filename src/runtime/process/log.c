#include "runtime/process/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "runtime/host/clock.h"
#include "words/notice_fields.h"
#include "words/refused_text.h"

/* Is that descriptor the one that JOURNAL_STREAM names, by device and inode? */
static bool is_journal(int fd)
{
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat status;
    char own[48];

    if (stream == NULL || fstat(fd, &status) != 0) {
        return false;
    }
    snprintf(own, sizeof own, "%llu:%llu", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino);
    return strcmp(stream, own) == 0;
}

void log_init(struct log *log, int fd, enum log_level level, enum log_format format,
              const char *node)
{
    *log = (struct log){.fd = fd, .level = level};
    log->journal = is_journal(fd);
    log->json = format == LOG_JSON || (format == LOG_AUTO && isatty(fd) == 0 && !log->journal);
    (void)text_set(log->node, sizeof log->node, node, text_length(node, sizeof log->node - 1));
}

bool log_on(const struct log *log, enum log_level level)
{
    return level <= log->level;
}

static const char *level_text(enum log_level level)
{
    switch (level) {
    case LOG_ERROR:
        return "error";
    case LOG_WARN:
        return "warn";
    case LOG_INFO:
        return "info";
    case LOG_DEBUG:
        return "debug";
    }
    return "unknown";
}

/* As sd-daemon(3) has it. */
static const char *priority_text(enum log_level level)
{
    switch (level) {
    case LOG_ERROR:
        return "<3>";
    case LOG_WARN:
        return "<4>";
    case LOG_INFO:
        return "<6>";
    case LOG_DEBUG:
        return "<7>";
    }
    return "<7>";
}

/* --- A line ---------------------------------------------------------------------------------- */

/* A line of bounded length. A piece that does not fit is left out as a whole. */
struct line {
    size_t used;
    bool full;
    char text[LOG_LINE_MAX];
};

enum { MS_PER_S = 1000 };

enum { LINE_END_BYTES = 2 }; /* kept free for "}" and the newline */

static void append(struct line *line, const char *text, size_t length)
{
    if (length > sizeof line->text - LINE_END_BYTES - line->used) {
        line->full = true;
        return;
    }
    memcpy(line->text + line->used, text, length);
    line->used += length;
}

static void append_text(struct line *line, const char *text)
{
    append(line, text, strlen(text));
}

/* Finds what to write for the first character: "?" for a control character, which could end the
 * line or move the cursor, and for bytes that are not UTF-8. */
static size_t plain_character(const char *text, size_t length, const char **out)
{
    const size_t bytes = utf8_character_bytes(text, length);

    *out = text;
    if (bytes == 0 || !utf8_is_printable(text, bytes)) {
        *out = "?";
        return 1;
    }
    return bytes;
}

static void append_plain(struct line *line, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const char *character = NULL;
        const size_t bytes = plain_character(text, left, &character);
        append(line, character, bytes);
        text += bytes;
        left -= bytes;
    }
}

/* Appends the text as a JSON string. */
static void append_quoted(struct line *line, const char *text)
{
    append_text(line, "\"");
    for (size_t left = strlen(text); left > 0;) {
        const char *character = NULL;
        const size_t bytes = plain_character(text, left, &character);
        if (*character == '"' || *character == '\\') {
            append_text(line, "\\");
        }
        append(line, character, bytes);
        text += bytes;
        left -= bytes;
    }
    append_text(line, "\"");
}

/* Appends one more member of the JSON object, or none when it does not fit. */
static void append_member(struct line *line, const struct notice_field *field)
{
    const size_t before = line->used;
    char number[24];

    if (line->full) {
        return;
    }
    append_text(line, line->text[before - 1] == '{' ? "" : ",");
    append_quoted(line, field->key);
    append_text(line, ":");
    snprintf(number, sizeof number, "%llu", (unsigned long long)field->number);
    switch (field->kind) {
    case FIELD_NULL:
        append_text(line, "null");
        break;
    case FIELD_TEXT:
    case FIELD_NAMES:
    case FIELD_VIEW:
    case FIELD_TAGS:
        append_quoted(line, field->text);
        break;
    case FIELD_NUMBER:
        append_text(line, number);
        break;
    case FIELD_WIDE:
        append_quoted(line, number);
        break;
    case FIELD_FLAG:
        append_text(line, field->number == 1 ? "true" : "false");
        break;
    }
    if (line->full) {
        line->used = before;
    }
}

static void append_member_text(struct line *line, const char *key, const char *text)
{
    append_member(line, &(struct notice_field){.key = key, .kind = FIELD_TEXT, .text = text});
}

/* RFC 3339, UTC, with milliseconds. */
static void print_time(int64_t wall_ms, char out[32])
{
    const time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;
    char date[24] = "";

    if (gmtime_r(&seconds, &parts) != NULL) {
        (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    }
    snprintf(out, 32, "%s.%03dZ", date, (int)(wall_ms % 1000));
}

/* --- Writing it ------------------------------------------------------------------------------ */

static bool write_line(struct log *log, struct line *line)
{
    if (log->sink != NULL) {
        line->text[line->used - 1] = '\0'; /* In place of its end. */
        log->sink(log->sink_context, line->text);
        return true;
    }

    struct pollfd ready = {.fd = log->fd, .events = POLLOUT};

    /* After a dropped line the next ones do not wait, until somebody reads again. */
    if (poll(&ready, 1, log->dropped > 0 ? 0 : LOG_WAIT_MS) <= 0 ||
        (ready.revents & POLLOUT) == 0) {
        return false;
    }
    return write(log->fd, line->text, line->used) >= 0;
}

/* The content of a line. */
struct entry {
    enum log_level level;
    int64_t wall_ms;
    const char *event;
    const char *message;
    const struct notice_fields *fields; /* NULL for none */
};

static void format_text(struct line *line, const struct entry *entry, const char *time)
{
    char start[64];

    if (*time != '\0') {
        snprintf(start, sizeof start, "%s %-5s ", time, level_text(entry->level));
        append_text(line, start);
    }
    append_text(line, entry->event);
    append_text(line, ": ");
    append_plain(line, entry->message);
}

static void format_json(const struct log *log, struct line *line, const struct entry *entry,
                        const char *time)
{
    append_text(line, "{");
    append_member_text(line, "time", time);
    append_member_text(line, "level", level_text(entry->level));
    append_member_text(line, "node", log->node);
    append_member_text(line, "event", entry->event);
    append_member_text(line, "message", entry->message);
    for (size_t i = 0; entry->fields != NULL && i < entry->fields->count; i++) {
        append_member(line, &entry->fields->items[i]);
    }
    line->text[line->used++] = '}'; /* There is always room for the end of the line. */
}

static bool emit(struct log *log, const struct entry *entry)
{
    struct line line = {.used = 0};
    char time[32] = "";

    if (log->journal) {
        append_text(&line, priority_text(entry->level));
    }
    if (log->json || !log->journal) {
        print_time(entry->wall_ms, time);
    }
    if (log->json) {
        format_json(log, &line, entry, time);
    } else {
        format_text(&line, entry, time);
    }
    line.text[line.used++] = '\n';
    return write_line(log, &line);
}

static void count_dropped(struct log *log)
{
    log->dropped++;
    log->dropped_ever++;
}

/* May this second have another line? */
static bool is_within_rate(struct log *log, enum log_level level)
{
    const uint64_t now_ms = clock_ms();
    const uint32_t lines_max = (level == LOG_ERROR ? 2U : 1U) * LOG_LINES_PER_SECOND;

    if (now_ms >= log->second_ms + MS_PER_S) {
        log->second_ms = now_ms;
        log->second_lines = 0;
    }
    if (log->second_lines >= lines_max) {
        log->left_out++;
        log->left_out_ever++;
        return false;
    }
    log->second_lines++;
    return true;
}

/* Writes the number of lines that are not there, in front of the entry. */
static bool emit_count(struct log *log, const struct entry *entry, const char *key, uint64_t count,
                       const char *why)
{
    char message[96];

    snprintf(message, sizeof message, "%s=%llu because %s", key, (unsigned long long)count, why);
    return emit(
        log, &(struct entry){
                 .level = LOG_WARN, .wall_ms = entry->wall_ms, .event = "log", .message = message});
}

/* Writes the entry, and in front of it the number of lost lines, if there are any. */
static void log_entry(struct log *log, const struct entry *entry)
{
    if (!is_within_rate(log, entry->level)) {
        return;
    }
    if (log->dropped > 0) {
        if (!emit_count(log, entry, "lines_dropped", log->dropped, "nobody read them")) {
            count_dropped(log);
            return;
        }
        log->dropped = 0;
    }
    if (log->left_out > 0) {
        if (!emit_count(log, entry, "lines_left_out", log->left_out,
                        "there were too many within a second")) {
            count_dropped(log);
            return;
        }
        log->left_out = 0;
    }
    if (!emit(log, entry)) {
        count_dropped(log);
    }
}

static int64_t wall_ms(void)
{
    struct timespec now = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void log_line(struct log *log, enum log_level level, const char *event, const char *format, ...)
{
    char message[LOG_MESSAGE_MAX];
    va_list arguments;

    if (!log_on(log, level)) {
        return;
    }
    va_start(arguments, format);
    const int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof message) {
        memcpy(message + sizeof message - 4, "...", 4);
    }
    log_entry(log, &(struct entry){
                       .level = level, .wall_ms = wall_ms(), .event = event, .message = message});
}

/* --- Notices --------------------------------------------------------------------------------- */

static enum log_level level_of(enum notice_type type)
{
    switch (type) {
    case NOTICE_PHASE:
    case NOTICE_VIEW:
    case NOTICE_COORDINATOR:
    case NOTICE_SUSPECT:
    case NOTICE_CLEARED:
    case NOTICE_AUTOPILOT:
    case NOTICE_CLAIM:
    case NOTICE_GUARD:
    case NOTICE_ACTING:
    case NOTICE_BAD_LINK:
    case NOTICE_MERGE:
    case NOTICE_MERGING:
    case NOTICE_LEADER:
    case NOTICE_PARTITIONS:
    case NOTICE_OWNERS:
    case NOTICE_TAGS:
    case NOTICE_DRAINED:
    case NOTICE_FORGOTTEN:
        return LOG_INFO;
    case NOTICE_JOIN_REFUSED:
    case NOTICE_LATE:
    case NOTICE_MISMATCH:
    case NOTICE_SPLIT:
    case NOTICE_OTHER_TERMS:
    case NOTICE_OLD_RECORD:
        return LOG_WARN;
    case NOTICE_JOINED: /* The line of the view has these. */
    case NOTICE_GONE:
    case NOTICE_ADDRESS:     /* A line with the remedy came before it. */
    case NOTICE_TURNED_AWAY: /* A stranger may ask as often as it likes. */
        return LOG_DEBUG;
    }
    return LOG_DEBUG;
}

void log_notice(struct log *log, const struct journal_entry *entry)
{
    const enum notice_type type = entry->notice.type;
    enum log_level level = level_of(type);
    struct notice_fields fields;
    char message[NOTICE_TEXT_MAX];

    if (!log_on(log, level)) {
        return;
    }
    notice_fields(entry, &fields);
    notice_text(entry, &fields, message);
    if (type == NOTICE_JOIN_REFUSED) {
        /* A joiner asks again and again; the same answer is news only once. */
        const uint64_t refusal = hash_bytes(HASH_START, message, strlen(message));
        level = refusal == log->last_refusal ? LOG_DEBUG : level;
        log->last_refusal = refusal;
        if (!log_on(log, level)) {
            return;
        }
    }
    log_entry(log, &(struct entry){.level = level,
                                   .wall_ms = entry->wall_ms,
                                   .event = notice_event(type),
                                   .message = message,
                                   .fields = &fields});
}

/* --- Refusals -------------------------------------------------------------------------------- */

void log_refused(struct log *log, const struct refused_message *refused, const char *sender,
                 uint64_t left_out)
{
    const struct notice_fields fields = {
        .count = 6,
        .items = {
            {.key = "rule", .kind = FIELD_TEXT, .text = refusal_clause(refused->reason)},
            {.key = "reason", .kind = FIELD_TEXT, .text = refusal_name(refused->reason)},
            {.key = "type", .kind = FIELD_TEXT, .text = message_text(refused->type)},
            {.key = "from", .kind = FIELD_TEXT, .text = sender},
            {.key = "number", .kind = FIELD_WIDE, .number = refused->number},
            {.key = "left_out", .kind = FIELD_NUMBER, .number = left_out},
        }};
    char message[REFUSED_TEXT_MAX + 64];
    size_t length = strlen(refused_text(refused, sender, message));

    if (left_out > 0) {
        snprintf(message + length, sizeof message - length, " (%llu before it are not told)",
                 (unsigned long long)left_out);
    }
    log_entry(log, &(struct entry){.level = LOG_DEBUG,
                                   .wall_ms = wall_ms(),
                                   .event = "refused",
                                   .message = message,
                                   .fields = &fields});
}

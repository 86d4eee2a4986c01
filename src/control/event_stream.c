#include "control/event_stream.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "control/entry.h"
#include "control/words.h"
#include "words/notice_text.h"

void event_texts_deinit(struct event_texts *event_texts)
{
    for (unsigned i = 0; i < EVENT_TEXTS_MAX; i++) {
        sheet_deinit(&event_texts->texts[i]);
    }
    *event_texts = (struct event_texts){0};
}

void event_stream_start(struct event_stream *stream)
{
    *stream = (struct event_stream){.snapshot_due = true};
}

void event_stream_resume(struct event_stream *stream, const struct journal *journal, uint64_t since)
{
    const uint64_t newest = journal_cursor(journal);

    *stream = (struct event_stream){.next = since + 1, .since = since};
    if (since != newest && (since > newest || journal_get(journal, since + 1) == NULL)) {
        stream->gap_due = true;
    }
}

void event_stream_deinit(struct event_stream *stream)
{
    document_release(stream->snapshot);
    sheet_deinit(&stream->text);
    *stream = (struct event_stream){0};
}

void event_stream_beat(struct event_stream *stream)
{
    stream->beat_due = true;
}

bool cursor_parse(const char *text, uint64_t *cursor)
{
    uint64_t value = 0;

    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || value > (UINT64_MAX - 9) / 10) {
            return false;
        }
        value = 10 * value + (uint64_t)(*text - '0');
    }
    *cursor = value;
    return true;
}

/* The event's text, rendered at most once for all watchers while it is recent. */
static const struct sheet *event_text(const struct journal_entry *entry,
                                      const struct event_source *source)
{
    const size_t slot = entry->cursor % EVENT_TEXTS_MAX;
    struct sheet *text = &source->event_texts->texts[slot];

    if (source->event_texts->cursors[slot] != entry->cursor) {
        sheet_clear(text);
        sheet_format(text, "id: %" PRIu64 "\nevent: %s\ndata: ", entry->cursor,
                     notice_event(entry->notice.type));
        sheet_json(text, entry_json(entry));
        sheet_text(text, "\n\n");
        source->event_texts->cursors[slot] = text->failed ? 0 : entry->cursor;
    }
    return text;
}

/* What is known of a gap: between which cursors, and why. The snapshot after it has the rest. */
static void event_stream_tell_gap(struct event_stream *stream, const struct journal *journal)
{
    const uint64_t newest = journal_cursor(journal);
    const bool other_life = stream->since > newest;

    sheet_format(&stream->text,
                 "event: gap\ndata: {\"kind\":\"gap\",\"since\":\"%" PRIu64
                 "\",\"cursor\":\"%" PRIu64 "\",\"reason\":\"%s\",\"text\":\"%s\"}\n\n",
                 stream->since, newest, other_life ? "unknown" : "overwritten",
                 other_life ? "this cursor was given by an earlier run of the daemon; a snapshot "
                              "follows"
                            : "events after this cursor are not kept any more; a snapshot follows");
    stream->gap_due = false;
    stream->snapshot_due = true;
}

static void event_stream_tell_snapshot(struct event_stream *stream,
                                       const struct event_source *source)
{
    const uint64_t cursor = journal_cursor(source->journal);

    stream->snapshot = source->snapshot(source->context);
    if (stream->snapshot == NULL) {
        stream->text.failed = true;
        return;
    }
    sheet_format(&stream->text, "id: %" PRIu64 "\nevent: snapshot\ndata: ", cursor);
    stream->snapshot_due = false;
    stream->snapshot_sent = 0;
    stream->next = cursor + 1;
}

/* Puts what comes next into `text` and `snapshot`, which have been sent. Returns false when
 * there is nothing to tell. */
static bool event_stream_produce(struct event_stream *stream, const struct event_source *source)
{
    sheet_clear(&stream->text);
    stream->text_sent = 0;

    if (stream->tail_due) {
        /* The document ends with a line feed of its own; this is the blank line. */
        sheet_text(&stream->text, "\n");
        stream->tail_due = false;
        return true;
    }
    if (!stream->gap_due && !stream->snapshot_due &&
        stream->next <= journal_cursor(source->journal)) {
        const struct journal_entry *entry = journal_get(source->journal, stream->next);
        if (entry != NULL) {
            const struct sheet *text = event_text(entry, source);
            sheet_bytes(&stream->text, text->bytes, text->length);
            stream->text.failed |= text->failed;
            stream->next++;
            return true;
        }
        /* Too slow: the ring has overtaken this watcher. */
        stream->since = stream->next - 1;
        stream->gap_due = true;
    }
    if (stream->gap_due) {
        event_stream_tell_gap(stream, source->journal);
        return true;
    }
    if (stream->snapshot_due) {
        event_stream_tell_snapshot(stream, source);
        return true;
    }
    if (stream->beat_due) {
        sheet_text(&stream->text, ": keep-alive\n\n");
        stream->beat_due = false;
        return true;
    }
    return false;
}

/* Copies what fits of `length` bytes of which `*sent` are gone already. */
static size_t copy_rest(char *to, size_t size, const char *from, size_t length, size_t *sent)
{
    const size_t rest = length - *sent;
    const size_t count = rest < size ? rest : size;

    if (count > 0) {
        memcpy(to, from + *sent, count);
        *sent += count;
    }
    return count;
}

size_t event_stream_read(struct event_stream *stream, const struct event_source *source, char *to,
                         size_t size, bool *broken)
{
    size_t written = 0;

    *broken = false;
    while (written < size) {
        written += copy_rest(to + written, size - written, stream->text.bytes, stream->text.length,
                             &stream->text_sent);
        if (stream->text_sent < stream->text.length) {
            break;
        }
        if (stream->snapshot != NULL) {
            written += copy_rest(to + written, size - written, stream->snapshot->text,
                                 stream->snapshot->length, &stream->snapshot_sent);
            if (stream->snapshot_sent < stream->snapshot->length) {
                break;
            }
            document_release(stream->snapshot);
            stream->snapshot = NULL;
            stream->tail_due = true;
        }
        if (!event_stream_produce(stream, source)) {
            break;
        }
        if (stream->text.failed) {
            *broken = true;
            break;
        }
    }
    return written;
}

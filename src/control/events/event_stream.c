#include "control/events/event_stream.h"

#include <assert.h>
#include <string.h>

#include "control/events/entry.h"
#include "words/notice_text.h"

void event_texts_deinit(struct event_texts *event_texts)
{
    for (unsigned i = 0; i < EVENT_TEXTS_MAX; i++) {
        text_builder_deinit(&event_texts->texts[i]);
    }
    *event_texts = (struct event_texts){0};
}

void event_stream_start(struct event_stream *stream)
{
    *stream = (struct event_stream){.snapshot_due = true};
}

/* Is the cursor one of this process? */
static bool is_own(const struct event_source *source, struct cursor cursor)
{
    return cursor.life == source->life && cursor.number <= journal_cursor(source->journal);
}

void event_stream_resume(struct event_stream *stream, const struct event_source *source,
                         struct cursor since)
{
    const bool is_newest = since.number == journal_cursor(source->journal);

    *stream = (struct event_stream){.next = since.number + 1, .since = since};
    stream->gap_due = !is_own(source, since) ||
                      (!is_newest && journal_get(source->journal, since.number + 1) == NULL);
}

void event_stream_deinit(struct event_stream *stream)
{
    document_release(stream->snapshot);
    text_builder_deinit(&stream->text);
    *stream = (struct event_stream){0};
}

void event_stream_queue_keepalive(struct event_stream *stream)
{
    stream->keepalive_due = true;
}

/* The newest event. */
static struct cursor newest_of(const struct event_source *source)
{
    return (struct cursor){.life = source->life, .number = journal_cursor(source->journal)};
}

/* The event's text, rendered at most once for all watchers while it is recent. */
static const struct text_builder *event_text(const struct journal_entry *entry,
                                             const struct event_source *source)
{
    const size_t slot = entry->cursor % EVENT_TEXTS_MAX;
    struct text_builder *text = &source->event_texts->texts[slot];

    if (source->event_texts->cursors[slot] != entry->cursor) {
        text_builder_clear(text);
        const struct cursor cursor = {.life = source->life, .number = entry->cursor};
        char id[CURSOR_TEXT_MAX];
        text_builder_format(text, "id: %s\nevent: %s\ndata: ", cursor_text(cursor, id),
                            notice_event(entry->notice.type));
        text_builder_add_json(text, entry_json(entry, source->life));
        text_builder_add(text, "\n\n");
        source->event_texts->cursors[slot] = text->failed ? 0 : entry->cursor;
    }
    return text;
}

/* Puts what is known of a gap: between which cursors it is, and why. The snapshot after it has the
 * rest. */
static void event_stream_put_gap(struct event_stream *stream, const struct event_source *source)
{
    const bool own = is_own(source, stream->since);
    char since[CURSOR_TEXT_MAX];
    char newest[CURSOR_TEXT_MAX];

    text_builder_format(
        &stream->text,
        "event: gap\ndata: {\"kind\":\"gap\",\"since\":\"%s\",\"cursor\":\"%s\","
        "\"reason\":\"%s\",\"text\":\"%s\"}\n\n",
        cursor_text(stream->since, since), cursor_text(newest_of(source), newest),
        own ? "overwritten" : "restarted",
        own ? "events after this cursor are not kept any more; a snapshot follows"
            : "the daemon was restarted, and what happened before is not known to it; a "
              "snapshot follows");
    stream->gap_due = false;
    stream->snapshot_due = true;
}

/* Puts the members document, with its kind in front of its first key. */
static void event_stream_put_snapshot(struct event_stream *stream,
                                      const struct event_source *source)
{
    const struct cursor newest = newest_of(source);
    char id[CURSOR_TEXT_MAX];

    stream->snapshot = source->snapshot(source->context);
    if (stream->snapshot == NULL) {
        stream->text.failed = true;
        return;
    }
    assert(stream->snapshot->length > 0 && stream->snapshot->text[0] == '{');
    text_builder_format(&stream->text, "id: %s\nevent: snapshot\ndata: {\"kind\":\"snapshot\",",
                        cursor_text(newest, id));
    stream->snapshot_due = false;
    stream->snapshot_sent = 1;
    stream->next = newest.number + 1;
}

/* Puts the next piece into `text` and `snapshot`, both of which have been sent. Returns false when
 * there is nothing to send. */
static bool event_stream_produce(struct event_stream *stream, const struct event_source *source)
{
    text_builder_clear(&stream->text);
    stream->text_sent = 0;

    if (stream->tail_due) {
        /* The document ends with a line feed of its own; this is the blank line. */
        text_builder_add(&stream->text, "\n");
        stream->tail_due = false;
        return true;
    }
    if (!stream->gap_due && !stream->snapshot_due &&
        stream->next <= journal_cursor(source->journal)) {
        const struct journal_entry *entry = journal_get(source->journal, stream->next);
        if (entry != NULL) {
            const struct text_builder *text = event_text(entry, source);
            text_builder_add_bytes(&stream->text, text->bytes, text->length);
            stream->text.failed |= text->failed;
            stream->next++;
            return true;
        }
        /* The watcher is too slow: the journal has overwritten its next entry. */
        stream->since = (struct cursor){.life = source->life, .number = stream->next - 1};
        stream->gap_due = true;
    }
    if (stream->gap_due) {
        event_stream_put_gap(stream, source);
        return true;
    }
    if (stream->snapshot_due) {
        event_stream_put_snapshot(stream, source);
        return true;
    }
    if (stream->keepalive_due) {
        text_builder_add(&stream->text, ": keep-alive\n\n");
        stream->keepalive_due = false;
        return true;
    }
    return false;
}

/* Copies as much as fits of the `length` bytes, `*sent` of which have been copied already. */
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

/* What one watcher of /v1/events reads: a snapshot, then the journal's entries as server-sent
 * events (WHATWG HTML, 9.2), without a gap or with the gap named. It pulls: at any time it holds
 * a cursor, the event being sent and a share of the snapshot being sent, so that a watcher that
 * reads slowly costs no more than one that keeps up. Knows nothing of HTTP. */
#ifndef CONTROL_EVENT_STREAM_H
#define CONTROL_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/document.h"
#include "control/sheet.h"
#include "words/journal.h"

enum { EVENT_TEXTS_MAX = 64 }; /* a batch of joins, so that watchers share the rendering of it */

/* The events last rendered, each for all the watchers. All zero is empty. */
struct event_texts {
    uint64_t cursors[EVENT_TEXTS_MAX]; /* by cursor modulo their number; 0: none */
    struct sheet texts[EVENT_TEXTS_MAX];
};

void event_texts_deinit(struct event_texts *event_texts);

/* Where streams get what they tell. The callback's result is a new share. */
struct event_source {
    struct journal *journal;
    struct event_texts *event_texts;
    struct document *(*snapshot)(void *context); /* as of the newest cursor; NULL: cannot now */
    void *context;
};

struct event_stream {
    uint64_t next;  /* cursor of the entry to tell next */
    uint64_t since; /* what the watcher knew before the gap */
    bool gap_due;
    bool snapshot_due;
    bool beat_due;
    bool tail_due;             /* the snapshot wants its blank line */
    struct document *snapshot; /* being sent, after `text` */
    size_t snapshot_sent;
    struct sheet text; /* being sent */
    size_t text_sent;
};

/* Begins with a snapshot. */
void event_stream_start(struct event_stream *stream);

/* Begins after `since`, the last cursor that the watcher saw; with a gap and a snapshot where
 * the journal does not reach back so far, or never was so far: the cursor is another life's. */
void event_stream_resume(struct event_stream *stream, const struct journal *journal,
                         uint64_t since);

void event_stream_deinit(struct event_stream *stream);

/* A comment is due, to tell a silent connection from a dead one. */
void event_stream_beat(struct event_stream *stream);

/* Writes up to `size` bytes and returns how many: 0 when there is nothing to tell. Sets
 * `*broken` when the stream cannot go on (no memory); the watcher may come back and resume. */
size_t event_stream_read(struct event_stream *stream, const struct event_source *source, char *to,
                         size_t size, bool *broken);

/* Reads a cursor as Last-Event-ID and ?since give it; false when it is not a number. */
bool cursor_parse(const char *text, uint64_t *cursor);

#endif

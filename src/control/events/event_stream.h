/* What one watcher of /v1/events reads: a snapshot, then the journal's entries as server-sent
 * events (WHATWG HTML, 9.2), without a gap or with the gap named. The stream pulls: it holds a
 * cursor, the event being sent and a share of the snapshot being sent, so that a slow watcher costs
 * no more than one that keeps up. It knows nothing of HTTP. */
#ifndef CONTROL_EVENT_STREAM_H
#define CONTROL_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/text/cursor.h"
#include "control/text/document.h"
#include "control/text/text_builder.h"
#include "words/journal.h"

enum {
    EVENT_TEXTS_MAX = 64
}; /* enough for a batch of joins, so that watchers share its rendering */

/* The events rendered last, each shared by all watchers. All zero is empty. */
struct event_texts {
    uint64_t cursors[EVENT_TEXTS_MAX]; /* by cursor modulo their number; 0: none */
    struct text_builder texts[EVENT_TEXTS_MAX];
};

void event_texts_deinit(struct event_texts *event_texts);

/* Where streams get their content. The callback returns a new share. */
struct event_source {
    struct journal *journal;
    uint32_t life; /* of this process, for its cursors */
    struct event_texts *event_texts;
    struct document *(*snapshot)(void *context); /* as of the newest cursor; NULL: cannot now */
    void *context;
};

struct event_stream {
    uint64_t next;       /* number of the next entry to send */
    struct cursor since; /* what the watcher knew before the gap */
    bool gap_due;
    bool snapshot_due;
    bool keepalive_due;
    bool tail_due;             /* the snapshot still needs its blank line */
    struct document *snapshot; /* being sent, after `text` */
    size_t snapshot_sent;
    struct text_builder text; /* being sent */
    size_t text_sent;
};

/* Begins a stream with a snapshot. */
void event_stream_start(struct event_stream *stream);

/* Begins after `since`, the last cursor that the watcher saw. If the journal does not reach back
 * that far, or the cursor is not of this process, the stream begins with a gap and a snapshot. */
void event_stream_resume(struct event_stream *stream, const struct event_source *source,
                         struct cursor since);

void event_stream_deinit(struct event_stream *stream);

/* Makes the stream send a comment, by which a silent connection can be told from a dead one. */
void event_stream_queue_keepalive(struct event_stream *stream);

/* Writes up to `size` bytes to `to` and returns how many: 0 when there is nothing to send. Sets
 * `*broken` when the stream cannot go on for lack of memory; the watcher may reconnect and resume.
 */
size_t event_stream_read(struct event_stream *stream, const struct event_source *source, char *to,
                         size_t size, bool *broken);

#endif

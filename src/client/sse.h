/* Parses server-sent events, which arrive in pieces of any size (WHATWG HTML, 9.2). Lines end with
 * LF or CRLF; doyend never sends a lone CR, which the standard also allows. */
#ifndef CLIENT_SSE_H
#define CLIENT_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "client/buffer.h"

/* One event; the texts are borrowed until the next call for the same reader. */
struct sse_event {
    const char *id;   /* the last one received, as the standard says; "" before the first */
    const char *name; /* "message" where the event gives none */
    const char *data; /* its lines, joined by LF */
};

/* All zero is a reader that has read nothing, with memory from malloc. */
struct sse_reader {
    struct buffer input;
    size_t at; /* bytes of the input that have been looked at */
    struct buffer id;
    struct buffer name;
    struct buffer data;
    bool has_data;
    bool dispatched; /* name and data belong to an event that was returned already */
    bool broken;
};

/* Copies the next bytes. Returns false when the stream exceeds every bound; the rest is ignored
 * then. */
bool sse_feed(struct sse_reader *reader, const void *bytes, size_t length);

/* Returns the next complete event, or false when more bytes are needed. An event without data is
 * ignored. */
bool sse_next(struct sse_reader *reader, struct sse_event *event);

/* Makes a reader whose memory comes from `memory`. */
void sse_init(struct sse_reader *reader, const struct allocator *memory);

void sse_deinit(struct sse_reader *reader);

#endif

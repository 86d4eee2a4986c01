/* Takes one HTTP/1.1 answer to pieces as it arrives. Only what doyend sends: no compression, no
 * trailers that matter, no interim answers. Touches no socket. */
#ifndef CLIENT_HTTP_H
#define CLIENT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/allocator.h"
#include "client/buffer.h"

enum http_result {
    HTTP_MORE, /* not whole yet */
    HTTP_WHOLE,
    HTTP_SENSELESS, /* no HTTP, or none that doyend sends */
    HTTP_STOPPED,   /* the sink took no more, or memory ran out */
};

/* Gets the body in pieces. `status` is that of the answer. Returns false to stop. */
typedef bool http_sink(void *context, int status, const char *bytes, size_t length);

enum http_place {
    HTTP_IN_HEAD,
    HTTP_IN_BODY,       /* of a known length, or up to the end of the connection */
    HTTP_IN_CHUNK_SIZE, /* its line */
    HTTP_IN_CHUNK,
    HTTP_IN_CHUNK_END, /* the line end behind it */
    HTTP_IN_TRAILER,
    HTTP_AT_END,
};

struct http {
    enum http_place place;
    int status; /* 0: the head is not there yet */
    bool chunked;
    bool has_length;
    uint64_t left;      /* bytes, of the body or the chunk */
    struct buffer line; /* the line that is not whole yet */
    size_t head_bytes;
};

void http_init(struct http *http, const struct allocator *memory);
void http_deinit(struct http *http);

/* Takes the next bytes. */
enum http_result http_feed(struct http *http, const char *bytes, size_t length, http_sink *sink,
                           void *context);

/* The connection is at its end. Returns HTTP_WHOLE if the answer may end here, else
 * HTTP_SENSELESS. */
enum http_result http_end(struct http *http);

#endif

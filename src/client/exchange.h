/* One request to a daemon and its answer, over a connection of its own that never blocks: whoever
 * drives it waits for the descriptor and calls exchange_advance. */
#ifndef CLIENT_EXCHANGE_H
#define CLIENT_EXCHANGE_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>

#include "client/allocator.h"
#include "client/buffer.h"
#include "client/http.h"
#include "client/problem.h"
#include "client/sse.h"
#include "client/target.h"

enum exchange_state {
    EXCHANGE_NONE,
    EXCHANGE_CONNECTING,
    EXCHANGE_SENDING,
    EXCHANGE_RECEIVING,
    EXCHANGE_DONE,   /* the answer is there, and it is no refusal */
    EXCHANGE_FAILED, /* `problem` says why */
};

struct exchange {
    enum exchange_state state;
    const struct allocator *memory;
    const struct target *target; /* borrowed */
    int fd;                      /* -1: none */
    struct addrinfo *addresses;  /* of a URL's host */
    struct addrinfo *next;       /* the one to try when this one fails */
    struct buffer request;
    size_t sent;
    size_t received; /* bytes, in all */
    struct http http;
    struct buffer body;        /* of an answer that is no stream */
    struct sse_reader *stream; /* borrowed; takes the body of a good answer; or NULL */
    struct problem problem;
};

/* What to ask. */
struct exchange_request {
    const char *method;
    const char *path;
    const char *header; /* one line more, without its end, or NULL */
    const char *body;   /* JSON, or NULL */
    struct sse_reader *stream;
};

/* Begins; with a URL the host's name is resolved meanwhile. The exchange was all zero or deinited.
 * The outcome is in its state. */
void exchange_begin(struct exchange *exchange, const struct target *target,
                    const struct exchange_request *request, const struct allocator *memory);

/* Gives everything back; harmless when repeated. */
void exchange_deinit(struct exchange *exchange);

/* Does what can be done now. */
void exchange_advance(struct exchange *exchange);

/* Is something to be waited for? */
bool exchange_is_running(const struct exchange *exchange);

/* What to poll the descriptor for. */
short exchange_events(const struct exchange *exchange);

/* It took longer than `timeout_ms`: ends as failed. */
void exchange_time_out(struct exchange *exchange, int timeout_ms);

/* Drives it until it has ended, for so long at the most. Returns 0, or the problem's code. */
int exchange_finish(struct exchange *exchange, int timeout_ms);

#endif

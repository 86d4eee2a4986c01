/* What a client consists of. Each part is written by its own module: the watch by watch.c, the
 * right to act by acting.c, the rest by client.c. */
#ifndef CLIENT_CLIENT_STATE_H
#define CLIENT_CLIENT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/allocator.h"
#include "client/exchange.h"
#include "client/problem.h"
#include "client/sse.h"
#include "client/target.h"
#include "doyen/client.h"
#include "doyen/lease.h"

enum {
    CLIENT_ANSWER_MS = 5000, /* within which an answer begins, where nobody says otherwise */
    CLIENT_TOKEN_MAX = 64,   /* bytes of a resume token; the daemon's have less than half of it */
};

/* An event that the daemon told and that was not handed on yet. */
struct told {
    struct told *next;
    char id[CLIENT_TOKEN_MAX]; /* "" where it has none that could be given back */
    const char *name;          /* this and the next stand behind the struct */
    const char *json;
};

struct watch {
    bool on;
    int result; /* of what ended it */
    unsigned flags;
    doyen_on_event *on_event;
    void *user;
    char resume[CLIENT_TOKEN_MAX]; /* of what was handed on last; "": a snapshot comes first */

    struct sse_reader sse;
    struct exchange stream;
    size_t received;         /* bytes of the stream when it was last looked at */
    bool answered;           /* this stream */
    uint64_t quiet_until_ms; /* without a byte until then the daemon counts as gone */

    struct exchange fetch; /* of the view */
    uint64_t fetch_until_ms;
    struct told *queue; /* waits for the view; oldest first */
    struct told *gap;   /* waits for its snapshot */
    size_t queued;
    size_t covered; /* so many of them had happened when the view was asked for */
    const struct doyen_view *view;

    bool told_away;
    bool pausing;
    uint64_t retry_ms; /* when the pause is over */
    unsigned pause_ms;
};

struct acting {
    int connection; /* on which the page was asked for; -1: none */
    struct doyen_lease lease;
    bool stop_asked;   /* the daemon waits for this client to stop */
    uint64_t retry_ms; /* not before then is it asked again */
};

struct doyen {
    struct allocator memory;
    void (*log)(void *user, const char *line);
    struct target_wish wish; /* its texts are the client's own */
    struct target target;
    bool found; /* the target */
    struct problem problem;
    struct watch watch;
    struct acting acting;
    int epoll;
    bool calling_back;
    bool closing; /* as soon as it is not */
};

/* Finds the daemon, unless that was done. Returns 0 or the problem's code. */
int client_find(struct doyen *d, struct problem *problem);

/* Makes a copy of the problem what doyen_error says, and returns its code. */
int client_fail(struct doyen *d, const struct problem *problem);

/* Asks and waits for the answer. On 0 `answer`, which may be NULL, gets its text, to be released
 * with the client's allocator. */
int client_ask(struct doyen *d, const struct exchange_request *request, int timeout_ms,
               char **answer, struct problem *problem);

/* Is it what a daemon may have given as a token, as far as one can tell? */
bool client_is_token(const char *text);

/* Writes "Last-Event-ID: TOKEN". */
enum { CLIENT_RESUME_MAX = CLIENT_TOKEN_MAX + 32 };
void client_resume_header(char out[CLIENT_RESUME_MAX], const char *token);

/* The watch, as part of the client: one step of it; when to step again at the latest; and its end.
 */
void watch_step(struct doyen *d);
uint64_t watch_deadline_ms(const struct doyen *d); /* UINT64_MAX: never */
void watch_clean(struct doyen *d);

void acting_clean(struct doyen *d);

#endif

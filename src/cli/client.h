/* Talks to one daemon: a request and its JSON answer, or the stream of events. Nothing here prints;
 * errors are returned in a struct failure. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/buffer.h"
#include "cli/failure.h"
#include "cli/sse.h"
#include "cli/target.h"

enum { REQUEST_TIMEOUT_MS = 5000 };

struct client;

/* Makes a client for `target`, which is copied. Returns NULL when memory ran out. */
struct client *client_new(const struct target *target);
void client_free(struct client *client);

/* The daemon's answer: its text, and the parsed document. */
struct answer {
    struct buffer text;
    json_t *json;
};
void answer_deinit(struct answer *answer);

/* Requests `path` ("/v1/members"). On EXIT_DONE `answer` is filled in and the caller has to deinit
 * it; otherwise it is empty and `failure` says why:
 *
 * EXIT_UNREACHABLE: nobody is there; EXIT_TIMED_OUT: no whole answer came within `timeout_ms`;
 * EXIT_GUARD: refused because the guard is not met; EXIT_REFUSED: refused otherwise, or the answer
 * makes no sense. */
enum exit_code client_get(struct client *client, const char *path, uint64_t timeout_ms,
                          struct answer *answer, struct failure *failure);

/* Does the same with POST. `body` is sent as JSON; NULL sends nothing. An empty answer is good too,
 * and leaves `answer->json` NULL. */
enum exit_code client_post(struct client *client, const char *path, const json_t *body,
                           uint64_t timeout_ms, struct answer *answer, struct failure *failure);

/* Returns `text` escaped for a query, to be freed with curl_free; NULL when memory ran out. */
char *client_escape(struct client *client, const char *text);

/* A stream of the daemon's events. */
struct feed;

/* Begins to connect. `since` is the cursor to resume after, or NULL. `client` must outlive the
 * feed. Returns NULL when memory ran out. */
struct feed *feed_open(struct client *client, const char *since);
void feed_close(struct feed *feed);

/* Watches the reader of `fd`, to which the caller writes what it makes of the events: if the reader
 * goes away, the stream ends, even if there are no events for hours. */
void feed_watch_reader(struct feed *feed, int fd);

enum feed_result {
    FEED_EVENT,   /* `event` is filled in, borrowed until the next call */
    FEED_WAITING, /* the deadline passed without one */
    FEED_ENDED,   /* nothing more will come; feed_failure says why */
    FEED_UNREAD,  /* the reader of feed_watch_reader's descriptor has gone */
};
enum feed_result feed_next(struct feed *feed, uint64_t deadline_ms, struct sse_event *event);

/* Has the daemon begun to answer? */
bool feed_is_answered(const struct feed *feed);

/* Returns why the feed ended; EXIT_UNREACHABLE when the daemon went away. */
const struct failure *feed_failure(const struct feed *feed);

#endif

/* Talks to one daemon: a request and its JSON answer, or the stream of events. Nothing here
 * prints; what went wrong is told in a struct failure. */
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

/* `target` is copied. NULL: no memory. */
struct client *client_new(const struct target *target);
void client_free(struct client *client);

/* What the daemon answered: the text as it came, and what it says. */
struct answer {
    struct buffer text;
    json_t *json;
};
void answer_deinit(struct answer *answer);

/* Asks for `path` ("/v1/members"). On EXIT_DONE `answer` is filled in and the caller's to deinit;
 * else it is empty and `failure` says why:
 *   EXIT_UNREACHABLE  nobody there;
 *   EXIT_TIMED_OUT    somebody there, but no whole answer within `timeout_ms`;
 *   EXIT_GUARD        refused because the guard is not met;
 *   EXIT_REFUSED      refused otherwise, or the answer makes no sense. */
enum exit_code client_get(struct client *client, const char *path, uint64_t timeout_ms,
                          struct answer *answer, struct failure *failure);

/* The same with POST; `body` is sent as JSON, or nothing is when it is NULL. An empty answer is
 * good too, and leaves `answer->json` NULL. */
enum exit_code client_post(struct client *client, const char *path, const json_t *body,
                           uint64_t timeout_ms, struct answer *answer, struct failure *failure);

/* `text` made fit for a query, to be freed with curl_free; NULL: no memory. */
char *client_escape(struct client *client, const char *text);

/* The daemon's events, read one after the other. */
struct feed;

/* Begins to connect. `since` is the cursor to resume after, or NULL. `client` must outlive the
 * feed. NULL: no memory. */
struct feed *feed_open(struct client *client, const char *since);
void feed_close(struct feed *feed);

enum feed_result {
    FEED_EVENT,   /* `event` is filled in, borrowed until the next call */
    FEED_WAITING, /* the deadline passed without one */
    FEED_ENDED,   /* nothing more will come; feed_failure says why */
};
enum feed_result feed_next(struct feed *feed, uint64_t deadline_ms, struct sse_event *event);

/* Has the daemon begun to answer? */
bool feed_is_answered(const struct feed *feed);

/* Why it ended; EXIT_UNREACHABLE when the daemon went away. */
const struct failure *feed_failure(const struct feed *feed);

#endif

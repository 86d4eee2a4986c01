/* The daemon as the verbs ask it: libdoyen's client, with its errors as exit codes and its answers
 * as JSON. Nothing here prints. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include <jansson.h>
#include <stdint.h>

#include "cli/request/failure.h"
#include "doyen/client.h"

enum { REQUEST_TIMEOUT_MS = 5000 };

/* The daemon's answer: its text, and the parsed document. */
struct answer {
    struct doyen *client; /* whose memory the text is */
    char *text;
    json_t *json;
};
void answer_deinit(struct answer *answer);

/* Requests `path` ("/v1/members"). On EXIT_DONE `answer` is filled in and the caller has to deinit
 * it; otherwise it is empty and `failure` says why:
 *
 * EXIT_UNREACHABLE: nobody is there; EXIT_TIMED_OUT: no whole answer came within `timeout_ms`;
 * EXIT_GUARD: refused because the guard is not met; EXIT_USAGE: which daemon is meant is not clear;
 * EXIT_REFUSED: refused otherwise, or the answer makes no sense. */
enum exit_code client_get(struct doyen *client, const char *path, uint64_t timeout_ms,
                          struct answer *answer, struct failure *failure);

/* Does the same with POST. `body` is sent as JSON; NULL sends nothing. An empty answer is good too,
 * and leaves `answer->json` NULL. */
enum exit_code client_post(struct doyen *client, const char *path, const json_t *body,
                           uint64_t timeout_ms, struct answer *answer, struct failure *failure);

/* Turns what a function of the library returned, which is not 0, into a failure. */
enum exit_code client_failure(const struct doyen *client, int error, struct failure *failure);

/* Returns `text` escaped for a query, to be freed; NULL when memory ran out. */
char *client_escape(const char *text);

#endif

/* What a request gets: a status and a response, JSON or a problem (RFC 9457). */
#ifndef CONTROL_ANSWER_H
#define CONTROL_ANSWER_H

#include <jansson.h>
#include <microhttpd.h>

#include "control/document.h"

/* `response` NULL: memory ran out, and the connection is closed without an answer. */
struct answer {
    unsigned status;
    struct MHD_Response *response; /* owned */
};

/* Takes `value` over; NULL counts as memory that ran out. */
struct answer answer_json(unsigned status, json_t *value);

/* Takes one share of `document`, and gives the cursor in the header X-Doyen-Cursor. */
struct answer answer_document(struct document *document, uint64_t cursor);

/* A problem: `title` is the same for all of its kind, the detail says what it is this time, `hint`
 * how to mend it. */
struct answer answer_problem(unsigned status, const char *title, const char *hint,
                             const char *detail, ...) __attribute__((format(printf, 4, 5)));

/* 409: the guard is not met. For requests that ask for something only enough members may do. */
struct answer answer_guard_refused(uint32_t fresh, uint32_t needed);

#endif

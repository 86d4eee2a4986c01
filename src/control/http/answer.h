/* The answer to a request: a status and a response, either JSON or a problem (RFC 9457). */
#ifndef CONTROL_ANSWER_H
#define CONTROL_ANSWER_H

#include <jansson.h>
#include <microhttpd.h>

#include "control/text/cursor.h"
#include "control/text/document.h"
#include "control/text/text_builder.h"

/* A `response` of NULL says that there was no memory even for that: the connection is closed. */
struct answer {
    unsigned status;
    struct MHD_Response *response; /* owned */
};

/* Makes an answer of `value` and releases it. NULL says that there was no memory for it, which is
 * the problem "busy". */
struct answer answer_json(unsigned status, json_t *value);

/* Makes an answer of `document` and releases the caller's share of it with the answer. The header
 * X-Doyen-Cursor gives the cursor. */
struct answer answer_document(struct document *document, struct cursor cursor);

/* Makes an answer of the text and frees it; one that failed counts as memory that ran out. `type`
 * is its Content-Type. */
struct answer answer_text(unsigned status, struct text_builder *text, const char *type);

/* Makes a problem. `title` is the same for all problems of a kind, the detail says what is wrong
 * this time, and `hint` how to mend it. */
struct answer answer_problem(unsigned status, const char *title, const char *hint,
                             const char *detail, ...) __attribute__((format(printf, 4, 5)));

/* Makes the problem "busy": the client may ask again in a moment. `detail` says what there is too
 * much of. */
struct answer answer_busy(const char *detail);

#endif

/* The page that people open in a browser: the members as a table of HTML, which needs no script.
 * Scripts of src/page put a live view in its place. */
#ifndef CONTROL_PAGE_H
#define CONTROL_PAGE_H

#include "control/answer.h"
#include "control/facts.h"

/* What a browser lets the page do: nothing but fetch from this daemon. */
#define PAGE_POLICY                                                                                \
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "            \
    "object-src 'none'"

/* The page as of `facts`. */
struct answer page_answer(const struct facts *facts);

#endif

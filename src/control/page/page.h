/* The page that people open in a browser: the members as a table of HTML, which needs no script.
 * Scripts of src/page put a live view in its place. */
#ifndef CONTROL_PAGE_H
#define CONTROL_PAGE_H

#include "control/facts/facts.h"
#include "control/http/answer.h"
#include "control/text/text_builder.h"
#include "words/whole.h"

/* What a browser lets the page do: nothing but fetch from this daemon. */
#define PAGE_POLICY                                                                                \
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "            \
    "object-src 'none'"

/* More would make a page that no browser likes, and that many slow readers could fill the memory
 * with. The oldest are shown. */
enum { PAGE_MEMBERS_MAX = 500 };

/* Appends the page as of `facts`, which are of `wall_ms`, Unix time. */
void page_write(const struct facts *facts, const struct whole *whole, int64_t wall_ms,
                struct text_builder *html);

/* The same as an answer. */
struct answer page_answer(const struct facts *facts, const struct whole *whole, int64_t wall_ms);

#endif

/* Text as HTML. What other nodes say of themselves, such as their tags, may be anything. */
#ifndef CONTROL_HTML_H
#define CONTROL_HTML_H

#include <stddef.h>

#include "control/text/text_builder.h"

/* Appends `length` bytes as text that may stand in an element or in a quoted attribute: what means
 * something to HTML is escaped, and bytes that are not UTF-8, as well as control characters, become
 * "?". */
void html_add_text(struct text_builder *html, const char *text, size_t length);

/* The same of a text that ends with a zero. */
void html_add_word(struct text_builder *html, const char *word);

#endif

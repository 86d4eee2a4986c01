#include "control/text/html.h"

#include <string.h>

#include "base/utf8.h"

/* Returns what stands for the character in HTML, or NULL where it stands for itself. */
static const char *escape_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_add_text(struct text_builder *html, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *escape = escape_of(text[at]);
        const size_t bytes = utf8_character_bytes(text + at, length - at);

        if (escape != NULL) {
            text_builder_add(html, escape);
        } else if (bytes == 0 || !utf8_is_printable(text + at, bytes)) {
            text_builder_add(html, "?");
        } else {
            text_builder_add_bytes(html, text + at, bytes);
        }
        at += bytes == 0 ? 1 : bytes;
    }
}

void html_add_word(struct text_builder *html, const char *word)
{
    html_add_text(html, word, strlen(word));
}

#include "words/tags_text.h"

void tags_text(const struct tags *tags, char out[TAGS_TEXT_MAX])
{
    const size_t end = tags->length == 0 ? 0 : (size_t)tags->length - 1;

    for (size_t i = 0; i < end; i++) {
        out[i] = tags->text[i];
        if (out[i] == '\0') {
            out[i] = ',';
        }
    }
    out[end] = '\0';
}

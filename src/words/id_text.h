/* A node's id as text: 32 hexadecimal digits. */
#ifndef WORDS_ID_TEXT_H
#define WORDS_ID_TEXT_H

#include "core/model/id.h"

enum { ID_TEXT_MAX = 33 }; /* with the terminating zero */

/* Writes the id into `text` and returns it. */
static inline const char *id_text(const struct node_id *id, char text[ID_TEXT_MAX])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < sizeof id->bytes; i++) {
        text[2 * i] = digits[id->bytes[i] >> 4];
        text[2 * i + 1] = digits[id->bytes[i] & 15];
    }
    text[ID_TEXT_MAX - 1] = '\0';
    return text;
}

#endif

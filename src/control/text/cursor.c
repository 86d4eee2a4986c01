#include "control/text/cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *cursor_text(struct cursor cursor, char text[CURSOR_TEXT_MAX])
{
    snprintf(text, CURSOR_TEXT_MAX, "%08" PRIx32 "-%" PRIu64, cursor.life, cursor.number);
    return text;
}

bool cursor_parse(const char *text, struct cursor *cursor)
{
    char same[CURSOR_TEXT_MAX];
    struct cursor read;

    if (strlen(text) >= CURSOR_TEXT_MAX || strspn(text, "0123456789abcdef") != 8 ||
        text[8] != '-') {
        return false;
    }
    read.life = (uint32_t)strtoul(text, NULL, 16);
    read.number = strtoull(text + 9, NULL, 10);
    if (!text_equal(cursor_text(read, same), text)) {
        return false; /* Signs, leading zeros, too large, or more behind it. */
    }
    *cursor = read;
    return true;
}

#include "base/utf8.h"

#include <stdint.h>

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* How many bytes the first one announces; 0 when no character begins with it. */
static size_t announced(uint8_t first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first <= 0xdf) {
        return 2;
    }
    if (first >= 0xe0 && first <= 0xef) {
        return 3;
    }
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

size_t utf8_character_bytes(const char *text, size_t length)
{
    const uint8_t first = (uint8_t)text[0];
    const size_t bytes = announced(first);

    if (bytes == 0 || bytes > length) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if (!is_continuation((uint8_t)text[i])) {
            return 0;
        }
    }

    /* The second byte tells the overlong forms, the surrogates and what lies beyond the end. */
    const uint8_t second = bytes > 1 ? (uint8_t)text[1] : 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
        return 0;
    }
    return bytes;
}

/* U+0080 to U+009F are control characters, too, which some terminals obey: U+009B begins what
 * escape and a bracket begin. */
static bool is_c1(const char *text, size_t bytes)
{
    return bytes == 2 && (uint8_t)text[0] == 0xc2 && (uint8_t)text[1] < 0xa0;
}

bool utf8_is_printable(const char *text, size_t length)
{
    while (length > 0) {
        const size_t bytes = utf8_character_bytes(text, length);
        if (bytes == 0 || (uint8_t)*text < ' ' || *text == 0x7f || is_c1(text, bytes)) {
            return false;
        }
        text += bytes;
        length -= bytes;
    }
    return true;
}

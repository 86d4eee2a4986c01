#include "base/text.h"

#include <string.h>

bool text_set(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size) {
        to[0] = '\0';
        return false;
    }
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

size_t text_length(const char *text, size_t size)
{
    const char *end = memchr(text, '\0', size);
    return end == NULL ? size : (size_t)(end - text);
}

bool text_equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

bool text_is_number(const char *text)
{
    const char *at = text;

    while (at != NULL && *at >= '0' && *at <= '9') {
        at++;
    }
    return at != text && *at == '\0';
}

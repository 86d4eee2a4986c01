#include "control/resources/unescape.h"

/* 0 to 15; -1: no hexadecimal digit. */
static int digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t unescape_text(char *text)
{
    const char *from = text;
    char *to = text;

    while (*from != '\0') {
        const int high = from[0] == '%' ? digit(from[1]) : -1;
        const int low = high < 0 ? -1 : digit(from[2]);
        const int byte = low < 0 ? 0 : high * 16 + low;

        if (byte == 0) {
            *to++ = *from++;
        } else {
            *to++ = (char)byte;
            from += 3;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

#include "words/span_text.h"

#include <inttypes.h>
#include <stdio.h>

enum { MS_PER_S = 1000, S_PER_MIN = 60, S_PER_HOUR = 3600, S_PER_DAY = 86400 };

const char *span_text(uint64_t ms, char text[SPAN_TEXT_MAX])
{
    const uint64_t s = ms / MS_PER_S;

    if (s == 0) {
        snprintf(text, SPAN_TEXT_MAX, "%" PRIu64 " ms", ms);
    } else if (s < S_PER_MIN) {
        snprintf(text, SPAN_TEXT_MAX, "%" PRIu64 ".%" PRIu64 " s", s, ms % MS_PER_S / 100);
    } else if (s < S_PER_HOUR) {
        snprintf(text, SPAN_TEXT_MAX, "%" PRIu64 " min", s / S_PER_MIN);
    } else if (s < S_PER_DAY) {
        snprintf(text, SPAN_TEXT_MAX, "%" PRIu64 " h", s / S_PER_HOUR);
    } else {
        snprintf(text, SPAN_TEXT_MAX, "%" PRIu64 " d", s / S_PER_DAY);
    }
    return text;
}

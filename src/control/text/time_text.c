#include "control/text/time_text.h"

#include <stdio.h>
#include <time.h>

const char *time_text(int64_t wall_ms, char text[TIME_TEXT_MAX])
{
    const time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;

    if (wall_ms < 0 || gmtime_r(&seconds, &parts) == NULL) {
        text[0] = '\0';
        return text;
    }
    const size_t length = strftime(text, TIME_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, TIME_TEXT_MAX - length, ".%03dZ", (int)(wall_ms % 1000));
    return text;
}

#include "cli/print/duration.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    SECOND_MS = 1000,
    MINUTE_MS = 60 * SECOND_MS,
    HOUR_MS = 60 * MINUTE_MS,
    DAY_MS = 24 * HOUR_MS,
};

#define YEAR_MS (UINT64_C(365) * DAY_MS)

struct unit {
    const char *text;
    uint64_t milliseconds;
};

bool duration_parse(const char *text, uint64_t *milliseconds)
{
    static const struct unit units[] = {
        {"ms", 1}, {"s", SECOND_MS}, {"m", MINUTE_MS}, {"h", HOUR_MS}};
    uint64_t number = 0;

    if (!isdigit((unsigned char)*text)) {
        return false;
    }
    for (; isdigit((unsigned char)*text); text++) {
        number = number * 10 + (uint64_t)(*text - '0');
        if (number > YEAR_MS) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text, units[i].text) == 0) {
            *milliseconds = number * units[i].milliseconds;
            return *milliseconds <= YEAR_MS;
        }
    }
    return false;
}

static void two_units(char text[DURATION_TEXT_MAX], uint64_t large, const char *large_unit,
                      uint64_t small, const char *small_unit)
{
    if (small == 0) {
        snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 " %s", large, large_unit);
        return;
    }
    snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 " %s %" PRIu64 " %s", large, large_unit, small,
             small_unit);
}

void duration_text(char text[DURATION_TEXT_MAX], uint64_t milliseconds)
{
    if (milliseconds < SECOND_MS) {
        snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 " ms", milliseconds);
    } else if (milliseconds < MINUTE_MS) {
        snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 ".%" PRIu64 " s", milliseconds / SECOND_MS,
                 milliseconds % SECOND_MS / 100);
    } else if (milliseconds < HOUR_MS) {
        two_units(text, milliseconds / MINUTE_MS, "min", milliseconds % MINUTE_MS / SECOND_MS, "s");
    } else if (milliseconds < DAY_MS) {
        two_units(text, milliseconds / HOUR_MS, "h", milliseconds % HOUR_MS / MINUTE_MS, "min");
    } else {
        two_units(text, milliseconds / DAY_MS, "d", milliseconds % DAY_MS / HOUR_MS, "h");
    }
}

void duration_typed(char text[DURATION_TEXT_MAX], uint64_t milliseconds)
{
    static const struct unit units[] = {{"h", HOUR_MS}, {"m", MINUTE_MS}, {"s", SECOND_MS}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (milliseconds != 0 && milliseconds % units[i].milliseconds == 0) {
            snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 "%s", milliseconds / units[i].milliseconds,
                     units[i].text);
            return;
        }
    }
    snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 "ms", milliseconds);
}

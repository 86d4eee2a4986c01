#include "cli/print/duration_option.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/print/duration.h"
#include "cli/request/cli.h"

/* As it is typed: "500ms", "5s", "8760h". */
static void typed(char text[DURATION_TEXT_MAX], uint64_t milliseconds)
{
    static const struct {
        const char *unit;
        uint64_t milliseconds;
    } units[] = {{"h", 3600000}, {"m", 60000}, {"s", 1000}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (milliseconds != 0 && milliseconds % units[i].milliseconds == 0) {
            snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 "%s", milliseconds / units[i].milliseconds,
                     units[i].unit);
            return;
        }
    }
    snprintf(text, DURATION_TEXT_MAX, "%" PRIu64 "ms", milliseconds);
}

uint64_t duration_option(const struct argp_state *state, const char *option, const char *text,
                         uint64_t least_ms, uint64_t most_ms)
{
    uint64_t milliseconds = 0;
    char least[DURATION_TEXT_MAX];
    char most[DURATION_TEXT_MAX];

    if (!duration_parse(text, &milliseconds) || milliseconds < least_ms || milliseconds > most_ms) {
        typed(least, least_ms);
        typed(most, most_ms);
        cli_usage_error(state,
                        "%s %.80s: give a duration from %s to %s: a whole number and its unit, "
                        "ms, s, m or h",
                        option, text, least, most);
    }
    return milliseconds;
}

uint64_t duration_timeout(const struct argp_state *state, const char *text)
{
    return duration_option(state, "--timeout", text, 1, DURATION_MS_MAX);
}

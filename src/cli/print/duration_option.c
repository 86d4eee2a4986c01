#include "cli/print/duration_option.h"

#include "cli/print/duration.h"
#include "cli/request/cli.h"

uint64_t duration_option(const struct argp_state *state, const char *option, const char *text,
                         uint64_t least_ms, uint64_t most_ms)
{
    uint64_t milliseconds = 0;
    char least[DURATION_TEXT_MAX];
    char most[DURATION_TEXT_MAX];

    if (!duration_parse(text, &milliseconds) || milliseconds < least_ms || milliseconds > most_ms) {
        duration_typed(least, least_ms);
        duration_typed(most, most_ms);
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

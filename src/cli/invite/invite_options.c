#include "cli/invite/invite_options.h"

#include <stdlib.h>
#include <string.h>

static unsigned read_number(const char *option, const char *text, unsigned least, unsigned most,
                            struct argp_state *state)
{
    const size_t length = strlen(text);
    const unsigned long value = length <= 5 ? strtoul(text, NULL, 10) : most + 1UL;

    if (length == 0 || strspn(text, "0123456789") != length || value < least || value > most) {
        cli_usage_error(state, "%s %s: give a number from %u to %u", option, text, least, most);
    }
    return (unsigned)value;
}

error_t invite_options_parse(struct sponsor_options *options, unsigned least, int key,
                             const char *argument, struct argp_state *state)
{
    switch (key) {
    case 'k':
        options->count = read_number("--count", argument, least, SPONSOR_WORDS_MAX, state);
        return 0;
    case 'p':
        options->port = (uint16_t)read_number("--port", argument, 0, UINT16_MAX, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

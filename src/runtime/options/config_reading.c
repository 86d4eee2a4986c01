#include "runtime/options/config_reading.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/options/options.h"
#include "usage/line.h"

/* Replaces keys and control characters, because what a user typed may be quoted in a line. */
static void clean(char *text)
{
    line_hide_keys(text);
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            *c = '?';
        }
    }
}

bool reading_refuse(struct reading *reading, int exit_code, const char *format, ...)
{
    struct config_outcome *outcome = reading->outcome;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(outcome->message, sizeof outcome->message, format, arguments);
    va_end(arguments);
    clean(outcome->message);
    reading->refused = true;
    outcome->action = CONFIG_REFUSED;
    outcome->exit_code = exit_code;
    return false;
}

void reading_warn(struct reading *reading, const char *event, const char *format, ...)
{
    struct config_outcome *outcome = reading->outcome;
    va_list arguments;

    if (outcome->warning_count == CONFIG_WARNINGS_MAX) {
        return;
    }
    struct config_warning *warning = &outcome->warnings[outcome->warning_count++];
    warning->event = event;
    va_start(arguments, format);
    vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
    clean(warning->text);
}

void reading_describe_origin(const struct reading *reading, const struct setting *option,
                             struct config_origin origin, char out[LOCATION_MAX])
{
    char variable[OPTION_VARIABLE_MAX];

    switch (origin.source) {
    case SOURCE_DEFAULT:
    case SOURCE_FLAG:
        snprintf(out, LOCATION_MAX, "--%s", option->name);
        break;
    case SOURCE_ENVIRONMENT:
        option_variable(option, variable);
        snprintf(out, LOCATION_MAX, "%s", variable);
        break;
    case SOURCE_FILE:
        snprintf(out, LOCATION_MAX, "%.300s:%u: %s", reading->outcome->file, origin.line,
                 option->name);
        break;
    }
}

/* Variables DOYEN_* that no setting has: mistyped ones would be ignored without a word. An unknown
 * key of the file is refused; but the file is doyend's alone, and the environment is not. Where a
 * container has a service called doyen, for one, DOYEN_PORT and others come along unasked. */
#include "runtime/config_slips.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "runtime/options.h"

#define PREFIX "DOYEN_"

enum {
    SLIP_NAME_MAX = 100
}; /* bytes of a variable's name, with its zero; longer ones are no slips */

/* Is it looked at by others: the command doyen and what it runs, the scripts, the tests? */
static bool is_for_others(const char *name)
{
    static const char *const others[] = {
        "DOYEN_URL",          "DOYEN_EPOCH",           "DOYEN_BUILD",        "DOYEN_CLUSTER_DIR",
        "DOYEN_CLUSTER_PORT", "DOYEN_CLUSTER_PROFILE", "DOYEN_CLUSTER_ARGS", "DOYEN_E2E_KEEP",
        "DOYEN_E2E_SEED",     "DOYEN_E2E_SECONDS",     "DOYEN_SIM_TRACE",    "DOYEN_WRITE_VECTORS",
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (text_equal(others[i], name)) {
            return true;
        }
    }
    return false;
}

static bool has_variable(const struct setting *option)
{
    return option->role == ROLE_SETTING || option->role == ROLE_CONFIG;
}

static bool is_setting(const char *name)
{
    char variable[OPTION_VARIABLE_MAX];

    for (size_t i = 0; i < option_count(); i++) {
        option_variable(option_at(i), variable);
        if (has_variable(option_at(i)) && text_equal(variable, name)) {
            return true;
        }
    }
    return false;
}

/* The name of a variable NAME=VALUE that is meant for doyend and that it does not know. An empty
 * one counts as unset. */
static bool is_slip(const char *text, char name[SLIP_NAME_MAX])
{
    const size_t length = strcspn(text, "=");

    if (strncmp(text, PREFIX, strlen(PREFIX)) != 0 || text[length] == '\0' ||
        text[length + 1] == '\0' || !text_set(name, SLIP_NAME_MAX, text, length)) {
        return false;
    }
    for (const char *c = name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_') {
            return false; /* Nobody's slip, and perhaps not fit for a terminal. */
        }
    }
    return !is_setting(name) && !is_for_others(name);
}

/* The variable that was probably meant; false when none comes near. */
static bool suggest(const char *name, char out[OPTION_VARIABLE_MAX])
{
    char option_name[SLIP_NAME_MAX];
    size_t length = 0;

    for (const char *c = name + strlen(PREFIX); *c != '\0'; c++) {
        option_name[length++] = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    }
    option_name[length] = '\0';
    const char *near = option_suggest(option_name, false);
    if (near == NULL || !has_variable(option_at(option_find(near)))) {
        return false;
    }
    option_variable(option_at(option_find(near)), out);
    return true;
}

/* One line, so what does not fit any more is left out. */
static void add(char warning[CONFIG_MESSAGE_MAX], const char *name)
{
    const char *beginning = warning[0] == '\0' ? "not looked at, because no setting has its name: "
                                               : ", ";
    char near[OPTION_VARIABLE_MAX];
    char more[SLIP_NAME_MAX + OPTION_VARIABLE_MAX + 80];

    if (suggest(name, near)) {
        snprintf(more, sizeof more, "%s%s (did you mean %s?)", beginning, name, near);
    } else {
        snprintf(more, sizeof more, "%s%s", beginning, name);
    }
    if (strlen(warning) + strlen(more) < CONFIG_MESSAGE_MAX) {
        strcat(warning, more);
    }
}

void config_slips(const struct config_host *host, char warning[CONFIG_MESSAGE_MAX])
{
    const char *text = NULL;
    char name[SLIP_NAME_MAX];

    warning[0] = '\0';
    for (size_t i = 0; (text = host->variable_at(host->context, i)) != NULL; i++) {
        if (is_slip(text, name)) {
            add(warning, name);
        }
    }
}

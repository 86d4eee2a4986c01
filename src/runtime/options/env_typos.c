/* Variables DOYEN_* that belong to no setting: a mistyped one would be ignored without a word. They
 * cause a warning and not, like an unknown key of the file, a refusal: the file is doyend's alone,
 * and the environment is not. In a container with a service called doyen, for example, DOYEN_PORT
 * and others are set by the platform. */
#include "runtime/options/env_typos.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/options/options.h"

#define PREFIX "DOYEN_"

enum {
    TYPO_NAME_MAX = 100
}; /* bytes of a variable's name, with its zero; a longer one is no typo */

/* Is the variable meant for another program: the command doyen and what it runs, the scripts, the
 * tests? */
static bool is_for_others(const char *name)
{
    static const char *const others[] = {
        "DOYEN_EXPECT_USER",   "DOYEN_URL",          "DOYEN_EPOCH",           "DOYEN_BUILD",
        "DOYEN_CLUSTER_DIR",   "DOYEN_CLUSTER_PORT", "DOYEN_CLUSTER_PROFILE", "DOYEN_CLUSTER_ARGS",
        "DOYEN_E2E_KEEP",      "DOYEN_E2E_SEED",     "DOYEN_E2E_SECONDS",     "DOYEN_SIM_TRACE",
        "DOYEN_WRITE_VECTORS",
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

/* Extracts the name of a variable NAME=VALUE that is meant for doyend and that doyend does not
 * know. An empty one counts as unset. */
static bool is_typo(const char *text, char name[TYPO_NAME_MAX])
{
    const size_t length = strcspn(text, "=");

    if (strncmp(text, PREFIX, strlen(PREFIX)) != 0 || text[length] == '\0' ||
        text[length + 1] == '\0' || !text_set(name, TYPO_NAME_MAX, text, length)) {
        return false;
    }
    for (const char *c = name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_') {
            return false; /* Not a typo, and perhaps not fit for a terminal. */
        }
    }
    return !is_setting(name) && !is_for_others(name);
}

/* Finds the variable that was probably meant; returns false when none comes near. */
static bool suggest(const char *name, char out[OPTION_VARIABLE_MAX])
{
    char option_name[TYPO_NAME_MAX];
    size_t length = 0;

    for (const char *c = name + strlen(PREFIX); *c != '\0'; c++) {
        option_name[length++] = (char)(*c == '_' ? '-' : tolower((unsigned char)*c));
    }
    option_name[length] = '\0';
    const char *near = option_suggest(option_name, false, PROGRAM_DOYEND);
    if (near == NULL || !has_variable(option_at(option_find(near)))) {
        return false;
    }
    option_variable(option_at(option_find(near)), out);
    return true;
}

/* The warning is one line: names that do not fit are left out. */
static void append_typo(char warning[CONFIG_MESSAGE_MAX], const char *name)
{
    const char *beginning = warning[0] == '\0' ? "not looked at, because no setting has its name: "
                                               : ", ";
    char near[OPTION_VARIABLE_MAX];
    char more[TYPO_NAME_MAX + OPTION_VARIABLE_MAX + 80];

    if (suggest(name, near)) {
        snprintf(more, sizeof more, "%s%s (did you mean %s?)", beginning, name, near);
    } else {
        snprintf(more, sizeof more, "%s%s", beginning, name);
    }
    const size_t length = strlen(warning);
    if (length + strlen(more) < CONFIG_MESSAGE_MAX) {
        memcpy(warning + length, more, strlen(more) + 1);
    }
}

void env_typos_describe(const struct config_host *host, char warning[CONFIG_MESSAGE_MAX])
{
    const char *text = NULL;
    char name[TYPO_NAME_MAX];

    warning[0] = '\0';
    for (size_t i = 0; (text = host->variable_at(host->context, i)) != NULL; i++) {
        if (is_typo(text, name)) {
            append_typo(warning, name);
        }
    }
}

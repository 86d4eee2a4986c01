/* The table of doyend's options: name, help, default, and how its text becomes a value and a
 * value text again. Whatever knows options (flags, environment, file, --help, --print-config,
 * suggestions) reads this one table. */
#ifndef RUNTIME_OPTIONS_H
#define RUNTIME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/config.h"
#include "runtime/value.h"

enum { OPTION_TEXT_MAX = CONFIG_DIR_MAX + 1 }; /* bytes of any value's text, with its zero */

/* The configuration while it is read: what is settled only when all of it is known. */
struct draft {
    struct config config;
    uint64_t heartbeat_ms; /* --heartbeat; 0: the profile's */
    uint64_t lost_ms;      /* --fail-after; 0: the profile's */
};

enum option_group {
    GROUP_NODE,
    GROUP_CLUSTER,
    GROUP_TIMING,
    GROUP_CLIENTS,
    GROUP_LOG,
    GROUP_CONFIGURATION,
    GROUP_COUNT,
};

/* Options that do something rather than set something: command line only. */
enum option_role {
    ROLE_SETTING,
    ROLE_CONFIG, /* --config: command line and environment */
    ROLE_CHECK,
    ROLE_PRINT,
    ROLE_HELP,
    ROLE_USAGE,
    ROLE_VERSION,
};

/* One row of the table. (getopt.h has taken the name `struct option`.) */
struct setting {
    const char *name;
    const char
        *argument; /* its placeholder in --help; NULL: a switch, whose texts are yes and no */
    const char *help;
    const char *fallback;      /* the default, as text to be parsed; NULL: none, or derived */
    const char *fallback_note; /* what the default is, in words, where `fallback` is NULL */
    enum option_group group;
    enum option_role role;
    bool repeatable;
    bool hidden; /* a word kept for a later version: not listed, refused when used */

    /* Takes one text; of a repeatable option, one more. False with the complaint set. */
    bool (*parse)(struct draft *draft, const char *text, struct complaint *complaint);

    /* Empties the list of a repeatable option, for a stronger source; else NULL. */
    void (*clear)(struct draft *draft);

    /* Text of value number `index`, OPTION_TEXT_MAX bytes; false when there is none. NULL where
     * nothing can be said, as for a role other than ROLE_SETTING. */
    bool (*print)(const struct config *config, uint32_t index, char *out);
};

size_t option_count(void);

/* Row `index` of the table, below option_count(). */
const struct setting *option_at(size_t index);

/* The heading of a group in --help. */
const char *option_group_title(enum option_group group);

/* The row with this name, or option_count(). */
size_t option_find(const char *name);

/* The name in the table that was probably meant, or NULL. Hidden ones are not suggested; with
 * `settings_only` neither are those that a file cannot hold. */
const char *option_suggest(const char *name, bool settings_only);

/* DOYEN_STATE_DIR for "state-dir". */
enum { OPTION_VARIABLE_MAX = 64 };
void option_variable(const struct setting *option, char out[OPTION_VARIABLE_MAX]);

/* Is this a name for members and clusters: 1 to 63 of A-Z a-z 0-9 . _ - ? */
bool option_name_is_valid(const char *text);

/* local, lan or wan. */
const char *option_profile_text(enum profile profile);

#endif

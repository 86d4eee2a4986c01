/* One option of doyend, as a row of the table in options.c, and the configuration that options are
 * read into. */
#ifndef RUNTIME_SETTING_H
#define RUNTIME_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/options/config.h"
#include "runtime/options/value.h"

enum { OPTION_TEXT_MAX = CONFIG_DIR_MAX + 1 }; /* bytes of any value's text, with its zero */

/* The configuration while it is read: what is settled only when all of it is known. */
struct partial_config {
    struct config config;
    uint32_t size;         /* --size; 0: not given */
    uint64_t heartbeat_ms; /* --heartbeat; 0: the profile's */
    uint64_t lost_ms;      /* --fail-after; 0: the profile's */
    uint64_t detect_ms;    /* --detect, which both follow from; 0: not given */
};

enum option_group {
    GROUP_NODE,
    GROUP_CLUSTER,
    GROUP_TIMING,
    GROUP_CLIENTS,
    GROUP_LOG,
    GROUP_EXPERIMENTS,
    GROUP_CONFIGURATION,
    GROUP_COUNT,
};

/* Options that do something rather than set something: command line only. */
enum option_role {
    ROLE_SETTING,
    ROLE_CONFIG, /* --config: command line and environment */
    ROLE_CHECK,
    ROLE_PRINT,
    ROLE_MAKE_KEY,
    ROLE_RECOVER,
    ROLE_ASSERT,
    ROLE_HELP,
    ROLE_VERSION,
};

struct setting;

/* How the text of an option becomes a value, and a value text again. */
struct option_kind {
    /* Takes one text; of a repeatable option, one more. False with the complaint set. */
    bool (*parse)(const struct setting *option, struct partial_config *partial, const char *text,
                  struct complaint *complaint);

    /* Empties the list of a repeatable option, for a stronger source; else NULL. */
    void (*clear)(struct partial_config *partial);

    /* Text of value number `index`, OPTION_TEXT_MAX bytes; false when there is none. */
    bool (*print)(const struct setting *option, const struct config *config, uint32_t index,
                  char *out);
};

/* The programs that read their options by the table. */
enum program { PROGRAM_DOYEND, PROGRAM_WITNESS };

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

    /* Of doyen-witness. */
    struct {
        bool has_it;
        const char *argument; /* NULL: as above */
        const char *help;     /* NULL: as above */
    } witness;

    const struct option_kind *kind; /* NULL for another role than ROLE_SETTING */

    /* Of a kind that is told where its value stands, and what it may be. */
    size_t into;  /* of what was parsed, in struct partial_config */
    size_t from;  /* of what is printed, in struct config */
    size_t bytes; /* there */
    uint64_t min;
    uint64_t max;
    const char *const *words; /* by the value; NULL where no value has a word */
    size_t word_count;
};

#endif

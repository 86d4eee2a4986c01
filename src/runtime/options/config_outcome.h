/* What comes of reading the configuration, beside the configuration itself. */
#ifndef RUNTIME_CONFIG_OUTCOME_H
#define RUNTIME_CONFIG_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/options/config.h"

/* What the command line asks for. */
enum config_action {
    CONFIG_RUN,
    CONFIG_CHECK,    /* --check: the configuration is sound, say so and exit 0 */
    CONFIG_PRINT,    /* --print-config */
    CONFIG_MAKE_KEY, /* --make-key: the file is `key` of the configuration, the rest undefined */
    CONFIG_RECOVER,  /* --recover-voters, and the configuration is sound */
    CONFIG_HELP,     /* --help */
    CONFIG_VERSION,  /* --version */
    CONFIG_REFUSED,  /* `message` says why; exit with `exit_code` */
};

/* Where the value of an option comes from, weakest first. */
enum config_source {
    SOURCE_DEFAULT,
    SOURCE_FILE,
    SOURCE_ENVIRONMENT,
    SOURCE_FLAG,
};

struct config_origin {
    enum config_source source;
    uint32_t line; /* SOURCE_FILE: the line that says it first */
};

/* Something that is no fault but probably a mistake. */
struct config_warning {
    const char *event; /* the event name in the log */
    char text[CONFIG_MESSAGE_MAX];
};

struct config_outcome {
    enum config_action action;
    int exit_code;                     /* CONFIG_REFUSED: EXIT_USAGE or EXIT_CONFIGURATION */
    char message[CONFIG_MESSAGE_MAX];  /* CONFIG_REFUSED: one line that says where, what, and how to
                                          mend it */
    char asserted[NAME_BYTES_MAX + 2]; /* CONFIG_RECOVER: of which cluster the operator says that
                                     its other voters are gone; empty: is asked for it */
    bool lacks_address; /* CONFIG_REFUSED: it would run if this host had an address, or a
                           way to a seed, as it may soon */
    uint32_t warning_count;
    struct config_warning warnings[CONFIG_WARNINGS_MAX]; /* the first ones, if there are more */
    char file[CONFIG_DIR_MAX + 1];                    /* the configuration file, empty for none */
    struct config_origin origins[CONFIG_OPTIONS_MAX]; /* by row of the table of options */
};

#endif

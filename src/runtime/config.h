/* What doyend was told: one table of options (options.c) feeds flags, environment, file and
 * --print-config. For each option the strongest source counts: flag > environment > file >
 * default. Of an option that may be repeated, the strongest source gives the whole list. */
#ifndef RUNTIME_CONFIG_H
#define RUNTIME_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/core.h"

enum {
    CONFIG_SEEDS_MAX = 16,
    CONFIG_PATH_MAX = 107, /* bytes a Unix socket's path may have; libuv 1.44 cuts longer ones */
    CONFIG_HOST_MAX = 253,
    CONFIG_DIR_MAX = 4095,
    CONFIG_PORT_DEFAULT = 7420,
    CONFIG_OPTIONS_MAX = 32,  /* rows that the table of options may have */
    CONFIG_MESSAGE_MAX = 512, /* bytes of a refusal, with its zero */
};

/* A host name or an address literal (without brackets), not resolved yet. */
struct endpoint {
    char host[CONFIG_HOST_MAX + 1];
    uint16_t port;
};

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_AUTO, LOG_TEXT, LOG_JSON };

struct config {
    char name[NAME_BYTES_MAX + 1];
    char cluster[NAME_BYTES_MAX + 1];
    struct address listen;
    struct address advertise; /* never a wildcard */
    struct endpoint seeds[CONFIG_SEEDS_MAX];
    uint32_t seed_count;
    char control[CONFIG_PATH_MAX + 1];
    bool http_on;
    struct address http;
    char state_dir[CONFIG_DIR_MAX + 1]; /* empty: volatile */
    struct guard guard;
    enum profile profile;
    struct timing timing; /* the profile's, with the overrides applied */
    struct tags tags;
    uint32_t capacity;
    uint64_t join_timeout_ms; /* 0: ask for ever */
    enum log_level log_level;
    enum log_format log_format;
    bool faults;
    char record[CONFIG_DIR_MAX + 1]; /* empty: nothing is recorded */
};

/* What the configuration takes from the machine it runs on; tests bring their own. */
struct config_host {
    /* The value of an environment variable, or NULL. */
    const char *(*variable)(void *context, const char *name);

    /* Variable number `index` of the environment as NAME=VALUE, or NULL behind the last. */
    const char *(*variable_at)(void *context, size_t index);

    /* The name of this host; false when there is none or it does not fit. */
    bool (*name)(void *context, char *out, size_t size);

    /* Addresses of this host that are of `family` (4 or 6), up, and neither loopback nor
     * link-local; port 0. Returns how many there are, at most `max` of which are in `out`. */
    size_t (*addresses)(void *context, uint8_t family, struct address *out, size_t max);

    void *context;
};

/* The machine itself: getenv, environ, gethostname, getifaddrs. */
struct config_host config_host_system(void);

/* What the command line asks for. */
enum config_action {
    CONFIG_RUN,
    CONFIG_CHECK,   /* --check: the configuration is sound, say so and exit 0 */
    CONFIG_PRINT,   /* --print-config */
    CONFIG_HELP,    /* --help */
    CONFIG_USAGE,   /* --usage */
    CONFIG_VERSION, /* --version */
    CONFIG_REFUSED, /* `message` says why; exit with `exit_code` */
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
    uint32_t line; /* SOURCE_FILE: where it is first said */
};

enum {
    EXIT_USAGE = 64,         /* a fault of the command line */
    EXIT_CONFIGURATION = 78, /* a bad value elsewhere, or values that contradict one another */
};

struct config_outcome {
    enum config_action action;
    int exit_code;                    /* CONFIG_REFUSED: EXIT_USAGE or EXIT_CONFIGURATION */
    char message[CONFIG_MESSAGE_MAX]; /* CONFIG_REFUSED: one line, where, what, how to mend it */
    char warning[CONFIG_MESSAGE_MAX]; /* what is no fault but probably a slip; empty for none */
    char file[CONFIG_DIR_MAX + 1];    /* the configuration file, empty for none */
    struct config_origin origins[CONFIG_OPTIONS_MAX]; /* by row of the table of options */
};

/* Reads everything there is, weakest source first, and fills in `config` and `outcome` (both the
 * caller's; nothing is allocated for them). Neither prints nor exits. For CONFIG_HELP,
 * CONFIG_USAGE, CONFIG_VERSION and CONFIG_REFUSED the content of `config` means nothing. `argv`
 * may come back in another order. */
void config_parse(struct config *config, struct config_outcome *outcome, int argc, char **argv,
                  const struct config_host *host);

/* Each value with its origin, as a file that --config reads. */
void config_print(FILE *to, const struct config *config, const struct config_outcome *outcome);

/* What --help and --usage print. */
void config_print_help(FILE *to);
void config_print_usage(FILE *to);

#endif

/* What doyen init and doyen join have in common: their options, the configuration that they write,
 * and the start of the services. */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/invite/host.h"
#include "cli/invite/letter.h"
#include "cli/invite/place.h"
#include "cli/request/failure.h"

struct setup {
    const char *root; /* NULL: not given */
    bool dry_run;

    struct host host;
    char own_name[LETTER_NAME_MAX];   /* empty: not given */
    char listen_host[PLACE_HOST_MAX]; /* empty: all addresses of this host */
    uint16_t port;
};

/* The options, for a table of argp_option; and what reads them: ARGP_ERR_UNKNOWN for all others. */
#define SETUP_OPTIONS                                                                              \
    {.name = "name",                                                                               \
     .key = 'n',                                                                                   \
     .arg = "NAME",                                                                                \
     .doc = "Name of the member (default: the host's)"},                                           \
        {.name = "listen",                                                                         \
         .key = 'l',                                                                               \
         .arg = "ADDR[:PORT]",                                                                     \
         .doc = "Where the other hosts reach doyend here (default: all addresses, port 7420)"},    \
        {.name = "dry-run", .key = 'd', .doc = "Show what would be written and run"},              \
    {                                                                                              \
        .name = "root", .key = 'r', .arg = "DIR",                                                  \
        .doc = "Write below DIR, start nothing, and say how to"                                    \
    }
error_t setup_parse(struct setup *setup, int key, char *argument, struct argp_state *state);

/* Completes what the options leave open, and checks that this host can be set up. */
enum exit_code setup_begin(struct setup *setup, struct failure *failure);

/* Makes the text of the configuration: this host's own lines, and those that all nodes share. */
enum exit_code setup_conf(const struct setup *setup, const char *shared, char text[CONF_TEXT_MAX],
                          struct failure *failure);

/* Draws a key, as the line of a key file. False: the system gives no random bytes. */
enum { KEY_LINE_MAX = 48 };
bool setup_make_key(char line[KEY_LINE_MAX]);

/* Writes key and configuration. */
enum exit_code setup_write(const struct setup *setup, const char *keys, const char *conf,
                           struct failure *failure);

/* For --dry-run: prints what would be written and run. */
void setup_print(const struct setup *setup, const char *conf);

/* Starts the services, or says what starts them. `started` says which. */
enum exit_code setup_start(const struct setup *setup, bool *started, struct failure *failure);

#endif

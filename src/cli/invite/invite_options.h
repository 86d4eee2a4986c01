/* The options of doyen init and doyen invite that say how many hosts to let in, and where. */
#ifndef CLI_INVITE_OPTIONS_H
#define CLI_INVITE_OPTIONS_H

#include <argp.h>

#include "cli/invite/sponsor.h"

#define INVITE_OPTIONS(count)                                                                      \
    {.name = "count", .key = 'k', .arg = "N", .doc = "Hosts to let in (default: " count ")"},      \
    {                                                                                              \
        .name = "port", .key = 'p', .arg = "PORT",                                                 \
        .doc = "Port to wait at for them (default: 7419; 0: any)"                                  \
    }

/* Reads them; ARGP_ERR_UNKNOWN for all others. */
error_t invite_options_parse(struct sponsor_options *options, unsigned least, int key,
                             const char *argument, struct argp_state *state);

#endif

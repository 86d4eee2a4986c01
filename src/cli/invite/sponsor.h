/* The sponsor: lets other hosts in, each by a word of its own, which is good for one of them, at
 * one address, for ten minutes. It waits beside doyend, on a port of its own, and ends with its
 * last word. What it costs strangers to reach it is bounded: connections, bytes, time, wrong words.
 */
#ifndef CLI_SPONSOR_H
#define CLI_SPONSOR_H

#include <stdint.h>

#include "cli/invite/host.h"
#include "cli/request/cli.h"

enum { SPONSOR_WORDS_MAX = 16 };

struct sponsor_options {
    unsigned count; /* of hosts to let in, 1 to SPONSOR_WORDS_MAX */
    uint16_t port;  /* 0: any that is free */
};

/* Makes the words, prints a line for each, and serves them. The host has to be set up, and its
 * doyend to be a member. EXIT_TIMED_OUT: the time was over before all were used. */
enum exit_code sponsor_run(struct cli *cli, const struct host *host,
                           const struct sponsor_options *options);

#endif

#pragma once

/* What the tests of the configuration share: a machine to configure for, and a command line or a
 * file to read on it. Whoever parses frees the result with free(). */
#include "runtime/options/config_read.h"

/* A machine to configure for: its environment as NAME=VALUE texts, its name, its addresses. */
struct machine {
    const char *environment[8];
    const char *host_name;
    const char *addresses[6];
    const char *last;      /* the address of its last start; NULL: none */
    const char *way_to[2]; /* a seed, and the address by which the way goes there; NULL: none */
};

/* What came of it; too large for the stack of many tests, hence on the heap. */
struct result {
    struct config config;
    struct config_outcome outcome;
};

/* athens, with one address, 10.0.0.5, and an empty environment. */
struct machine plain_machine(void);

/* Parses "doyend" with the words of `line`, which single spaces separate. */
struct result *parse_on(struct machine *machine, const char *line);
struct result *parse(const char *line);

/* A file in /tmp; whoever made it removes it. */
struct scratch {
    char path[64];
};

struct scratch scratch_file(const char *content);

/* Parses a file of that content, and `more` on the command line. */
struct result *parse_file(const char *content, const char *more);

void expect_address(const struct address *address, const char *expected);

/* Expects that it was refused with that exit code, in one line that has `message` in it; `what`
 * says what was parsed. */
void expect_refusal(const struct result *result, const char *what, int exit_code,
                    const char *message);

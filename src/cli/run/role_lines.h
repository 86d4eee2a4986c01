/* The lines that a campaign's connection carries: one JSON object for each event (POST
 * /v1/campaign). */
#ifndef CLI_ROLE_LINES_H
#define CLI_ROLE_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROLE_LINE_MAX = 4096 };

/* All zero but for `connection` is one of which nothing was read. */
struct role_lines {
    int connection; /* borrowed; does not block */
    char text[ROLE_LINE_MAX];
    size_t length;
    uint64_t heard_ms; /* when the daemon said something last; 0: not yet */
    uint64_t asked_ms; /* when it was asked for a sign of life */
};

/* Takes the next event; what is no object, or too long, is passed over. Returns 1 with `*event`, to
 * be released; 0: none is there; -1: the daemon has ended the connection. */
int role_lines_next(struct role_lines *lines, json_t **event);

/* To be called about once a second while nothing is there. Asks a daemon that has said nothing for
 * 5 s for a sign of life; false when none came within 5 s: it is stopped. */
bool role_lines_are_alive(struct role_lines *lines);

/* Says that this client has stopped what it did as holder. */
void role_lines_say_stopped(const struct role_lines *lines);

#endif

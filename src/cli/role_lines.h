/* The lines that a campaign's connection carries: one JSON object for each event (POST
 * /v1/campaign). */
#ifndef CLI_ROLE_LINES_H
#define CLI_ROLE_LINES_H

#include <jansson.h>
#include <stddef.h>

enum { ROLE_LINE_MAX = 4096 };

/* All zero but for `connection` is one of which nothing was read. */
struct role_lines {
    int connection; /* borrowed; does not block */
    char text[ROLE_LINE_MAX];
    size_t length;
};

/* Takes the next event; what is no object, or too long, is passed over. Returns 1 with `*event`, to
 * be released; 0: none is there; -1: the daemon has ended the connection. */
int role_lines_next(struct role_lines *lines, json_t **event);

/* Says that this client has stopped what it did as holder. */
void role_lines_say_stopped(const struct role_lines *lines);

#endif

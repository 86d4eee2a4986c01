/* A node that has founded a cluster alone, with its control socket, in one loop with clients whose
 * bytes go through the real socket. */
#ifndef TEST_UNIT_HOUSE_H
#define TEST_UNIT_HOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "control/control.h"

enum { HOUSE_PATIENCE_MS = 5000 };

struct house {
    uv_loop_t loop;
    struct config config;
    struct log log;
    struct node *node;
    struct control *control;
    char directory[32];
    bool ended;
    bool closed;
};

void house_open(struct house *house);
void house_close(struct house *house);
void house_close_control(struct house *house); /* alone, and first */

uint64_t house_now_ms(void);

/* A connection, for the caller to close. */
int client_open(const struct house *house);
int client_open_tcp(const struct house *house);

void client_send(int fd, const char *text);

/* Turns the loop until the client has read `word`, or the end of the stream when it is NULL.
 * Returns all that was read, for the caller to free. */
char *client_read(struct house *house, int fd, const char *word);

/* One request, one answer that begins with `status`. */
void assert_answer(struct house *house, int fd, const char *request, const char *status,
                   const char *word);

/* A request line without its version, and what its answer has. */
struct asked {
    const char *request;
    const char *status;
    const char *words;
};

/* One after the other on one connection, none of which ends the daemon. */
void assert_answers(const struct asked *cases, size_t count);

#endif

/* What clients of the control socket say and are answered. */
#ifndef TEST_CONTROL_CLIENT_H
#define TEST_CONTROL_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "control_bench.h"

enum { CONTROL_PATIENCE_MS = 5000 };

uint64_t client_now_ms(void);

void client_send(int fd, const char *text);

/* Turns the loop until the client has read `word`, or the end of the stream when it is NULL.
 * Returns all that was read, for the caller to free. */
char *client_read(struct control_bench *bench, int fd, const char *word);

/* One request, one answer that begins with `status`. */
void assert_answer(struct control_bench *bench, int fd, const char *request, const char *status,
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

/* A node that has founded a cluster alone, with its control socket, in one loop with clients whose
 * bytes go through the real socket. */
#ifndef TEST_CONTROL_BENCH_H
#define TEST_CONTROL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "control/control.h"

enum { CONTROL_PATIENCE_MS = 5000 };

struct control_bench {
    uv_loop_t loop;
    struct config config;
    struct log log;
    struct node *node;
    struct control *control;
    char directory[32];
    bool ended;
    bool left_its_address; /* when it ended */
    bool closed;
};

void control_bench_open(struct control_bench *bench);
void control_bench_close(struct control_bench *bench);
void control_bench_close_control(struct control_bench *bench); /* alone, and first */

uint64_t control_bench_now_ms(void);

/* A connection, for the caller to close. */
int client_open(const struct control_bench *bench);
int client_open_tcp(const struct control_bench *bench);

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

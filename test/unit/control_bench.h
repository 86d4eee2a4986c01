/* A node that has founded a cluster alone, with its control socket, in one loop with clients whose
 * bytes go through the real socket. For the tests of that socket, and for its fuzzer. */
#ifndef TEST_CONTROL_BENCH_H
#define TEST_CONTROL_BENCH_H

#include <stdbool.h>
#include <uv.h>

#include "control/control.h"

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

/* A connection, for the caller to close. */
int client_open(const struct control_bench *bench);
int client_open_tcp(const struct control_bench *bench);

/* The same from 127.0.0.HOST: of one address few are let in. */
int client_open_tcp_from(const struct control_bench *bench, uint8_t host);

#endif

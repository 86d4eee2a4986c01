/* Accepts connections at a socket that listens. Where no descriptor is left for them it pauses, and
 * they wait: libuv would close the connection, or turn in a circle where even that fails. */
#ifndef RUNTIME_ACCEPTOR_H
#define RUNTIME_ACCEPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <uv.h>

struct acceptor;

/* `fd` is the callee's from here on; it does not block. */
typedef void acceptor_on_connection(void *context, int fd);

/* libuv's error code says what was lacking. */
typedef void acceptor_on_starved(void *context, int error);

struct acceptor {
    uv_poll_t poll;
    uv_timer_t pause;
    int fd;
    bool accepts;
    acceptor_on_connection *on_connection;
    acceptor_on_starved *on_starved;
    void *context;
    unsigned open; /* handles */
    void (*on_closed)(void *context);
};

/* `fd` listens, and is borrowed until acceptor_close. Nothing is accepted yet. Returns 0, or
 * libuv's error code; then nothing is to be closed. */
int acceptor_open(struct acceptor *acceptor, uv_loop_t *loop, int fd,
                  acceptor_on_connection *on_connection, acceptor_on_starved *on_starved,
                  void *context);

/* Both are harmless when repeated, and inside of the callbacks. */
void acceptor_start(struct acceptor *acceptor);
void acceptor_stop(struct acceptor *acceptor);

/* `fd` may be closed at once; `on_closed` is called when the memory is not used any more. */
void acceptor_close(struct acceptor *acceptor, void (*on_closed)(void *context));

#endif

#include "runtime/acceptor.h"

#include <errno.h>

enum {
    ACCEPTS_MAX = 16, /* in one turn of the loop */
    PAUSE_MS = 250,
};

static bool is_starved(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *pause)
{
    struct acceptor *acceptor = pause->data;

    if (acceptor->accepts) {
        (void)uv_poll_start(&acceptor->poll, UV_READABLE, on_readable);
    }
}

static void pause_accepting(struct acceptor *acceptor, int error)
{
    (void)uv_poll_stop(&acceptor->poll);
    (void)uv_timer_start(&acceptor->pause, on_pause_over, PAUSE_MS, 0);
    acceptor->on_starved(acceptor->context, -error);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct acceptor *acceptor = poll->data;

    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPTS_MAX && acceptor->accepts; i++) {
        const int fd = accept4(acceptor->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            acceptor->on_connection(acceptor->context, fd);
        } else if (is_starved(errno)) {
            pause_accepting(acceptor, errno);
            return;
        } else if (errno == EAGAIN) {
            return;
        } /* Else whoever connected has gone again. */
    }
}

int acceptor_open(struct acceptor *acceptor, uv_loop_t *loop, int fd,
                  acceptor_on_connection *on_connection, acceptor_on_starved *on_starved,
                  void *context)
{
    *acceptor = (struct acceptor){
        .fd = fd, .on_connection = on_connection, .on_starved = on_starved, .context = context};
    const int error = uv_poll_init(loop, &acceptor->poll, fd);
    if (error != 0) {
        return error;
    }
    (void)uv_timer_init(loop, &acceptor->pause); /* cannot fail */
    acceptor->poll.data = acceptor;
    acceptor->pause.data = acceptor;
    acceptor->open = 2;
    return 0;
}

void acceptor_start(struct acceptor *acceptor)
{
    if (!acceptor->accepts) {
        acceptor->accepts = true;
        (void)uv_timer_stop(&acceptor->pause);
        (void)uv_poll_start(&acceptor->poll, UV_READABLE, on_readable);
    }
}

void acceptor_stop(struct acceptor *acceptor)
{
    acceptor->accepts = false;
    (void)uv_poll_stop(&acceptor->poll);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct acceptor *acceptor = handle->data;

    acceptor->open--;
    if (acceptor->open == 0) {
        acceptor->on_closed(acceptor->context);
    }
}

void acceptor_close(struct acceptor *acceptor, void (*on_closed)(void *context))
{
    acceptor_stop(acceptor);
    acceptor->on_closed = on_closed;
    uv_close((uv_handle_t *)&acceptor->poll, on_handle_closed);
    uv_close((uv_handle_t *)&acceptor->pause, on_handle_closed);
}

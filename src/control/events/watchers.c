#include "control/events/watchers.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 4096 }; /* libmicrohttpd's own buffer for what the stream writes */

struct watcher {
    struct watchers *watchers;
    struct MHD_Connection *connection;
    struct watcher *next;
    struct watcher *previous;
    struct event_stream stream;
    bool suspended;
    bool gone; /* the client has hung up */
};

static void watcher_wake(struct watcher *watcher)
{
    if (watcher->suspended) {
        watcher->suspended = false;
        watcher->watchers->woken = true;
        MHD_resume_connection(watcher->connection);
    }
}

/* libmicrohttpd asks for bytes. With nothing to send, the connection is suspended, because the
 * library would ask again and again. */
static ssize_t watcher_read(void *context, uint64_t position, char *to, size_t size)
{
    struct watcher *watcher = context;
    struct watchers *watchers = watcher->watchers;
    bool broken = false;

    (void)position;
    if (watchers->closing) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (watcher->gone) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    const size_t count = event_stream_read(&watcher->stream, &watchers->source, to, size, &broken);
    if (broken) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (count == 0) {
        watcher->suspended = true;
        MHD_suspend_connection(watcher->connection);
    }
    return (ssize_t)count;
}

static void watcher_free(void *context)
{
    struct watcher *watcher = context;
    struct watchers *watchers = watcher->watchers;

    assert(!watcher->suspended);

    if (watcher->previous != NULL) {
        watcher->previous->next = watcher->next;
    } else {
        watchers->first = watcher->next;
    }
    if (watcher->next != NULL) {
        watcher->next->previous = watcher->previous;
    }
    watchers->count--;
    event_stream_deinit(&watcher->stream);
    free(watcher);
}

/* Looks for clients that hung up while their connection was suspended, which libmicrohttpd does not
 * notice: otherwise short-lived watchers would fill every place until the next comment. The
 * connections found are woken and end in the next run. */
static void watchers_reap(struct watchers *watchers)
{
    struct pollfd polls[WATCHERS_MAX];
    struct watcher *candidates[WATCHERS_MAX];
    nfds_t count = 0;

    for (struct watcher *watcher = watchers->first; watcher != NULL; watcher = watcher->next) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(
            watcher->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (watcher->suspended && info != NULL && count < WATCHERS_MAX) {
            polls[count] = (struct pollfd){.fd = info->connect_fd, .events = POLLRDHUP};
            candidates[count++] = watcher;
        }
    }
    if (poll(polls, count, 0) <= 0) {
        return;
    }
    for (nfds_t i = 0; i < count; i++) {
        if (polls[i].revents != 0) {
            candidates[i]->gone = true;
            watcher_wake(candidates[i]);
        }
    }
}

static uint32_t watchers_alive(const struct watchers *watchers)
{
    uint32_t alive = 0;

    for (const struct watcher *watcher = watchers->first; watcher != NULL;
         watcher = watcher->next) {
        alive += !watcher->gone;
    }
    return alive;
}

struct MHD_Response *watchers_add(struct watchers *watchers, struct MHD_Connection *connection,
                                  const struct cursor *since)
{
    if (watchers->count >= WATCHERS_MAX / 2) {
        watchers_reap(watchers);
    }
    if (watchers_alive(watchers) >= WATCHERS_MAX || watchers->count >= 2 * WATCHERS_MAX) {
        return NULL;
    }
    struct watcher *watcher = calloc(1, sizeof *watcher);
    if (watcher == NULL) {
        return NULL;
    }
    watcher->watchers = watchers;
    watcher->connection = connection;
    if (since != NULL) {
        event_stream_resume(&watcher->stream, &watchers->source, *since);
    } else {
        event_stream_start(&watcher->stream);
    }
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_BYTES, watcher_read, watcher, watcher_free);
    if (response == NULL) {
        free(watcher);
        return NULL;
    }
    watcher->next = watchers->first;
    if (watchers->first != NULL) {
        watchers->first->previous = watcher;
    }
    watchers->first = watcher;
    watchers->count++;
    return response;
}

void watchers_notify(struct watchers *watchers)
{
    const uint64_t newest = journal_cursor(watchers->source.journal);

    if (newest == watchers->notified) {
        return;
    }
    watchers->notified = newest;
    for (struct watcher *watcher = watchers->first; watcher != NULL; watcher = watcher->next) {
        watcher_wake(watcher);
    }
}

void watchers_send_keepalive(struct watchers *watchers)
{
    for (struct watcher *watcher = watchers->first; watcher != NULL; watcher = watcher->next) {
        if (watcher->suspended) {
            event_stream_queue_keepalive(&watcher->stream);
            watcher_wake(watcher);
        }
    }
}

void watchers_close(struct watchers *watchers)
{
    watchers->closing = true;
    for (struct watcher *watcher = watchers->first; watcher != NULL; watcher = watcher->next) {
        watcher_wake(watcher);
    }
}

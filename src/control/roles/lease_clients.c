#include "control/roles/lease_clients.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/roles/hung_up.h"

struct lease_client {
    struct lease_clients *clients;
    struct lease_client *next;
    struct lease_client *previous;
    struct lease_holder holder;
    struct MHD_UpgradeResponseHandle *connection;
    int fd; /* the connection's, which is the library's to close */
    uv_poll_t poll;
};

/* One byte of which the page's descriptor is a companion. A new connection has room for it. */
static bool lend_page(const struct lease_clients *clients, int fd)
{
    const struct lease_page *lease = node_lease(clients->node);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    char word = DOYEN_LEASE_CHANGED;
    struct iovec piece = {.iov_base = &word, .iov_len = 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};

    control.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &lease->memory.fd, sizeof lease->memory.fd);
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

static void on_poll_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* The library closes the socket in its next run, so the loop must have let go of it before. */
static void client_end(struct lease_client *client)
{
    struct lease_clients *clients = client->clients;

    (void)uv_poll_stop(&client->poll);
    uv_close((uv_handle_t *)&client->poll, on_poll_closed);
    if (client->previous != NULL) {
        client->previous->next = client->next;
    } else {
        clients->first = client->next;
    }
    if (client->next != NULL) {
        client->next->previous = client->previous;
    }
    clients->count--;
    clients->woken = true;
    node_lease_remove(clients->node, &client->holder);
    (void)MHD_upgrade_action(client->connection, MHD_UPGRADE_ACTION_CLOSE);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct lease_client *client = poll->data;
    char words[64];
    const ssize_t count = status < 0 ? 0 : recv(client->fd, words, sizeof words, MSG_DONTWAIT);

    (void)events;
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        client_end(client);
    } else if (memchr(words, DOYEN_LEASE_STOPPED, (size_t)count) != NULL) {
        node_lease_stopped(client->clients->node, &client->holder);
    }
}

/* The head of the answer has been sent, and the socket is ours. */
static void on_upgrade(void *context, struct MHD_Connection *connection, void *request_context,
                       const char *extra, size_t extra_length, MHD_socket fd,
                       struct MHD_UpgradeResponseHandle *handle)
{
    struct lease_clients *clients = context;
    struct lease_client *client = calloc(1, sizeof *client);

    (void)connection;
    (void)request_context;
    (void)extra; /* What a client says before it has the page means nothing. */
    (void)extra_length;
    if (client == NULL || !lend_page(clients, fd) ||
        uv_poll_init(clients->loop, &client->poll, fd) != 0) {
        free(client);
        clients->woken = true;
        (void)MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
        return;
    }
    client->clients = clients;
    client->connection = handle;
    client->fd = fd;
    client->poll.data = client;
    client->next = clients->first;
    if (clients->first != NULL) {
        clients->first->previous = client;
    }
    clients->first = client;
    clients->count++;
    node_lease_add(clients->node, &client->holder);
    (void)uv_poll_start(&client->poll, UV_READABLE | UV_DISCONNECT, on_readable);
}

/* Places are not those of clients that have gone. */
static bool has_room(struct lease_clients *clients)
{
    if (clients->count < LEASE_CLIENTS_MAX) {
        return true;
    }
    for (struct lease_client *client = clients->first, *next; client != NULL; client = next) {
        next = client->next;
        if (has_hung_up(client->fd)) {
            client_end(client);
        }
    }
    return clients->count < LEASE_CLIENTS_MAX;
}

struct MHD_Response *lease_clients_response(struct lease_clients *clients)
{
    if (!has_room(clients) || node_lease(clients->node)->memory.fd < 0) {
        return NULL;
    }
    struct MHD_Response *response = MHD_create_response_for_upgrade(on_upgrade, clients);
    if (response != NULL &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_UPGRADE, LEASE_PROTOCOL) != MHD_YES) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

/* A client that does not read has a word waiting for it already, or will look by its clock. */
static void client_tell(const struct lease_client *client)
{
    const char word = client->holder.must_stop ? DOYEN_LEASE_STOP : DOYEN_LEASE_CHANGED;

    (void)send(client->fd, &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void lease_clients_notify(struct lease_clients *clients)
{
    const uint64_t change = node_lease(clients->node)->change;

    if (clients->notified == change) {
        return;
    }
    clients->notified = change;
    for (const struct lease_client *client = clients->first; client != NULL;
         client = client->next) {
        client_tell(client);
    }
}

void lease_clients_close(struct lease_clients *clients)
{
    while (clients->first != NULL) {
        client_end(clients->first);
    }
}

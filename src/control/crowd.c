#include "control/crowd.h"

#include <inttypes.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/peer.h"
#include "control/server.h"
#include "runtime/clock.h"
#include "runtime/descriptors.h"

enum { SAY_AGAIN_MS = 60000 };

static uint32_t at_most(uint64_t number, uint32_t most)
{
    return number < most ? (uint32_t)number : most;
}

struct connection_room crowd_room(uint64_t limit, uint32_t servers)
{
    const uint64_t share = descriptors_for_clients(limit) / servers;
    struct connection_room room = {.reserved = at_most(share / 4, CONNECTIONS_RESERVED),
                                   .spare = at_most(share / 4, CONNECTIONS_SPARE)};

    room.all = at_most(share - room.reserved - room.spare, CONNECTIONS_MAX);
    room.all = room.all == 0 ? 1 : room.all;
    room.one = (room.all + 1) / 2;
    return room;
}

uint32_t crowd_most(const struct connection_room *room)
{
    return room->all + room->reserved + room->spare;
}

static int socket_of(const struct request *request)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info == NULL ? -1 : info->connect_fd;
}

/* Has it said nothing yet? What it has sent may just not have been read. */
static bool is_idle(const struct request *request)
{
    char byte;

    return !request->has_asked && !request->is_given_up &&
           recv(socket_of(request), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

/* Gives the one up that has been idle for the longest time. False: none is. */
static bool make_room(struct server *server, const struct request *newest)
{
    for (struct request *request = server->last; request != NULL; request = request->previous) {
        if (request != newest && is_idle(request)) {
            request->is_given_up = true;
            server->given_up++;
            (void)shutdown(socket_of(request), SHUT_RDWR);
            return true;
        }
    }
    return false;
}

/* Not for each of thousands. */
static bool is_time_to_say(struct server *server)
{
    const uint64_t now_ms = clock_ms();
    const bool is_time = server->crowded_ms == 0 || now_ms - server->crowded_ms >= SAY_AGAIN_MS;

    server->crowded_ms = is_time ? now_ms : server->crowded_ms;
    return is_time;
}

static const char *socket_words(const struct server *server)
{
    return server->over_unix ? "the control socket" : "--http";
}

static void say_crowded(struct server *server)
{
    if (!is_time_to_say(server)) {
        return;
    }
    log_line(server->control->log, LOG_WARN, "crowded",
             "%s has as many connections as it has room for, %u: those that ask nothing are "
             "closed; look for a client that leaves them open%s",
             socket_words(server), server->room.all,
             server->room.all < CONNECTIONS_MAX ? ", or raise the limit (ulimit -n)" : "");
}

static uint32_t count_of_account(const struct server *server, uid_t account)
{
    uint32_t count = 0;

    for (const struct request *request = server->first; request != NULL; request = request->next) {
        count += request->has_account && request->account == account && !request->is_given_up;
    }
    return count;
}

static void identify(struct request *request)
{
    struct ucred account;

    if (request->server->over_unix && peer_account(socket_of(request), &account)) {
        request->has_account = true;
        request->account = account.uid;
        request->is_owner = account.uid == 0 || account.uid == geteuid();
    }
}

void crowd_admit(struct request *request)
{
    struct server *server = request->server;
    const struct connection_room *room = &server->room;
    const uint32_t count = server->connections - server->given_up;

    identify(request);
    if (count > room->all) {
        say_crowded(server);
    }
    if (request->has_account && !request->is_owner &&
        count_of_account(server, request->account) > room->one) {
        request->room = ROOM_NONE;
    } else if (count <= room->all || make_room(server, request)) {
        request->room = ROOM_FOR_ALL;
    } else {
        request->room = count <= room->all + room->reserved ? ROOM_RESERVED : ROOM_NONE;
    }
}

void crowd_say_starved(struct server *server)
{
    if (is_time_to_say(server)) {
        log_line(server->control->log, LOG_WARN, "starved",
                 "no file descriptors left for clients of %s: raise the limit (ulimit -n)",
                 socket_words(server));
    }
}

void crowd_leave(const struct request *request)
{
    request->server->given_up -= request->is_given_up;
}

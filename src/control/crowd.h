/* Who may stay where more connect than there is room for: whoever has asked something. A client
 * that only connects, as a scraper that leaks its connections does, gives way to the next one. */
#ifndef CONTROL_CROWD_H
#define CONTROL_CROWD_H

#include <stdint.h>

struct connection_room;
struct request;
struct server;

/* The room of each of `servers` sockets in a process that may have `limit` descriptors. */
struct connection_room crowd_room(uint64_t limit, uint32_t servers);

/* So many connections are open at most, with those that are told that they are too many. */
uint32_t crowd_most(const struct connection_room *room);

/* Says whose connection it is, makes room for it if that can be, and sets what it was let in for.
 */
void crowd_admit(struct request *request);

/* The connection ends. */
void crowd_leave(const struct request *request);

/* There is no descriptor for one more. */
void crowd_say_starved(struct server *server);

#endif

/* Takes connections from a listening socket, as long as there is room for them, and hands them to
 * the HTTP library, which could not change over to another listening socket. */
#ifndef CONTROL_ARRIVALS_H
#define CONTROL_ARRIVALS_H

#include <stdbool.h>

struct server;

/* Is there room for one more, or somebody to give way to it? And a descriptor, as far as is known?
 */
bool arrivals_wanted(const struct server *server);

/* Takes those that wait, but not many in one turn. Where there is no room, the one that has been
 * there longest without a request is closed, and the next turn takes one. The library has to be run
 * after it. */
void arrivals_take(struct server *server);

#endif

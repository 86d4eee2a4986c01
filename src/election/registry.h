/* What keeps the candidates of a sequential election in order, and says who leads: a service beside
 * the members, which learns from their view who is still there. It is not elected itself. */
#ifndef ELECTION_REGISTRY_H
#define ELECTION_REGISTRY_H

#include <stdbool.h>

#include "election/message.h"
#include "election/roster.h"

struct registry {
    bool herd; /* all are told that the leader has gone, and ask; otherwise one is told */
    struct roster roster;
};

/* Takes the newer of two views. Whoever stood right behind a candidate that is gone is told, once;
 * with `herd`, all are told when the leader is gone. */
void registry_install(struct registry *registry, const struct roster *roster,
                      struct election_out *out);

/* Answers an ASK of its own view, in its round; drops all else. */
void registry_take(const struct registry *registry, const struct election_message *message,
                   struct election_out *out);

#endif

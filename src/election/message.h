/* What participants of an election say to each other. */
#ifndef ELECTION_MESSAGE_H
#define ELECTION_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "election/roster.h"

/* One attempt to elect, in one view. Rounds are compared field by field. */
struct election_round {
    uint64_t epoch;
    uint64_t version;
    uint64_t attempt;
};

/* Returns less than, equal to or more than 0, as round `a` is lower than, equal to or higher than
 * `b`. */
int election_round_compare(const struct election_round *a, const struct election_round *b);

/* The order of the names in election_message_name. */
enum election_message_type {
    ELECTION_HEARTBEAT,   /* "my round, and the leader I know": subject, or NOBODY */
    ELECTION_CALL,        /* Bully: "is anybody better there?" */
    ELECTION_OK,          /* Bully: "I am, leave it to me" */
    ELECTION_COORDINATOR, /* Bully: "I lead" */
    ELECTION_CANDIDATE,   /* ring: the best so far, the subject, goes round */
    ELECTION_ELECTED,     /* ring: the subject leads */
    ELECTION_TOKEN,       /* token ring: the ids collected so far go round, home to who sent it */
    ELECTION_LEADER,      /* token ring: the subject leads, until it is home */
    ELECTION_NEXT,        /* registry: "who stood before you has gone"; the subject leads */
    ELECTION_GONE,        /* registry, herd: "the leader has gone" */
    ELECTION_ASK,         /* "who leads?", to the registry */
    ELECTION_ANSWER,      /* registry: the subject leads */
    ELECTION_MESSAGE_TYPE_COUNT,
};

struct election_message {
    enum election_message_type type;
    uint64_t from; /* ages; NOBODY is the registry */
    uint64_t to;
    struct election_round round;
    uint64_t subject;
    uint64_t home;         /* of a token and its announcement: who sent it on its way */
    uint64_t hops;         /* made so far, of what goes round */
    struct roster_set ids; /* of a token: who is in it */
};

/* A name such as "CANDIDATE", which lives for ever. */
const char *election_message_name(enum election_message_type type);

/* What it would take on a wire, without the frame round it: type, sender, round, the ids that it
 * names, and its hops, eight bytes a number. */
size_t election_message_bytes(const struct election_message *message);

enum { ELECTION_OUT_MAX = 4 * ROSTER_MAX };

/* What one step sends, in order. A message for which there is no room is as good as lost on the
 * network, from which every election recovers. */
struct election_out {
    size_t count;
    struct election_message messages[ELECTION_OUT_MAX];
};

/* Returns the message to fill in, or NULL when there is no room. */
struct election_message *election_out_add(struct election_out *out);

#endif

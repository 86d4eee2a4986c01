/* Who takes part in elections: the members of one view, each with what it is compared by. */
#ifndef ELECTION_ROSTER_H
#define ELECTION_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ROSTER_MAX = 256, /* members that an election can have */
    NOBODY = 0,       /* no age: ages begin with 1 */
};

struct candidate {
    uint64_t age; /* lower is older; no two members ever have the same */
    uint64_t priority;
};

/* One view. The members stand in the order of their ages, which is also the order of the ring. */
struct roster {
    uint64_t epoch;
    uint64_t version;
    bool newest_is_best; /* among equal priorities; otherwise the oldest is */
    size_t count;
    struct candidate members[ROSTER_MAX];
};

/* The member's place, or `count` when it is none. */
size_t roster_find(const struct roster *roster, uint64_t age);
bool roster_has(const struct roster *roster, uint64_t age);

/* Is `a` the better leader of the two? Higher priority first, then age. A member is better than
 * NOBODY, and nobody is better than itself. */
bool roster_better(const struct roster *roster, uint64_t a, uint64_t b);

/* The best of all members; NOBODY of none. */
uint64_t roster_best(const struct roster *roster);

/* Is view `a` newer than view `b`? */
bool roster_is_newer(const struct roster *a, const struct roster *b);

/* A set of members, by place in their roster. */
struct roster_set {
    uint64_t bits[ROSTER_MAX / 64];
};

void roster_set_add(struct roster_set *set, size_t place);
bool roster_set_has(const struct roster_set *set, size_t place);
size_t roster_set_count(const struct roster_set *set);

#endif

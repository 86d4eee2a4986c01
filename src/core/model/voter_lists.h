/* The voters of guard strict as a view names them: one list, or two while it is being changed from
 * one to the other, and then both hold (rules Z10 and Z11). Plain data. */
#ifndef CORE_VOTER_LISTS_H
#define CORE_VOTER_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/id.h"
#include "core/model/limits.h"
#include "core/model/quorum.h"

/* A vote is that of a record, not of a name: who lost its record and gets another one has forgotten
 * what it granted, and is another voter (Z10b). */
struct listed_voter {
    char name[NAME_BYTES_MAX + 1];
    struct node_id record;  /* the id of its record; none only before the founding */
    struct address address; /* where it was when the view was made; of a witness, where it is */
    bool before;            /* it is in the list that is being left */
    bool now;               /* it is in the list that holds, or is being entered */
    bool witness;           /* it only votes, and is never a member (Z16) */
};

enum { FOUNDERS_NUMBER = 1 }; /* of the lists with which a cluster is founded (Z13a) */

/* Without a voter under any other guard. */
struct voter_lists {
    uint64_t number; /* rises with each change of the voters (Z11a) */
    uint8_t count;
    struct listed_voter voters[VOTERS_LISTED_MAX];
};

/* Some of the voters, by their place in `voters`: one bit each. */
typedef uint32_t voter_set;

static inline voter_set voter_set_of(uint8_t place)
{
    return (voter_set)1 << place;
}

/* The place of the voter that votes by that record, or VOTER_NONE. */
uint8_t voter_lists_find(const struct voter_lists *lists, const struct node_id *record);

/* The place of the voter of that name, in the newer list if both have it; or VOTER_NONE. */
uint8_t voter_lists_find_name(const struct voter_lists *lists, const char *name);

/* Is there a witness of that name, or at that address? No member may have either (Z16d). */
bool voter_lists_have_witness(const struct voter_lists *lists, const char *name,
                              const struct address *address);

/* Are there two lists? */
bool voter_lists_are_joint(const struct voter_lists *lists);

/* More than half of each list (Z10a). */
bool voter_lists_agree(const struct voter_lists *lists, voter_set set);

/* All that are in any list. */
voter_set voter_lists_all(const struct voter_lists *lists);

/* How many are in the list that holds, or is being entered. */
uint32_t voter_lists_length(const struct voter_lists *lists);

/* Of the list that lacks most for its quorum: how many of it are in the set, and how many it
 * takes. */
struct voter_count {
    uint32_t have;
    uint32_t needed;
};
struct voter_count voter_lists_count(const struct voter_lists *lists, voter_set set);

/* The set of those who are in `from`, as `to` has them: by their records. */
voter_set voter_lists_move(voter_set set, const struct voter_lists *from,
                           const struct voter_lists *to);

/* The lists to found with: these names, in their order, without records. */
void voter_lists_from_names(struct voter_lists *lists, const struct voters *names);

/* Copies all but the room for voters that are not there. */
void voter_lists_copy(struct voter_lists *to, const struct voter_lists *from);

bool voter_lists_equal(const struct voter_lists *a, const struct voter_lists *b);

/* Continues the hash of a view. */
uint64_t voter_lists_hash(uint64_t hash, const struct voter_lists *lists);

/* Could a cluster that has `from` come to `to` next: the same, or the end of a change that `from`
 * names, or the beginning of one that leaves what `from` comes to (Z11)? Addresses of members do
 * not matter. */
bool voter_lists_follow(const struct voter_lists *from, const struct voter_lists *to);

/* None at all; or 1 to VOTERS_MAX in each list that there is, each in one at least, no record
 * twice, and in one list no name, and no address of a witness, twice (Z10d, Z16d). */
bool voter_lists_are_sound(const struct voter_lists *lists);

#endif

/* What a voter's record becomes when its operator gives up the others (Z18). */
#ifndef CORE_RECOVERY_H
#define CORE_RECOVERY_H

#include "core/model/timing.h"
#include "core/model/vote.h"

/* The first epoch is above all that were seen by so many at least, for the lost may have promised
 * more than anybody knows. It is also no lower than the clock's seconds, so that a later recovery
 * has higher epochs than an earlier one of which nothing is left. Members take either (V7a). */
enum { RECOVERY_EPOCHS = 1 << 20 };

/* What a recovery takes besides the former record. */
struct recovery {
    const char *name;            /* of this node, */
    struct address address;      /* and where it is; none: nobody knows yet */
    struct node_id id;           /* random: of the record to be made */
    uint64_t epoch_seen;         /* by the node, as its state has it */
    const struct timing *timing; /* as the node is started */
    uint64_t now_s;              /* of the wall clock */
    uint64_t drawn;              /* random */
};

/* May a recovery be made of this record? It may if the record knows who votes and votes itself, or
 * was retired when another history took the place of its own; not if others took its place in its
 * own history (Z11h), for these know more. */
bool recovery_may_begin(const struct vote_record *former);

/* Makes the record, whose accepted view is `founders`: this node alone votes, in a history that
 * descends from the accepted view of `former`. `founders` needs no room for members. Returns false
 * where no lineage or epoch is left. */
bool recovery_make(const struct vote_record *former, const struct recovery *recovery,
                   struct view *founders, struct vote_record *record);

#endif

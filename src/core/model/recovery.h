/* What a voter's record becomes when its operator gives up the others (Z18). */
#ifndef CORE_RECOVERY_H
#define CORE_RECOVERY_H

#include "core/model/timing.h"
#include "core/model/vote.h"

/* By so many at least the first epoch is above all that were seen, for the lost may have promised
 * more than anybody knows. It is no lower than the clock's seconds, so that what was recovered
 * later has higher ones than what was recovered before and is lost, too; and none of that is more
 * than members take (V7a). */
enum { RECOVERY_EPOCHS = 1 << 20 };

/* What it takes besides the record. */
struct recovery {
    const char *name;            /* of this node, */
    struct address address;      /* and where it is; none: nobody knows yet */
    struct node_id id;           /* random: of the record to be made */
    uint64_t epoch_seen;         /* by the node, as its state has it */
    const struct timing *timing; /* as the node is started */
    uint64_t now_s;              /* of the wall clock */
    uint64_t drawn;              /* random */
};

/* May it be made of this record: does it know who votes, and vote itself, or was it retired when
 * another history took the place of its own? Where others took its place in its own history (Z11h)
 * they know more. */
bool recovery_may_begin(const struct vote_record *former);

/* Makes the record, whose accepted view is `founders`: this node alone votes, in a history that
 * descends from the accepted view of `former`, for which `founders` has no room to need. Returns
 * false where no lineage or epoch is left. */
bool recovery_make(const struct vote_record *former, const struct recovery *recovery,
                   struct view *founders, struct vote_record *record);

#endif

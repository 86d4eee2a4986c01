/* What a voter of guard strict is bound to, and what is asked of it, or of a member that a claim is
 * put to: plain data (rules Z1 to Z3, C2). */
#ifndef CORE_VOTE_H
#define CORE_VOTE_H

#include "core/model/view.h"

/* An epoch, and the life that asks for it or reigns with it. Epoch 0: none. */
struct ballot {
    uint64_t epoch;
    struct node_id life;
};

static inline bool ballot_equal(const struct ballot *a, const struct ballot *b)
{
    return a->epoch == b->epoch && id_equal(&a->life, &b->life);
}

/* On disk: append only. */
enum record_state {
    VOTE_RECORD_NONE = 0, /* never on disk */
    VOTE_RECORD_FOUNDING = 1,
    VOTE_RECORD_FOUNDED = 2, /* this voter votes, or has voted */
    VOTE_RECORD_RETIRED = 3, /* it is no voter's any more, for good (Z11h) */
};

/* What must survive whatever happens to a voter: its record. */
struct vote_record {
    struct node_id id; /* 128 random bits, drawn when the record is made */
    uint64_t lineage;
    enum record_state state;
    struct ballot promise;
    uint64_t lease_ms; /* the longest lease that the life of the promise may have been given */
    uint64_t hold_ms;  /* the longest T_hold of those whose grants may still be held (Z15c) */
    uint64_t writes;   /* so often it has been written, or more often (Z14a) */
    const struct view *accepted; /* borrowed; before there is one, that of the founders, or NULL */
};

/* On the wire: append only. */
enum vote_kind { VOTE_CLAIM, VOTE_PREPARE, VOTE_HEARTBEAT, VOTE_FOUNDING };

enum {
    VOTE_ASKERS_MAX = VOTERS_MAX + 8, /* questions that wait for the disk at one time */
};

/* One question to a voter, or a claim to a member, with all that its answer has to name. */
struct vote_question {
    enum vote_kind kind;
    bool of_voter; /* CLAIM: this node's voter is asked, as it is where the view names voters; else
                      it is asked as a member */
    uint64_t lineage;
    struct ballot ballot;
    uint64_t lease_ms;     /* for how long it asks for leases; 0: for none */
    uint64_t hold_ms;      /* its T_hold (Z15c) */
    uint64_t lease_max_ms; /* what these are at most by the changed terms of the view that came */
    uint64_t hold_max_ms;  /* with it (Z15a); 0: by none */
    struct ballot handed_over; /* by whom, and the highest epoch that it gave up; epoch 0: nobody */
    struct address address;    /* where the answer goes; none: to this very node */
    uint64_t writes;     /* so often, as the asker knows, the record was written; 0: it does not */
    uint64_t stamp;      /* what the answer echoes; 0: the asker knows this life (Z1e) */
    struct view_id view; /* PREPARE: the proposal; voter_on_prepare fills it in */
    uint64_t view_hash;
    const struct view *founders; /* CLAIM: of one who was shown no view yet (Z13a); else NULL */
};

/* On the wire, but for the last two: append only. */
enum vote_result {
    VOTE_GRANTED,        /* it may be answered now */
    VOTE_REFUSED_EPOCH,  /* bound to a higher epoch, or to another life in this one; or another view
                          * of this one, which is not lower, was accepted (Z2e) */
    VOTE_REFUSED_LEASE,  /* another life's lease has not run out */
    VOTE_REFUSED_FRESH,  /* as a member it still hears somebody older than the asker (C2b) */
    VOTE_REFUSED_BEHIND, /* a member holds a higher view than the claimant (C2a) */
    VOTE_MUTE,           /* no record, a record of another lineage, or it cannot be written */
    VOTE_WAITS,          /* granted; the answer is due when the record is on disk */
    VOTE_UNPROVED,       /* the asker has to answer a PING first (Z2k) */
};

enum { VOTE_RESULT_LAST = VOTE_MUTE }; /* on the wire */

struct vote {
    enum vote_result result;
    uint64_t promised; /* REFUSED_EPOCH: the epoch of the promise; else 0 */
    uint64_t wait_ms;  /* REFUSED_LEASE, FRESH: until that is over, at least 1; GRANTED to a claim:
                        * until nobody holds what others granted (Z15c); else 0 */
};

#endif

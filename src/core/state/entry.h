/* What the room entry keeps: this node as one life, how it comes in and how it goes. */
#ifndef CORE_STATE_ENTRY_H
#define CORE_STATE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/asking.h"
#include "core/model/effect.h"
#include "core/model/id.h"
#include "core/model/limits.h"
#include "core/model/member.h"
#include "core/model/message.h"
#include "core/model/move.h"
#include "core/model/pause.h"
#include "core/state/agreement.h"

/* lifecycle: this node as one life. */
struct life {
    enum phase phase;
    uint64_t salt;      /* of its nonces: a hash of the secret and of its id */
    struct member self; /* its age is kept in the view, not here */
    struct tags tags;   /* of `self` */
};

/* founding: the voters to found with, each with its record when it has answered the first of them,
 * who asks for records (Z8). */
struct founding {
    struct voter_lists voters;
    struct node_id answered_to; /* the life of this node that the two below are of */
    voter_set answered;         /* who has told that life its record */
    bool any_changed;           /* one of the others told it a record that was not known before */
};

/* meet: another node that waits to be let in (F3). */
struct met {
    struct address address;
    uint64_t name_hash;
    uint64_t heard_ms;
    bool may_found;
};

/* meet: those heard lately while this node waits. */
struct meeting {
    struct met met[EXPECT_MAX];
    uint32_t count;
};

/* join: how this node asks to be let in. */
struct join {
    bool resolving;   /* RESOLVE is out */
    bool seeds_known; /* the seeds resolved at least once */
    bool may_found;
    bool was_member;      /* ask longer before founding (F2) */
    uint64_t next_ms;     /* next try */
    uint64_t pause_ms;    /* grows */
    bool refused;         /* the last try was: no hint makes the next one sooner */
    uint64_t tried_ms;    /* last try */
    uint32_t ready_count; /* to so many READY was said: a view that holds us may come (V4g); */
    struct node_id ready[READY_MAX]; /* the last of them, in a ring */
    uint64_t offered;                /* the nonce of the OFFER that was answered last; 0: none */
    uint64_t found_ms;    /* found then, if nothing was heard; NEVER_MS when not allowed */
    uint64_t gave_way_ms; /* since when it waits for others that may found too (F2b); 0: not */
};

/* admit: how often watchers are told. */
struct admit {
    struct pause told; /* watchers are not told of another joiner turned away before */
};

/* leave: how this node asks to be let out. */
struct leave {
    struct asking asking; /* when it is over, the node goes without having been let out */
    bool handed_over;     /* a HANDOVER was sent: a view without us may hold (E3) */
};

/* How far a coordinator is that stands down (E5). */
enum stand_down {
    STAND_DOWN_NOT,
    STAND_DOWN_SOON,      /* what is under way comes to its end first */
    STAND_DOWN_WITHDRAWS, /* those who were told of its right to act stop */
    STAND_DOWN_OFFERED,   /* the successor was asked to propose a view of its own */
    STAND_DOWN_GIVEN,     /* this node has accepted that, and acts under its epoch no more */
    STAND_DOWN_PLEDGED, /* strict: it acts under its epoch no more, which the voters go by, and the
                           successor may have missed that it says so (Z7a) */
};

/* move: a coordinator that stands down. */
struct moving {
    enum stand_down step;
    struct node_id to;
    struct asking asking;
    bool settles;       /* the successor is not judged before this is over (E6) */
    struct pause pause; /* this node does not stand down before: the last time came to nothing */
    struct pause idle_pause; /* nor, before this, because it does not act (E7d) */
};

/* wish: what the operator of this node wants of the coordinator. */
struct wishing {
    bool on;          /* something is asked for: a move, tags, or terms */
    struct move move; /* that is not done yet */
    struct asking asking;
};

/* tag: the tags that this node was started with, or that its operator wants it to have since. */
struct tagging {
    bool on;
    bool told;            /* the coordinator that is, or one before it, was asked */
    struct asking asking; /* unless the view has them */
    struct pause pause;   /* it does not begin by itself before */
    struct tags tags;
};

/* terms: what the operator of this node wants the terms to be. */
struct bargaining {
    bool on;
    struct asking asking;
    struct rules_wish wish;
};

#endif

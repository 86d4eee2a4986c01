/* What can be asked of a core between two steps, and what it counts: plain data. */
#ifndef CORE_FACTS_H
#define CORE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"
#include "core/model/quorum.h"
#include "core/model/refusal.h"
#include "core/model/vote.h"

/* A part of a core's block in which nothing is kept: it is written before it is read. */
struct core_part {
    void *start;
    size_t bytes;
};

enum { CORE_PARTS_MAX = 11 };

struct guard_state {
    struct guard guard;
    uint32_t needed;
    uint32_t fresh; /* members, under strict voters, heard within T_fresh, oneself included; a
                       coordinator counts those who follow it (G1) */
    bool met;
};

/* Does the coordinator of a node's view act, as far as that node knows? */
enum reign {
    REIGN_UNKNOWN, /* it is another one, which is not heard, or has not said so yet */
    REIGN_IDLE,    /* it does not: this node itself, or it says so */
    REIGN_ACTING,
};

/* What stands against a change of the terms (A4). */
enum unagreed {
    UNAGREED_NOT,
    UNAGREED_NO_MEMBER, /* this node is not in a view */
    UNAGREED_STRICT,    /* from or to guard strict, which all must be stopped for */
    UNAGREED_UNDER_WAY, /* another change is not settled yet, or came before */
    UNAGREED_ROOM,      /* the capacity would be above what all can hold */
    UNAGREED_MEMBERS,   /* there are more members than the terms would have */
    UNAGREED_FAILED,    /* so there are with those who failed, who may be at work across a cut */
    UNAGREED_GUARD,     /* the guard of now, or the one to be, is not met */
    UNAGREED_SAME,      /* they are the terms already */
    UNAGREED_VOTERS,    /* who is to become a voter is no member, or named twice */
};

/* What a coordinator of guard strict is about to do about its voters (Z17); of others only the
 * target. */
struct autopilot_state {
    uint8_t target;                 /* 0: none, and it does nothing */
    bool lacks;                     /* a voter does not lease, or there are fewer than the target */
    char goes[NAME_BYTES_MAX + 1];  /* the one that has not leased for longest; empty: none */
    char comes[NAME_BYTES_MAX + 1]; /* who is there to stand in; empty: nobody */
    uint64_t in_ms;                 /* until that one is replaced, if it does not lease */
};

/* How far a node that is joining is from a cluster. */
struct waiting_state {
    uint32_t expect; /* as in the options */
    uint32_t met;    /* nodes that wait, itself included, as far as it heard lately (F3) */
    bool may_found;  /* one of them will found, unless a cluster is found first (F2) */
    uint32_t voters; /* in the list of this node's own record; 0: it has none of a cluster */
};

/* What this node's detector knows of one member. */
struct peer_state {
    uint64_t heard_ms_ago;   /* since its last sign of life; NEVER_MS if it gave none yet, or is
                                unknown */
    enum verdict verdict;    /* NONE while it is trusted */
    uint64_t verdict_ms_ago; /* for how long; 0 without a verdict */
    bool unknown;            /* it is not watched by this node (D9) */
    bool linked;             /* the lifeline is up */
    bool behind;             /* it does not get the present view (L5a); of this node itself, the
                                one that the others hold (L5c) */
    uint32_t accuser_count;  /* other members that hold a verdict against it, lately */
};

/* Why two members watch each other (D9a, D9b), as bits. */
enum edge {
    EDGE_RING_1 = 1,
    EDGE_RING_2 = 2,
    EDGE_OLDEST = 4, /* the coordinator and those who are to follow it */
    EDGE_GUARD = 8,  /* the coordinator and whom it asks for leases; under strict, all (D9b) */
};

/* What this node would find of a member that goes on being silent, and what comes then. */
enum outlook {
    OUTLOOK_NONE,      /* it is heard, or not watched */
    OUTLOOK_LOST,      /* held to be lost, unless it or its kernel answers */
    OUTLOOK_STALLED,   /* held to be stalled, for its kernel answers */
    OUTLOOK_JUDGE,     /* held against it by this node, which does not decide about it */
    OUTLOOK_BACKING,   /* removed, once somebody else holds something against it, too */
    OUTLOOK_VERIFIED,  /* removed, unless it answers what it is asked for the last time (R1) */
    OUTLOOK_CONFIRMED, /* removed with the next view */
};

/* How this node watches one member (D9). Times are NEVER_MS where there is none. */
struct watch_state {
    bool on;
    uint64_t left_ms; /* who is no neighbour is watched for so long yet; 0: a neighbour, or not */
    uint64_t silent_ms;
    uint32_t questions;     /* by PING, in a row and not answered */
    uint64_t asked_ms_ago;  /* the last of them, or of its kernel */
    uint64_t kernel_ms_ago; /* since when its kernel answered last, in this silence */
    enum outlook outlook;
    uint64_t due_ms; /* in so long */
};

/* What a member said of another in its last heartbeat. */
struct told_doubt {
    uint32_t subject; /* its position; VIEW_NONE: not in the view of this node */
    enum verdict verdict;
};

/* When this node asked everybody (D9h). */
struct roll_call {
    bool on;
    uint64_t began_ms_ago;
    uint64_t left_ms;
    uint32_t answered; /* of the others, since it began */
};

/* What a node has bound itself to (C2, U2). */
struct bound_state {
    uint64_t epoch; /* granted or accepted; 0: none */
    struct node_id to;
    struct view_id accepted; /* the proposal that it accepted, or made; all zero: none */
};

/* Does this node vote, under guard strict (Z1)? */
enum voter_status {
    VOTER_NOT,       /* it is none of the voters, or the guard is another */
    VOTER_NO_RECORD, /* it has forgotten, or is new: it does not vote */
    VOTER_FOUNDING,  /* it has a record and has not voted yet */
    VOTER_FOUNDED,   /* it votes */
    VOTER_DAMAGED,   /* its record is damaged, or another's: it does not vote */
    VOTER_MUTE,      /* its record could not be written: it does not vote */
    VOTER_RETIRED,   /* others vote now, and it does not for good (Z11h) */
    VOTER_OLDER,     /* its record was written less often than it once said (Z14b) */
};

struct voter_state {
    enum voter_status status;
    struct node_id record_id; /* none: no record; the same for the rest */
    uint64_t lineage;
    struct ballot promise;
    struct view_id accepted; /* all zero: none */
    uint64_t until_ms;       /* for so long it is bound to the life of the promise */
    uint64_t syncs;          /* of the record, in this process */
    uint64_t sync_failures;
    uint64_t sync_ms_ago; /* since the last one; NEVER_MS: there was none */
    bool synced;          /* the disk has all of it */
};

/* What a coordinator knows of one of the voters that its view names (Z6, Z16). */
struct voter_contact {
    bool is_member;           /* it is in the view */
    bool answers;             /* no member: it answered what it was asked last, or lately */
    uint64_t answered_ms_ago; /* likewise: since it answered last; NEVER_MS: it has
                                 not, or this node does not ask it */
    uint64_t round_trip_ms;   /* and about so long its answers take; 0: not known */
};

/* Whom does whom hear? As told by each observer's last heartbeat, and by this node's own ears. */
enum hearing {
    HEARING_UNKNOWN, /* nothing lately from the observer, or its list had no room */
    HEARING_YES,
    HEARING_SILENT,  /* for longer than T_silent */
    HEARING_SUSPECT, /* holds a verdict */
};

/* One of this node's own candidates (K). */
struct own_role {
    struct node_id request;
    char role[NAME_BYTES_MAX + 1];
    uint64_t number;   /* 0: none yet */
    uint64_t token;    /* 0: it holds nothing */
    uint64_t until_ms; /* it holds until then, on this node's clock; 0: it does not */
    bool lost;         /* its client was told that it lost, and has not said that it stopped */
};

/* One candidate that a coordinator lists. */
struct listed_role {
    struct node_id life;
    struct node_id request;
    const char *role; /* valid until the next step */
    uint64_t number;
    uint64_t token; /* 0: it holds nothing */
    bool revoked;   /* it was asked to let go */
};

/* Whose wish brings other voters. */
enum wisher { WISHER_OPERATOR, WISHER_AUTOPILOT, WISHER_COUNT };

/* Each is counted by one module: received by dispatch, refused by refusal, sent, sends_cut and
 * relayed by the outbox, views_installed and mismatches by install, late_wakeups by the detector,
 * voters_replaced by voters_change. */
struct core_counters {
    uint64_t received[MESSAGE_TYPE_COUNT];
    uint64_t sent[MESSAGE_TYPE_COUNT];
    uint64_t refused[REFUSED_COUNT];
    uint64_t sends_cut; /* not sent because one step had too many effects */
    uint64_t views_installed;
    uint64_t mismatches;   /* V2: two contents under one view id */
    uint64_t late_wakeups; /* so often its own timer fired late (D4a) */
    uint64_t relayed;      /* messages handed on for others (R2) */
    /* By changes that this node began and settled (Z11b). */
    uint64_t voters_replaced[WISHER_COUNT];
};

#endif

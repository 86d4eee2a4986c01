/* What the room holding keeps: a member of its own candidates, a coordinator of everybody's (K). */
#ifndef CORE_STATE_HOLDING_H
#define CORE_STATE_HOLDING_H

#include "core/model/role.h"

/* holder: how far one of this node's candidates is. */
enum holder_state {
    HOLDER_FREE,  /* no candidate: the place is empty */
    HOLDER_WAITS, /* holds nothing */
    HOLDER_LEADS,
    HOLDER_LOST, /* its client knows, and has not said that it stopped */
};

struct own_candidate {
    enum holder_state state;
    struct role_entry is; /* as it is told to the coordinator */
    uint64_t until_ms;    /* LEADS: it does until then (K3); LOST: it counts as stopped then,
                             or at NEVER_MS only when it says so */
    uint64_t let_go;   /* the highest token that was let go of: it and all below are void (K4b) */
    uint64_t grace_ms; /* LOST: so long its client may take to stop; NEVER_MS: without an end */
};

/* holder: this node's own candidates. */
struct holder {
    uint32_t count;
    uint32_t top;      /* places that were ever used: what is beyond is never read */
    uint64_t hash;     /* of them all, in no order */
    uint64_t floor;    /* the highest token let go of by a candidate that is no more */
    uint64_t due_ms;   /* the soonest of the deadlines below and of those of the candidates */
    uint64_t ask_ms;   /* the next question; NEVER_MS while there is nothing to ask about */
    uint64_t asked_ms; /* the last one */
    uint64_t told_ms;  /* everything was told last */
    bool tells;        /* everything is to be told before the next question */
    struct own_candidate own[ROLE_OWN_MAX];
};

#define ROSTER_NONE UINT32_MAX

/* roster_list: one candidate of anybody's. */
struct candidate {
    bool used;
    bool revoked; /* it was asked to let go */
    uint32_t role;
    uint32_t position;   /* of its member; VIEW_NONE: that is gone, and may yet hold (K7c) */
    uint32_t next, prev; /* of the same role; ROSTER_NONE at its ends */
    uint32_t priority;
    struct node_id life;
    struct node_id request;
    uint64_t number;
    uint64_t token;    /* 0: holds nothing */
    uint64_t free_ms;  /* of one that is gone: as its member's */
    uint64_t since_ms; /* it was entered, under this epoch */
    bool ripe;         /* it has stood for as long as its role's terms want (K6e) */
};

struct role {
    char name[NAME_BYTES_MAX + 1];
    struct role_terms terms;
    uint32_t first; /* its candidates; ROSTER_NONE: the place is empty */
    bool changed;   /* target and fact are to be compared */
};

/* roster_list: what is listed of the member at the same position. */
struct listed_sum {
    uint32_t count;
    uint32_t revoked; /* of those, asked to let go */
    uint64_t hash;
};

/* roster_list: everybody's candidates, each in the list of its role. */
struct roster_list {
    struct candidate *candidates; /* room for `candidate_capacity` */
    uint32_t candidate_capacity;
    uint32_t candidate_top; /* places that were ever used under this epoch */
    uint32_t candidate_count;
    struct role *roles; /* ROLES_MAX */
    uint32_t role_top;
    bool changed;            /* a role did */
    struct listed_sum *sums; /* by position */
};

/* roster: what is known of the member at the same position. */
struct roster_member {
    bool told;          /* it has told all that it has, or had nothing to tell (K7a) */
    uint64_t stamp;     /* of the question that came last under this epoch (K2c) */
    uint64_t asked_ms;  /* when that came; 0: none did */
    uint64_t free_ms;   /* strict: from then on it holds nothing of what it was answered (K7c) */
    uint64_t listed_ms; /* from when on a question brings all that is listed again (K2b) */
};

/* roster: the coordinator's. */
struct roster {
    uint64_t epoch; /* of this reign; 0: none, this node does not coordinate */
    uint64_t due_ms;
    struct roster_member *members; /* by position */
    struct roster_member *former;  /* the other half, while positions change */

    bool on;               /* somebody stood for a role under this epoch */
    bool blocked;          /* a holder could not be noted: nothing is granted under this epoch */
    bool outgrown;         /* its tokens are used up: another epoch is wanted (K4e) */
    uint64_t serial;       /* of the last number or token, or of a higher one that was told (K4e) */
    uint64_t merged_epoch; /* of the last merge that was installed (K8) */
};

#endif

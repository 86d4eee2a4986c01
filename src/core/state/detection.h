/* What the room detection keeps of all members, of this node and of its voters: who is alive, who
 * hears whom, and until when this node may act. */
#ifndef CORE_STATE_DETECTION_H
#define CORE_STATE_DETECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/id.h"
#include "core/model/limits.h"
#include "core/model/pause.h"

enum {
    FLAPPERS_MAX = 64, /* names whose failures are counted, oldest forgotten first */
    LEASE_MARKS = 32,  /* numbers of messages whose time is known (D8) */
};

/* lease: the messages of this node had reached that number at the time `ms`. */
struct lease_mark {
    uint64_t number; /* 0: none */
    uint64_t ms;
};

/* lease: how often the record of a voter was written, as it said (Z14). It outlives a life. */
struct writes_said {
    uint64_t known; /* it said so, and nothing less for T_lost */
    uint64_t least; /* of what it has said since then */
    uint64_t since_ms;
};

/* lease: what the voter of that record is bound to, as it said (Z6, Z10b). */
struct voter_lease {
    struct node_id record; /* none: the place is empty */
    uint64_t epoch;        /* of the reign that it has leased to */
    uint64_t until_ms;     /* so long that counts, by the length that was asked for */
    uint64_t hold_ms;      /* the longest T_hold that it was told with that (Z15c) */
    uint64_t promised;     /* to which it is bound; 0: it has not said (Z5c) */
    struct writes_said writes;
};

/* lease: what tells the time of an echo; and under strict, who has leased. */
struct leases {
    struct lease_mark marks[LEASE_MARKS]; /* a ring */
    uint32_t latest;
    uint32_t asked_end;      /* nobody at this position or a later one was asked last */
    uint64_t asked_ms;       /* this node's own loop sent its heartbeats, or asked, last then */
    uint64_t longer_over_ms; /* what was told or granted by durations longer than those of now is
                                over then (Z15e); 0: nothing was */
    struct voter_lease voters[VOTERS_LISTED_MAX]; /* in no order */
};

/* signs: when silences are looked at next, and what may put that off. */
struct looking {
    uint64_t next_ms;     /* or later: whoever is heard puts it off; NEVER_MS when off */
    uint64_t wondered_ms; /* when somebody was asked last since a heartbeat was missing; 0: never */
    uint64_t heard_ms;    /* a fellow member was, last; 0: none yet */
    uint64_t regained_ms; /* the first one after a pause in which this node may have been cut off */
    bool heard;           /* a fellow member was, since the last look */
};

/* rounds: when the next one of heartbeats is sent, and to whom. */
struct rounds {
    uint8_t half;         /* to which half of the neighbours, or halves, it goes: bits */
    uint64_t next_ms;     /* NEVER_MS when off */
    uint64_t answered_ms; /* when this view's coordinator was last given a lease; 0: never */
};

/* detector: this node's doubts about its own loop (D4), and since when members are gone. */
struct detector {
    uint64_t gone_ms[GONE_MAX]; /* by position among the gone of the view: since when */
    uint64_t late_last_ms;      /* the last late wake-up; 0: none yet */
    uint64_t late_until_ms;     /* accuse nobody before; 0 when never late */
};

/* numbers: of the lives that went, by position among the gone of the view. */
struct numbers {
    uint64_t gone[GONE_MAX];  /* the last of that life */
    uint8_t proofs[GONE_MAX]; /* enum proof, what it had shown by then */
    bool any_unnamed;         /* of these, or of the members, came with a view like that (G1g) */
};

/* watch: of all members. */
struct watching {
    bool wanted;        /* one of them is */
    bool report;        /* there is something new to tell of a member that is silent */
    bool leads;         /* none of those who are older is heard */
    uint32_t elder;     /* the position of the member that this node would follow (D9e) */
    uint64_t tell_ms;   /* what is new is not told to everybody before that (D9d) */
    uint64_t news_ms;   /* when there was something new last */
    uint64_t judge_ms;  /* when the coordinator was told last of what was new */
    uint64_t called_ms; /* everybody was asked last then (D9h); 0: never */
    struct pause died;  /* on: this coordinator found a member dead lately (D9j) */

    /* On rings: the positions of those who are watched, rising, and of some that were lately. */
    uint16_t *list;
    uint32_t count;
};

/* follow: of all members. */
struct following {
    uint32_t noted; /* of how many something is noted */
};

/* verdict: the evidence has changed, and is judged at the end of the step. */
struct verdicts {
    bool changed;
};

/* removal: when members are judged, and who accuses them. */
struct removal {
    uint64_t verify_ms; /* the soonest end of a verification, or of its half */

    /* While many are judged at once: how many accuse each, by position in `view`. */
    bool counted;
    uint16_t *accusers;
};

/* standing: what watchers were told last of guard, acting and coordinator. */
struct standing {
    bool told_guard_met;
    bool told_acting;
    uint64_t acting_until_ms; /* while told acting: to be looked at again then */
    uint64_t idle_ms;         /* while not: since when, or since the view was installed */
    struct node_id told_coordinator;
};

/* flap: a name that keeps failing is let in more slowly (R4). */
struct flapper {
    char name[NAME_BYTES_MAX + 1];
    uint32_t failures;
    bool vain;        /* the last failure was that nothing long reached it (U1b, L5b) */
    bool waits;       /* it is let in only when the pause since the last failure is over */
    uint64_t last_ms; /* when the last failure was */
};

/* flap: the names that failed lately. */
struct flap {
    struct flapper names[FLAPPERS_MAX];
    uint32_t count;
};

#endif

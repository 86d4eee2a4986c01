/* What each module keeps of the member at the same position of the view. */
#ifndef CORE_STATE_PEER_H
#define CORE_STATE_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/asking.h"
#include "core/model/id.h"
#include "core/model/limits.h"
#include "core/model/member.h"
#include "core/model/message.h"
#include "core/model/pause.h"
#include "core/model/spell.h"
#include "core/model/view.h"

/* signs: what it shows of itself; and rounds: what it was sent. */
struct peer_signs {
    uint64_t heard_ms;       /* last sign of life; 0 for none yet */
    uint64_t silent_from_ms; /* the silence is counted from here: heard_ms, or later (D4, H13) */
    uint64_t heard_number;   /* of its last sign of life: what is echoed to it (D8) */

    /* From its last heartbeat; `view` and `view_hash` also from its ACK. */
    struct view_id view;
    uint64_t view_hash;
    bool acked;            /* known from its ACK alone; no heartbeat has come since */
    bool said;             /* a heartbeat named `view`: it has installed it */
    bool acting;           /* it said that it acts */
    bool handed_over;      /* it coordinates `view`, and acts under its epoch no more (Z7) */
    bool late;             /* its own loop was late lately (D4) */
    uint8_t late_again;    /* so often, each time after it had been in time for long (E7c) */
    uint8_t suspect_count; /* whom it suspects: `doubts` */
    uint64_t late_ms;      /* when it said last that it was late; 0: never */
    uint64_t suspects_ms;

    /* What the kernels tell. */
    bool linked;
    bool was_linked;    /* so that its closing, with nothing heard since, is proof (D2) */
    bool told_bad;      /* rounds: watchers know that its link is bad */
    uint64_t closed_ms; /* the lifeline was closed, nothing was heard since; 0: not so */
    uint64_t asked_ms;  /* last EFFECT_KERNEL_ASK of this silence; 0 for none */
    uint64_t kernel_ms; /* last answer; 0 for none */

    uint64_t vouched_ms; /* others heard it though we do not, or it was relayed; 0: never */
    uint64_t unheard_ms; /* when it last said that it does not hear us; 0: never (R2) */
    struct pause
        answered; /* rounds: no heartbeat out of turn before, for what its own said (D5, D8) */
};

/* signs: whom it suspects, by its last heartbeat. Most suspect nobody, so these lists lie apart,
 * where nothing is touched for them. */
struct peer_doubts {
    struct suspicion list[SUSPECTS_MAX];
};

/* G1e: has a life shown that it receives at its listed address? */
enum proof {
    PROOF_UNKNOWN, /* this node did not watch it from its beginning on */
    PROOF_LACKING,
    PROOF_GIVEN,
    PROOF_UNNAMED, /* came with a view that its coordinator was not heard to name yet (G1g) */
};

/* numbers: of that life's messages (D6). */
struct peer_number {
    uint64_t nonce;           /* of the question put at its listed address; 0: none is open */
    uint64_t nonce_elsewhere; /* of the one put where it was heard from; 0: none is open */
    uint64_t answered;        /* the nonce of the last one that it answered */
    uint64_t question;        /* the highest number of its own questions */
    uint64_t asked_ms;        /* when it was asked last, or heard first; 0: never */
    uint64_t highest;         /* of all that it sent and this node took */
    uint64_t settled;    /* a heartbeat with this number or a lower one says nothing any more */
    uint64_t settled_ms; /* when what had come by then was settled */
    enum proof proof;
};

/* lease: for how long it is bound to us, but under strict; of this node itself, its own word. */
struct peer_lease {
    uint64_t asked_ms; /* its lease counts from then, when it was asked, or sent what it has heard;
                          0: none */
};

/* watch: is it watched by this node, and since when (D9)? */
struct peer_watch {
    uint64_t until_ms; /* until then it is watched, or a neighbour looked at in time (D2i) */
    uint64_t begun_ms;
    uint64_t asked_ms;       /* the last question */
    bool neighbour;          /* in the installed view */
    uint8_t halves;          /* of heartbeats it gets those of these halves (D8e): bits */
    bool unheard_since_turn; /* was made one lately, and was not heard for T_silent before (D9c) */
    bool has_lifeline;       /* one is held for it */
    bool reported;           /* its silence was told of (D9d) */
    bool reported_to_neighbours; /* and those who watch it besides were told, too */
    bool wanted;       /* somebody has to know whether it lives: to be watched from now on */
    uint8_t questions; /* in a row that it has not answered */
};

/* verdict: what is held against it. */
struct peer_charge {
    uint64_t verdict_ms;
    uint64_t asked_ms;    /* R1 began then, and has had no answer; 0: it did not begin, or has */
    uint64_t nonce;       /* of its questions (H15) */
    struct asking verify; /* R1; it ends at NEVER_MS while it is not under way */
    enum verdict verdict;
    bool confirmed;     /* to be removed with the next view */
    bool leaves;        /* asked to be let out (E1a), or is gone (E3) */
    uint64_t leaves_ms; /* when it said so last */
};

/* follow: does it follow another coordinator than we do (L2), or is it behind (L5)? */
struct peer_course {
    struct spell other;     /* that it follows another one */
    struct spell lower;     /* that it holds one lower view */
    uint64_t lower_version; /* of that view */
};

/* install: bringing it to the view that holds (V5). */
struct peer_repair {
    struct pause shown;      /* the view is not sent to it before */
    uint64_t lower_ms;       /* since when its heartbeats name a lower view; 0: they do not */
    bool shared_our_lineage; /* one of its heartbeats named it, since we are in that (V4) */
};

enum drain_wish { WISH_NONE, WISH_DRAIN, WISH_UNDRAIN };

/* next_view: what the next view is to say of it. */
struct peer_wish {
    enum drain_wish drain;
};

/* electorate: does the view name it as a voter, is the next one to do so, or can it not be one? */
struct peer_franchise {
    bool voter;
    bool newcomer; /* it is to become one, and leases already (Z11f) */
    bool unable;   /* it was asked for a record in vain (Z17a) */
};

/* The order is for a processor's cache: a heartbeat of the member touches the last fields of some
 * parts and the first ones of the next. */
struct peer {
    struct node_id id; /* peers */
    struct peer_course course;
    struct peer_watch watch;
    struct peer_charge charge;
    struct peer_number number;
    struct peer_repair repair;
    struct peer_wish wish;
    struct peer_franchise franchise;
    struct peer_lease lease;
    struct peer_signs signs;
};

#endif

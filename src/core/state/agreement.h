/* What the room agreement keeps: the view on its way, who answered, and what this node has bound
 * itself to. */
#ifndef CORE_STATE_AGREEMENT_H
#define CORE_STATE_AGREEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/asking.h"
#include "core/model/facts.h"
#include "core/model/id.h"
#include "core/model/limits.h"
#include "core/model/member.h"
#include "core/model/message.h"
#include "core/model/pause.h"
#include "core/model/ration.h"
#include "core/model/spell.h"
#include "core/model/view.h"
#include "core/model/vote.h"

enum { PROVED_MAX = 16 }; /* lives that a voter knows to receive where they are (Z2k) */

enum answer { ANSWER_NONE = 0, ANSWER_YES = 1, ANSWER_NO = 2 };

/* How the voters answered one question, by their place in the lists of the view that it is about.
 */
struct tally {
    voter_set granted;
    voter_set refused; /* for good */
};

static inline bool tally_has(const struct tally *tally, uint8_t place)
{
    return ((tally->granted | tally->refused) & voter_set_of(place)) != 0;
}

static inline void tally_granted(struct tally *tally, uint8_t place)
{
    tally->granted |= voter_set_of(place);
    tally->refused &= ~voter_set_of(place);
}

static inline void tally_refused(struct tally *tally, uint8_t place)
{
    tally->refused |= voter_set_of(place);
    tally->granted &= ~voter_set_of(place);
}

/* promise: what epochs, versions and ages were at the time `ms`; a leap is counted from there (V7).
 */
struct leap_base {
    uint64_t ms;
    uint64_t epoch;
    uint64_t version;
    uint64_t next_age;
};

/* promise: what this node has bound itself to, and how long it keeps from asking for an epoch. */
struct promise {
    uint64_t seen;  /* the highest epoch seen anywhere in this cluster */
    uint64_t epoch; /* granted or accepted; 0: none */
    struct node_id to;
    uint64_t until_ms;    /* the promise is forgotten then (C5b) */
    struct pause backoff; /* this node asks for no epoch before (C5c); all zero: it may ask */
    struct leap_base base;
    struct leap_base near; /* what was seen since one began; the next base, if it comes soon, counts
                              it (V7a): of a view that leaps half a leap (V7c); `ms` is not used */
};

/* A question that was granted; answered when the disk has the change of that number. */
struct waiting_vote {
    struct vote_question question;
    uint64_t number;
};

/* voter: what this node is bound to as a voter of guard strict (Z2), beside its life. */
struct voter {
    bool named;                /* it is one of those to found with */
    bool has_disk;             /* it could keep a record */
    bool damaged;              /* a record was there and is not sound */
    bool mute;                 /* the record could not be written: it does not vote */
    struct pause rewrite;      /* while mute: when to try again */
    struct vote_record record; /* as it is to be on disk, but for the accepted view: */
    struct view accepted;      /* empty: none */
    uint64_t accepted_ms;      /* when this process accepted it, or found it on disk */
    uint64_t until_ms;         /* bound to the life of the promise until then */
    uint64_t hold_ms;          /* the T_hold of that life, as far as it has named it (Z15c) */
    uint64_t held_until_ms;    /* what former coordinators granted may be held until then */
    struct node_id older_by;   /* who said that this record is an older copy (Z14b), */
    uint64_t older_until_ms;   /* and until when it goes by that; 0: nobody did */

    /* Changes of the record are numbered. */
    uint64_t number;         /* of the last change */
    uint64_t promise_number; /* of the one that made the promise, or its longest lease longer */
    uint64_t requested;      /* of the last one that was to be written */
    uint64_t synced;         /* of the last one that is on disk */
    uint64_t synced_ms;
    uint64_t syncs;
    uint64_t sync_failures;

    /* Those who are no fellow members (Z2k). */
    struct ration promises;            /* to them, within T_stall */
    struct node_id proved[PROVED_MAX]; /* the lives that answered a PING, in turn */
    uint32_t proved_next;

    uint32_t waiting_count;
    struct waiting_vote waiting[VOTE_ASKERS_MAX]; /* the oldest first */
};

/* install: what this node asks others for, and what it answers them, so that all hold one view. */
struct install {
    struct pause pulled;      /* no PULL before (V5) */
    struct pause superseded;  /* no new version for another content before (V2b) */
    uint64_t leaps_ms;        /* since when who knows better shows what leaps; 0: nobody does */
    struct voter_lists shown; /* by whoever this life asked last (Z11i); none: nobody */
};

/* behind: who follows our coordinator, or is it, holds a view that this node does not get (L5). */
struct behind {
    struct spell higher;
    bool elsewhere; /* so do strangers, whom it does not know yet */
};

/* news: members that went, each within T_fresh of the one before (M8). */
struct news {
    uint64_t last_loss_ms;
    uint32_t losses;
    uint32_t losses_of; /* members before the first of them */
};

/* next_view: what the next view is to change. */
struct next_view {
    struct view building;   /* where a view is put together, to be proposed in the same step */
    struct rules_wish wish; /* what the terms are to be */
    bool wished;
    struct member *joiners;   /* said READY, by arrival */
    struct tags *joiner_tags; /* of these */
    uint32_t joiner_count;
    uint32_t joiner_capacity;
    struct node_id forgotten; /* is gone, and is to be listed no more (E9); none: nobody */
    bool epoch_wanted;        /* it takes a new epoch (U2) */
    bool version_wanted;      /* it takes place even if nothing changed (V2) */
    uint64_t dead_ms;         /* the first whom it leaves out as dead was found then; 0: nobody */
    uint64_t due_ms;          /* it is built then; NEVER_MS: nothing is to be changed */
};

/* next_view: the tags that one member is to have in the next view, or got in one lately. */
struct tag_wish {
    struct node_id id;
    bool done;         /* the view has them */
    struct pause kept; /* done: no other ones before */
    struct tags tags;
};

struct tag_wishes {
    uint32_t count;
    struct tag_wish list[TAG_WISHES_MAX];
};

/* What a proposal is besides its view. */
struct proposal {
    uint32_t first_joiner;      /* members from here on are left out if they do not answer */
    struct node_id handover_by; /* E2, E5: the coordinator that hands over */
    struct node_id merge_with;  /* M4: the other part's coordinator, who must agree */
    uint64_t merge;             /* number of its MERGE; 0: not a merge */
    bool forced;                /* takes place even if it changes no member (U2, V2) */
};

/* change_count: what the next epoch and the next version of this life have to be above. */
struct counting {
    uint64_t version_used; /* the highest version that this life has given to a view (S1) */
    uint64_t epoch_used;   /* the highest epoch under which it has proposed one */
    struct pause outdone;  /* no new epoch for a forged view before (V4i) */
    uint64_t overtaken;    /* voters agree to no view of an epoch below this; 0: none told of it */
};

/* change_answers: the answers to a proposal of our own. */
struct answered {
    uint8_t *members;   /* enum answer, by position in `change.pending` */
    struct tally tally; /* of the voters, under guard strict (Z5) */
};

/* change_propose: a proposal of our own, while `change.on`. */
struct proposing {
    struct proposal proposal;
    bool asked_last;   /* the one who stands down was asked, after all others (E5) */
    bool spread;       /* it goes by way of the others (U4) */
    bool sent;         /* this step sent PREPAREs, which borrow `change.pending` */
    uint32_t sendings; /* how often it was sent (U1a) */
    struct asking asking;
};

/* change_accept: the acknowledgement of the proposal that this node has accepted. */
struct accepting {
    uint64_t ack_ms; /* ACK is sent again then (U2f); 0: no more */
    uint32_t acks;   /* how often it was sent */
    uint32_t echo;   /* the nonce with which the proposal of a merge came (M4f); 0: none */
};

/* change: a view on its way through the two phases. */
struct change {
    bool on;              /* `pending` is our own proposal, and answers to it are collected */
    uint64_t accepted_ms; /* when `pending` was */
    struct view pending;  /* proposed by us, or accepted from another; empty when none */
};

/* spread: how many messages this node has handed on (U4c). */
struct spreading {
    struct ration turns; /* in a heartbeat interval */
};

/* Where a voter was heard of last. */
struct sighting {
    char name[NAME_BYTES_MAX + 1];
    struct address address;
    struct node_id life; /* as which life */
    uint64_t heard_ms;   /* when */
    uint32_t nonce;      /* of that life's JOIN, as answers echo it (J3c); 0: none was heard */
};

/* electorate: the voters as this node knows them. */
struct electorate {
    uint8_t seen_count;
    struct sighting seen[VOTERS_LISTED_MAX];
    uint32_t positions[VOTERS_LISTED_MAX]; /* among the members, by place in the view's lists */
    uint32_t sought;                       /* how often those who do not answer were looked for */
};

/* absent: what this coordinator has asked of a voter that is no member (Z16b). */
struct absent_voter {
    struct node_id record; /* none: the place is empty */
    uint64_t asked_ms;     /* last; 0: never */
    uint64_t heard_ms;     /* the latest question that it has answered was sent then; 0: none was */
    uint64_t answered_ms;  /* when that answer came */
    uint64_t rtt_ms;       /* about so long the answers take */
};

struct absent {
    struct absent_voter voters[VOTERS_LISTED_MAX]; /* in no order */
};

/* voters_change: other voters, which this coordinator is to bring about (Z11). */
struct voters_change {
    bool on;
    enum wisher by;
    struct asking asking;     /* newcomers for a record, until the next step begins */
    struct voters_wish wish;  /* who are to vote in the end */
    struct voter_lists lists; /* of the next step; a newcomer's record when it has said which */
};

/* autopilot: replaces voters that have not voted for long, while this node coordinates (Z17). */
struct autopilot {
    bool on;             /* it coordinates, and the terms have a target */
    bool lacks;          /* one would be replaced, or come, and nobody is there for that */
    uint64_t begun_ms;   /* it coordinates since then */
    uint64_t due_ms;     /* looks again; NEVER_MS while off */
    uint64_t changed_ms; /* the voters were changed last under this node; 0: they were not */
    uint64_t wished_ms;  /* its last wish; 0: it had none */
};

/* candidacy: this node asks for an epoch under which to coordinate (C, Z4). */
struct candidacy {
    bool on;
    bool out;       /* it was won, and this member is not in the view to build on */
    bool anew;      /* the first proposal after it was won was made anew (C4f) */
    bool stays;     /* the coordinator that this node succeeds stays a member (E5) */
    uint64_t epoch; /* that the last candidacy of this life asked for; 0: there was none */
    struct ballot handed_over; /* the reign that was handed over to us; epoch 0: none was */
    struct asking asking;      /* the members, or under guard strict the voters */
    uint32_t askings;          /* how often they were asked */
    uint8_t unheard; /* so many times in a row voters have decided nothing in time (Z4h) */

    struct view founders;   /* of no members: what an outsider's question shows (Z13a) */
    uint8_t *answers;       /* of the members: enum answer, by position in the view */
    struct tally tally;     /* of the voters */
    voter_set asked;        /* the voters that were asked last, by their places */
    uint64_t held_until_ms; /* the roles that former coordinators granted may be held until then, by
                               the latest word of the voters that granted an epoch (Z15c) */
};

/* succession: with which view this node would come to coordinate, and what it handed over. */
struct succession {
    struct view base;       /* the highest view known above ours (C4a, Z4c); empty: none */
    bool unshown;           /* that is of this node's record, and nobody has shown it yet (Z12a) */
    uint64_t base_ms;       /* since when it is to be built on */
    uint64_t next_age;      /* the highest that a view had which was shown (S6) */
    uint64_t handed_epoch;  /* handed over by this node: it acts no more up to that (Z7) */
    uint64_t handed_ms;     /* when it did that */
    uint64_t given_back_ms; /* from when on it may ask for an epoch above that (E6a) */
};

/* unanswered: claims and proposals in this view that most of those who are heard did not answer
 * (L3b). */
struct unanswered {
    uint8_t count;
    struct spell spell; /* from the end of the first of them to that of the last one */
};

/* A claim that this node refused because it had heard somebody older lately; it is granted at once
 * when that one is not fresh any more (C5a). */
struct waiting_claim {
    struct ballot ballot;
    uint64_t until_ms; /* 0: none waits */
};

/* granter: this node answers the claims of other members (C2). */
struct granting {
    struct view shown; /* the view sent with the last grant; a message of that step points to it */
    struct waiting_claim waiting;
};

#endif

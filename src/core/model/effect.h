/* What comes out of the core: messages to send, links to hold, things to tell. */
#ifndef CORE_EFFECT_H
#define CORE_EFFECT_H

#include <stdint.h>

#include "core/model/message.h"
#include "core/model/refusal.h"

enum effect_type {
    EFFECT_SEND,
    EFFECT_LINK_OPEN, /* hold a lifeline to this member until told otherwise; try again for ever */
    EFFECT_LINK_CLOSE,
    EFFECT_KERNEL_ASK, /* does that host's kernel answer? over the lifeline, else by one connect */
    EFFECT_RESOLVE,    /* resolve the seeds again and answer with EVENT_ADDRESSES */
    EFFECT_STORE,      /* write what must survive: see core_stored */
    EFFECT_NOTICE,     /* tell watchers and the log */
    EFFECT_REFUSED,    /* a message, or a part of it, was not acted on: for whoever asks why */
    EFFECT_SYNC,     /* write this voter's record, and answer with EVENT_SYNCED when it is on disk:
                        see core_record. The latest one supersedes those before it. */
    EFFECT_WITHDRAW, /* this coordinator is about to hand over: answer with EVENT_WITHDRAWN when
                        nobody who was told of its right to act goes by that any more */
    EFFECT_ROLE,     /* tell the client whose request it is */
};

enum notice_type {
    NOTICE_PHASE,        /* phase, reason */
    NOTICE_VIEW,         /* a view was installed: core_view; `cause`; NOTICE_JOINED and
                            NOTICE_GONE of the same change came just before it */
    NOTICE_JOINED,       /* subject */
    NOTICE_GONE,         /* gone */
    NOTICE_COORDINATOR,  /* subject; id none: there is no coordinator now */
    NOTICE_SUSPECT,      /* subject, verdict, silent_ms: this node's own verdict */
    NOTICE_CLEARED,      /* subject: the suspicion was unfounded; silent_ms */
    NOTICE_GUARD,        /* on, count = fresh, needed */
    NOTICE_ACTING,       /* on, count = fresh, needed */
    NOTICE_LATE,         /* this node's own loop was late by silent_ms (D4) */
    NOTICE_CLAIM,        /* claim, subject = the claimant, epoch */
    NOTICE_BAD_LINK,     /* subject is heard by others though not by us: the link is bad (R2) */
    NOTICE_JOIN_REFUSED, /* refused: this node asked and was turned away; subject.address =
                            who answered */
    NOTICE_TURNED_AWAY,  /* refused, subject: the coordinator turned a joiner away */
    NOTICE_MISMATCH,     /* subject: whose heartbeat shows two contents under one view id (V2) */
    NOTICE_SPLIT,        /* half of the members or more were lost at once (M8): count = lost,
                            needed = members before */
    NOTICE_MERGE,        /* a merged view was installed (M8): parents, apart_ms; comes after
                            NOTICE_VIEW */
    NOTICE_MERGING,      /* on: our part asked another to take it up; subject.address of its
                            coordinator. Off: it came to nothing; refusal, if there was one */
    NOTICE_OTHER_TERMS,  /* another part cannot be one with ours, for its terms differ (J2):
                            refused quotes them, subject.address of its coordinator */
    NOTICE_LEADER,       /* subject, whom an election found; id none: there is no leader now. Not
                            the core's: the runtime tells it (docs/elections.md) */
    NOTICE_PARTITIONS,   /* partitions: another table. Not the core's either (docs/partitions.md) */
    NOTICE_TAGS,         /* subject, tags: a view gives a member other tags (E8); before its
                            NOTICE_VIEW */
    NOTICE_ADDRESS,      /* subject, this node, with its address; here, another. Not the core's */
    NOTICE_OWNERS,       /* owners: what this node owns of the partitions, or is to own, is other
                            than before. Not the core's either */
    NOTICE_DRAINED,      /* subject; on: a view has it drained; off: not any more (E7); before its
                            NOTICE_VIEW */
    NOTICE_FORGOTTEN,    /* subject, who was gone: a view lists it no more (E9); before its
                            NOTICE_VIEW */
    NOTICE_AUTOPILOT,    /* subject is to vote, where it is no member nobody can; `by`, `goes`: in
                            whose stead, perhaps itself with another record (Z17) */
    NOTICE_OLD_RECORD,   /* subject, who asks for its lease, knows of more writes of this voter's
                            record than there were (Z14b) */
};

/* Why the phase changed. */
enum phase_reason {
    REASON_START,
    REASON_FOUNDED,    /* nobody else was there (F2) */
    REASON_ADMITTED,   /* the view that lets it in is committed (J6) */
    REASON_REMOVED,    /* L1: a view that counts for us does not hold us */
    REASON_LEFT_ALONE, /* L3a: all others follow another coordinator or are suspected */
    REASON_BEHIND,     /* L3b, L5: what is long does not get through between it and the others */
    REASON_SUCCEEDED,  /* Z18c: a recovery began another history in place of this one */
    REASON_NAME_TAKEN, /* M5: the part that wins has a live member of our name or address */
    REASON_LEAVE_ASKED,
    REASON_LEAVE_DONE,
    REASON_LEAVE_TIMEOUT,
};

enum phase {
    PHASE_JOINING, /* asking to be let in, or about to found */
    PHASE_MEMBER,
    PHASE_LEAVING, /* still a member, asked to be let out */
    PHASE_STOPPED, /* left; nothing more will happen */
    PHASE_WITNESS, /* only votes, from the beginning on (Z16) */
};

enum claim_step {
    CLAIM_STARTED,
    CLAIM_WON,
    CLAIM_LOST,
    CLAIM_GRANTED,  /* this node granted the subject's */
    CLAIM_DECLINED, /* this node refused the subject's */
};

/* Who a notice is about; copied, so that it outlives the view it came from. */
struct subject {
    struct node_id id;
    struct address address;
    uint64_t age;
    char name[NAME_BYTES_MAX + 1];
};

struct notice {
    enum notice_type type;
    struct subject subject;
    union {
        struct {
            enum phase phase;
            enum phase_reason reason;
        };
        enum view_cause cause;
        struct gone gone;
        struct {
            enum verdict verdict;
            uint64_t silent_ms;
        };
        struct {
            bool on;
            uint32_t count;
            uint32_t needed;
            enum merge_refusal refusal;
        };
        struct {
            enum claim_step claim;
            uint64_t epoch;
        };
        struct join_refused refused;
        struct {
            char by[16]; /* who wants it so */
            char goes[NAME_BYTES_MAX + 1];
        };
        struct {
            struct view_id parents[2]; /* winner's, loser's */
            uint64_t apart_ms;         /* since the first of the other part went; 0: never met */
            bool lost;                 /* this node was on the side that was taken up */
        };
        struct {
            uint32_t moved; /* copies that somebody keeps who did not; the least that it can be */
            uint32_t least;
            uint32_t led;    /* partitions with another owner */
            uint32_t gained; /* of these by this node, and lost by it */
            uint32_t lost;
            uint32_t owned; /* by this node now */
        } partitions;
        struct {
            uint32_t incoming; /* it is to own so many more, once it is ready */
            uint32_t began;    /* it owns so many more */
            uint32_t stopping; /* it was asked to let go of so many, that programs go by yet */
            uint32_t ended;    /* it owns so many less */
            uint32_t held;     /* all that it owns now */
        } owners;
        struct {
            bool here;              /* its host has that address again; else not any more */
            struct address another; /* that its host has instead; none: not known */
        };
        struct {
            const struct tags *tags_before; /* borrowed from the views until the next step */
            const struct tags *tags_now;
        };
    };
};

/* What was not acted on, and why; copied, so that it outlives the message. */
struct refused_message {
    enum message_type type;
    enum refusal reason;
    uint64_t number; /* 0: it came in an earlier step */
    struct node_id from;
    struct address source; /* none: it came in an earlier step */
};

struct effect {
    enum effect_type type;
    union {
        struct {
            struct node_id peer; /* SEND: goes out as `to`; none: whoever lives there */
            struct address address;
            bool fellow;     /* SEND: goes out as `fellow` */
            bool relay;      /* SEND: goes out as `relay` */
            bool handed_on;  /* SEND: goes out as `handed_on` */
            uint32_t echo;   /* SEND: goes out as `echo` */
            uint8_t version; /* SEND: of the protocol, in which it goes out (J2d) */
            bool brief;      /* SEND: its view may go out as a change of core_view (U3b) */
            const struct message *message; /* SEND: shared by all its receivers */
        };
        const struct notice *notice;
        struct refused_message refused;
        struct role_news role;
        uint64_t number; /* SYNC: rises with each change of the record */
    };
};

/* Borrowed from the core until its next step. To be carried out in order. */
struct effects {
    const struct effect *items;
    uint32_t count;
};

#endif

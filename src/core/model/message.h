/* What crosses the wire between two nodes, as plain structs. proto/wire.md has the bytes. */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/model/move.h"
#include "core/model/quorum.h"
#include "core/model/ring.h"
#include "core/model/role.h"
#include "core/model/timing.h"
#include "core/model/view.h"
#include "core/model/vote.h"

/* What a message carries besides its envelope: which member of the union in struct message. */
enum message_body {
    CARRIES_NOTHING,
    CARRIES_HEARTBEAT,
    CARRIES_VIEW,      /* carrier: a view, and what comes with it */
    CARRIES_REFERENCE, /* the name of a view */
    CARRIES_JOINER,
    CARRIES_OFFER,
    CARRIES_JOIN_REFUSED,
    CARRIES_PING,
    CARRIES_PROBE,
    CARRIES_MERGE_REFUSED,
    CARRIES_CLAIM, /* carrier too: what those who decide are asked, or answer */
    CARRIES_ROLES, /* role: of one candidate, or of all of a member (K) */
    CARRIES_WISH,
};

/* All there is to know of each type: MESSAGE(name, number on the wire, text in logs and counters,
 * what it carries). Append only. */
#define MESSAGES(MESSAGE)                                                                          \
    MESSAGE(HEARTBEAT, 1, "heartbeat", HEARTBEAT)                                                  \
    MESSAGE(PULL, 2, "pull", NOTHING)                     /* send me your view (V5) */             \
    MESSAGE(VIEW, 3, "view", VIEW)                        /* an installed view */                  \
    MESSAGE(PREPARE, 4, "prepare", VIEW)                  /* a proposed view (U1) */               \
    MESSAGE(ACK, 5, "ack", REFERENCE)                     /* accepted it */                        \
    MESSAGE(NACK, 6, "nack", REFERENCE)                   /* promised a higher epoch (U2) */       \
    MESSAGE(NOT_FOLLOWING, 7, "not_following", REFERENCE) /* my coordinator is another one (V4) */ \
    MESSAGE(COMMIT, 8, "commit", REFERENCE)               /* the proposed view holds */            \
    MESSAGE(CLAIM, 9, "claim", CLAIM) /* may I have that epoch (C1, Z4), or a record of it? */     \
    MESSAGE(JOIN, 10, "join", JOINER)                                                              \
    MESSAGE(OFFER, 11, "offer", OFFER)                                                             \
    MESSAGE(READY, 12, "ready", JOINER)                                                            \
    MESSAGE(JOIN_REFUSED, 13, "join_refused", JOIN_REFUSED)                                        \
    MESSAGE(WISH, 14, "wish", WISH) /* to the coordinator, until its view shows it (E1a) */        \
    MESSAGE(HANDOVER, 15, "handover", VIEW) /* coordinate, without me or with me (E2, E5) */       \
    MESSAGE(PING, 16, "ping", PING)         /* do you live, or does that one, ask it (R1)? */      \
    MESSAGE(PONG, 17, "pong", PING)                                                                \
    MESSAGE(PROBE, 18, "probe", PROBE)   /* are you another part of us? (M1) */                    \
    MESSAGE(HELLO, 19, "hello", NOTHING) /* first message on a stream, and its answer */           \
    MESSAGE(MERGE, 20, "merge", VIEW)    /* the losing part's coordinator asks the other (M3) */   \
    MESSAGE(MERGE_REFUSED, 21, "merge_refused", MERGE_REFUSED) /* not now, or not any more (M5) */ \
    MESSAGE(VOTE, 23, "vote", CLAIM)               /* the answer to CLAIM (C2) and PREPARE (Z2) */ \
    MESSAGE(ROLES_ASK, 24, "roles_ask", ROLES)     /* may I still hold what I hold? (K2) */        \
    MESSAGE(ROLES_ENTER, 25, "roles_enter", ROLES) /* one of my candidates (K5) */                 \
    MESSAGE(ROLES_LET_GO, 26, "roles_let_go", ROLES) /* I hold that grant no longer (K4) */        \
    MESSAGE(ROLES_ANSWER, 27, "roles_answer", ROLES) /* to a question, or puts one (K2) */         \
    MESSAGE(ROLES_PLACE, 22, "roles_place", ROLES)   /* what holds of one candidate (K2) */

#define MESSAGE_NUMBER(name, number, text, body) MESSAGE_##name = (number),
enum message_type { MESSAGES(MESSAGE_NUMBER) };
#undef MESSAGE_NUMBER

/* Types are below it, and above 0. */
#define MESSAGE_TYPE_COUNT (MESSAGE_ROLES_ANSWER + 1)

/* Whom the sender of a heartbeat does not hear: the age, in the sender's view, and the verdict it
 * holds; VERDICT_NONE while it is only silent. All others it hears. */
struct suspicion {
    uint64_t age;
    enum verdict verdict;
};

struct heartbeat {
    struct view_id view;
    uint64_t view_hash;
    bool late;        /* the sender's own loop was late lately: its word counts for little (D4) */
    bool acting;      /* the sender is coordinator and may act */
    bool handed_over; /* the sender coordinates `view`, and acts under its epoch no more (Z7) */
    bool asks;        /* the sender asks for a lease: it wants a heartbeat that echoes this (D8c) */
    uint8_t suspect_count;
    struct suspicion suspects[SUSPECTS_MAX];
};

/* A view that is named and not carried: by ACK, NACK, COMMIT, NOT_FOLLOWING, and perhaps CLAIM. */
struct view_reference {
    struct view_id view;
    uint64_t view_hash;
    uint64_t promised; /* NACK: the epoch the sender is bound to; else 0 */
};

static inline struct view_reference view_reference_of(const struct view *view)
{
    return (struct view_reference){.view = view_id_of(view), .view_hash = view->hash};
}

static inline bool view_is_named(const struct view *view, const struct view_reference *named)
{
    const struct view_id id = view_id_of(view);

    return !view_is_empty(view) && view->hash == named->view_hash &&
           view_id_equal(&id, &named->view);
}

/* What all nodes of one cluster must share (J2), and what a refusal quotes. The voters are those to
 * found with, and nothing else: once there is a view it names them (Z13). */
struct terms {
    struct guard guard; /* as in rules: of strict the target (Z17) */
    enum profile profile;
    uint8_t watchers; /* of each member (D9a) */
    uint64_t heartbeat_ms;
    uint64_t lost_ms;
    uint32_t capacity; /* what is too large for one of them is too large for all */

    /* Of terms that were changed (struct agreed); 0: nobody has. The others are then what they are
     * to come to. */
    uint64_t number;
    uint64_t origin;
    uint32_t room;

    struct voters voters;
};

/* Who votes is no matter of terms; how many are to, is. */
static inline struct rules terms_rules(const struct terms *terms)
{
    return (struct rules){.guard = terms->guard,
                          .profile = terms->profile,
                          .heartbeat_ms = terms->heartbeat_ms,
                          .lost_ms = terms->lost_ms,
                          .capacity = terms->capacity};
}

static inline bool terms_equal(const struct terms *a, const struct terms *b)
{
    const struct rules ours = terms_rules(a);
    const struct rules theirs = terms_rules(b);

    return rules_equal(&ours, &theirs) && a->watchers == b->watchers;
}

/* Copies all but the room for names that are not there, as the other copies below do. */
static inline void terms_copy(struct terms *to, const struct terms *from)
{
    memcpy(to, from, offsetof(struct terms, voters.names));
    for (uint8_t i = 0; i < from->voters.count; i++) {
        memcpy(to->voters.names[i], from->voters.names[i], sizeof to->voters.names[i]);
    }
}

/* A part of the cluster, as two coordinators compare them (M2). */
struct probe {
    struct view_id view;
    uint64_t view_hash;
    uint32_t holders; /* members that hold this view, the sender's knowledge */
    uint64_t oldest_age;
    bool guard_met;
    bool answer;        /* do not answer this one */
    uint8_t seed_count; /* the sender's seeds, by which two foundings know each other (I3) */
    struct address seeds[PROBE_SEEDS_MAX];
    struct address coordinator; /* where to ask about this part */
    struct terms terms;         /* parts whose terms differ stay apart (J2) */
};

/* VOTE: what a member says to a CLAIM, or a voter to a CLAIM or a PREPARE. */
struct vote_answer {
    struct node_id record; /* by which a voter votes (Z10b); none: it has none of that lineage, or a
                            * member votes */
    enum vote_kind kind;
    enum vote_result result;
    uint64_t version;  /* PREPARE: the proposal's; else 0 */
    uint64_t promised; /* REFUSED_EPOCH, or any refusal of a member: the epoch of the promise */
    uint64_t wait_ms;  /* REFUSED_LEASE, FRESH: until that is over; of an epoch that is granted:
                        * until nobody holds what former coordinators granted (Z15c) */
    uint64_t writes;   /* of a voter: so often the disk has got its record (Z14a) */
};

/* VIEW, PREPARE, HANDOVER, MERGE, CLAIM, VOTE. The view is borrowed; who receives it may
 * have its index table rebuilt, nothing else. */
struct view_carrier {
    struct view *view;           /* VOTE: NULL unless its sender accepted a higher one; CLAIM:
                                    NULL where the view is named, or the asker is no member */
    struct view_reference named; /* CLAIM: that view, where it is not carried */
    uint64_t epoch;              /* CLAIM, VOTE: the epoch asked for; 0: a record */
    struct node_id handover_by;  /* PREPARE, CLAIM of a hand-over: who hands over; else none */
    uint64_t handover_epoch;     /* CLAIM: the highest epoch that it gave up; else 0 */
    uint64_t lineage;            /* CLAIM, VOTE: of the voter's record, or of the claim */
    struct vote_answer vote;     /* VOTE */
    uint64_t merge;              /* MERGE, and the PREPARE that answers it: its number; else 0 */
    uint64_t lease_ms; /* CLAIM, PREPARE: for how long it asks for leases (Z15a); 0: for none */
    uint64_t hold_ms;  /* with it: its T_hold (Z15c) */
    bool stays;        /* HANDOVER: who hands over stays a member (E5) */
    struct probe part; /* MERGE: the sender's part, to be compared once more (M4) */
};

/* JOIN and READY: all there is to know of a joiner. */
struct joiner {
    bool may_found;       /* F2: two of these must not both found */
    uint64_t nonce;       /* READY: the OFFER's; JOIN: the joiner's own (J3c) */
    uint64_t epoch_seen;  /* highest epoch of the joiner's earlier lives (J8) */
    uint8_t hops;         /* JOIN: 0 from the joiner, 1 handed on (J1, F2e) */
    struct member member; /* its age is 0: the coordinator gives it */
    struct tags tags;     /* those of the member, which points to none */
    struct terms terms;
};

static inline void joiner_copy(struct joiner *to, const struct joiner *from)
{
    to->may_found = from->may_found;
    to->nonce = from->nonce;
    to->epoch_seen = from->epoch_seen;
    to->hops = from->hops;
    to->member = from->member;
    tags_copy(&to->tags, &from->tags);
    terms_copy(&to->terms, &from->terms);
}

/* On the wire: append only. */
enum join_refusal {
    JOIN_REFUSED_TERMS = 1, /* they differ; `terms` quotes the cluster's */
    JOIN_REFUSED_NAME = 2,  /* the name belongs to a live member at `address` */
    JOIN_REFUSED_FULL = 3,  /* no room; `limit` quotes the capacity, or the stated size if lower */
    JOIN_REFUSED_VERSIONS = 4, /* the joiner speaks none of the cluster's, which is quoted */
};

struct join_refused {
    enum join_refusal reason;
    struct address address;
    uint32_t limit;
    struct versions versions; /* that all members speak */
    struct versions joiner;   /* that the joiner does; not on the wire */
    struct terms terms;
};

static inline void join_refused_copy(struct join_refused *to, const struct join_refused *from)
{
    to->reason = from->reason;
    to->address = from->address;
    to->limit = from->limit;
    to->versions = from->versions;
    to->joiner = from->joiner;
    terms_copy(&to->terms, &from->terms);
}

/* Who is to vote under guard strict, as seen from the lists with that number (Z11). */
struct wished_voter {
    char name[NAME_BYTES_MAX + 1];
    bool anew;              /* it gets another record, for it has lost its own */
    struct address witness; /* it is a witness there (Z16); none: a member, or one that is listed */
};

struct voters_wish {
    uint64_t number;
    uint8_t count; /* 0: as before */
    struct wished_voter voters[VOTERS_MAX];
};

/* What the terms are to be, as seen from those with that number (A1); or who is to vote. */
struct rules_wish {
    uint64_t number;
    struct rules rules;
    bool forget_failed; /* nobody who failed keeps a place (A4) */
    struct voters_wish voters;
};

/* On the wire: append only. */
enum wish_kind {
    WISH_LEAVE = 1, /* to be let out (E1a) */
    WISH_MOVE = 2,  /* a planned move (E4) */
    WISH_TAGS = 3,  /* all that the sender is to have (E8) */
    WISH_TERMS = 4, /* other terms (A1), or other voters (Z11) */
};

/* WISH: what a member, or its operator, wants of the coordinator. */
struct wish {
    enum wish_kind kind;
    union { /* the kind says which */
        struct move move;
        struct tags tags;
        struct rules_wish terms;
    };
};

struct offer {
    uint64_t nonce;
    uint64_t lineage; /* of the view that the joiner is to come into */
};

/* On the wire: append only. */
enum merge_refusal {
    MERGE_NOT_REFUSED = 0,      /* never on the wire */
    MERGE_REFUSED_BUSY = 1,     /* a change is under way: try again later */
    MERGE_REFUSED_LOSING = 2,   /* the other part does not win the comparison any more */
    MERGE_REFUSED_FULL = 3,     /* both together are more than the capacity or the stated size */
    MERGE_REFUSED_ABORTED = 4,  /* the merged view did not come about */
    MERGE_REFUSED_NAME = 5,     /* who asks has the name or address of a live member */
    MERGE_REFUSED_LEAPS = 6,    /* the numbers of both are further apart than time allows (V7) */
    MERGE_REFUSED_VERSIONS = 7, /* there is no version of the protocol that all of them speak */
};

struct merge_refused {
    uint64_t merge; /* the number of the MERGE it answers */
    enum merge_refusal reason;
};

/* PING of a coordinator: it asks the receiver for its lease, should that be a voter (Z6b). */
struct lease_asked {
    uint64_t lineage;
    uint64_t epoch;        /* under which it reigns; 0: it asks for none */
    uint64_t lease_ms;     /* for so long (Z15a) */
    uint64_t hold_ms;      /* its T_hold (Z15c) */
    struct node_id record; /* of that voter, as the view names it; none: it is no voter */
    uint64_t writes; /* so often that was written, as the voter said (Z14a); 0: that is not known */
};

/* PONG: what came of that. */
struct lease_said {
    uint64_t promised; /* the epoch that the voter is bound to, or one more where it is that of the
                          question, but another life's; 0: none, or no voter */
    bool leased;       /* it has leased that epoch to who asked, on disk */
    struct node_id record; /* by which it votes (Z10b) */
    uint64_t writes;       /* so often the disk has got that record (Z14a) */
};

struct ping {
    uint64_t nonce;
    struct node_id subject; /* whose sign of life it is about */
    struct node_id origin;  /* who wants to know: a helper hands the PONG on to it */
    struct lease_asked asked;
    struct lease_said said;
};

struct message {
    enum message_type type;
    struct node_id from; /* the life that sent it */
    uint64_t number;     /* rises with every message of that life (D6) */

    /* Of one copy: an outgoing message is shared by its receivers, so the effect that sends it
     * says these, and they count in a received message only. */
    struct node_id to;     /* the life it is meant for; none: whoever lives at that address */
    bool fellow;           /* the sender's view holds the receiver: a sign of life (D2) */
    struct address source; /* where it came from; filled in on receipt, not on the wire */
    bool relay;            /* to be handed on to the member that `to` names (R2) */
    bool handed_on;        /* with `relay`: a relay did so already (R2c) */
    uint32_t echo; /* the number, its low 32 bits, of the latest sign of life that the sender
                      had of the receiver; 0: none (D8). Between those who are no
                      members together a nonce, or what answers it (J3c, M4f, Z1e, Z9d) */

    union { /* message_body says which */
        struct heartbeat heartbeat;
        struct view_reference reference;
        struct view_carrier carrier;
        struct joiner joiner;
        struct join_refused join_refused;
        struct offer offer;
        struct ping ping;
        struct probe probe;
        struct merge_refused merge_refused;
        struct role_word role;
        struct wish wish;
    };
};

/* U4: is it a change of the view that its receiver is to hand on to others? A relay is told another
 * receiver (R2). */
static inline bool message_is_spread(const struct message *received)
{
    return received->relay && !received->handed_on &&
           (received->type == MESSAGE_PREPARE || received->type == MESSAGE_COMMIT);
}

/* Makes it an empty message of that type. Lists, tags and names of voters are not cleared beyond
 * their count of 0, nor is what only other types carry: messages are made and read too often for
 * that. */
void message_clear(struct message *message, enum message_type type);

/* Copies what a message of its type has; a view that it brings along is shared by both. Writes the
 * first message_bytes(from) bytes at the most. */
void message_copy(struct message *to, const struct message *from);

/* How many bytes of the struct this message has use for. */
size_t message_bytes(const struct message *message);

/* What messages of that type carry, and what the type is called in logs, counters and traces. */
enum message_body message_body(enum message_type type);
const char *message_text(enum message_type type);

/* The view that a message brings along, or NULL. */
struct view *message_view(const struct message *message);

#endif

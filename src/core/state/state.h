/* The inside of struct core: one struct for each module of the core, which that module alone
 * writes; every module may read all of them. scripts/check-owners holds this. A module that must do
 * something when a view was installed, or when a life ended, does it in its own
 * <module>_on_view_installed() or <module>_reset(), which announce.c calls from one list each. */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include <stddef.h>

#include "base/random.h"
#include "core/model/book.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/facts.h"
#include "core/model/message.h"
#include "core/model/view.h"
#include "core/model/vote.h"
#include "core/state/holding.h"

enum {
    MESSAGES_PER_STEP_MAX = 64, /* different messages one step makes; each may go to many */
    FLAPPERS_MAX = 64,          /* names whose failures are counted, oldest forgotten first */
    REFUSALS_PER_STEP_MAX = 4,  /* told of in one step; all are counted */
    PROVED_MAX = 16,            /* lives that a voter knows to receive where they are (Z2k) */
    STRANGER_PLACES = 32,       /* by which the sources of strangers are told apart (V6) */
    LEASE_MARKS = 32,           /* numbers of messages whose time is known (D8) */
    LEASE_ANSWERERS_MAX = 32,   /* members that answer their coordinator's heartbeat at once (D8) */
};

/* --- What is known of the member at the same position of the view --- */

/* signs: what it shows of itself; and rounds: what it was sent. */
struct peer_signs {
    uint64_t heard_ms;       /* last sign of life; 0 for none yet */
    uint64_t silent_from_ms; /* the silence is counted from here: heard_ms, or later (D4, H13) */
    uint64_t heard_number;   /* of its last sign of life: what is echoed to it (D8) */

    /* From its last heartbeat; `view` and `view_hash` also from its ACK. */
    struct view_id view;
    uint64_t view_hash;
    bool acked;        /* known from its ACK alone; no heartbeat has come since */
    bool said;         /* a heartbeat named `view`: it has installed it */
    bool late;         /* its own loop was late lately (D4) */
    bool acting;       /* it said that it acts */
    bool handed_over;  /* it coordinates `view`, and acts under its epoch no more (Z7) */
    uint64_t promised; /* the epoch that its voter is bound to; 0: none, or it is no voter (Z2) */
    uint64_t suspects_ms;

    /* What the kernels tell. */
    bool linked;
    bool was_linked;    /* so that its closing, with nothing heard since, is proof (D2) */
    uint64_t closed_ms; /* the lifeline was closed, nothing was heard since; 0: not so */
    uint64_t asked_ms;  /* last EFFECT_KERNEL_ASK of this silence; 0 for none */
    uint64_t kernel_ms; /* last answer; 0 for none */

    uint64_t vouched_ms;  /* others heard it though we do not, or it was relayed; 0: never */
    uint64_t unheard_ms;  /* when it last said that it does not hear us; 0: never (R2) */
    uint64_t answered_ms; /* rounds: last heartbeat out of turn, for what its own said (D5, D8) */
    bool told_bad;        /* rounds: watchers know that its link is bad */

    uint8_t suspect_count; /* in its last heartbeat; which ones: `doubts` */
};

/* signs: whom it suspects, by its last heartbeat. Most suspect nobody, so these lists lie apart,
 * where nothing is touched for them. */
struct peer_doubts {
    struct suspicion list[SUSPECTS_MAX];
};

/* G1f: has a life shown that it receives at its listed address? */
enum proof {
    PROOF_UNKNOWN, /* this node did not watch it from its beginning on */
    PROOF_LACKING,
    PROOF_GIVEN,
};

/* numbers: of that life's messages (D6). */
struct peer_number {
    uint64_t nonce;           /* of the question put at its listed address; 0: none is open */
    uint64_t nonce_elsewhere; /* of the one put where it was heard from; 0: none is open */
    uint64_t asked_ms;        /* when it was asked last, or heard first; 0: never */
    uint64_t highest;
    enum proof proof;
};

/* lease: what it is known to have heard of us. */
struct peer_lease {
    uint64_t echoed_ms; /* the latest message that it echoed was sent then, or later; 0: none */
};

/* watch: is it watched by this node, and since when (D9)? */
struct peer_watch {
    uint64_t until_ms; /* if no neighbour, it is watched until then; 0: it is not */
    uint64_t begun_ms;
    uint64_t asked_ms; /* the last question */
    bool edge;         /* a neighbour in the installed view */
    uint8_t halves;    /* of sparse heartbeats it gets those of these halves (D8g): bits */
    bool unsure;       /* was made one lately, was not heard since, and not for T_silent before */
    bool held;         /* a lifeline is held for it */
    bool told;         /* its silence was told of */
    bool wanted;       /* somebody has to know whether it lives: to be watched from now on */
    uint8_t questions; /* in a row that it has not answered */
};

/* verdict: what is held against it. */
struct peer_charge {
    uint64_t verdict_ms;
    uint64_t verify_again_ms; /* the question of R1 is asked once more then */
    uint64_t unanswered_ms;   /* sparse: R1 ended without an answer then; 0: it did not */
    uint64_t nonce;           /* of its questions (H15) */
    uint64_t verify_ms;       /* R1 is under way until then; NEVER_MS when not */
    enum verdict verdict;
    bool confirmed; /* to be removed with the next view */
    bool leaves;    /* asked to be let out (E1), or is gone (E3) */
};

/* follow: does it follow another coordinator than we do (L2)? */
struct peer_course {
    uint64_t other_since_ms; /* since when it says so; 0: it does not */
    uint64_t other_seen_ms;  /* the last sign of that */
};

/* install: bringing it to the view that holds (V5). */
struct peer_repair {
    uint64_t sent_view_ms; /* the view was sent to it last */
    uint64_t lower_ms;     /* since when its heartbeats name a lower view; 0: they do not */
    bool
        shared_our_lineage; /* one of its heartbeats named our lineage, since we are in that (V4) */
};

enum drain_wish { WISH_NONE, WISH_DRAIN, WISH_UNDRAIN };

/* next_view: what the next view is to say of it. */
struct peer_wish {
    enum drain_wish drain;
};

/* electorate: has it a vote? */
struct peer_franchise {
    uint8_t voter; /* its place among the voters; VOTER_NONE: it is none */
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

enum answer { ANSWER_NONE = 0, ANSWER_YES = 1, ANSWER_NO = 2 };

/* How the voters answered one question: enum answer, by their place among the names. */
struct tally {
    uint8_t answers[VOTERS_MAX];
};

/* --- What each module keeps --- */

/* outbox: the effects of this step. */
struct outbox {
    uint64_t number; /* of the last message of this life */
    struct effect *items;
    uint32_t count;
    uint32_t capacity;
    uint32_t reserve;         /* places that sends must leave to the other effects */
    uint32_t refusals;        /* EFFECT_REFUSED among them */
    struct message *messages; /* MESSAGES_PER_STEP_MAX */
    uint32_t message_count;
    struct notice *notices; /* what EFFECT_NOTICE points to: few, and large */
    uint32_t notice_count;
    uint32_t notice_capacity;
};

/* What non-members say, as far as it is answered. */
enum strangers_question {
    STRANGER_HEARTBEATS,
    STRANGER_VIEWS, /* whatever brings along one that is not followed, or asked for first */
    STRANGER_PULLS,
    STRANGER_COMMITS,
    STRANGER_CLAIMS,
    STRANGER_PINGS,
    STRANGER_PROBES,
    STRANGER_JOINS,
    STRANGER_OFFERS,
    STRANGERS_QUESTIONS,
};

/* Answers that were given, by a hash of the source. */
struct stranger_answers {
    uint8_t known[STRANGER_PLACES]; /* to those that the book has */
    uint8_t unknown[STRANGER_PLACES];
    uint8_t unknown_all;
};

/* strangers: since the last heartbeat, or the last try of a joiner (V6). */
struct strangers_budget {
    uint64_t round; /* goes into the hash */
    bool asked;     /* something may be counted in `answers` */
    struct stranger_answers answers[STRANGERS_QUESTIONS];
};

/* lifecycle: this node as one life. */
struct life {
    enum phase phase;
    uint64_t salt;      /* of its nonces: a hash of the secret and of its id */
    struct member self; /* its age is kept in the view, not here */
    struct tags tags;   /* of `self` */
};

/* lease: this number was reached then. */
struct lease_mark {
    uint64_t number; /* 0: none */
    uint64_t ms;
};

/* lease: a voter leased to this node under that epoch, when it sent what the voter has heard. */
struct lease_grant {
    uint64_t epoch;
    uint64_t ms;
};

/* lease: what tells the time of an echo. */
struct leases {
    struct lease_mark marks[LEASE_MARKS]; /* a ring */
    uint32_t latest;
    uint64_t own_ms;                       /* this node's own loop sent its heartbeats last then */
    struct lease_grant grants[VOTERS_MAX]; /* by their place among the names (Z6) */
};

/* signs: when silences are looked at next, and what may put that off. */
struct looking {
    uint64_t next_ms; /* or later: whoever is heard puts it off; NEVER_MS when off */
    bool heard;       /* a fellow member was, since the last look */
};

/* rounds: when the next one of heartbeats is sent, and to whom. */
struct rounds {
    uint8_t half;     /* which half of the neighbours it goes to: a bit */
    uint64_t next_ms; /* NEVER_MS when off */
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
};

/* watch: of all members. */
struct watching {
    bool wanted;        /* one of them is */
    bool report;        /* there is something new to tell of a member that is silent */
    bool leads;         /* none of those who are older is heard */
    uint64_t called_ms; /* everybody was asked last then (D9h); 0: never */
    uint64_t died_ms;   /* this coordinator found a member dead last then (D9j); 0: never */

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
    uint64_t last_ms;  /* of the last failure */
    uint64_t admit_ms; /* not let in before */
};

struct flap {
    struct flapper names[FLAPPERS_MAX];
    uint32_t count;
};

/* promise: what this node has bound itself to, and how long it keeps from asking for an epoch. */
struct leap_base { /* what epochs, versions and ages were at the time `ms` (V7) */
    uint64_t ms;
    uint64_t epoch;
    uint64_t version;
    uint64_t next_age;
};

struct promise {
    uint64_t seen;  /* the highest epoch seen anywhere in this cluster */
    uint64_t epoch; /* granted or accepted; 0: none */
    struct node_id to;
    uint64_t until_ms;   /* forgotten then (C5) */
    uint64_t backoff_ms; /* no claim before; 0: none was lost lately */
    struct leap_base base;
    /* V7e: the next base counts these as seen, half a leap nearer to a view that leaps; 0: none. */
    uint64_t near_version;
    uint64_t near_age;
};

/* A question that was granted; answered when the disk has the change of that number. */
struct waiting_vote {
    struct vote_question question;
    uint64_t number;
};

/* voter: what this node is bound to as a voter of guard strict (Z2), beside its life. */
struct voter {
    bool named;                /* its name is a voter's */
    bool damaged;              /* a record was there and is not sound */
    bool mute;                 /* the record could not be written: it does not vote */
    uint64_t rewrite_ms;       /* while mute: when to try again */
    struct vote_record record; /* as it is to be on disk, but for the accepted view: */
    struct view accepted;      /* empty: none */
    uint64_t accepted_ms;      /* when this process accepted it, or found it on disk */
    uint64_t until_ms;         /* bound to the life of the promise until then */

    /* Changes of the record are numbered. */
    uint64_t number;         /* of the last change */
    uint64_t promise_number; /* of the one that made the promise */
    uint64_t requested;      /* of the last one that was to be written */
    uint64_t requested_ms;
    uint64_t synced; /* of the last one that is on disk */
    uint64_t synced_ms;
    uint64_t syncs;
    uint64_t sync_failures;

    /* Those who are no fellow members (Z2k). */
    uint64_t strangers_ms;      /* when the T_stall began in which the promises are counted */
    uint32_t strangers_granted; /* promises to them */
    struct node_id proved[PROVED_MAX]; /* the lives that answered a PING, in turn */
    uint32_t proved_next;

    uint32_t waiting_count;
    struct waiting_vote waiting[VOTE_ASKERS_MAX]; /* the oldest first */
};

struct install {
    uint64_t pull_ms;       /* no PULL before (V5) */
    uint64_t superseded_ms; /* no new version for another content before (V2d) */
    uint64_t leaps_ms;      /* since when who knows better shows what leaps; 0: nobody does */
};

/* news: members that went within T_fresh of each other (M8). */
struct news {
    uint64_t losses_since_ms;
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
    bool epoch_wanted;   /* it takes a new epoch (U2) */
    bool version_wanted; /* it takes place even if nothing changed (V2) */
    uint64_t dead_ms;    /* the first whom it leaves out as dead was found then; 0: nobody */
    uint64_t due_ms;     /* it is built then; NEVER_MS: nothing is to be changed */
};

/* next_view: the tags that one member is to have in the next view, or got in one lately. */
struct tag_wish {
    struct node_id id;
    bool done;         /* the view has them */
    uint64_t until_ms; /* done: no other ones before */
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
    uint64_t outdone_ms;   /* no new epoch for a forged view before (V4j) */
    uint64_t overtaken;    /* voters agree to no view of an epoch below this; 0: none told of it */
};

/* change_answers: to a proposal of our own. */
struct answered {
    uint8_t *members;   /* enum answer, by position in `change.pending` */
    struct tally tally; /* of the voters, under guard strict (Z5) */
};

/* change_propose: a proposal of our own, while `change.on`. */
struct proposing {
    struct proposal proposal;
    bool asked_last;   /* the one who stands down was asked, after all others (E5) */
    bool last_chance;  /* the deadline has passed once, and what waited is read before it counts */
    bool spread;       /* it goes by way of the others (U4) */
    bool sent;         /* this step sent PREPAREs, which borrow `change.pending` */
    uint32_t sendings; /* how often it was sent (U1a) */
    uint64_t deadline_ms;
    uint64_t resend_ms;
};

/* change_accept: what was accepted is acknowledged. */
struct accepting {
    uint64_t ack_ms; /* again then (U2h); 0: no more */
    uint32_t acks;   /* how often it was */
};

/* change: a view on its way through the two phases. */
struct change {
    bool on;              /* `pending` is our own proposal, and answers to it are collected */
    uint64_t accepted_ms; /* when `pending` was */
    struct view pending;  /* proposed by us, or accepted from another; empty when none */
};

/* spread: how many messages were handed on since then (U4d). */
struct spreading {
    uint64_t since_ms;
    uint32_t count;
};

/* electorate: the voters, by their place among the names. */
struct electorate {
    uint8_t own;                          /* VOTER_NONE: this node is none */
    struct address addresses[VOTERS_MAX]; /* where each was heard of last; none: nowhere */
    struct node_id lives[VOTERS_MAX];     /* and as which life */
    uint32_t nonces[VOTERS_MAX];          /* of that life's JOIN, as answers echo it (J3e); 0: none
                                             was heard */
    uint32_t sought;                      /* how often those who do not answer were looked for */
};

/* campaign: this node asks the voters for an epoch (Z4). */
struct campaign {
    bool on;
    bool out;              /* won, and this member is not in the view to build on */
    bool anew;             /* the first proposal was made anew (Z5d) */
    uint64_t handed_epoch; /* what we handed over: no acting under it, nor below (Z7) */
    uint64_t handed_ms;    /* and when */
    uint64_t epoch;
    bool has_voters;           /* so many of them are members that another one could act (Z7b) */
    struct ballot handed_over; /* by whom, to us; epoch 0: nobody */
    bool stays;                /* it does not leave (E5) */
    uint64_t ask_ms;
    uint64_t deadline_ms;
    bool last_chance; /* the deadline has passed once, and what waited is read before it counts */
    uint32_t askings; /* how often they were asked */
    uint64_t leased_ms[VOTERS_MAX]; /* until then each has leased to somebody, as it said */
    struct tally tally;
    struct view best; /* the highest that a voter has accepted; empty: none above ours */
};

/* A claim that was refused for freshness, granted at once when our own evidence is complete. */
struct waiting_claim {
    struct node_id id;
    uint64_t epoch;
    uint64_t until_ms; /* 0: none waits */
};

/* claim: this node asks to take over; or votes. */
struct claim {
    struct view base;  /* the highest view known above ours (C4); empty when none */
    uint64_t base_ms;  /* when that was shown */
    struct view shown; /* with the last grant; a message of that step points to it */
    uint64_t next_age; /* the highest that a view had which came with a grant, or was refused */
    uint64_t epoch;
    uint64_t deadline_ms;
    uint64_t resend_ms; /* C3e: those who have not answered are asked again */
    uint32_t sendings;  /* how often they were */
    uint8_t chances;    /* how often the deadline has passed, and what waited is read first */
    uint64_t retry_ms;  /* C5: ask those who refused again; NEVER_MS when not */
    uint8_t *answers;   /* enum answer, by position in the view */
    struct waiting_claim waiting;
    bool on;
};

/* founding: how the voters answered the first of them, who asked for records (Z8). */
struct founding {
    struct tally tally;
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
    uint32_t ready_count; /* to so many READY was said: a view that holds us may come (V4h); */
    struct node_id ready[READY_MAX]; /* the last of them, in a ring */
    uint64_t offered;                /* the nonce of the OFFER that was answered last; 0: none */
    uint64_t found_ms;    /* found then, if nothing was heard; NEVER_MS when not allowed */
    uint64_t gave_way_ms; /* since when it waits for others that may found too (F2b); 0: not */
};

struct admit {
    uint64_t told_ms; /* when watchers were last told of a joiner turned away */
};

struct leave {
    uint64_t deadline_ms; /* go at the latest */
    uint64_t ask_ms;
    bool handed_over; /* a HANDOVER was sent: a view without us may hold (E3) */
};

/* How far a coordinator is that stands down (E5). */
enum stand_down {
    STAND_DOWN_NOT,
    STAND_DOWN_SOON,      /* what is under way comes to its end first */
    STAND_DOWN_WITHDRAWS, /* those who were told of its right to act stop */
    STAND_DOWN_OFFERED,   /* the successor knows */
    STAND_DOWN_GIVEN,     /* the successor counts on it: no acting under this epoch any more */
};

/* move: what an operator wants moved. */
struct moving {
    struct move asked; /* by the operator of this node, and not done yet */
    uint64_t ask_ms;
    uint64_t ask_until_ms;
    uint64_t pause_ms; /* no standing down before: the last time nothing came of it */

    /* Of a coordinator that stands down. */
    struct node_id to;
    uint64_t again_ms;
    uint64_t judge_ms; /* who it stands down for is not judged before */
    uint64_t deadline_ms;
    enum stand_down step;

    bool asks; /* something is asked for: `asked`, or tags */
};

/* tag: the tags that the operator of this node wants it to have. */
struct tagging {
    bool on;
    bool told;         /* the coordinator that is, or one before it, was asked */
    uint64_t again_ms; /* asked again then, unless the view has them */
    uint64_t until_ms; /* not any more then */
    struct tags tags;
};

/* terms: what the operator of this node wants the terms to be. */
struct bargaining {
    bool on;
    uint64_t again_ms;
    uint64_t until_ms; /* not asked for any more then */
    struct rules_wish wish;
};

/* probe: looking for other parts. */
struct probing {
    struct address seed_coordinator; /* whom a seed of ours, in another part, follows */
    uint64_t other_terms_ms;         /* watchers were last told of a part with other terms */
    uint32_t round;
    uint64_t due_ms; /* NEVER_MS when this node does not coordinate */
};

/* merge: this part asked another to absorb it, and does not act meanwhile. */
struct merge {
    bool yielding;
    bool acked; /* the merged view was accepted */
    uint64_t number;
    struct node_id to; /* the other part's coordinator */
    struct address address;
    uint64_t again_ms; /* not answered by then: asked again */
    uint32_t failures; /* tries that came to nothing, one after the other */
    uint64_t deadline_ms;
    uint64_t backoff_ms; /* not again before */
};

/* merge: the numbers of those that asked us, the oldest lost. */
struct merge_log {
    uint64_t numbers[MERGES_KEPT];
    uint32_t count;
};

/* The order is for a processor's cache, in which a simulator keeps many nodes: what every step
 * looks at is at the end of one struct and at the beginning of the next. */
struct core {
    /* core.c: what the node was started with, and the time of this step. */
    struct {
        struct terms terms;
        struct timing timing;
    } configured;
    struct terms terms;   /* accord: in force; `number` and what belongs to it as in `agreed` */
    struct timing timing; /* accord: in force */
    struct agreed agreed; /* accord: those of the view, or of the last one */
    bool has_seeds;
    uint32_t expect; /* nodes that must have met before one founds (F3); 0: not asked for */
    uint32_t capacity;
    bool gossips;    /* changes go by way of the others, and of this node (U4) */
    uint64_t secret; /* of the nonces in offers (J3) */
    uint64_t now_ms;
    uint64_t due_ms; /* the soonest of all deadlines, as of the end of the last step */
    struct random random;

    uint8_t version;            /* announce: that in which members are written to (J2d) */
    uint32_t position;          /* install: this node's own in `view`; a member has one (S3) */
    struct peer *peers;         /* by position in `view` */
    struct peer *peers_former;  /* peers: the other half, by position in `former` */
    struct peer_doubts *doubts; /* by position in `view`; */
    struct peer_doubts *doubts_former; /* peers: and in `former` */
    struct outbox out;
    struct view view; /* install: the view that holds; empty while joining */
    struct life life;

    struct core_counters counters;
    struct rings rings; /* watch: of `view` */
    struct strangers_budget strangers;
    struct view former; /* install: the one before `view` */

    struct leases lease;
    struct watching watching;
    struct following following;
    struct verdicts verdicts;
    struct removal removal;
    struct standing standing;

    struct promise promise;
    struct install install;
    struct news news;
    struct next_view next;
    struct counting counting;
    struct answered answered;
    struct proposing proposing;
    struct accepting accepting;
    struct change change;
    struct spreading spreading;
    struct claim claim;
    struct campaign campaign;
    struct electorate electorate;

    struct join join;
    struct founding founding;
    struct admit admit;
    struct leave leave;
    struct bargaining bargaining;
    struct moving moving;

    struct merge merge;
    struct merge_log merge_log;
    struct probing probe;

    struct roster roster;
    struct roster_list listed;

    /* Long lists, each with a count: what is beyond it is never read. From CORE_CLEARED on
     * core_init clears nothing. */
    struct voter voter;
    struct numbers numbers;
    struct meeting meeting;
    struct flap flap;
    struct book book;
    struct detector detector;
    struct rounds rounds;
    struct looking looking;
    struct holder holder;
    struct tag_wishes tag_wishes;
    struct tagging tagging;
};

#define CORE_CLEARED offsetof(struct core, voter.waiting)

/* What held before a view was installed; valid until the next one is. */
struct installed {
    const struct view *view;  /* empty: this node was joining */
    const struct peer *peers; /* by position in it */
    uint64_t apart_ms;        /* for how long members of the new one had been gone, the longest */
};

/* --- Small questions that every module asks --- */

/* Of two times in milliseconds, NEVER_MS among them. */
static inline uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline bool core_is_member(const struct core *core)
{
    return core->life.phase == PHASE_MEMBER || core->life.phase == PHASE_LEAVING;
}

static inline bool core_is_strict(const struct core *core)
{
    return core->terms.guard.policy == GUARD_STRICT;
}

/* U4: is it a change that comes by way of the others, of whom this node is one? Whoever is told to
 * broadcast takes it as what a relay brought (R2). */
static inline bool core_hands_on(const struct core *core, const struct message *received)
{
    return core->gossips && message_is_spread(received);
}

/* D9: do only neighbours on the rings watch a member? */
static inline bool core_has_rings(const struct core *core)
{
    return core->terms.watchers == WATCHERS_RINGS;
}

static inline bool core_is_coordinator(const struct core *core)
{
    return core_is_member(core) && core->position == 0;
}

/* D4: was this node's own loop late within that time? */
static inline bool core_was_late_lately(const struct core *core, uint64_t within_ms)
{
    return core->detector.late_last_ms != 0 &&
           core->now_ms < core->detector.late_last_ms + within_ms;
}

/* Is that position in its view this node's own? */
static inline bool core_is_self(const struct core *core, uint32_t position)
{
    return position == core->position;
}

/* Of the guards, the sizes and the capacities that hold, several while terms change (A2). */
static inline uint32_t core_guard_needed(const struct core *core)
{
    return core->agreed.number == 0 ? guard_needed(&core->terms.guard)
                                    : agreed_guard_needed(&core->agreed);
}

static inline uint32_t core_size_max(const struct core *core)
{
    return core->agreed.number == 0 ? guard_size_max(&core->terms.guard)
                                    : agreed_size_max(&core->agreed);
}

static inline uint32_t core_capacity(const struct core *core)
{
    return core->agreed.number == 0 ? core->capacity : agreed_capacity(&core->agreed);
}

/* Members that the capacity and the guard's stated size leave room for. */
static inline uint32_t core_room(const struct core *core)
{
    uint32_t size = core_size_max(core);
    uint32_t capacity = core_capacity(core);

    return size < capacity ? size : capacity;
}

#endif

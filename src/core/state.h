/* The inside of struct core, shared by the modules of the core and by nobody else. Above each
 * part stands the module that it belongs to. Others read it, and change single fields where a new
 * view, a late wake-up or a new life ends what was under way. */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include "base/random.h"
#include "core/core.h"

enum {
    MESSAGES_PER_STEP_MAX = 64, /* different messages one step makes; each may go to many */
    SEEDS_MAX = 64,             /* addresses that all the seeds together resolve to */
    FLAPPERS_MAX = 64,          /* names whose failures are counted, oldest forgotten first */
    STRANGER_REPLIES_MAX = 8,   /* answers to non-members in one heartbeat interval (H49) */
};

/* D4: asked after a late wake-up. */
struct wake_question {
    uint64_t nonce;
    uint64_t asked_ms; /* 0: never */
};

/* detector: what this node knows of the member at the same position of the view. */
struct peer {
    struct node_id id;
    uint64_t heard_ms;       /* last sign of life; 0 for none yet */
    uint64_t silent_from_ms; /* the silence is counted from here: heard_ms, or later (D4, H13) */
    uint64_t number;         /* highest message number of that life (D6) */

    /* Its last heartbeat; of the view also its ACK. */
    struct view_id view;
    uint64_t view_hash;
    bool acked; /* known from its ACK alone; no heartbeat has come since */
    bool ours;  /* a heartbeat of it named our lineage, since we are in that (V4) */
    bool late;
    uint8_t suspect_count;
    struct suspicion suspects[SUSPECTS_MAX];
    uint64_t suspects_ms;

    /* What the kernels tell. */
    bool linked;
    bool was_linked;
    uint64_t closed_ms; /* the lifeline was closed, nothing was heard since; 0: not so */
    uint64_t asked_ms;  /* last EFFECT_KERNEL_ASK of this silence; 0 for none */
    uint64_t kernel_ms; /* last answer; 0 for none */

    /* What is held against it. */
    enum verdict verdict;
    uint64_t verdict_ms;
    uint64_t verify_ms;       /* R1 is under way until then; NEVER_MS when not */
    uint64_t verify_again_ms; /* its question is asked once more then */
    uint64_t nonce;           /* of its questions (H15) */
    uint64_t vouched_ms;      /* others heard it though we do not, or it was relayed; 0: never */
    bool confirmed;           /* to be removed with the next view */

    uint64_t awake_until_ms; /* so long holds its answer to what we asked when we had slept (D4) */
    bool leaves;             /* asked to be let out (E1), or is gone (E3) */
    uint64_t moved_ms;       /* since when it follows another coordinator; 0: it does not (L2) */
    uint64_t moved_seen_ms;  /* last sign of that */
    uint64_t lower_ms;       /* since when its heartbeats name a lower view; 0: they do not */
    uint64_t sent_view_ms;   /* repair is limited per peer (V5) */
    bool told_bad;           /* watchers know that its link is bad */
    uint64_t unheard_ms;     /* when it last said that it does not hear us; 0: never (R2) */
    uint64_t answered_ms;    /* last answer to its suspicion of us (D5) */
};

/* What a proposal is besides its view. */
struct proposal {
    uint32_t first_joiner;      /* members from here on are left out if they do not answer */
    struct node_id handover_by; /* E2: the coordinator that leaves */
    struct node_id merge_with;  /* M4: the other part's coordinator, who must agree */
    uint64_t merge;             /* number of its MERGE; 0: not a merge */
    bool forced;                /* takes place even if it changes no member (U2, V2) */
};

/* change: a view on its way through the two phases. */
struct change {
    bool on; /* this node proposed `pending` and collects answers */
    struct proposal proposal;
    bool sent; /* this step sent PREPAREs, which borrow `pending` */
    uint64_t deadline_ms;
    uint64_t resend_ms;
    bool last_chance; /* the deadline has passed once, and what waited is read before it counts */
};

/* merge: this part asked another to take it up, and does not act meanwhile. */
struct merge {
    bool losing;
    bool acked; /* the merged view was accepted */
    uint64_t number;
    struct node_id to; /* the other part's coordinator */
    struct address address;
    uint64_t again_ms; /* not answered by then: asked again */
    uint32_t failures; /* tries that came to nothing, one after the other */
    uint64_t deadline_ms;
    uint64_t backoff_ms; /* not again before */
};

/* flap: a name that keeps failing is let in more slowly (R4). */
struct flapper {
    char name[NAME_BYTES_MAX + 1];
    uint32_t failures;
    uint64_t last_ms;  /* of the last failure */
    uint64_t admit_ms; /* not let in before */
};

enum answer { ANSWER_NONE = 0, ANSWER_YES = 1, ANSWER_NO = 2 };

/* claim: this node asks to take over. */
struct claim {
    bool on;
    uint64_t epoch;
    uint64_t deadline_ms;
    uint8_t chances;   /* how often the deadline has passed, and what waited is read first */
    uint64_t retry_ms; /* C5: ask those who refused again; NEVER_MS when not */
};

/* claim: what this node granted, and the claim it would grant if only the older ones were gone. */
struct promise {
    uint64_t epoch; /* 0: none */
    struct node_id to;
    uint64_t until_ms;      /* forgotten then (C5) */
    struct node_id waiting; /* a refused claimant, told at once when our evidence changes */
    uint64_t waiting_epoch;
    uint64_t waiting_until_ms;
};

/* join: how this node asks to be let in. */
struct asking {
    bool resolving;   /* RESOLVE is out */
    bool seeds_known; /* the seeds resolved at least once */
    bool may_found;
    bool was_member;   /* ask longer before founding (F2) */
    uint64_t next_ms;  /* next try */
    uint64_t pause_ms; /* grows */
    bool refused;      /* the last try was: no hint makes the next one sooner */
    uint64_t tried_ms; /* last try */
    bool said_ready;   /* to somebody, so a view that holds us may come (J3) */
    uint64_t found_ms; /* found then, if nothing was heard; NEVER_MS when not allowed */
};

/* book: addresses worth asking. */
struct book {
    struct address seeds[SEEDS_MAX];
    uint32_t seed_count;
    struct address entries[BOOK_MAX]; /* by time of entry */
    uint32_t count;
    uint32_t cursor; /* asking goes round */
    uint32_t seed_cursor;
};

struct joins {
    struct member *queue; /* said READY, by arrival */
    uint32_t count;
    uint32_t capacity;
};

struct outbox {
    struct effect *items;
    uint32_t count;
    uint32_t capacity;
    uint32_t reserve;         /* places that sends must leave to the other effects */
    struct message *messages; /* MESSAGES_PER_STEP_MAX */
    uint32_t message_count;
};

struct core {
    struct member self; /* age is kept in the view, not here */
    struct terms terms;
    struct timing timing;
    bool has_seeds;
    uint32_t capacity;
    struct random random;
    uint64_t secret; /* of the nonces in offers (J3) */

    enum phase phase;      /* lifecycle_enter alone changes it */
    bool evidence_changed; /* verdicts or what others say: judge again at the end of the step */
    uint64_t now_ms;
    uint64_t number; /* of the last message sent */

    struct view view;    /* installed; empty while joining */
    uint32_t position;   /* this node's own in it; a member always has one (S3) */
    struct view pending; /* proposed by us, or accepted from another; empty when none */
    struct view best;    /* claim: the highest view known above ours (C4); empty when none */
    struct view scratch; /* to build a view in */
    struct peer *peers;
    struct peer *peers_spare; /* the other half, while positions are mapped to a new view */
    uint8_t *answers;         /* by position: of pending during a change, of view during a claim */
    uint64_t gone_ms[GONE_MAX];      /* by position among the gone of the view: since when */
    uint64_t gone_numbers[GONE_MAX]; /* and the highest message number of that life (D6) */
    struct flapper flappers[FLAPPERS_MAX];

    /* M8: members that went within T_fresh of each other. */
    uint64_t losses_since_ms;
    uint32_t losses;
    uint32_t losses_of; /* members before the first of them */

    uint64_t epoch_seen;   /* highest epoch seen anywhere in this cluster */
    uint64_t version_used; /* highest version this life has given to a view (S1) */
    uint64_t accepted_ms;  /* when `pending` was proposed by us or accepted from another */
    bool bump_epoch;       /* the next change takes a new epoch (U2) */
    bool bump_version;     /* the next change happens even if nothing changed (V2) */
    uint64_t backoff_ms;   /* no claim before */
    uint64_t pull_ms;      /* no PULL before */
    uint32_t stranger_replies;
    uint64_t turned_away_ms; /* when watchers were last told of a joiner turned away */
    uint64_t other_terms_ms; /* and of a part with other terms */
    uint32_t probe_round;
    struct address kin; /* probe: whom a seed of ours, in another part, follows */

    struct change change;
    struct claim claim;
    struct merge merge;
    uint64_t merges_begun[MERGES_KEPT]; /* the numbers of those that asked us, the oldest lost */
    uint32_t merges_begun_count;
    struct promise promise;
    struct asking asking;
    struct book book;
    struct joins joins;

    uint64_t due_ms; /* the soonest of all deadlines, as of the end of the last step */

    /* Deadlines; NEVER_MS when off. */
    uint64_t heartbeat_ms;
    uint64_t detect_ms;
    uint64_t verify_ms; /* removal: the soonest end of a verification */
    uint64_t batch_ms;  /* build the next view then */
    uint64_t probe_ms;
    uint64_t leave_ms; /* go at the latest */
    uint64_t leave_ask_ms;
    bool handed_over; /* a HANDOVER was sent: a view without us may hold (E3) */

    /* D4. */
    uint64_t late_last_ms;                  /* the last late wake-up; 0: none yet */
    uint64_t late_until_ms;                 /* accuse nobody before; 0 when never late */
    uint64_t late_since_ms;                 /* of the last wake-up; 0 when it is settled */
    struct wake_question wake_questions[2]; /* the latest first */

    /* What watchers were told last. */
    bool told_guard_met;
    bool told_acting;
    struct node_id told_coordinator;

    struct core_counters counters;
    struct outbox out;
};

/* --- Small questions that every module asks --- */

/* Of two times in milliseconds, NEVER_MS among them. */
static inline uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline bool core_is_member(const struct core *core)
{
    return core->phase == PHASE_MEMBER || core->phase == PHASE_LEAVING;
}

static inline bool core_is_coordinator(const struct core *core)
{
    return core_is_member(core) && core->position == 0;
}

/* Is that position in its view this node's own? */
static inline bool core_is_self(const struct core *core, uint32_t position)
{
    return position == core->position;
}

/* Members that the capacity and the guard's stated size leave room for. */
uint32_t core_room(const struct core *core);

void core_drop(struct core *core, enum drop_reason reason);

/* Raises epoch_seen. */
void core_saw_epoch(struct core *core, uint64_t epoch);

#endif

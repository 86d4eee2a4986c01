/* The inside of struct core: one struct for each module of the core, which that module alone
 * writes; every module may read all of them. scripts/check-owners holds this. These structs stand
 * in a header for each room, those of the room state itself here, and what is kept of each member
 * in peer.h. A module that must do something when a view was installed, or when a life ended, does
 * it in its own <module>_on_view_installed() or <module>_reset(), which announce.c calls from one
 * list each. */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include <stddef.h>

#include "base/random.h"
#include "core/model/book.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/facts.h"
#include "core/model/message.h"
#include "core/model/pause.h"
#include "core/model/view.h"
#include "core/model/vote.h"
#include "core/state/agreement.h"
#include "core/state/detection.h"
#include "core/state/entry.h"
#include "core/state/healing.h"
#include "core/state/holding.h"
#include "core/state/peer.h"

enum {
    MESSAGES_PER_STEP_MAX = 64, /* different messages one step makes; each may go to many */
    REFUSALS_PER_STEP_MAX = 4,  /* told of in one step; all are counted */
    STRANGER_PLACES = 32,       /* by which the sources of strangers are told apart (V6) */
};

/* --- What the modules of this room keep --- */

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

/* strangers: for an interval, or since the last try of a joiner (V6). */
struct strangers_budget {
    uint64_t round;       /* goes into the hash */
    struct pause renewed; /* there are as many again when it is over */
    struct stranger_answers answers[STRANGERS_QUESTIONS];
};

/* What follows from the guard and the view, as numbers: looked at again where either changes. */
struct plan {
    /* Whose leases it takes to act, and who is asked for them (D8c, D8f). A quorum of the view's
     * voters suffices, if it names any; or so many members. */
    uint32_t leases_needed; /* of members, this node among them; UINT32_MAX: no number suffices */
    uint32_t leases_asked;  /* of so many others, with spares */
    uint32_t by_heartbeat;  /* the oldest, this node too, who get each round: that asks them */

    /* So many fresh members the guard asks for (G1); under strict so many voters, of those to found
     * with or of the view's lists. 0: the guard asks for nothing. */
    uint32_t guarded;
    uint32_t size_max;     /* so many members it has room for (G1); UINT32_MAX: for any number */
    uint32_t fanout;       /* to so many this coordinator sends a change itself (U4a) */
    uint8_t voters_target; /* so many are to vote (Z17); 0: as many as do */

    /* Of the base from which leaps are counted (V7a). */
    uint64_t said_leap; /* numbers that others say leap when they are further above it */
    bool counts_seen;   /* soon after one before it counts the epochs seen since */

    /* What is said of the coordinator, and what it grants. */
    enum reign named_from; /* it is named from this on (Z9b) */
    uint32_t untold_max;   /* so many members need not have told what they hold (K7b) */
    uint64_t grace_ms_min; /* its client has so long to stop at least (K7d) */
};

/* --- All of it --- */

/* The order is for a processor's cache, in which a simulator keeps many nodes: what every step
 * looks at is at the end of one struct and at the beginning of the next. */
struct core {
    /* core.c: what the node was started with, and the time of this step. */
    struct {
        struct terms terms;
        struct timing timing;
    } configured;
    struct terms terms;   /* accord: in force; `number` and what belongs to it as in `agreed` */
    struct timing timing; /* accord: in force; */
    struct spans spans;   /* and what follows from them under the guard */
    struct plan plan;     /* accord: what else follows from the guard, and the view */
    struct agreed agreed; /* accord: those of the view, or of the last one */
    uint64_t agreed_ms;   /* accord: since when they are `agreed`, under this coordinator */
    struct agreed proven; /* accord: the last terms that the coordinator was heard to hold (A3b) */
    bool has_seeds;
    uint32_t expect; /* nodes that must have met before one founds (F3); 0: not asked for */
    uint32_t capacity;
    uint32_t fanout; /* as it was started with; in force is that of `plan` */
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
    struct promise promise;
    struct view former; /* install: the one before `view` */

    struct leases lease;
    struct watching watching;
    struct following following;
    struct verdicts verdicts;
    struct removal removal;
    struct standing standing;

    struct install install;
    struct behind behind;
    struct news news;
    struct next_view next;
    struct counting counting;
    struct answered answered;
    struct proposing proposing;
    struct accepting accepting;
    struct change change;
    struct spreading spreading;
    struct unanswered unanswered;
    struct candidacy candidacy;
    struct succession succession;
    struct granting granting;
    struct electorate electorate;
    struct absent absent;
    struct voters_change voters_change;
    struct autopilot autopilot;

    struct join join;
    struct founding founding;
    struct admit admit;
    struct leave leave;
    struct bargaining bargaining;
    struct moving moving;
    struct wishing wishing;

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

/* Of two times, or of two lengths. */
static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Of two numbers of members. */
static inline uint32_t larger32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline bool core_is_member(const struct core *core)
{
    return core->life.phase == PHASE_MEMBER || core->life.phase == PHASE_LEAVING;
}

static inline bool core_is_witness(const struct core *core)
{
    return core->life.phase == PHASE_WITNESS;
}

static inline bool core_is_strict(const struct core *core)
{
    return core->terms.guard.policy == GUARD_STRICT;
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

/* What the voter of that record has said; NULL: nothing. */
static inline const struct voter_lease *core_voter_lease(const struct core *core,
                                                         const struct node_id *record)
{
    for (uint32_t i = 0; i < VOTERS_LISTED_MAX && !id_is_none(record); i++) {
        if (id_equal(&core->lease.voters[i].record, record)) {
            return &core->lease.voters[i];
        }
    }
    return NULL;
}

/* As often as the record was known to be written; 0: it has not been heard for long enough. Whoever
 * says less goes by an older copy, of a backup say, and has forgotten what it said since (Z14). */
static inline uint64_t core_writes_known(const struct core *core, const struct node_id *record)
{
    const struct voter_lease *lease = core_voter_lease(core, record);

    return lease == NULL ? 0 : lease->writes.known;
}

/* Is that position in its view this node's own? */
static inline bool core_is_self(const struct core *core, uint32_t position)
{
    return position == core->position;
}

/* V5, V6: neither repair nor a stranger waits for durations that somebody may have made up. */
static inline uint64_t core_interval_ms(const struct core *core)
{
    return earlier(core->timing.heartbeat_ms, core->configured.timing.heartbeat_ms);
}

static inline uint64_t core_repair_ms(const struct core *core)
{
    return earlier(timing_repair_ms(&core->timing), timing_repair_ms(&core->configured.timing));
}

/* Of the sizes and the capacities that hold, several while terms change (A2). */
static inline uint32_t core_size_max(const struct core *core)
{
    return core->plan.size_max;
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

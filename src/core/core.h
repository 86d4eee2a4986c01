/* The protocol as a pure state machine: an event goes in, effects come out.
 *
 * Opens no socket, reads no clock, draws no system randomness and allocates nothing after
 * core_init. Two drivers turn the crank: src/runtime with libuv, test/sim with a simulated
 * network and clock. One node is one struct core; a process may hold any number of them. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/agreed.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/facts.h"
#include "core/model/ring.h"
#include "core/model/view.h"
#include "core/model/vote.h"

struct core;

struct core_options {
    const char *name;        /* copied; at most NAME_BYTES_MAX bytes */
    struct address address;  /* what other members are told */
    const struct tags *tags; /* copied; NULL for none */
    struct guard guard;
    const struct voters *voters; /* to found with; copied; NULL unless the guard is strict */
    uint8_t voters_target;       /* under strict so many are to vote (Z17); 0: as many as do */
    bool has_disk;               /* under guard strict: it can keep a voter's record */
    enum profile profile;
    uint8_t watchers; /* of each member: WATCHERS_LEAST or more */
    struct timing timing;
    uint32_t capacity;        /* 1 to MEMBER_MAX: members this node can hold */
    struct versions versions; /* of the protocol, that its driver can read and write */
    struct agreed agreed;     /* terms that were changed when it was a member before, or none; */
    struct rules started; /* and what it was started with then: if that is other now, it counts */
    bool has_seeds;       /* false: founds a cluster alone (F1) */
    uint32_t expect;      /* founds, whatever its seeds, when so many nodes, itself included, wait
                             to be let in (F3); at most EXPECT_MAX; 0: F1 alone counts */
    uint32_t fanout; /* FANOUT_LEAST or more: members to whom it sends a change itself, while it
                        coordinates; of more they hand it on (U4) */
    uint64_t incarnation;    /* lives this node has had before this one */
    uint64_t epoch_seen;     /* highest epoch of earlier lives; 0 for none */
    uint64_t random_seed[4]; /* from the system; ids are drawn from it */

    /* Of a voter: what it left on disk. Copied, with the view that it points to, which has at most
     * `capacity` members. */
    const struct vote_record *record; /* NULL: none */
    bool record_damaged;              /* there is one, and it cannot be relied on (Z3) */

    bool witness; /* it only votes, and is in no view (Z16) */
};

/* Bytes of the one block a core lives in; some 480 KiB, and 10 to 15 for each member of the
 * capacity; most of which stays untouched until that many members are there. */
size_t core_bytes(uint32_t capacity);

/* The same of a witness, which keeps one view of so many members at the most, and refuses larger
 * ones. Its block must be all zero, and little of it is ever written: where the system gives zeroed
 * pages when they are first touched, a process may have hundreds of witnesses. */
size_t core_witness_bytes(uint32_t capacity);

/* Initialises a core inside `block` (core_bytes long, aligned as for malloc; the caller's). The
 * first EVENT_TICK, due at once, sets it going. A witness acts on EVENT_MESSAGE, EVENT_SYNCED and
 * EVENT_TICK alone. */
struct core *core_init(void *block, const struct core_options *options, uint64_t now_ms);

/* Which parts of the block keep nothing until the next step, what the effects of the last one point
 * to among them; returns how many. A driver of many cores may give their pages back. */
uint32_t core_unused(const struct core *core, struct core_part out[CORE_PARTS_MAX]);

/* Takes one event and returns what is to be done about it, valid until the next call. */
struct effects core_step(struct core *core, const struct event *event);

#ifdef DOYEN_TESTED
/* As if this life had sent so many messages more, to nobody: what else takes days (D6). */
void core_skip_numbers(struct core *core, uint64_t count);
#endif

/* When EVENT_TICK is due next, at the latest; NEVER_MS after the node has stopped. O(1). */
uint64_t core_deadline_ms(const struct core *core);

/* --- What a driver may ask between steps; `now_ms` as in the last event or later --- */

enum phase core_phase(const struct core *core);

/* This life: its id changes when the node has to come back after a removal (L1). */
const struct member *core_self(const struct core *core);

/* The installed view; empty while joining. Valid until the next step. */
const struct view *core_view(const struct core *core);

/* The view that its record as a voter has accepted last; empty: none. Valid until the next step. */
const struct view *core_accepted(const struct core *core);

/* The version of the protocol in which the members are written to; counted from 0. */
uint8_t core_version(const struct core *core);

/* The terms in force: those of the view, or those that this node would found a cluster with. The
 * ones that it was started with, and what was changed of them. */
const struct terms *core_terms(const struct core *core);
const struct terms *core_terms_configured(const struct core *core);
const struct agreed *core_agreed(const struct core *core);

/* The durations in force; while terms change, such that both are kept (A3). */
const struct timing *core_timing(const struct core *core);

/* What stands against that change of the terms, as far as this node can tell. */
enum unagreed core_unagreed(const struct core *core, const struct rules_wish *wish);

/* The coordinator as the view has it, or NULL when there is none to be named. */
const struct member *core_coordinator(const struct core *core);

/* Until when this node may act for certain, in the time of the events (milliseconds of its
 * monotonic clock; exclusive), as far as is known now; 0: it does not act (G2). O(members). */
uint64_t core_acting_until_ms(const struct core *core, uint64_t now_ms);

/* The same, asked for one moment. O(members). */
bool core_is_acting(const struct core *core, uint64_t now_ms);

/* Does the coordinator of this node's view act? O(members). */
enum reign core_reign(const struct core *core, uint64_t now_ms);

/* How old is the word that it acts (Z9b)? 0 where this node does; NEVER_MS while nobody is known
 * to. O(members). */
uint64_t core_acting_said_ms_ago(const struct core *core, uint64_t now_ms);

/* For how long one sign of the others lets this node act: what core_acting_until_ms is ahead of the
 * moment at which that sign was asked for. */
uint64_t core_acting_span_ms(const struct core *core);

struct guard_state core_guard(const struct core *core, uint64_t now_ms);

/* Members that hold this node's view, as far as it knows, itself included. O(members). */
uint32_t core_acked(const struct core *core);

/* What this node's detector knows of the member at `position` of the view. O(members). */
struct peer_state core_peer(const struct core *core, uint32_t position, uint64_t now_ms);

/* The same of all members at once: `out` has room for as many, by position. What core_peer looks
 * through all members for, this counts in one pass: O(members + suspicions). */
void core_peers(const struct core *core, uint64_t now_ms, struct peer_state *out);

/* Did the last heartbeat of the member at `position` name this node's view, and was the member
 * heard within the last `within_ms`? An ACK since then does not count: it names what is not
 * installed yet (D1). */
bool core_is_in_step(const struct core *core, uint32_t position, uint64_t within_ms,
                     uint64_t now_ms);

/* The highest number of a message of the member at `position` that counted (D6); 0: none did. */
uint64_t core_number(const struct core *core, uint32_t position);

/* Whom does whom hear? As told by each observer's last heartbeat, and by this node's own ears. */
enum hearing core_hearing(const struct core *core, uint32_t observer, uint32_t subject,
                          uint64_t now_ms);

/* How this node watches the member at `position`. O(1). */
struct watch_state core_watch(const struct core *core, uint32_t position, uint64_t now_ms);

/* Why the members at these two positions watch each other, as bits of enum edge; 0: they do not.
 * O(1), under guard strict O(voters). */
unsigned core_edge(const struct core *core, uint32_t a, uint32_t b);

/* What the member at `position` doubts, as it said within T_lost; returns how many. The own doubts
 * where that is this node, which are O(members). */
uint32_t core_told_doubts(const struct core *core, uint32_t position, uint64_t now_ms,
                          struct told_doubt out[SUSPECTS_MAX]);

/* O(members). */
struct roll_call core_roll_call(const struct core *core, uint64_t now_ms);

/* Is this part being taken up by another, or about to (M3)? It does not act meanwhile. */
bool core_is_merging(const struct core *core);

/* Does this coordinator stand down for another member? Has it given up its right to act, for good
 * under this epoch? */
bool core_is_handing_over(const struct core *core);
bool core_has_handed_over(const struct core *core);

/* The tags that this node's operator wants it to have, or else those that it has. */
const struct tags *core_tags_wanted(const struct core *core);

/* What stands against handing over to the member at `position`, in this node's eyes; and the oldest
 * member after the coordinator that is fit for it, or VIEW_NONE. */
enum unfit core_unfit(const struct core *core, uint32_t position);
uint32_t core_successor(const struct core *core);

/* For how long the entry at `position` of view.gone has been gone, as this node saw it. */
uint64_t core_gone_ms(const struct core *core, uint32_t position, uint64_t now_ms);

/* All zero but while joining. */
struct waiting_state core_waiting(const struct core *core, uint64_t now_ms);

struct bound_state core_bound(const struct core *core);

/* What should survive a restart; written when EFFECT_STORE asks. The addresses are members and
 * former members of the cluster, worth asking next time. */
struct stored {
    uint64_t incarnation;
    uint64_t epoch_seen;
    uint32_t peer_count;
    struct address peers[PEERS_STORED_MAX];
    struct agreed agreed; /* terms that were changed (A5) */
    struct rules started; /* and those that this node was started with */
};
void core_stored(const struct core *core, struct stored *stored);

/* What is to be on disk before this voter's answers go out; written when EFFECT_SYNC asks. The view
 * is borrowed until the next step. */
void core_record(const struct core *core, struct vote_record *record);

/* This node as a voter of guard strict. */
struct voter_state core_voter(const struct core *core, uint64_t now_ms);

/* What this node, as coordinator, knows of the voter at that place of the view's lists. */
struct voter_contact core_voter_contact(const struct core *core, uint8_t place, uint64_t now_ms);

/* What it is about to do about the voters, while it coordinates (Z17). O(members). */
struct autopilot_state core_autopilot(const struct core *core);

/* This node's own candidates, into `out`, which has room for ROLE_OWN_MAX; returns how many. */
uint32_t core_own_roles(const struct core *core, struct own_role *out);

/* May this node grant roles that nobody tells it that he holds (K7a), as of the last step?
 * O(members). */
bool core_may_grant(const struct core *core);

/* The epoch of the last merge that this life has installed; 0: none. Tokens of epochs before it are
 * renewed (K8). */
uint64_t core_merged_epoch(const struct core *core);

/* What this coordinator lists at place `at`, from 0 on; false: nothing there. Places are below
 * core_role_places. */
uint32_t core_role_places(const struct core *core);
bool core_listed_role(const struct core *core, uint32_t at, struct listed_role *out);

const struct core_counters *core_counters(const struct core *core);

/* The state as one number: two cores that were given the same inputs have the same. O(members). */
uint64_t core_state_hash(const struct core *core);

/* Asserts the invariants that one node alone can see and that cost little: of S3 and S14, and that
 * it does not propose and claim at once. S2 is asserted at each installation. Called by core_step.
 */
void core_check(const struct core *core);

#endif

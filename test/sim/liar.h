/* A liar: it sends frames that are well-formed, with values that are not true. A stranger lies
 * under an id that nobody knows, from an address at which nobody lives; it may know all that the
 * members know. A member that is broken lies under its own id, and a worse one in the names of
 * others.
 *
 * While it lies, these rules of protocol.md do not depend on anybody's honesty, and the oracle goes
 * on holding them: no crash and no assertion, I1, S3 (but that every member lived, at an address of
 * its own), S4, S10, S11
 * (that the guard was met as the node counts it), S13, S14, S16, M3, that views of one life rise in
 * order (S2), that nobody installs a view in its own name that it never made (V2a), and that no
 * epoch, version or age leaps further than time allows (V7), from a life's first view on. S9 and
 * S10 hold where the liar has no vote, and does not coordinate when it lies; but not for two
 * T_lease after a member has said falsely that somebody has handed over to it, or, to one that
 * takes it for the coordinator, that it hands over itself: for voters then skip a lease (Z2c).
 *
 * A forger speaks in the name of anybody, of those who vote or coordinate above all, but seldom: it
 * is neither asked nor answered. Where it said in such a name what a voter grants, S9 and S10 are
 * not held until what that does is over (liar_bound_ms). All else is asked for.
 *
 * The others rest on what members say, and are suspended from the first lie in a member's name
 * until sim_trust: S1, the lineage in S2, S5 to S8, S17, S18, F2, J3, M4, C4, R1, D4, and that
 * whoever is counted by the guard holds a lease (S11); so is A2, that majorities share a member. F3
 * counts strangers too, and is suspended by any lie.
 *
 * That tokens of a role rise (S19) is held of all that a coordinator has drawn: those that a liar
 * granted in its name, mostly to a member that it made believe in a view of that coordinator, are
 * none. Nor is it held where S9 and S10 are not.
 *
 * What a stranger says suspends nothing else, and no view that it made up is ever installed (S15).
 */
#ifndef SIM_LIAR_H
#define SIM_LIAR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/message.h"
#include "sim.h"

/* LIE(NAME, function, text): each kind is told by the function tell_<function> of liar_lies.c, and
 * is three faults of the swarm, of strangers, of members, and of forgers. */
#define LIES(LIE)                                                                                  \
    LIE(OWN_VIEWS, own_views, "views in your own name")                                            \
    LIE(VIEWS, views, "views in another's name")                                                   \
    LIE(PROPOSALS, proposals, "proposals")                                                         \
    LIE(ACKS, acks, "acknowledgements")                                                            \
    LIE(NACKS, nacks, "epochs that leap")                                                          \
    LIE(NOT_FOLLOWING, not_following, "not following")                                             \
    LIE(COMMITS, commits, "commits")                                                               \
    LIE(CLAIMS, claims, "claims")                                                                  \
    LIE(GRANTS, grants, "grants")                                                                  \
    LIE(JOINS, joins, "joins")                                                                     \
    LIE(OFFERS, offers, "offers")                                                                  \
    LIE(REFUSALS, refusals, "refused joins")                                                       \
    LIE(LEAVES, leaves, "leaves")                                                                  \
    LIE(HANDOVERS, handovers, "hand-overs")                                                        \
    LIE(STAND_DOWNS, stand_downs, "stand-downs")                                                   \
    LIE(PINGS, pings, "pings")                                                                     \
    LIE(PROBES, probes, "probes")                                                                  \
    LIE(PULLS, pulls, "pulls")                                                                     \
    LIE(MERGES, merges, "merges")                                                                  \
    LIE(MOVES, moves, "moves")                                                                     \
    LIE(BALLOTS, ballots, "ballots")                                                               \
    LIE(VOTES, votes, "votes")                                                                     \
    LIE(NUMBERS, numbers, "numbers that leap")                                                     \
    LIE(HASHES, hashes, "wrong hashes")                                                            \
    LIE(SUSPICIONS, suspicions, "wrong suspicions")                                                \
    LIE(HEARTBEATS, heartbeats, "heartbeats of other views")                                       \
    LIE(ROLES, roles, "tokens of roles that leap")                                                 \
    LIE(TAGS, tags, "tags")                                                                        \
    LIE(TERMS, terms, "terms")                                                                     \
    LIE(ANYTHING, anything, "anything")                                                            \
    LIE(STAMPS, stamps, "stamps of questions that leap")                                           \
    LIE(CANDIDATES, candidates, "candidates")

#define LIE_ENUM(NAME, function, text) LIE_##NAME,
enum lie_kind { LIES(LIE_ENUM) LIE_KINDS };
#undef LIE_ENUM

/* In whose name a forger speaks, as the receiver knows them, or whoever has a view. */
enum forged_name {
    FORGED_NONE, /* no forger: see struct lie */
    FORGED_COORDINATOR,
    FORGED_NEXT,    /* the next oldest */
    FORGED_VOTER,   /* any; or any member, where nobody votes */
    FORGED_WITNESS, /* or another voter, where there is none */
    FORGED_NAMES
};

struct lie {
    enum lie_kind kind;
    bool stranger;
    enum forged_name name;
    uint32_t host; /* else in whose name; SIM_ANY: any, drawn anew each time */
    uint32_t to;
    bool to_limits; /* numbers leap as far as is taken, or hardly further (V7a) */
};

/* One such frame is under way. False: nothing is, for the host does not run, or no process in whose
 * name to lie. */
bool liar_tell(struct sim *sim, struct random *random, const struct lie *lie);

struct message;

/* That very message, in the name and from the address that it has, is under way to that host. It
 * counts as a lie in a member's name. */
void liar_says(struct sim *sim, uint32_t to, struct message *message);

/* What that one has accepted last is under way to the other, word for word and in its maker's name,
 * as if a third handed it on (U4d), from anywhere, with the lease that the maker may have asked for
 * or none. Nothing of that is untrue, so that it counts as no lie. Nothing happens unless both run,
 * and it has accepted the view of another. */
void liar_hands_on(struct sim *sim, struct random *random, uint32_t by, uint32_t to);

/* In the name of each fellow member that runs that host is told that this one follows itself. The
 * number is above what that one says meanwhile. */
void liar_draws_away(struct sim *sim, uint32_t host);

/* Lies again and again, for so long; ends with sim_heal. */
struct lies {
    struct lie lie;     /* `to` does not count */
    uint64_t to;        /* a bit for each host */
    uint64_t gap_ms;    /* between two times */
    uint32_t each_time; /* so many lies to each of the hosts */
    uint64_t ms;        /* UINT64_MAX: for ever */
    uint64_t seed;
    bool spares_voters; /* nothing is told in the name of one that may have a vote */
};

void liar_goes_on(struct sim *sim, const struct lies *told);

/* From now on those who go on tell nothing; or do again. */
void liar_pauses(struct sim *sim, bool pauses);

/* From now on nobody says that another history takes the place of this one (Z18c): each time that
 * is answered an operator has to recover a voter. */
void liar_leaves_history(struct sim *sim);

/* What a frame does, from whomever, is over so long after the last one. */
uint64_t liar_bound_ms(const struct sim *sim);

/* May somebody have ended this history (Z18c)? Who forges single frames cannot: it is not asked. */
bool liar_may_have_ended_history(const struct sim *sim);

/* The kind of lie that tells messages of that type; LIE_KINDS: none does, as they are no frames. A
 * type that is added has to be told, too. */
enum lie_kind liar_kind_of(enum message_type type);

/* So many of that type were told. */
uint64_t liar_told_of(const struct sim *sim, enum message_type type);

/* As the report calls it. */
const char *liar_text(enum lie_kind kind);

/* Has any lie been told, and one in a member's name? */
bool liar_has_lied(const struct sim *sim);
bool liar_has_betrayed(const struct sim *sim);

/* From now on the oracle holds all rules again, against what the nodes have now. */
void sim_trust(struct sim *sim);

/* --- For the other parts of the simulator --- */

struct view;

void liar_free(struct sim *sim);

/* Was the view made up by a liar? `*stranger`: by one under an id that nobody knew. */
bool liar_made(const struct sim *sim, const struct view *view, bool *stranger);

/* Did a liar grant that token? */
bool liar_named(const struct sim *sim, uint64_t token);

#endif

/* One core among peers that the test plays itself: the core hears what the test says, at the
 * moment the test says it, and nobody else is there. Peers are named by letters, as in
 * view_builder.h; the core plays one of them under the id that it drew.
 *
 * A message is given with its type and content; who it is from and for is filled in. */
#ifndef TEST_RIG_H
#define TEST_RIG_H

#include "core/core.h"
#include "core/state/detection.h"
#include "view_builder.h"

enum {
    RIG_CAPACITY = 8, /* or as many as the view has */
    RIG_SENT_MAX = 1024,
    RIG_VIEWS_MAX = 8,
};

/* What the core sent: to the address of that letter. Views in it are borrowed from the core. */
struct rig_sent {
    char to;
    struct node_id peer;
    bool fellow; /* goes out as one's (D2) */
    bool relay;
    bool handed_on;
    uint32_t echo; /* (D8) */
    bool brief;    /* its view as a change of ours (U3b) */
    struct message message;
};

struct rig {
    struct core *core;
    uint8_t *block; /* that it lives in */
    struct timing timing;
    uint32_t capacity;
    char self;
    const char *voters; /* under guard strict; else "" */
    uint64_t now_ms;
    uint64_t numbers[128]; /* by letter: of that peer's last message */
    uint64_t last_number;  /* of the message that this node sent last: all peers echo it */
    struct rig_sent sent[RIG_SENT_MAX];
    uint32_t sent_count; /* by the last call of rig_gets, rig_gets_raw, rig_links or rig_pass */
    struct refused_message refused;               /* the last */
    uint32_t refused_count;                       /* in the last step */
    uint32_t resolve_count;                       /* how often it asked for its seeds */
    bool withdraws;                               /* a hand-over begins */
    uint32_t kernel_ask_count;                    /* and a kernel, of any peer (D2) */
    uint32_t noticed[NOTICE_OLD_RECORD + 1];      /* told to watchers since it was made, by type */
    struct notice notices[NOTICE_OLD_RECORD + 1]; /* the last of them */
    struct role_news role;                        /* the last that a client was told */
    uint32_t role_count;                          /* in the last step */
    struct built_view views[RIG_VIEWS_MAX];
    uint32_t view_count;
};

/* What the core, and everybody it meets, was started with. */
struct terms rig_terms(void);

/* A core that has just begun to ask to be let in. */
struct rig *rig_joining(char self);

/* The same, which expects so many to wait with it (F3). */
struct rig *rig_expecting(char self, uint32_t expect);

/* A core that lives as `self` in the view of those members and has heard from all of them that
 * they hold it, too. Guard none, profile lan. */
struct rig *rig_in(const char *letters, char self);

/* The same with profile local, of which a loop may be late for longer (D4b). */
struct rig *rig_local(const char *letters, char self);

/* The same with that guard. */
struct rig *rig_guarded(const char *letters, char self, struct guard guard);

/* The same with guard none, where the members watch each other on two rings (D9). */
struct rig *rig_on_rings(const char *letters, char self);

/* The same, which sends changes to so many members itself (U4). */
struct rig *rig_with_fanout(const char *letters, char self, struct guard guard, uint32_t fanout);

/* The same under guard strict; all members are voters, and this one has no record. The record of
 * each is record_of its letter, as the views say (Z10a). */
struct rig *rig_strict(const char *letters, char self);

/* The same, but the voters are those of `names`. */
struct rig *rig_strict_among(const char *letters, char self, const char *names);

/* This node has that record, and votes in the lineage of the view. */
struct vote_record *rig_votes(struct rig *rig);

void rig_free(struct rig *rig);

/* A view of those members with ages from 1, epoch 1, version = how many, and one like the core's
 * with changes, "-A +D", under the next version; the rig's, to be sealed again after a change. */
struct view *rig_view(struct rig *rig, const char *letters);
struct view *rig_next(struct rig *rig, const char *changes);

struct node_id rig_id(const struct rig *rig, char letter);

/* The core gets the message from that peer, as its next one. */
void rig_gets(struct rig *rig, char from, const struct message *content);

/* The same, but with everything in it as it stands. rig_message fills it in. */
struct message rig_message(const struct rig *rig, char from, const struct message *content);
void rig_gets_raw(struct rig *rig, const struct message *message);

/* The same, as the answer to a PULL with a nonce that the last call had the core send there. */
void rig_answers_pull(struct rig *rig, char from, const struct message *content);

/* The peer, or a stranger, says that it holds the view that the core holds. */
void rig_hears(struct rig *rig, char from);

/* What the voter of that name says to the question that the core has put to the voters: of that
 * kind, with that result. */
struct message rig_vote(const struct rig *rig, char voter, enum vote_kind kind,
                        enum vote_result result);

/* The voter of that name grants the epoch for which the core asks. */
void rig_is_granted(struct rig *rig, char voter);

/* What a member answers to a claim of that epoch. */
struct message rig_answer(const struct rig *rig, uint64_t epoch, enum vote_result result);
void rig_grants(struct rig *rig, char member, uint64_t epoch);

/* What the core knows of the lease of the voter of that letter, by its record; all zero: nothing.
 */
struct voter_lease rig_lease(const struct rig *rig, char voter);

/* The voter's answer to the question that the core put to it last; false: none is open. By
 * its own record, unless another is named. */
bool rig_answers(struct rig *rig, char voter, const struct lease_said *said);

/* It leases the epoch of the core's view, if it was asked. */
void rig_leases(struct rig *rig, char voter);

/* That peer says that it reigns under that epoch, and asks the core's voter for the lease, which is
 * to answer in the same step. What it asks is the core's own lengths. */
struct message rig_question(const struct rig *rig, uint64_t epoch);
struct lease_said rig_asks(struct rig *rig, char from, uint64_t epoch);

/* The same as rig_hears, and that it holds this verdict against the member of that age; with
 * VERDICT_NONE, that this one is merely silent. */
void rig_accuses(struct rig *rig, char from, uint64_t age, enum verdict verdict);

/* The same of several: at most SUSPECTS_MAX. */
void rig_names(struct rig *rig, char from, const struct suspicion *suspects, uint8_t count);

/* The disk has all that the core's voter has asked it to write. */
void rig_syncs(struct rig *rig);

void rig_links(struct rig *rig, char peer, enum link_news news);

/* What proves that a process is gone: its lifeline was open, is closed, and nobody listens. */
void rig_kill(struct rig *rig, char peer);

/* Lets time pass; meanwhile the peers in `alive` ("B C") send heartbeats. */
void rig_pass(struct rig *rig, uint64_t ms, const char *alive);

/* Time passes until the core finds that peer lost. Returns how long that took. */
uint64_t rig_loses(struct rig *rig, char peer, const char *alive);

/* Its own process stands still for so long, and hears nothing (D4). */
void rig_sleeps(struct rig *rig, uint64_t ms);

/* Its seeds resolve to the addresses of those letters, its own perhaps among them; or those are
 * what it remembers of an earlier life. */
void rig_resolves(struct rig *rig, const char *letters);
void rig_remembers(struct rig *rig, const char *letters);

/* It is asked to leave. */
void rig_leaves(struct rig *rig);

/* Its operator wants that. */
void rig_moves(struct rig *rig, const struct move *move);

/* Its operator wants it to have that one tag, "role=db". */
void rig_tags(struct rig *rig, const char *tag);

/* A client of its own wants that. */
void rig_wants(struct rig *rig, const struct role_command *command);

/* That one asks to be let in, and proves that it receives at its address. */
void rig_joins(struct rig *rig, char joiner);

/* The acknowledgement of what the core proposed last to that peer. */
struct message rig_ack(const struct rig *rig, char proposed_to);

/* Somebody who holds that view asks for that epoch. */
struct message rig_claim(const struct view *view, uint64_t epoch);

/* What the coordinator of that view says of its part, if so many hold the view. */
struct probe rig_part(const struct view *view, uint32_t holders);

/* What the node holds against that member. */
enum verdict rig_verdict(const struct rig *rig, char letter);

/* The latest question in the last step with which `to` was asked to ask somebody else (R1a), or
 * NULL; and how many there were to all. */
const struct message *rig_request(const struct rig *rig, char to);
uint32_t rig_requests(const struct rig *rig);

/* How many of that type the core sent, and the last of them to that peer; NULL for none. */
uint32_t rig_count(const struct rig *rig, enum message_type type);
const struct message *rig_told(const struct rig *rig, enum message_type type, char to);

/* The grant of a claim, and the refusal, that it was told last; NULL for none. */
const struct message *rig_granted(const struct rig *rig, char claimant);
const struct message *rig_refused(const struct rig *rig, char claimant);

/* How the last of them went to that peer that it was told of: as a change of our view? */
bool rig_told_briefly(const struct rig *rig, enum message_type type, char to);

/* The core's view, "A B C". Valid until the next call. */
const char *rig_sees(const struct rig *rig, char text[64]);

/* Checks that the core's view has those members, in that order. */
void rig_must_see(const struct rig *rig, const char *letters);

/* The core gets the message from that peer, as its next one; checks that it is refused for that
 * reason, with an answer or without. */
void rig_refuses(struct rig *rig, char from, const struct message *content, enum refusal reason);

/* Checks that the message is refused for that reason, and that nothing is done and not one byte of
 * the core's state changes but for its counters. From a member it is a repetition, so that its
 * content alone is judged; rig_ignores_raw takes everything as it stands. */
void rig_ignores(struct rig *rig, char from, const struct message *content, enum refusal reason);
void rig_ignores_raw(struct rig *rig, const struct message *message, enum refusal reason);
void rig_ignores_link(struct rig *rig, const struct node_id *peer, enum link_news news);

#endif

/* What must always hold (protocol.md, What holds), looked at from outside after every step of every
 * node. The oracle remembers every view that was ever named, every life, and for each life what it
 * saw. */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/effect.h"
#include "core/model/view.h"

struct host;
struct sim;

/* One member as one life has seen it, in its views or removed from them. */
struct memory {
    struct node_id id;
    uint64_t age;
    bool present; /* in the view that this life holds */
};

/* What one life has seen so far. */
struct witness {
    struct node_id life;
    struct view_id view;
    const struct record *record; /* of that view; the oracle's */
    bool has_view;
    uint64_t terms_number; /* of the last view's terms (V7g) */
    uint64_t follows_us;   /* since when its views have had this coordinator */
    struct node_id voted;  /* its record, once a view that it installed had that vote */
    uint64_t next_age;
    uint64_t first[3];  /* epoch, version and next_age of its first view */
    uint64_t first_us;  /* when it installed that */
    uint64_t installed; /* views that its core had installed by then */
    uint64_t hash;
    struct memory *memories;
    uint32_t count;
    uint32_t capacity;
    enum phase phase;
    uint64_t phase_us; /* since when */
    bool acting;
    uint64_t known_us; /* while it acts: until then it need not be asked how long */
};

/* One member of a remembered view. */
struct recorded_member {
    struct node_id id;
    uint64_t age;
    uint64_t name; /* hash */
    uint32_t host;
};

/* What the rules about chains of views need to know of each (S5 to S7, M4). */
struct record {
    struct view_id parent;
    struct view_id merged;
    enum view_cause cause;
    uint64_t next_age;
    uint64_t visit;    /* number of the last walk that came by */
    bool loser_agreed; /* CAUSE_MERGE: the other part's coordinator has acknowledged it */
    bool in_register;  /* installed by somebody, where there is one chain of views */
    uint32_t member_count;
    struct recorded_member members[];
};

/* S1: one name, one content. */
struct named_view {
    struct view_id id;
    uint64_t hash;     /* as the view carries it; 0: free place in the table */
    uint64_t content;  /* as the oracle computes it, of an installed view; 0: not installed yet */
    uint64_t distinct; /* this content was found to have no member twice (S3); 0: none was */
    struct record *record;
};

/* S6: one age, one life, within a lineage. */
struct given_age {
    uint64_t lineage;
    uint64_t age; /* 0: free place in the table */
    struct node_id id;
};

/* Which host a life belongs to. */
struct life {
    struct node_id id;
    uint32_t host_plus_1; /* 0: free place in the table */
    bool was_member;      /* of any view that anybody proposed */
    bool accepted;        /* it has acknowledged a proposal, or held a view */
    struct view_id first; /* which it accepted first, or held first */
};

/* Until when a life may act, by what its process said. */
struct acting {
    struct node_id life;
    uint64_t lineage;
    uint64_t epoch;
    uint64_t until_us; /* of virtual time, at the latest; 0: it may not */
    uint32_t host;
};

/* How long two lives or more could act at once. */
struct two_acted {
    uint64_t us;
    uint64_t longest_us;
    uint64_t lately_us;  /* up to then, without a pause */
    uint64_t counted_us; /* up to when this is counted */
    uint32_t last;       /* who of `acting` was looked at last */
    uint64_t others_us;  /* until when any other may act */
};

/* Where each member of one witness's memory stands, while one view is held against it. */
struct recollection {
    uint32_t *slots; /* index + 1; 0: free */
    uint32_t mask;
    const struct witness *of; /* NULL: of nobody; where views are few they are looked through */
};

enum { HISTORIES_MAX = 1024 };

/* Where one alone may act, there is one chain of views, until an operator begins another one in its
 * place (Z18). */
struct history {
    uint64_t lineage;
    struct view_id highest;       /* that was installed */
    struct acting highest_acting; /* by epoch */
    bool below; /* it was begun by a clock that was behind, with epochs of another one (Z18b) */
};

struct oracle {
    struct acting *acting; /* of each host's process; the last one of the lives that are over */
    uint32_t acting_count;
    struct two_acted two_acted;
    struct history histories[HISTORIES_MAX];
    uint32_t history_count;
    uint64_t *rules; /* hashes of those by which a node was started, or that an operator wished */
    size_t rules_count;
    bool apart; /* an operator gave up voters that lived: one in each history may act */
    struct named_view *views;
    size_t view_count;
    size_t view_places; /* a power of two, as in the tables below */
    struct given_age *ages;
    size_t age_count;
    size_t age_places;
    struct life *lives;
    size_t life_count;
    size_t life_places;
    struct recollection recollection;
    uint64_t visits;
    uint64_t released_us; /* until then S9 and S10 are not looked at (oracle_on_false_release) */
    uint64_t trusted_us;  /* since when what members say counts again (sim_trust) */
    bool suspended;       /* members lie: what depends on their honesty is not looked at (liar.h) */
    char failure[512];    /* empty while all is well */
};

void oracle_init(struct oracle *oracle, uint32_t host_count);
void oracle_deinit(struct oracle *oracle);
void witness_deinit(struct witness *witness);

/* An operator wishes for those rules, or starts a node by them. */
void oracle_on_rules(struct oracle *oracle, const struct rules *rules);

/* A process was started on this host. */
void oracle_on_start(struct sim *sim, struct host *host);

/* On rings: the host sends a PING to that life itself, or grants its claim. */
void oracle_on_asked(struct sim *sim, struct host *host, const struct node_id *whom);
void oracle_check_grant(struct sim *sim, const struct host *host, const struct node_id *claimant);

/* Before each step of the host's core, when its clock already shows the time of the step. Where
 * one alone may act. */
void oracle_before_step(struct sim *sim, struct host *host);

/* After each step of the host's core, with the effects it had. */
void oracle_after_step(struct sim *sim, struct host *host, const struct effects *effects);

/* A view goes out in a message: it too has one content for ever (S1). */
void oracle_on_sent_view(struct sim *sim, struct host *host, const struct view *view);

/* The host's process has its disk keep that epoch. */
void oracle_on_stored(struct sim *sim, struct host *host, uint64_t epoch);

/* What the host's core wants done: nothing that it does to others is of itself (V6c). */
void oracle_on_effect(struct sim *sim, const struct host *host, const struct effect *effect);

/* The host's process acknowledges that proposal. */
void oracle_on_ack(struct sim *sim, struct host *host, const struct view_id *id);

/* The host's process says that it may act under this epoch until its clock shows so many
 * milliseconds; if that is past, that it may not. */
void oracle_on_acting(struct sim *sim, struct host *host, uint64_t epoch, uint64_t until_ms);

/* A member is about to say falsely that somebody has handed over to it, or what a voter grants:
 * what that does is over that much later. */
void oracle_on_false_release(struct sim *sim, uint64_t ms);

/* The host's process has ended all that acted in its name, and handed over: what it said before of
 * how long it may act is void. */
void oracle_on_handed_over(struct sim *sim, struct host *host);

/* The life of the host's process is over. */
void oracle_on_life_over(struct sim *sim, struct host *host);

/* An operator begins another history in place of the former one, at that epoch; and has erred: the
 * others are not gone. */
void oracle_on_recovered(struct sim *sim, uint64_t former, const struct vote_record *record,
                         bool erred);

/* Is that lineage of the founding, or of a recovery? */
bool oracle_knows_history(const struct oracle *oracle, uint64_t lineage);

/* Counts up to now for how long two could act at once. */
void oracle_count_acting(struct sim *sim);

/* Holds all rules again, against what the nodes have now. */
void oracle_begin_anew(struct sim *sim);

/* Host of a life, or SIM_NOBODY. */
uint32_t oracle_host_of(const struct oracle *oracle, const struct node_id *id);

#endif

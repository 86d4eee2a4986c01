/* The coordinator's list of who owns which partitions, and the one rule that moves what is towards
 * what is to be (docs/partitions.md, P8 to P13). It lasts for one epoch: the next coordinator is
 * told anew. Who may still own is known by the members' leases, which the core lists as grants of a
 * role, and are given in. Opens nothing, allocates nothing, reads no clock. */
#ifndef PARTITION_LEDGER_H
#define PARTITION_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/id.h"
#include "partition/own_message.h"

enum {
    LEDGER_SLOTS_MAX = PARTITION_MEMBERS_MAX,
    LEDGER_BURST = 32, /* messages that one question is answered with */
};

/* Borrowed for the ledger's life. May not call back into the ledger. */
struct ledger_options {
    uint32_t partitions;
    void (*send)(void *context, const struct own_message *message);
    void *context;
};

/* A member that has a lease; also one that is gone, while it may have it. */
struct ledger_slot {
    bool used;
    bool seen; /* while leases are read */
    bool told; /* all that it owns is listed */
    struct node_id life;
    uint64_t lease;
    uint64_t number;  /* of its latest question */
    uint64_t version; /* it wants by the table of that view */
    struct partition_set wants;
    uint32_t count; /* listed */
    uint64_t hash;
    uint32_t grant_next; /* where the next burst of GRANT begins */
};

struct ledger {
    struct ledger_options options;
    struct node_id self; /* none: this node does not coordinate */
    uint64_t epoch;
    uint64_t version;      /* of the installed view */
    uint64_t merged_epoch; /* tokens of epochs before it are renewed (P13) */
    uint64_t serial;
    bool may_grant;
    bool blocked;  /* there was no room for a lease: nothing is granted under this epoch */
    bool changed;  /* the rule is to be applied */
    bool outgrown; /* another epoch is wanted (P15), and nobody has taken note yet */
    uint32_t hint;
    uint32_t top; /* slots that were ever used under this epoch */
    struct ledger_slot *slots;
    uint16_t owners[PARTITIONS_MAX]; /* slots; PARTITION_NOBODY */
    uint64_t tokens[PARTITIONS_MAX];
    struct partition_set revoked;     /* the owner was asked to let go */
    uint16_t wanters[PARTITIONS_MAX]; /* while the rule is applied */
};

/* `slots` has room for LEDGER_SLOTS_MAX, all zero, for the ledger's life. */
void ledger_init(struct ledger *ledger, const struct ledger_options *options,
                 struct ledger_slot *slots);

/* This node coordinates that view; or does not, without a life. */
void ledger_on_view(struct ledger *ledger, const struct node_id *self, uint64_t epoch,
                    uint64_t version, uint64_t merged_epoch);

/* Reads anew who has a lease: begin, each of them, end. `may_grant` says whether whoever is not
 * among them owns nothing. */
void ledger_begin_leases(struct ledger *ledger);
void ledger_lease(struct ledger *ledger, const struct node_id *life, uint64_t lease);
void ledger_end_leases(struct ledger *ledger, bool may_grant);

void ledger_take(struct ledger *ledger, const struct own_message *message);

/* Is another epoch wanted, since this was asked last (P15)? */
bool ledger_take_outgrown(struct ledger *ledger);

/* The life that is listed as the owner, or NULL; and its token. */
const struct node_id *ledger_owner(const struct ledger *ledger, uint32_t partition,
                                   uint64_t *token);

#endif

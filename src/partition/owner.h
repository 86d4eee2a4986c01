/* A member's part in owning partitions (docs/partitions.md, P8 to P14): what it wants, what it owns
 * and until when, and what its programs may go by. Beside the core: the member's lease is the grant
 * of a role (K6d), and is given in. Opens nothing, allocates nothing, reads no clock. */
#ifndef PARTITION_OWNER_H
#define PARTITION_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/role.h"
#include "partition/own_message.h"

#define OWNER_NEVER_MS UINT64_MAX

enum { OWN_BURST = 32 }; /* messages of one kind that are sent at once */

enum owner_news {
    OWNER_INCOMING, /* it is to own them, and waits for the word that all is ready */
    OWNER_OWNS,
    OWNER_STOPS, /* it was asked to let go, and waits until its programs have stopped */
    OWNER_LOST,
};

/* Borrowed for the owner's life. Neither may call back into the owner. */
struct owner_options {
    uint32_t partitions;
    uint64_t retry_first_ms; /* questions are repeated after that; then after twice as long ... */
    uint64_t retry_most_ms;  /* ... up to this */
    uint64_t ready_ms;       /* for so long it waits for owner_ready; 0: not at all */
    void (*send)(void *context, const struct own_message *message);
    void (*on_news)(void *context, enum owner_news news, const struct partition_set *set);
    void *context;
};

struct owner {
    struct owner_options options;
    struct node_id self; /* none: in no view */
    struct node_id coordinator;
    uint64_t epoch;

    uint64_t lease;    /* 0: it has none, and owns nothing */
    uint64_t until_ms; /* the lease lasts until then, exclusive, unless it is renewed */

    struct partition_set target;   /* by the table of the view of `version` */
    struct partition_set ready;    /* of these, those that may come */
    struct partition_set owned;    /* its token is not 0 */
    struct partition_set stopping; /* of these, those that are let go of at `promised_ms` */
    uint64_t version;
    uint32_t count; /* of `owned` */
    uint64_t hash;
    uint64_t tokens[PARTITIONS_MAX];
    uint64_t floors[PARTITIONS_MAX];      /* the highest that was let go of: void, and all below */
    uint64_t ready_ms[PARTITIONS_MAX];    /* of targets that are not ready: they are then */
    uint64_t promised_ms[PARTITIONS_MAX]; /* a program was told that it may go by it until then */

    uint64_t number;    /* of the last question */
    bool agreed;        /* and the coordinator has listed the same */
    uint32_t tell_next; /* where the next burst of TELL begins */
    uint64_t retry_ms;
    uint64_t ask_ms; /* when the next question is due */
    uint64_t due_ms;
};

void owner_init(struct owner *owner, const struct owner_options *options);

/* It is in no view any more: what it owned is lost. */
void owner_leave(struct owner *owner);

/* To be called when view or life may be another one. */
void owner_on_view(struct owner *owner, const struct node_id *self,
                   const struct node_id *coordinator, uint64_t epoch, uint64_t now_ms);

/* What the member's lease is now; 0: it has none. A token of a later epoch that follows another
 * without a loss renews it (K8). */
void owner_on_lease(struct owner *owner, uint64_t lease, uint64_t until_ms, uint64_t now_ms);

/* The table of that view says that these are to be this member's. */
void owner_on_target(struct owner *owner, uint64_t version, const struct partition_set *target,
                     uint64_t now_ms);

void owner_take(struct owner *owner, const struct own_message *message, uint64_t now_ms);

/* When owner_tick is due. O(1). */
uint64_t owner_deadline_ms(const struct owner *owner);
void owner_tick(struct owner *owner, uint64_t now_ms);

/* --- For this member's programs --- */

/* The token under which the member owns it now; 0: it does not. */
uint64_t owner_token(const struct owner *owner, uint32_t partition, uint64_t now_ms);

/* All is ready for these: they may come. */
void owner_ready(struct owner *owner, const struct partition_set *set, uint64_t now_ms);

/* A program is told that it may go by what the member owns until then; 0: it may not. Nothing that
 * was promised is let go of before that, or before owner_done. */
uint64_t owner_promise(struct owner *owner, uint32_t partition, uint64_t now_ms);

/* No program goes by these any more. */
void owner_done(struct owner *owner, const struct partition_set *set, uint64_t now_ms);

/* When the last promise is over, kept or lost; at most a lease from now. */
uint64_t owner_promised_ms(const struct owner *owner);

#endif

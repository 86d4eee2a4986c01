/* What a member owns of the partitions, and what its coordinator lists, driven by what the core
 * says (docs/partitions.md, P8 to P14): the member's lease is its grant of the role
 * PARTITION_ROLE (K6d). A driver, of a daemon or of the simulator, calls it after each step of the
 * core, and carries its messages. Opens nothing, allocates nothing, reads no clock. */
#ifndef PARTITION_TENURE_H
#define PARTITION_TENURE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "partition/keeper.h"
#include "partition/ledger.h"
#include "partition/owner.h"

#define PARTITION_ROLE "doyen.partitions"

enum { TENURE_QUEUE_MAX = 48 }; /* messages of a coordinator to itself */

/* Borrowed for the tenure's life. */
struct tenure_options {
    const struct core *core;
    const struct keeper *keeper;
    uint32_t partitions;
    uint64_t ready_ms;     /* P14; 0: nothing is waited for */
    uint64_t heartbeat_ms; /* of the cluster's timing */
    uint64_t held_ms;      /* for so long a lease lasts (K3a) */
    /* To another member. May not call back. */
    void (*send)(void *context, const struct own_message *message);
    /* EVENT_ROLE for the core. It may step the core, and then tenure_on_step be called. */
    void (*command)(void *context, const struct role_command *command);
    /* What this member's programs should know. May not call back. */
    void (*on_news)(void *context, enum owner_news news, const struct partition_set *set);
    void *context;
};

struct tenure {
    struct tenure_options options;
    struct owner owner;
    struct ledger ledger;
    struct view_id table; /* whose table the owner goes by */
    uint64_t digest;
    bool busy; /* further calls only note that there is more to do */
    bool again;
    uint64_t stand_ms; /* it stands for its lease not before that */
    uint64_t done_ms;  /* the lease is lost, and is let go of then; OWNER_NEVER_MS: it is not */
    uint32_t queued;
    struct own_message queue[TENURE_QUEUE_MAX];
};

/* `slots` as for ledger_init. */
void tenure_init(struct tenure *tenure, const struct tenure_options *options,
                 struct ledger_slot *slots);

/* After each step of the core, and each call of the keeper. */
void tenure_on_step(struct tenure *tenure, uint64_t now_ms);

void tenure_take(struct tenure *tenure, const struct own_message *message, uint64_t now_ms);

/* When tenure_tick is due. O(1). */
uint64_t tenure_deadline_ms(const struct tenure *tenure);
void tenure_tick(struct tenure *tenure, uint64_t now_ms);

/* For this member's programs: as owner_ready and owner_done say. */
void tenure_ready(struct tenure *tenure, const struct partition_set *set, uint64_t now_ms);
void tenure_done(struct tenure *tenure, const struct partition_set *set, uint64_t now_ms);

#endif

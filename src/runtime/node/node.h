/* One running node: drives a core with libuv. Owns the sockets, the one timer, the links, the
 * resolver, the state directory and the journal. Everything runs on the loop's thread. */
#ifndef RUNTIME_NODE_H
#define RUNTIME_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "core/core.h"
#include "partition/keeper.h"
#include "partition/tenure.h"
#include "runtime/disk/voter_store.h"
#include "runtime/frames/traffic.h"
#include "runtime/leases/lease_page.h"
#include "runtime/leases/role_clients.h"
#include "runtime/node/node_end.h"
#include "runtime/node/refusals.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"
#include "runtime/sealing/rotation.h"
#include "runtime/services/elector.h"
#include "runtime/services/inquiry.h"
#include "runtime/services/user_post.h"
#include "seal/keyring.h"
#include "words/journal.h"
#include "words/way_text.h"

struct node;

/* Binds the sockets; the core's first step follows in the loop's next turn. `config` and `log` are
 * borrowed for the node's life; the keys of `ring`, which may be none, are copied. Returns NULL
 * after one line on the log that says what failed and how to mend it; the loop must then be run
 * until it has nothing left to do. The process must ignore SIGPIPE, because libuv does not. */
struct node *node_open(uv_loop_t *loop, const struct config *config, const struct keyring *ring,
                       struct log *log, node_on_end *on_end, void *context);

/* Asks the node to leave in good order; it ends with NODE_LEFT. It gives up its right to act at
 * once, and leaves when those who act by it have stopped, or it would have ended anyway. Harmless
 * when repeated. */
void node_leave(struct node *node);

/* What the operator wants moved: asks the coordinator for it until it is done, or T_leave has
 * passed. The latest takes the place of those before it. */
void node_move(struct node *node, const struct move *move);

/* The operator wants the cluster to have these terms: asks the coordinator until they were changed,
 * or T_leave has passed (A1). */
void node_change_terms(struct node *node, const struct rules_wish *wish);

/* The operator wants this node to have these tags and no others, which are copied: asks the
 * coordinator until the view shows them, or T_leave and a second have passed (E8). */
void node_set_tags(struct node *node, const struct tags *tags);

/* The tags that are wanted, or else those that it has; valid until the next of these calls, and no
 * longer than this turn of the loop. */
const struct tags *node_tags(const struct node *node);

/* Closes every handle. The memory is freed, and `on_closed`, which may be NULL, is called, when the
 * loop has run the close callbacks. */
void node_close(struct node *node, void (*on_closed)(void *context), void *context);

/* While joining: writes what the seeds answer, as text for people. While it is the only member:
 * only what tells that a seed is of another cluster, or has another key. Returns false when nothing
 * is known. */
enum { NODE_SEED_WORDS_MAX = 600 };
bool node_seed_words(const struct node *node, char out[NODE_SEED_WORDS_MAX]);

/* Does it ask anybody but itself: a seed, or whom it knew before? True while the seeds are looked
 * up. */
bool node_has_other_seed(const struct node *node);

/* What is wrong with the way to a member, or to one that is gone, as far as this node looked. */
enum way_fault node_way(const struct node *node, const struct node_id *life);

/* Has the address by which the others know this node gone from its host? `another` is the one that
 * it has instead, or none. */
bool node_address_is_gone(const struct node *node, struct address *another);

/* An address to which the kernel lets this node send nothing; false: there is none. */
bool node_is_forbidden(const struct node *node, struct address *to);

/* What a node with another key, or none, answered lately, for people: "" if none did. */
const char *node_key_words(const struct node *node);

const struct core *node_core(const struct node *node);
const struct config *node_config(const struct node *node);
struct journal *node_journal(struct node *node);
uint64_t node_now_ms(const struct node *node); /* fresh reading of the monotonic clock */

/* Takes what waits, so that what the core says of silences is so. Not to be called from inside any
 * of this node's callbacks. */
void node_catch_up(struct node *node);

/* Until when this node may act, and what its page says of that. */
uint64_t node_acting_until_ms(const struct node *node, uint64_t now_ms);
const struct lease_page *node_lease(const struct node *node);

/* Who acts by the page and is to be waited for when the node gives its right up. `holder` stays
 * where it is until it is removed. */
void node_lease_add(struct node *node, struct lease_holder *holder);
void node_lease_remove(struct node *node, struct lease_holder *holder);
void node_lease_stopped(struct node *node, struct lease_holder *holder);

/* The clients that stand for roles, and what each may ask (runtime/leases/role_clients.h). Not to
 * be called from inside on_event; but for node_role_remove, `client` stays where it is. */
const struct role_clients *node_roles(const struct node *node);
void node_role_add(struct node *node, struct role_client *client);
void node_role_campaign(struct node *node, struct role_client *client);
void node_role_remove(struct node *node, struct role_client *client);
void node_role_stopped(struct node *node, struct role_client *client);
void node_role_resign(struct node *node, struct role_client *client);

/* The keys that seal and open this node's frames; NULL: it has none. */
const struct keyring *node_keys(const struct node *node);

/* What is known of key number `index` of them, from 0 on. */
struct key_state node_key(const struct node *node, uint32_t index);

/* Changes the keys, and says so in the log. Returns false with the complaint set where that would
 * leave somebody behind, or this node has no key. */
bool node_rotate(struct node *node, const struct rotation *rotation, struct complaint *complaint);

const struct node_traffic *node_traffic(const struct node *node);
const struct refusals *node_refusals(const struct node *node);

/* Of the writes of a voter's record; all zero where this node is no voter. */
struct voter_store_times node_voter_times(const struct node *node);

/* Whose voter's record it has found instead of its own; NULL: nobody's. */
const char *node_foreign_record(const struct node *node, const char **cluster);

/* The recording of the last minutes, to be freed; NULL: there is none, or no memory. */
uint8_t *node_recording(const struct node *node, size_t *length);

/* The seeds of the configuration are others now: they are looked up, and asked from now on. */
void node_seeds_changed(struct node *node);

/* What the other members say of themselves, for who asks them. */
struct inquiry *node_inquiry(struct node *node);

/* Messages between the programs that members live in. Hands on those that come, from the loop, at
 * most once for a node; until then they are refused. False: no memory. */
bool node_take_user_messages(struct node *node, user_post_on_message *on_message, void *context);

/* Sends up to USER_BYTES_MAX bytes, once, to the member at that position of the view, which is not
 * this node. */
enum user_sent {
    USER_SENT,          /* or lost by a fault that is in force */
    USER_SENT_TOO_MANY, /* this second's USER_SENT_PER_S have gone */
    USER_SENT_NOT,      /* the system does not take it now */
};
enum user_sent node_send_user_message(struct node *node, uint32_t position, const uint8_t *data,
                                      size_t length);

/* Elections: what this node knows of them; begins one; stands no more, or again, which begins one
 * too. False: its algorithm does not allow that. */
const struct elector *node_elector(const struct node *node);
void node_elect(struct node *node);
bool node_stand(struct node *node, bool stands);

/* What this node knows of the table of partitions; NULL: it was started without --partitions. */
const struct keeper *node_partitions(const struct node *node);

/* What this node owns of them, and lists as coordinator; NULL: as above. */
const struct tenure *node_tenure(const struct node *node);

/* Programs of this host go by all that this node owns until the time that is returned, in ms of its
 * clock, unless they say before that they have done; 0: it owns nothing. Nothing of it is let go of
 * before (P14). */
uint64_t node_partitions_promise(struct node *node);

/* The same for one of them, with its token; 0: this node does not own it. */
uint64_t node_partition_promise(struct node *node, uint32_t partition, uint64_t *token);

/* They are ready for these; and have done with these, and go by none of them. */
void node_partitions_ready(struct node *node, const struct partition_set *set);
void node_partitions_done(struct node *node, const struct partition_set *set);

/* For --faults: drops everything from and to these members, until node_fault_clear; delays what
 * goes to one. Names are looked up among the members of the current view and those that are gone.
 * Returns false when a name is unknown, with nothing changed, or when too many faults are in force.
 */
bool node_fault_knows(const struct node *node, const char *name);
bool node_fault_drop(struct node *node, const char *const *names, uint32_t count);
bool node_fault_delay(struct node *node, const char *name, uint64_t delay_ms);
void node_fault_clear(struct node *node);

/* The faults in force, index 0 to count - 1. */
struct node_fault {
    const char *name; /* borrowed */
    bool drop;
    uint64_t delay_ms;
};
uint32_t node_fault_count(const struct node *node);
struct node_fault node_fault_at(const struct node *node, uint32_t index);

#endif

/* What becomes of a message between two cores: how it leaves one as packets, when those arrive, and
 * what the other reads in them. */
#ifndef SIM_POST_H
#define SIM_POST_H

#include "core/model/effect.h"

struct host;
struct packet;
struct sim;

/* What was sent last does not go to anybody else: another step begins, or the run ends. */
void post_forget(struct sim *sim);

/* EFFECT_SEND of a process on this host. */
void post_send(struct sim *sim, struct host *from, const struct effect *effect);

/* The stream between the two goes on, as far as its frames pass now. */
void post_unstick(struct sim *sim, uint32_t from, uint32_t to);

/* The packet, and the caller's reference with it, comes to its host then. */
void post_push(struct sim *sim, struct packet *packet, uint64_t at_us);

/* The message that the packet brings, in `room` or in the packet itself; its view is valid until
 * the next call, or as long as the packet. NULL: nothing that gets past the codec. */
const struct message *post_read(struct sim *sim, struct packet *packet, struct message *room);

#endif

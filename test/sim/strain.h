/* What gives way under pressure. Queues are bounded, and each drops as those of doyend and of its
 * kernel do: what comes when a socket's buffer, a stream's queue or the pool of streams is full is
 * lost, and nobody is told; of what waits for a stream a newer view takes the place of an older one
 * (U3a). A stream that breaks leaves some of its frames on the way, and those of the next one may
 * be read first, perhaps by another life. */
#ifndef SIM_STRAIN_H
#define SIM_STRAIN_H

#include <stdbool.h>
#include <stdint.h>

struct address;
struct host;
struct packet;
struct sim;

/* Does the host send more in this millisecond than its socket takes? */
bool strain_is_crowded(const struct sim *sim, struct host *host);

/* Does a host's datagram seem to come from elsewhere? Then it does. */
void strain_translate(const struct host *host, struct packet *packet);

/* Is the datagram lost on a link that loses some? */
bool strain_loses(struct sim *sim, const struct packet *datagram);

/* Takes a frame that is sent by a stream to which anything of this applies; false: none does. */
bool strain_takes(struct sim *sim, struct packet *frame);

/* Is there room for it in what waits for a stopped process, or for the next turn of a slow one? */
bool strain_has_room(struct host *host, const struct packet *packet);
bool strain_has_room_at(struct host *host, const struct packet *packet, uint64_t turn_at_us);

/* Are its buffers shorter than by default? */
bool strain_is_short(const struct host *host);

/* Does the other host's kernel, or a firewall in its name, refuse connections of this one? */
bool strain_refuses(const struct sim *sim, const struct host *host, const struct host *other);

/* Did it so to anybody, within so long? */
bool strain_refused_of_late(const struct sim *sim, const struct host *other, uint64_t ms);

/* What the resolver answers in place of these addresses, `*count` of SIM_SEEDS_MAX at the most. */
uint32_t strain_answers(struct sim *sim, struct address *addresses, uint32_t count);

/* The process of the host has ended: what waits for it is lost, or finds the next one there; what
 * it sent is lost as far as it was not its kernel's yet. */
void strain_end_streams(struct sim *sim, uint32_t host);

/* From now on nothing is strained; what waits for a stream is sent. */
void strain_heal(struct sim *sim);

/* Frees what waits. */
void strain_deinit(struct sim *sim);

#endif

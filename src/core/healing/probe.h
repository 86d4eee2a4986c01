/* Looking for other parts of the cluster at the addresses of seeds and of the gone (M1), and
 * comparing two parts (M2).
 *
 *     coordinator of one part --PROBE--> an address of the other --> its coordinator: compare
 *         guard met | more holders | older oldest | lower lineage, lower id   the first that
 * differs the lesser part asks for the merge (merge.h); the other waits for it
 */
#ifndef CORE_PROBE_H
#define CORE_PROBE_H

#include "core/state/state.h"

/* M2: which of two parts goes on, the other being taken up: negative when `a` wins, positive when
 * `b` does. A pure function of what both exchange, so that both sides compute the same. */
int probe_compare(const struct probe *a, const struct probe *b);

/* I3, H23: an address may have gone to another cluster of the same name. Parts belong together if
 * they come from one founding, or if a seed of one is a seed or a member of the other. */
bool probe_is_related(const struct core *core, const struct probe *theirs);

/* This node's part, as others compare it. For members. */
void probe_describe(const struct core *core, struct probe *probe);

/* Returns whether this part loses against the one that sent it, which is to be asked to absorb it.
 */
bool probe_on_probe(struct core *core, const struct message *message);
void probe_tick(struct core *core);

void probe_on_view_installed(struct core *core);
void probe_reset(struct core *core);

#endif

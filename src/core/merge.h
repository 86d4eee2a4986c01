/* Two parts of a cluster become one again (M3 to M7). The part that loses the comparison asks; the
 * winner's coordinator makes one view of both, which both parts' members accept because their own
 * coordinator agreed. Nobody restarts. */
#ifndef CORE_MERGE_H
#define CORE_MERGE_H

#include "core/state.h"

/* This part loses against the one that `probe` describes: asks its coordinator, who sent it, to
 * take this part up; not while anything else is under way. */
void merge_ask(struct core *core, const struct message *probe);

void merge_on_merge(struct core *core, const struct message *message);
void merge_on_refused(struct core *core, const struct message *message);

/* Is this proposal the merged view that this node's part waits for (M4)? */
bool merge_is_awaited(const struct core *core, const struct message *prepare);

/* The proposal was accepted: stay as we are until the view or a refusal comes. */
void merge_accepted(struct core *core, const struct message *prepare);

/* A member's coordinator agreed to this view: it names the part's view as merged. */
bool merge_names_ours(const struct core *core, const struct view *view);

/* Winner: the merged view cannot come about; tells the other coordinator. */
void merge_abort(struct core *core);

void merge_tick(struct core *core);
uint64_t merge_deadline_ms(const struct core *core);

#endif

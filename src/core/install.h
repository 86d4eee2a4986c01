/* Following views: which one this node accepts, what changes when it does, and what it does when
 * it is shown one that leaves it out (V4, V5, L1 to L3). */
#ifndef CORE_INSTALL_H
#define CORE_INSTALL_H

#include "core/state.h"

/* Makes the view this node's own. The caller has made sure that it may be: it holds this life and
 * is higher than the installed one. `view` may be core->pending or core->scratch. */
void install_view(struct core *core, const struct view *view);

/* V4: may this node, being a member, install what `from` shows it? */
bool install_allows(const struct core *core, const struct view *view, const struct node_id *from);

/* Asks for the whole view, not more often than once in a quarter of a heartbeat (V5). */
void install_pull(struct core *core, const struct node_id *from, const struct address *address);

void install_on_view(struct core *core, const struct message *message);
void install_on_pull(struct core *core, const struct message *message);
void install_on_not_following(struct core *core, const struct message *message);

/* V5: compares the view that the heartbeat of the member at `position` names with our own. */
void install_compare(struct core *core, const struct message *message, uint32_t position);

/* A message from somebody outside our view: show it what holds. */
void install_answer_stranger(struct core *core, const struct message *message);

/* The same to an address of the caller's choice; both within the bound of V6. */
void install_show(struct core *core, const struct node_id *to, const struct address *address);

/* Checks that a view from the wire may be acted on at all; drops and counts otherwise. */
bool install_is_sound(struct core *core, struct view *view);

/* Is this node the coordinator, or was its coordinator heard within T_fresh and is not held dead?
 */
bool install_coordinator_is_fresh(const struct core *core);

/* A heartbeat says that the winner's coordinator lives in the merged view that we accepted already:
 * its COMMIT was lost. */
bool install_is_as_good_as_commit(const struct core *core, const struct message *heartbeat);

/* L3: a coordinator whose every other member follows another view or is suspected is out. */
void install_check_left_alone(struct core *core);

#endif

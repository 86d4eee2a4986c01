/* The tables of the roster: candidates by place, each in the list of its role. */
#ifndef CORE_ROSTER_LIST_H
#define CORE_ROSTER_LIST_H

#include "core/state/state.h"

/* The candidate of that life with that request, or ROSTER_NONE. O(candidates). */
uint32_t roster_find_candidate(const struct core *core, const struct node_id *life,
                               const struct node_id *request);

/* Enters what the member at that position tells; ROSTER_NONE: there is no room for it. */
uint32_t roster_add(struct core *core, uint32_t position, const struct role_entry *entry);
void roster_remove(struct core *core, uint32_t at);

/* The role of that name, or ROSTER_NONE. O(roles). */
uint32_t roster_find_role(const struct core *core, const char *name);

void roster_set_number(struct core *core, uint32_t at, uint64_t number);
void roster_set_token(struct core *core, uint32_t at, uint64_t token);
void roster_set_revoked(struct core *core, uint32_t at, bool revoked);
void roster_set_ripe(struct core *core, uint32_t at);

/* Another view was installed: nobody is counted anywhere, until each candidate has its position
 * anew; VIEW_NONE: none, and from when on it cannot hold. */
void roster_forget_positions(struct core *core);
void roster_set_position(struct core *core, uint32_t at, uint32_t position, uint64_t free_ms);

/* Target and fact of the candidate's role are to be compared. */
void roster_note_change(struct core *core, uint32_t at);

/* Is there anything to compare? And in that role? Each is told once. */
bool roster_take_changes(struct core *core);
bool roster_take_change(struct core *core, uint32_t role);

/* Empties it all. */
void roster_clear(struct core *core);

#endif

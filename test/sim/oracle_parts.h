/* What the files of the oracle share; all others use oracle.h alone. A check looks at the node's
 * view or core, and calls oracle_fail where a rule does not hold. */
#ifndef SIM_ORACLE_PARTS_H
#define SIM_ORACLE_PARTS_H

#include "cluster.h"
#include "oracle.h"

/* --- oracle.c --- */

/* The rule named in `format` is broken by this host. Aborts, unless the run is lenient: then the
 * first failure is kept and this returns. */
void oracle_fail(struct sim *sim, const struct host *host, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- oracle_tables.c --- */

/* Places in the tables, taken or free. Who takes one counts it. */
struct named_view *oracle_view_entry(struct oracle *oracle, const struct view_id *id);
struct given_age *oracle_age_entry(struct oracle *oracle, uint64_t lineage, uint64_t age);

/* The life's place; a free one if it never lived. */
struct life *oracle_life(const struct oracle *oracle, const struct node_id *id);

/* A life that began on this host, of which there was no entry before. */
void oracle_add_life(struct oracle *oracle, const struct node_id *id, uint32_t host);

/* All views and ages; no lives. */
void oracle_forget_views(struct oracle *oracle);

/* NULL if nobody ever showed the view. */
struct record *oracle_record_of(const struct oracle *oracle, const struct view_id *id);

/* NULL if there is no record, or no such member in it. */
const struct recorded_member *oracle_find_recorded(const struct record *record,
                                                   const struct node_id *id);

/* To be kept in the view's entry, which owns it. */
struct record *oracle_record_new(const struct oracle *oracle, const struct view *view);

/* --- oracle_views.c --- */

/* S1; a view that nobody has seen before is remembered, and its chain is checked. Only of an
 * `installed` view the content counts, of others the hash alone. */
void oracle_check_content(struct sim *sim, const struct host *host, const struct view *view,
                          bool installed);

/* Whatever anybody says: V2a, V7, S15. */
void oracle_check_lies(struct sim *sim, struct host *host, const struct view *view);
void oracle_check_shape(struct sim *sim, const struct host *host, const struct view *view);
void oracle_check_rise(struct sim *sim, const struct host *host, const struct view *view);
void oracle_check_rules(struct sim *sim, const struct host *host, const struct view *view);
void oracle_check_ages_given(struct sim *sim, const struct host *host, const struct view *view);
void oracle_check_memory(struct sim *sim, const struct host *host, const struct view *view);
void oracle_remember_view(struct sim *sim, struct host *host, const struct view *view,
                          uint32_t *joined, uint32_t *gone);

/* The witness remembers the members of that view, which its life has installed, and nobody else. */
void oracle_memorize_anew(struct witness *witness, const struct view *view);

/* --- oracle_chain.c --- */

/* The life acknowledged this view, or holds it. */
void oracle_note_accepted(struct oracle *oracle, const struct node_id *life,
                          const struct view_id *id);

/* Had the life accepted any view at the time of `parent` (S5)? */
bool oracle_had_accepted(struct oracle *oracle, const struct node_id *life,
                         const struct view_id *parent);

/* Did one of the merges that led to `id` absorb a part of that lineage? A member whose coordinator
 * is gone cannot know which part it was (V4). */
bool oracle_absorbed(struct oracle *oracle, const struct view_id *id, uint64_t lineage);
void oracle_check_chain(struct sim *sim, const struct host *host, const struct view *view);

/* Of a view that its maker installs. */
void oracle_check_agreed(struct sim *sim, const struct host *host, const struct view *view);
void oracle_check_base(struct sim *sim, const struct host *host, const struct view *view);

/* --- oracle_register.c --- */

/* The history of that lineage; of the founding, if it is the first one. NULL: nobody began it. */
struct history *oracle_history(struct oracle *oracle, uint64_t lineage);

/* --- oracle_rings.c --- */

/* Of one whom the maker removes as failed: was it asked? */
void oracle_check_asked(struct sim *sim, const struct host *host, const struct view *view,
                        const struct gone *gone);

/* --- oracle_register.c --- */

/* Of a view that is installed. */
void oracle_check_register(struct sim *sim, const struct host *host, const struct view *view);

/* --- oracle_guard.c --- */

/* The host installs a view that a member it remembers is no longer in. */
void oracle_check_removal(struct sim *sim, const struct host *host, const struct view *view,
                          const struct memory *memory);

/* The host acts. */
void oracle_check_acting(struct sim *sim, const struct host *host);
void oracle_check_one_acts(struct sim *sim, const struct host *host);

/* --- oracle_acting.c --- */

/* Asks the host's process until when it may act. */
void oracle_look_until(struct sim *sim, struct host *host, bool acting);

/* --- oracle_notices.c --- */

/* With a view so many members joined and so many are gone. */
void oracle_check_notices(struct sim *sim, const struct host *host, const struct effects *effects,
                          uint32_t joined, uint32_t gone);

#endif

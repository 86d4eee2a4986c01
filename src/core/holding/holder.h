/* A member's own candidates: what they hold, and until when (K2 to K5, K8).
 *
 *     stands --> waits --granted--> holds --each answer: longer--> holds
 *                  ^                  |--t is over, or another reign refuses it--> lost: waits
 *                  '------------------'--asked back, or resigned--> let go, which is said until
 * heard
 */
#ifndef CORE_HOLDER_H
#define CORE_HOLDER_H

#include "core/state/state.h"

void holder_start(struct core *core);

/* A client of this node wants something, or has done it. */
void holder_on_command(struct core *core, const struct role_command *command);

/* ROLES_ANSWER or ROLES_PLACE of the coordinator of the installed view, under its epoch. */
void holder_on_word(struct core *core, enum message_type type, const struct role_word *word);

/* What has lapsed, and what is to be asked. */
void holder_tick(struct core *core);

/* NEVER_MS while there are no candidates. O(1). */
uint64_t holder_deadline_ms(const struct core *core);

void holder_on_view_installed(struct core *core, const struct installed *before);

/* The life is over, and with it all of its candidates (K5b). */
void holder_reset(struct core *core);

#endif

/* Holding (K): who may hold what, at which time. A member asks, the coordinator answers, and what
 * is granted lasts for as long as an answer says. Nothing is sent, and no timer runs, while nobody
 * stands for a role. */
#ifndef CORE_HOLDING_H
#define CORE_HOLDING_H

#include "core/state/state.h"

void holding_start(struct core *core);

/* A client of this node wants something, or has done it. */
void holding_on_command(struct core *core, const struct role_command *command);

/* A word about roles. */
void holding_on_message(struct core *core, const struct message *message);

/* At the end of each step. */
void holding_tick(struct core *core);
uint64_t holding_deadline_ms(const struct core *core);

void holding_on_view_installed(struct core *core, const struct installed *before);
void holding_reset(struct core *core);

#endif

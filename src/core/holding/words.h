/* What is said of roles: by a message, or, where a coordinator speaks with itself as a member, by a
 * call. The two that say it are in holding.c, which knows both ends. */
#ifndef CORE_WORDS_H
#define CORE_WORDS_H

#include "core/state/state.h"

/* To the coordinator of the installed view, under its epoch, which is filled in. */
void words_to_coordinator(struct core *core, enum message_type type, struct role_word *word);

/* To the member at that position, under the epoch of the view. */
void words_to_member(struct core *core, uint32_t position, enum message_type type,
                     struct role_word *word);

/* What a word about one candidate adds to the hash of all of a member's. */
uint64_t words_hash(const struct node_id *request, uint64_t number, uint64_t token);

#endif

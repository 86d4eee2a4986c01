/* Claims and proposals of this node that end without an answer of most of those whom it hears
 * (L3b): what is long does not get from it to them, or back, and so others have to go on without
 * it.
 *
 *     one that most did not answer ----- less than 2 T_flap -----> a second one: this node is out
 */
#ifndef CORE_UNANSWERED_H
#define CORE_UNANSWERED_H

#include <stdbool.h>

#include "core/state/state.h"

/* Notes that a claim or a proposal of this node has ended so. */
void unanswered_note(struct core *core);

/* Is this node to be out, so that others go on without it? */
bool unanswered_gives_way(const struct core *core);

void unanswered_on_view_installed(struct core *core);
void unanswered_reset(struct core *core);

#endif

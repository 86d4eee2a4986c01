/* Names that keep failing are let in more slowly each time (R4): a process that crashes in a loop,
 * or a host with a bad cable, must not cost everybody a view per second (H40). Every member
 * counts what it sees, for any of them may coordinate tomorrow.
 *
 *     failures of a name   1st  2nd  3rd, within T_flap each      4th
 *     is let in            at once   after T_lost                 after 2 T_lost, T_flap at most
 */
#ifndef CORE_FLAP_H
#define CORE_FLAP_H

#include "core/state/state.h"

/* Begins with nobody who has failed. */
void flap_start(struct core *core);

/* Counts the names that were removed as failed, and forgives those that were only cut off and are
 * back by a merge. */
void flap_on_view_installed(struct core *core, const struct installed *before);

/* Notes that a joiner of this name was to come in, and did not answer (U1b). */
void flap_note_vain(struct core *core, const char *name);

/* May a joiner of this name be let in now? */
bool flap_admits(const struct core *core, const char *name);

#endif

/* How long each member has been silent, and what follows: its kernel is asked, it is asked itself,
 * it is held lost or stalled (D2); and when to look again. */
#ifndef CORE_SILENCES_H
#define CORE_SILENCES_H

#include "core/state/state.h"

/* Looks at the silences of all who are watched. */
void silences_look(struct core *core);

/* Who was heard since the last look may be the one for whom the next one was to come: at rest there
 * is nothing to be seen then. The next round looks at all by itself. Who watches many leaves it at
 * that, for this is asked at each message. */
void silences_put_off_look(struct core *core);

/* Holds that against the member, unless a view under way leaves it out anyhow, and tells others. */
void silences_set_verdict(struct core *core, uint32_t position, enum verdict verdict);

/* Ends the verdict; if the member is silent from now on, that is looked at in time. */
void silences_clear_verdict(struct core *core, uint32_t position);

#endif

#include "core/agreement/witness.h"

#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "core/state/refuse.h"

/* Z11e: it is asked as a stranger, so the answer has something to echo. */
void witness_on_claim(struct core *core, const struct message *claim)
{
    const bool wants_record = claim->carrier.epoch == 0;

    if (wants_record && (claim->fellow || claim->echo == 0)) {
        refuse(core, claim, REFUSED_RECORD_UNASKED);
    } else if (wants_record && voter_is_succeeded(core, claim->carrier.lineage)) {
        refuse(core, claim, REFUSED_VIEW_UNASKED);
        install_ask_stranger(core, claim); /* Z18c: what it shows ends the record that there is. */
    } else {
        (void)voting_on_claim(core, claim);
    }
}

/* Z11h, Z18c: others vote now, or this history is over, if that is so: whoever says so is asked. */
void witness_on_view(struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    if (!install_is_sound(core, message)) {
        return;
    }
    if (!voter_is_left_out(core, view) && !voter_is_succeeded(core, view->lineage)) {
        refuse(core, message, REFUSED_VIEW_NOT_HIGHER);
    } else if (electorate_was_asked(core, message)) {
        voter_retire(core, view);
    } else {
        refuse(core, message, REFUSED_VIEW_UNASKED);
        install_ask_stranger(core, message);
    }
}

void witness_on_ping(struct core *core, const struct message *ping)
{
    if (!voting_on_strangers_ping(core, ping)) {
        refuse(core, ping, REFUSED_ONLY_VOTES);
    }
}

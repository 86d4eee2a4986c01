#include "core/state/refuse.h"

#include "core/state/outbox.h"
#include "core/state/strangers.h"

void refuse(struct core *core, const struct message *message, enum refusal reason)
{
    core->counters.refused[reason]++;
    outbox_refused(core, &(struct refused_message){.type = message->type,
                                                   .reason = reason,
                                                   .number = message->number,
                                                   .from = message->from,
                                                   .source = message->source});
}

void refuse_later(struct core *core, enum message_type type, const struct node_id *from,
                  enum refusal reason)
{
    core->counters.refused[reason]++;
    outbox_refused(core, &(struct refused_message){.type = type, .reason = reason, .from = *from});
}

bool refuse_beyond_few(struct core *core, const struct message *message)
{
    if (strangers_take(core, message)) {
        return false;
    }
    refuse(core, message,
           core_is_member(core) ? REFUSED_STRANGERS_ANSWERED : REFUSED_ENOUGH_ANSWERED);
    return true;
}

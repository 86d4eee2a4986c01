#include "core/holding/holding.h"

#include "core/holding/holder.h"
#include "core/holding/roster.h"
#include "core/holding/words.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

void holding_start(struct core *core)
{
    holder_start(core);
    roster_reset(core);
}

/* --- What is said --- */

static void post(struct core *core, uint32_t position, enum message_type type,
                 const struct role_word *word)
{
    struct message *message = outbox_message(core, type);

    if (message != NULL) {
        message->role = *word;
        outbox_send(core, message, position);
    }
}

void words_to_coordinator(struct core *core, enum message_type type, struct role_word *word)
{
    word->epoch = core->view.epoch;
    if (core_is_coordinator(core)) {
        roster_on_word(core, 0, type, word);
    } else {
        post(core, 0, type, word);
    }
}

void words_to_member(struct core *core, uint32_t position, enum message_type type,
                     struct role_word *word)
{
    word->epoch = core->view.epoch;
    if (core_is_self(core, position)) {
        holder_on_word(core, type, word);
    } else {
        post(core, position, type, word);
    }
}

/* --- What is heard --- */

static bool is_for_coordinator(enum message_type type)
{
    return type == MESSAGE_ROLES_ASK || type == MESSAGE_ROLES_ENTER || type == MESSAGE_ROLES_LET_GO;
}

/* K4d: nobody can have drawn a number or a token of an epoch that is yet to come. */
static bool leaps(const struct core *core, const struct role_entry *entry)
{
    return role_token_epoch(entry->number) > core->view.epoch ||
           role_token_epoch(entry->token) > core->view.epoch;
}

void holding_on_command(struct core *core, const struct role_command *command)
{
    if (command->wish != ROLE_OUTGROW) {
        holder_on_command(core, command);
    } else if (core_is_coordinator(core)) {
        roster_outgrow(core);
    }
}

void holding_on_message(struct core *core, const struct message *message)
{
    const uint32_t sender = view_find(&core->view, &message->from);
    bool to_coordinator = is_for_coordinator(message->type);

    if (sender == VIEW_NONE || to_coordinator != core_is_coordinator(core) ||
        (!to_coordinator && sender != 0)) {
        refuse(core, message, REFUSED_ROLE_NOT_OURS_TO_SAY);
        return;
    }
    if (message->role.epoch != core->view.epoch) {
        refuse(core, message, REFUSED_ROLE_OTHER_REIGN);
        return;
    }
    if (leaps(core, &message->role.entry)) {
        refuse(core, message, REFUSED_ROLE_LEAPS);
        return;
    }
    if (!to_coordinator) {
        holder_on_word(core, message->type, &message->role);
        return;
    }
    roster_on_word(core, sender, message->type, &message->role);
    if (message->type == MESSAGE_ROLES_ASK && !roster_acts(core)) {
        refuse(core, message, REFUSED_ROLE_NOT_ACTING);
    }
}

void holding_tick(struct core *core)
{
    if (!core_is_member(core)) {
        return;
    }
    holder_tick(core);
    roster_tick(core);
}

uint64_t holding_deadline_ms(const struct core *core)
{
    return earlier(holder_deadline_ms(core), roster_deadline_ms(core));
}

void holding_on_view_installed(struct core *core, const struct installed *before)
{
    roster_on_view_installed(core, before);
    holder_on_view_installed(core, before);
}

void holding_reset(struct core *core)
{
    holder_reset(core);
    roster_reset(core);
}

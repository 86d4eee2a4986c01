#include "core/outbox.h"

#include <assert.h>
#include <string.h>

#include "core/detector.h"

/* One step can at worst replace a whole view and form a verdict on every member: a link closed, a
 * link opened, one who went, one who came, a suspect, a cleared one for each member, and some
 * more. Those must never be lost. */
static uint32_t reserve_for(uint32_t members)
{
    return 6 * members + 64;
}

uint32_t outbox_capacity(uint32_t members)
{
    return reserve_for(members) + 4 * members + 64;
}

void outbox_reset(struct core *core)
{
    core->out.count = 0;
    core->out.message_count = 0;
    core->out.reserve = reserve_for(core->capacity);
}

struct message *outbox_message(struct core *core, enum message_type type)
{
    if (core->out.message_count == MESSAGES_PER_STEP_MAX) {
        core->counters.sends_cut++;
        return NULL;
    }
    struct message *message = &core->out.messages[core->out.message_count++];
    memset(message, 0, sizeof *message);
    message->type = type;
    message->from = core->self.id;
    message->number = ++core->number;
    return message;
}

static struct effect *add(struct core *core, enum effect_type type)
{
    struct outbox *out = &core->out;

    assert(out->count < out->capacity);
    struct effect *effect = &out->items[out->count++];
    memset(effect, 0, sizeof *effect);
    effect->type = type;
    return effect;
}

void outbox_send_to(struct core *core, const struct message *message, const struct node_id *peer,
                    const struct address *address)
{
    if (message == NULL || address_is_none(address)) {
        return;
    }
    if (core->out.count + core->out.reserve >= core->out.capacity) {
        core->counters.sends_cut++;
        return;
    }
    struct effect *effect = add(core, EFFECT_SEND);
    effect->address = *address;
    effect->message = message;
    if (peer != NULL) {
        effect->peer = *peer;
        /* D2: a proposal just accepted counts too, or a joiner's first answers would not. */
        bool proposed = core->now_ms < core->accepted_ms + 2 * core->timing.prepare_ms &&
                        view_has(&core->pending, peer);
        effect->fellow = proposed || view_has(&core->view, peer);
    }
    core->counters.sent[message->type]++;
}

void outbox_hand_on(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->to);

    if (position == VIEW_NONE || core->out.message_count == MESSAGES_PER_STEP_MAX ||
        core->out.count + core->out.reserve >= core->out.capacity) {
        core->counters.sends_cut++;
        return;
    }
    struct message *copy = &core->out.messages[core->out.message_count++];
    *copy = *message;
    struct effect *effect = add(core, EFFECT_SEND);
    effect->address = core->view.members[position].address;
    effect->message = copy;
    effect->peer = message->to;
    effect->fellow = message->fellow;
    effect->relay = true;
    core->counters.relayed++;
}

bool outbox_may_answer_stranger(struct core *core)
{
    if (core->stranger_replies == 0) {
        return false;
    }
    core->stranger_replies--;
    return true;
}

/* What measures a link must not go around it. */
static bool may_be_relayed(enum message_type type)
{
    return type != MESSAGE_HEARTBEAT && type != MESSAGE_PING && type != MESSAGE_PONG &&
           type != MESSAGE_PING_REQUEST;
}

/* R2: through the oldest member that hears the target and that we hear. */
static void send_around(struct core *core, const struct message *message, uint32_t position)
{
    uint32_t relay = detector_relay_to(core, position);

    if (relay == VIEW_NONE) {
        return;
    }
    outbox_send_to(core, message, &core->view.members[position].id,
                   &core->view.members[relay].address);
    struct effect *sent = &core->out.items[core->out.count - 1];
    if (sent->type == EFFECT_SEND && sent->message == message) {
        sent->relay = true;
    }
}

void outbox_send(struct core *core, const struct message *message, uint32_t position)
{
    const struct member *member = &core->view.members[position];

    outbox_send_to(core, message, &member->id, &member->address);
    if (message != NULL && may_be_relayed(message->type) && detector_link_is_bad(core, position)) {
        send_around(core, message, position);
    }
}

void outbox_reach(struct core *core, const struct message *message, const struct node_id *peer,
                  const struct address *address)
{
    uint32_t position = view_find(&core->view, peer);

    if (position != VIEW_NONE) {
        outbox_send(core, message, position);
    } else {
        outbox_send_to(core, message, peer, address);
    }
}

void outbox_forget_sends(struct core *core)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < core->out.count; i++) {
        if (core->out.items[i].type != EFFECT_SEND) {
            core->out.items[kept++] = core->out.items[i];
        }
    }
    core->out.count = kept;
}

void outbox_link(struct core *core, enum effect_type type, const struct member *member)
{
    struct effect *effect = add(core, type);
    effect->peer = member->id;
    effect->address = member->address;
}

void outbox_kernel_ask(struct core *core, uint32_t position)
{
    if (core->out.count + core->out.reserve >= core->out.capacity) {
        return; /* As good as unanswered; it is asked again. */
    }
    outbox_link(core, EFFECT_KERNEL_ASK, &core->view.members[position]);
}

void outbox_resolve(struct core *core)
{
    add(core, EFFECT_RESOLVE);
}

void outbox_store(struct core *core)
{
    add(core, EFFECT_STORE);
}

struct notice *outbox_notice(struct core *core, enum notice_type type)
{
    struct effect *effect = add(core, EFFECT_NOTICE);
    effect->notice.type = type;
    return &effect->notice;
}

struct notice *outbox_notice_of(struct core *core, enum notice_type type,
                                const struct member *member)
{
    struct notice *notice = outbox_notice(core, type);
    notice->subject.id = member->id;
    notice->subject.address = member->address;
    notice->subject.age = member->age;
    memcpy(notice->subject.name, member->name, sizeof notice->subject.name);
    return notice;
}

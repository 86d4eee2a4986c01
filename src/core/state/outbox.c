#include "core/state/outbox.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* Of each candidate a step has at most three of these to say: entered, leads, lost, ended. */
enum { ROLE_NEWS_MAX = 3 * ROLE_OWN_MAX };

/* A witness answers those whose questions waited for the disk, and one more, and has its record
 * written. */
enum { WITNESS_RESERVE = 2, WITNESS_SENDS = VOTE_ASKERS_MAX + 8 };

/* One step can at worst replace a whole view and form a verdict on every member: a link closed, a
 * link opened, one who went, one who came, a suspect, a cleared one for each member, and some
 * more. Those must never be lost. */
static uint32_t reserve_for(uint32_t members)
{
    return 6 * members + 64 + FORGOTTEN_NEWS_MAX + ROLE_NEWS_MAX;
}

uint32_t outbox_capacity(uint32_t members)
{
    return reserve_for(members) + 4 * members + 64 + REFUSALS_PER_STEP_MAX;
}

uint32_t outbox_capacity_of_witness(void)
{
    return WITNESS_RESERVE + WITNESS_SENDS + REFUSALS_PER_STEP_MAX;
}

uint32_t outbox_notices(uint32_t members)
{
    return 4 * members + 64 + FORGOTTEN_NEWS_MAX; /* All of the reserve but the links. */
}

void outbox_reset(struct core *core)
{
    core->out.count = 0;
    core->out.message_count = 0;
    core->out.notice_count = 0;
    core->out.refusals = 0;
    core->out.reserve = REFUSALS_PER_STEP_MAX +
                        (core_is_witness(core) ? WITNESS_RESERVE : reserve_for(core->capacity));
}

bool outbox_has_room(const struct core *core, uint32_t messages)
{
    return core->out.message_count + messages <= MESSAGES_PER_STEP_MAX;
}

struct message *outbox_message(struct core *core, enum message_type type)
{
    if (core->out.message_count == MESSAGES_PER_STEP_MAX) {
        core->counters.sends_cut++;
        return NULL;
    }
    struct message *message = &core->out.messages[core->out.message_count++];
    message_clear(message, type);
    message->from = core->life.self.id;
    message->number = ++core->out.number;
    return message;
}

/* Filled in by the caller, whole: there may be many in a step. */
static struct effect *add(struct core *core, enum effect_type type)
{
    struct outbox *out = &core->out;

    assert(out->count < out->capacity);
    struct effect *effect = &out->items[out->count++];
    effect->type = type;
    return effect;
}

/* One about a peer; NULL for whoever lives there. */
static struct effect *add_to(struct core *core, enum effect_type type, const struct node_id *peer,
                             const struct address *address)
{
    struct effect *effect = add(core, type);

    assert(address != NULL);
    effect->peer = peer == NULL ? (struct node_id){.bytes = {0}} : *peer;
    effect->address = *address;
    effect->fellow = false;
    effect->relay = false;
    effect->handed_on = false;
    effect->echo = 0;
    effect->version = 0;
    effect->brief = false;
    effect->message = NULL;
    return effect;
}

/* V6c: a frame may name this node where it names another one. */
static bool is_own(const struct core *core, const struct node_id *peer)
{
    return peer != NULL && id_equal(peer, &core->life.self.id);
}

/* Sends it, unless there is nothing to send, nowhere to, or no room: then it returns NULL. */
static struct effect *put(struct core *core, const struct message *message,
                          const struct node_id *peer, const struct address *address)
{
    if (message == NULL || address_is_none(address) || is_own(core, peer)) {
        return NULL;
    }
    if (core->out.count + core->out.reserve >= core->out.capacity) {
        core->counters.sends_cut++;
        return NULL;
    }
    struct effect *effect = add_to(core, EFFECT_SEND, peer, address);
    effect->message = message;
    return effect;
}

/* The same of a message of this node. */
static struct effect *send(struct core *core, const struct message *message,
                           const struct node_id *peer, const struct address *address)
{
    struct effect *effect = put(core, message, peer, address);

    if (effect != NULL) {
        core->counters.sent[message->type]++;
    }
    return effect;
}

/* D2: a proposal just accepted counts too, or a joiner's first answers would not. */
static bool is_fellow(const struct core *core, const struct node_id *peer)
{
    bool lately = core->now_ms < core->change.accepted_ms + timing_proposal_ms(&core->timing);

    return view_has(&core->view, peer) || (lately && view_has(&core->change.pending, peer));
}

/* D8: the latest sign of life of the member at `position`; 0 for VIEW_NONE. */
static uint32_t echo_for(const struct core *core, uint32_t position)
{
    return position == VIEW_NONE ? 0 : (uint32_t)core->peers[position].signs.heard_number;
}

void outbox_send_to(struct core *core, const struct message *message, const struct node_id *peer,
                    const struct address *address)
{
    struct effect *sent = send(core, message, peer, address);

    if (sent != NULL && peer != NULL) {
        const uint32_t position = view_find(&core->view, peer);
        sent->fellow = is_fellow(core, peer);
        sent->echo = echo_for(core, position);
        sent->version = position == VIEW_NONE ? 0 : core->version; /* J2d: all members read it. */
    }
}

void outbox_answer(struct core *core, const struct message *message, const struct node_id *peer,
                   const struct address *address, uint32_t echo)
{
    struct effect *sent = send(core, message, peer, address);

    if (sent != NULL) {
        sent->echo = echo;
    }
}

void outbox_answer_brief(struct core *core, const struct message *message,
                         const struct node_id *peer, const struct address *address, uint32_t echo)
{
    struct effect *sent = send(core, message, peer, address);

    if (sent != NULL) {
        sent->echo = echo;
        sent->brief = true;
    }
}

void outbox_echo(struct core *core, const struct message *message, uint32_t nonce)
{
    for (uint32_t i = 0; i < core->out.count; i++) {
        struct effect *effect = &core->out.items[i];
        if (effect->type == EFFECT_SEND && effect->message == message && effect->echo == 0) {
            effect->echo = nonce;
        }
    }
}

const struct message *outbox_copy(struct core *core, const struct message *message)
{
    if (core->out.message_count == MESSAGES_PER_STEP_MAX) {
        core->counters.sends_cut++;
        return NULL;
    }
    struct message *copy = &core->out.messages[core->out.message_count++];
    message_copy(copy, message);
    return copy;
}

void outbox_hand_on(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->to);

    if (position == VIEW_NONE || core->out.message_count == MESSAGES_PER_STEP_MAX ||
        core->out.count + core->out.reserve >= core->out.capacity) {
        core->counters.sends_cut++;
        return;
    }
    const struct message *copy = outbox_copy(core, message);
    struct effect *effect = add_to(core, EFFECT_SEND, &message->to,
                                   &core->view.members[position].address);
    effect->message = copy;
    effect->fellow = message->fellow;
    effect->relay = true;
    effect->handed_on = true;
    effect->echo = message->echo;
    effect->version = core->version;
    core->counters.relayed++;
}

void outbox_start_life(struct core *core)
{
    core->out.number = 0;
}

#ifdef DOYEN_TESTED
void outbox_skip_numbers(struct core *core, uint64_t count)
{
    core->out.number += count;
}
#endif

static struct effect *send_to_member(struct core *core, const struct message *message,
                                     uint32_t position)
{
    const struct member *member = &core->view.members[position];

    struct effect *sent = send(core, message, &member->id, &member->address);
    if (sent != NULL) {
        sent->fellow = true; /* The view holds it. */
        sent->echo = message->type != MESSAGE_HEARTBEAT ? echo_for(core, position) : 0; /* D8a */
        sent->version = core->version;
    }
    return sent;
}

void outbox_send(struct core *core, const struct message *message, uint32_t position)
{
    send_to_member(core, message, position);
}

void outbox_send_echo(struct core *core, const struct message *message, uint32_t position)
{
    struct effect *sent = send_to_member(core, message, position);

    if (sent != NULL) {
        sent->echo = echo_for(core, position);
    }
}

void outbox_send_brief(struct core *core, const struct message *message, uint32_t position)
{
    struct effect *sent = send_to_member(core, message, position);

    if (sent != NULL) {
        sent->brief = true;
    }
}

void outbox_send_around(struct core *core, const struct message *message, uint32_t position,
                        uint32_t relay)
{
    struct effect *sent = send(core, message, &core->view.members[position].id,
                               &core->view.members[relay].address);
    if (sent != NULL) {
        sent->fellow = true;
        sent->relay = true;
        sent->echo = echo_for(core, position);
        sent->version = core->version;
    }
}

void outbox_spread(struct core *core, const struct message *message, const struct member *member)
{
    const bool is_joiner = !view_has(&core->view, &member->id);
    const bool own = message != NULL && id_equal(&message->from, &core->life.self.id);
    struct effect *sent = (own ? send : put)(core, message, &member->id, &member->address);

    if (sent != NULL) {
        sent->fellow = true; /* The maker's view holds it, too. */
        sent->relay = true;
        sent->brief = message_view(message) != NULL && !is_joiner;
        sent->version = is_joiner ? 0 : core->version; /* J2d: all members read it. */
        core->counters.relayed += !own;
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
    add_to(core, type, &member->id, &member->address);
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

void outbox_sync(struct core *core, uint64_t number)
{
    add(core, EFFECT_SYNC)->number = number;
}

void outbox_withdraw(struct core *core)
{
    add(core, EFFECT_WITHDRAW);
}

void outbox_role(struct core *core, const struct role_news *news)
{
    add(core, EFFECT_ROLE)->role = *news;
}

void outbox_refused(struct core *core, const struct refused_message *refused)
{
    if (core->out.refusals == REFUSALS_PER_STEP_MAX) {
        return;
    }
    core->out.refusals++;
    core->out.reserve--; /* Its place was kept for it, so no send loses one. */
    add(core, EFFECT_REFUSED)->refused = *refused;
}

struct notice *outbox_notice(struct core *core, enum notice_type type)
{
    struct outbox *out = &core->out;

    assert(out->notice_count < out->notice_capacity);
    struct notice *notice = &out->notices[out->notice_count++];
    memset(notice, 0, offsetof(struct notice, refused.terms.voters.names));
    notice->type = type;
    add(core, EFFECT_NOTICE)->notice = notice;
    return notice;
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

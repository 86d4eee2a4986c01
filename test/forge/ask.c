/* What a forger asks: of members in a member's name, and as a stranger. */
#include <stdio.h>
#include <string.h>

#include "forge/forge.h"
#include "forge/forge_parts.h"

static struct address own_address(const struct forger *forger, uint16_t port)
{
    const struct sockaddr_in host = forge_address(forger, port);
    struct address address = {.family = 4, .port = port};

    memcpy(address.bytes, &host.sin_addr, sizeof host.sin_addr);
    return address;
}

static struct terms usual_terms(void)
{
    const struct timing timing = timing_of(PROFILE_LAN);

    return (struct terms){.guard.policy = GUARD_NONE,
                          .profile = PROFILE_LAN,
                          .watchers = WATCHERS_DEFAULT,
                          .heartbeat_ms = timing.heartbeat_ms,
                          .lost_ms = timing.lost_ms,
                          .capacity = CAPACITY};
}

/* --- Of a member ----------------------------------------------------------------------------- */

void forger_pull_as(struct forger *forger, int as, int to)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_PULL, as);
    forge_finish(forger, &message, to);
}

void forger_fall_behind(struct forger *forger, int as, int to, uint64_t number)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_HEARTBEAT, as);
    message.number = number;
    message.heartbeat.view = view_id_of(&forger->learned);
    message.heartbeat.view.version--;
    message.heartbeat.view_hash = forger->learned.hash;
    forge_finish(forger, &message, to);
}

void forger_ask_about(struct forger *forger, int as, int to, int subject)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_PING, as);
    message.ping.nonce = message.number;
    message.ping.subject = forger->learned.members[subject].id;
    message.ping.origin = message.from;
    forge_finish(forger, &message, to);
}

/* Another part, which is older and lives at that port. */
static void invent_part(const struct forger *forger, struct probe *part, uint16_t port)
{
    part->view = view_id_of(&forger->learned);
    part->view.lineage ^= 1;
    forge_draw(part->view.coordinator.bytes, sizeof part->view.coordinator.bytes);
    part->view_hash = forger->learned.hash + 1;
    part->holders = CAPACITY;
    part->oldest_age = 1;
    part->guard_met = true;
    part->seed_count = 1;
    part->seeds[0] = forger->learned.members[0].address;
    part->coordinator = own_address(forger, port);
    part->terms = usual_terms();
}

void forger_merge(struct forger *forger, int as, int to, uint16_t answer_to)
{
    struct view *view = &forger->forged;
    struct message message;

    forge_begin(forger, &message, MESSAGE_MERGE, as);
    view_copy(view, &forger->learned);
    view->lineage ^= 1;
    while (view->member_count > 1) {
        view_take_out(view, view->member_count - 1);
    }
    view_seal(view);
    message.carrier.view = view;
    message.carrier.merge = message.number;
    invent_part(forger, &message.carrier.part, answer_to);
    forge_finish(forger, &message, to);
}

/* --- Of a stranger --------------------------------------------------------------------------- */

static void begin_as_stranger(struct forger *forger, struct message *message,
                              enum message_type type)
{
    message_clear(message, type);
    forge_draw(message->from.bytes, sizeof message->from.bytes);
    message->number = ++forger->number;
}

void forger_pull(struct forger *forger, uint16_t port)
{
    struct message message;

    begin_as_stranger(forger, &message, MESSAGE_PULL);
    forge_send(forger, &message, 0, NULL, port);
}

void forger_offer(struct forger *forger, uint16_t port)
{
    struct message message;

    begin_as_stranger(forger, &message, MESSAGE_OFFER);
    message.offer.nonce = forger->number;
    forge_send(forger, &message, 0, NULL, port);
}

void forger_refuse_entry(struct forger *forger, uint16_t port)
{
    struct message message;

    begin_as_stranger(forger, &message, MESSAGE_JOIN_REFUSED);
    message.join_refused.reason = JOIN_REFUSED_FULL;
    message.join_refused.limit = 1;
    message.join_refused.terms = usual_terms();
    forge_send(forger, &message, 0, NULL, port);
}

/* By the usual terms, or by some with which nobody is let in. */
static void ask_to_be_let_in(struct forger *forger, uint16_t port, uint16_t answer_to, bool usual)
{
    struct message message;

    begin_as_stranger(forger, &message, MESSAGE_JOIN);
    struct joiner *joiner = &message.joiner;
    joiner->member.id = message.from;
    joiner->member.incarnation = 1;
    joiner->member.address = own_address(forger, answer_to);
    snprintf(joiner->member.name, sizeof joiner->member.name, "stranger%u",
             (unsigned)forger->number);
    joiner->terms = usual_terms();
    joiner->terms.heartbeat_ms += usual ? 0 : 1;
    forge_send(forger, &message, 0, NULL, port);
}

void forger_join(struct forger *forger, uint16_t port, uint16_t answer_to)
{
    ask_to_be_let_in(forger, port, answer_to, true);
}

void forger_join_otherwise(struct forger *forger, uint16_t port, uint16_t answer_to)
{
    ask_to_be_let_in(forger, port, answer_to, false);
}

void forger_probe(struct forger *forger, uint16_t port, uint16_t answer_to)
{
    struct message message;

    begin_as_stranger(forger, &message, MESSAGE_PROBE);
    invent_part(forger, &message.probe, answer_to);
    forge_send(forger, &message, 0, NULL, port);
}

#include "core/model/message.h"

#include <stddef.h>
#include <string.h>

enum message_body message_body(enum message_type type)
{
#define MESSAGE_BODY(name, number, text, body) [MESSAGE_##name] = CARRIES_##body,
    static const enum message_body bodies[MESSAGE_TYPE_COUNT] = {MESSAGES(MESSAGE_BODY)};
#undef MESSAGE_BODY

    return bodies[type];
}

#define BYTES_BEFORE(field) offsetof(struct message, field)
#define BYTES_WITH(field) (BYTES_BEFORE(field) + sizeof(((struct message *)NULL)->field))

/* How much of a message is to be cleared, from its beginning on. */
static size_t bytes_to_clear(enum message_type type)
{
    switch (message_body(type)) {
    case CARRIES_HEARTBEAT:
        return BYTES_BEFORE(heartbeat.suspects);
    case CARRIES_VIEW:
        return type == MESSAGE_MERGE ? BYTES_WITH(carrier) : BYTES_BEFORE(carrier.part);
    case CARRIES_CLAIM:
        return BYTES_BEFORE(carrier.part);
    case CARRIES_REFERENCE:
        return BYTES_WITH(reference);
    case CARRIES_JOINER:
        return BYTES_BEFORE(joiner.tags.text);
    case CARRIES_OFFER:
        return BYTES_WITH(offer);
    case CARRIES_JOIN_REFUSED:
        return BYTES_BEFORE(join_refused.terms.voters.names);
    case CARRIES_PING:
        return BYTES_WITH(ping);
    case CARRIES_PROBE:
        return BYTES_BEFORE(probe.terms.voters.names);
    case CARRIES_MERGE_REFUSED:
        return BYTES_WITH(merge_refused);
    case CARRIES_ROLES:
        return BYTES_WITH(role);
    case CARRIES_WISH:
        return BYTES_WITH(wish);
    case CARRIES_NOTHING:
        break;
    }
    return BYTES_BEFORE(heartbeat);
}

/* Most messages are heartbeats: so many bytes as the compiler knows are cleared and copied by a few
 * moves. */
void message_clear(struct message *message, enum message_type type)
{
    if (type == MESSAGE_HEARTBEAT) {
        memset(message, 0, BYTES_BEFORE(heartbeat.suspects));
    } else {
        memset(message, 0, bytes_to_clear(type));
    }
    if (message_body(type) == CARRIES_JOINER) {
        memset(&message->joiner.terms, 0, offsetof(struct terms, voters.names));
    }
    message->type = type;
}

static void heartbeat_copy(struct message *to, const struct message *from)
{
    memcpy(to, from, BYTES_BEFORE(heartbeat.suspects));
    for (uint8_t i = 0; i < from->heartbeat.suspect_count; i++) {
        to->heartbeat.suspects[i] = from->heartbeat.suspects[i];
    }
}

void message_copy(struct message *to, const struct message *from)
{
    const enum message_body body = message_body(from->type);

    if (body == CARRIES_HEARTBEAT) {
        heartbeat_copy(to, from);
        return;
    }
    memcpy(to, from, bytes_to_clear(from->type));
    if (body == CARRIES_JOINER) {
        joiner_copy(&to->joiner, &from->joiner);
    } else if (body == CARRIES_JOIN_REFUSED) {
        join_refused_copy(&to->join_refused, &from->join_refused);
    } else if (body == CARRIES_PROBE) {
        terms_copy(&to->probe.terms, &from->probe.terms);
    }
}

size_t message_bytes(const struct message *message)
{
    const enum message_body body = message_body(message->type);

    if (body == CARRIES_HEARTBEAT) {
        return BYTES_BEFORE(heartbeat.suspects) +
               message->heartbeat.suspect_count * sizeof message->heartbeat.suspects[0];
    }
    return body == CARRIES_JOINER || body == CARRIES_JOIN_REFUSED || body == CARRIES_PROBE
               ? sizeof *message
               : bytes_to_clear(message->type);
}

const char *message_text(enum message_type type)
{
#define MESSAGE_TEXT(name, number, text, body) [MESSAGE_##name] = (text),
    static const char *const texts[MESSAGE_TYPE_COUNT] = {MESSAGES(MESSAGE_TEXT)};
#undef MESSAGE_TEXT

    return texts[type] != NULL ? texts[type] : "unknown"; /* There is no type 0. */
}

struct view *message_view(const struct message *message)
{
    enum message_body body = message_body(message->type);

    return body == CARRIES_VIEW || body == CARRIES_CLAIM ? message->carrier.view : NULL;
}

#include "core/message.h"

#include <stddef.h>
#include <string.h>

void message_clear(struct message *message, enum message_type type)
{
    size_t bytes = type == MESSAGE_HEARTBEAT ? offsetof(struct message, heartbeat.suspects)
                                             : sizeof *message;
    memset(message, 0, bytes);
    message->type = type;
}

struct view *message_view(const struct message *message)
{
    switch (message->type) {
    case MESSAGE_VIEW:
    case MESSAGE_PREPARE:
    case MESSAGE_CLAIM:
    case MESSAGE_GRANT:
    case MESSAGE_HANDOVER:
    case MESSAGE_MERGE:
        return message->carrier.view;
    case MESSAGE_HEARTBEAT:
    case MESSAGE_PULL:
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_NOT_FOLLOWING:
    case MESSAGE_COMMIT:
    case MESSAGE_CLAIM_REFUSED:
    case MESSAGE_JOIN:
    case MESSAGE_OFFER:
    case MESSAGE_READY:
    case MESSAGE_JOIN_REFUSED:
    case MESSAGE_LEAVE:
    case MESSAGE_PING:
    case MESSAGE_PONG:
    case MESSAGE_PING_REQUEST:
    case MESSAGE_PROBE:
    case MESSAGE_HELLO:
    case MESSAGE_MERGE_REFUSED:
    case MESSAGE_TYPE_COUNT:
        return NULL;
    }
    return NULL;
}

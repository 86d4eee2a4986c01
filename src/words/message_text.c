#include "words/message_text.h"

const char *message_text(enum message_type type)
{
    switch (type) {
    case MESSAGE_HEARTBEAT:
        return "heartbeat";
    case MESSAGE_PULL:
        return "pull";
    case MESSAGE_VIEW:
        return "view";
    case MESSAGE_PREPARE:
        return "prepare";
    case MESSAGE_ACK:
        return "ack";
    case MESSAGE_NACK:
        return "nack";
    case MESSAGE_NOT_FOLLOWING:
        return "not_following";
    case MESSAGE_COMMIT:
        return "commit";
    case MESSAGE_CLAIM:
        return "claim";
    case MESSAGE_GRANT:
        return "grant";
    case MESSAGE_CLAIM_REFUSED:
        return "claim_refused";
    case MESSAGE_JOIN:
        return "join";
    case MESSAGE_OFFER:
        return "offer";
    case MESSAGE_READY:
        return "ready";
    case MESSAGE_JOIN_REFUSED:
        return "join_refused";
    case MESSAGE_LEAVE:
        return "leave";
    case MESSAGE_HANDOVER:
        return "handover";
    case MESSAGE_PING:
        return "ping";
    case MESSAGE_PONG:
        return "pong";
    case MESSAGE_PING_REQUEST:
        return "ping_request";
    case MESSAGE_PROBE:
        return "probe";
    case MESSAGE_HELLO:
        return "hello";
    case MESSAGE_MERGE:
        return "merge";
    case MESSAGE_MERGE_REFUSED:
        return "merge_refused";
    case MESSAGE_TYPE_COUNT:
        break;
    }
    return "unknown";
}

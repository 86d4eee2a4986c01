/* What node.h says of messages between programs. */
#include <string.h>

#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"

bool node_take_user_messages(struct node *node, user_post_on_message *on_message, void *context)
{
    const bool may_come_twice = !gate_is_keyed(&node->gate) || node->config->auth == AUTH_ACCEPT;

    return user_post_listen(&node->user_post, may_come_twice, on_message, context);
}

bool node_on_user_frame(struct node *node, struct bytes frame, const struct address *source)
{
    struct user_message message;
    const enum wire_error error = user_message_decode(node->wire, frame.at, frame.length, &message);

    if (error != WIRE_OK) {
        traffic_count_refused(&node->traffic, error);
        return false;
    }
    if (node->closing || node_is_cut(node, &message.from, source)) {
        return true;
    }
    const enum user_refusal refusal = user_post_receive(&node->user_post, &message, clock_ms());
    if (refusal == USER_TAKEN) {
        node->traffic.user_in++;
    } else {
        node->traffic.user_refused[refusal]++;
    }
    return true;
}

/* Faults lose it, or hold it back, without a word. */
bool node_send_frame(struct node *node, const struct outgoing *outgoing)
{
    const struct fault *fault = faults_find(&node->faults, outgoing->peer, outgoing->to);

    if (fault != NULL && fault->drop) {
        return true;
    }
    if (fault != NULL && fault->delay_ms > 0) {
        return faults_delay(&node->faults, outgoing, fault->delay_ms);
    }
    if (outgoing->length > DATAGRAM_FRAME_BYTES_MAX) {
        node_transmit(node, outgoing);
        return true;
    }
    const struct bytes datagram = gate_seal_datagram(&node->gate, outgoing);
    return udp_send(&node->udp, outgoing->to, datagram.at, datagram.length) == 0;
}

enum user_sent node_send_user_message(struct node *node, uint32_t position, const uint8_t *data,
                                      size_t length)
{
    const struct member *member = &core_view(node->core)->members[position];
    uint8_t frame[USER_FRAME_BYTES_MAX];
    struct user_message message = {.from = core_self(node->core)->id,
                                   .to = member->id,
                                   .number = user_post_take_number(&node->user_post, clock_ms()),
                                   .data = data,
                                   .length = (uint16_t)length};

    if (message.number == 0) {
        return USER_SENT_TOO_MANY;
    }
    const struct outgoing outgoing = {.peer = &member->id,
                                      .to = &member->address,
                                      .hop = &member->id,
                                      .bytes = frame,
                                      .length = user_message_encode(node->wire, &message, frame)};
    if (!node_send_frame(node, &outgoing)) {
        return USER_SENT_NOT;
    }
    node->traffic.user_out++;
    return USER_SENT;
}

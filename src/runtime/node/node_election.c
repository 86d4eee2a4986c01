/* What node.h says of elections. */
#include "base/text.h"
#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"

bool node_on_election_frame(struct node *node, struct bytes frame, const struct address *source)
{
    struct election_frame message;
    const enum wire_error error = election_frame_decode(node->wire, frame.at, frame.length,
                                                        &message);

    if (error != WIRE_OK) {
        traffic_count_refused(&node->traffic, error);
    } else if (!node->closing && !node_is_cut(node, &message.from, source)) {
        elector_take(&node->elector, &message, clock_ms());
    }
    return error == WIRE_OK;
}

void node_send_election(void *context, const struct outgoing *outgoing)
{
    struct node *node = context;

    if (!node->closing) {
        (void)node_send_frame(node, outgoing); /* As good as lost, of which there is some anyway. */
    }
}

void node_on_leader(void *context, const struct member *leader)
{
    struct node *node = context;
    struct notice notice = {.type = NOTICE_LEADER};

    if (leader != NULL) {
        notice.subject.id = leader->id;
        notice.subject.address = leader->address;
        notice.subject.age = leader->age;
        (void)text_set(notice.subject.name, sizeof notice.subject.name, leader->name,
                       text_length(leader->name, NAME_BYTES_MAX));
    }
    node_tell(node, &notice, clock_ms());
}

const struct elector *node_elector(const struct node *node)
{
    return &node->elector;
}

void node_elect(struct node *node)
{
    elector_elect(&node->elector, clock_ms());
}

bool node_stand(struct node *node, bool stands)
{
    return elector_stand(&node->elector, stands, clock_ms());
}

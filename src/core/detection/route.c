#include "core/detection/route.h"

#include "core/detection/hearing.h"

static void send_around(struct core *core, const struct message *message, uint32_t position)
{
    if (message == NULL || !hearing_link_is_bad(core, position)) {
        return;
    }
    uint32_t relay = hearing_relay_to(core, position);
    if (relay != VIEW_NONE) {
        outbox_send_around(core, message, position, relay);
    }
}

void route_send(struct core *core, const struct message *message, uint32_t position)
{
    outbox_send(core, message, position);
    send_around(core, message, position);
}

void route_send_brief(struct core *core, const struct message *message, uint32_t position)
{
    if (hearing_holds_our_view(core, position)) {
        outbox_send_brief(core, message, position);
    } else {
        outbox_send(core, message, position);
    }
    send_around(core, message, position);
}

void route_reach(struct core *core, const struct message *message, const struct node_id *peer,
                 const struct address *address)
{
    uint32_t position = view_find(&core->view, peer);

    if (position != VIEW_NONE) {
        route_send(core, message, position);
    } else {
        outbox_send_to(core, message, peer, address);
    }
}

void route_reach_brief(struct core *core, const struct message *message, const struct node_id *peer,
                       const struct address *address)
{
    uint32_t position = view_find(&core->view, peer);

    if (position != VIEW_NONE) {
        route_send_brief(core, message, position);
    } else {
        outbox_send_to(core, message, peer, address);
    }
}

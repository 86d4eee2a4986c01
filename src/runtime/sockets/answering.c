#include "runtime/sockets/answering.h"

static const struct address *listed_address(const struct view *view, const struct node_id *id)
{
    for (uint32_t i = 0; view != NULL && i < view->member_count; i++) {
        if (id_equal(&view->members[i].id, id)) {
            return &view->members[i].address;
        }
    }
    return NULL;
}

static bool is_on_host(const struct address *address, const struct address *host)
{
    struct address other = *address;

    other.port = host->port;
    return address_equal(&other, host);
}

const struct address *answering_address(const struct view *view, const struct message *message,
                                        const struct address *from)
{
    const struct address *joiner = &message->joiner.member.address;
    const struct address *listed = listed_address(view, &message->from);

    if (listed == NULL) {
        listed = listed_address(message_view(message), &message->from);
    }
    if (listed != NULL) {
        return listed;
    }
    /* Such a claim is no lie if it comes from there. */
    return (message->type == MESSAGE_JOIN || message->type == MESSAGE_READY) &&
                   message->joiner.hops == 0 && is_on_host(joiner, from)
               ? joiner
               : from;
}

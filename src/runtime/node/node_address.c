/* What is told when this node's own address goes from its host, and when it is back. */
#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"
#include "words/address_text.h"
#include "words/journal.h"

/* The oldest other member, else the last one that is gone, as all are soon after the address has;
 * or a seed that is given by number. */
bool node_find_other(void *context, struct address *to)
{
    const struct node *node = context;
    const struct view *view = core_view(node->core);
    const struct node_id *self = &core_self(node->core)->id;

    for (uint32_t i = 0; i < view->member_count; i++) {
        if (!id_equal(&view->members[i].id, self)) {
            *to = view->members[i].address;
            return true;
        }
    }
    if (view->gone_count > 0) {
        *to = view->gone[view->gone_count - 1].address;
        return true;
    }
    for (uint32_t i = 0; i < node->config->seed_count; i++) {
        const struct endpoint *seed = &node->config->seeds[i];
        if (address_parse_host(seed->host, seed->port, to) &&
            !address_same_host(to, &node->config->advertise)) {
            return true;
        }
    }
    return false;
}

void node_on_own_address(void *context)
{
    struct node *node = context;
    const struct notice notice = {.type = NOTICE_ADDRESS,
                                  .here = !node->own_address.gone,
                                  .another = node->own_address.another};

    node_tell(node, &notice, clock_ms());
}

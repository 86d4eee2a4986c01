/* What node.h says of roles. */
#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"

/* What is due next may be another thing now. */
static void look_again(struct node *node)
{
    if (!node->closing) {
        clock_start_timer(&node->timer, node_on_timer, 0);
    }
}

const struct role_clients *node_roles(const struct node *node)
{
    return &node->roles;
}

void node_role_add(struct node *node, struct role_client *client)
{
    role_clients_add(&node->roles, client);
}

void node_role_campaign(struct node *node, struct role_client *client)
{
    role_clients_campaign(&node->roles, client);
}

void node_role_remove(struct node *node, struct role_client *client)
{
    role_clients_remove(&node->roles, client);
    look_again(node);
}

void node_role_stopped(struct node *node, struct role_client *client)
{
    role_clients_stopped(&node->roles, client);
    look_again(node);
}

void node_role_resign(struct node *node, struct role_client *client)
{
    role_clients_resign(&node->roles, client, ROLE_END_RESIGNED);
    look_again(node);
}

#include "node/member.h"

#include <stddef.h>

#include "control/roles/role_page.h"
#include "runtime/services/inquiry.h"

bool member_open(struct member_process *member, uv_loop_t *loop, const struct config *config,
                 const struct keyring *ring, struct log *log, bool with_control,
                 node_on_end *on_end, void *context)
{
    *member = (struct member_process){.closed = false};
    member->node = node_open(loop, config, ring, log, on_end, context);
    if (member->node == NULL) {
        return false;
    }
    if (!with_control) {
        inquiry_set_pages(
            node_inquiry(member->node),
            &(struct inquiry_pages){.answer = role_page_answer, .context = member->node});
        return true;
    }
    member->control = control_open(loop, member->node, log);
    return member->control != NULL;
}

static void on_node_closed(void *context)
{
    struct member_process *member = context;

    member->node = NULL;
    member->closed = true;
    if (member->on_closed != NULL) {
        member->on_closed(member->context);
    }
}

/* The control socket looks at the node, so it goes first. */
static void on_control_closed(void *context)
{
    struct member_process *member = context;

    member->control = NULL;
    node_close(member->node, on_node_closed, member);
}

void member_close(struct member_process *member, void (*on_closed)(void *context), void *context)
{
    member->on_closed = on_closed;
    member->context = context;
    if (member->control != NULL) {
        control_close(member->control, on_control_closed, member);
    } else if (member->node != NULL) {
        node_close(member->node, on_node_closed, member);
    } else {
        on_node_closed(member);
    }
}

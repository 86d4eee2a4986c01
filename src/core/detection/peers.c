#include "core/detection/peers.h"

#include <string.h>

static void copy_doubts(struct peer_doubts *to, const struct peer_doubts *from, uint8_t count)
{
    for (uint8_t i = 0; i < count; i++) {
        to->list[i] = from->list[i];
    }
}

void peers_on_view_installed(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct node_id *id = &core->view.members[i].id;
        uint32_t former = view_find(before->view, id);

        if (former != VIEW_NONE) {
            core->peers[i] = before->peers[former];
            copy_doubts(&core->doubts[i], &core->doubts_former[former],
                        core->peers[i].signs.suspect_count);
        } else {
            memset(&core->peers[i], 0, sizeof core->peers[i]);
            core->peers[i].id = *id;
        }
    }
}

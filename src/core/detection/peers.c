#include "core/detection/peers.h"

#include <string.h>

#define BYTES_BEFORE_SUSPECTS offsetof(struct peer, signs.suspects)

static void copy_peer(struct peer *to, const struct peer *from)
{
    memcpy(to, from, BYTES_BEFORE_SUSPECTS);
    for (uint8_t i = 0; i < from->signs.suspect_count; i++) {
        to->signs.suspects[i] = from->signs.suspects[i];
    }
}

void peers_on_view_installed(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct node_id *id = &core->view.members[i].id;
        uint32_t former = view_find(before->view, id);

        if (former != VIEW_NONE) {
            copy_peer(&core->peers[i], &before->peers[former]);
        } else {
            memset(&core->peers[i], 0, BYTES_BEFORE_SUSPECTS);
            core->peers[i].id = *id;
        }
    }
}

#include "runtime/node/refusals.h"

static struct peer_refusals *place_of(struct refusals *refusals, const struct node_id *id)
{
    struct peer_refusals *oldest = &refusals->peers[0];

    for (uint32_t i = 0; i < REFUSING_PEERS_MAX; i++) {
        struct peer_refusals *peer = &refusals->peers[i];
        if (id_equal(&peer->id, id)) {
            return peer;
        }
        oldest = peer->last_ms < oldest->last_ms ? peer : oldest;
    }
    *oldest = (struct peer_refusals){.id = *id};
    return oldest;
}

static bool is_alike(const struct kept_refusal *kept, const struct refused_message *refused)
{
    return kept->count > 0 && kept->refused.type == refused->type &&
           kept->refused.reason == refused->reason;
}

/* The place of the same type and reason, else the oldest, emptied. */
static struct kept_refusal *item_of(struct peer_refusals *peer,
                                    const struct refused_message *refused)
{
    struct kept_refusal *oldest = &peer->items[0];

    for (uint32_t i = 0; i < REFUSALS_PER_PEER; i++) {
        struct kept_refusal *item = &peer->items[i];
        if (is_alike(item, refused)) {
            return item;
        }
        oldest = item->last_ms < oldest->last_ms ? item : oldest;
    }
    *oldest = (struct kept_refusal){.count = 0};
    return oldest;
}

void refusals_note(struct refusals *refusals, const struct refused_message *refused, bool is_member,
                   uint64_t now_ms)
{
    struct peer_refusals *peer = is_member ? place_of(refusals, &refused->from)
                                           : &refusals->strangers;
    struct kept_refusal *item = item_of(peer, refused);

    item->refused = *refused;
    item->count++;
    item->last_ms = now_ms;
    peer->last_ms = now_ms;
}

const struct peer_refusals *refusals_of(const struct refusals *refusals, const struct node_id *id)
{
    for (uint32_t i = 0; i < REFUSING_PEERS_MAX; i++) {
        if (!id_is_none(id) && id_equal(&refusals->peers[i].id, id)) {
            return &refusals->peers[i];
        }
    }
    return NULL;
}

bool refusals_may_log(struct refusals *refusals, uint64_t now_ms, uint64_t *left_out)
{
    if (now_ms >= refusals->second_ms + 1000) {
        refusals->second_ms = now_ms;
        refusals->logged = 0;
    }
    if (refusals->logged == REFUSALS_LOGGED_PER_S) {
        refusals->left_out++;
        return false;
    }
    refusals->logged++;
    *left_out = refusals->left_out;
    refusals->left_out = 0;
    return true;
}

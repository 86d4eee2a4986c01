#include "core/detection/signs.h"

#include <string.h>

enum {
    CALM_HEARTBEATS = 64, /* for so long nothing was missing (D2i) */
    LATE_AGAIN_MAX = 6,   /* who has not said for 2^6 T_stall that it is late begins anew (E7c) */
};

void signs_look_at(struct core *core, uint64_t next_ms)
{
    core->looking.next_ms = next_ms;
}

void signs_look_by(struct core *core, uint64_t latest_ms)
{
    core->looking.next_ms = earlier(core->looking.next_ms, latest_ms);
}

void signs_look_now(struct core *core)
{
    core->looking.next_ms = core->now_ms;
}

void signs_looked(struct core *core)
{
    core->looking.heard = false;
}

bool signs_are_calm(const struct core *core)
{
    const uint64_t wondered_ms = core->looking.wondered_ms;

    return wondered_ms == 0 ||
           core->now_ms >= wondered_ms + CALM_HEARTBEATS * core->timing.heartbeat_ms;
}

void signs_wondered(struct core *core)
{
    core->looking.wondered_ms = core->now_ms;
}

static void note_heard(struct core *core)
{
    struct looking *looking = &core->looking;

    if (core->now_ms >= looking->heard_ms + timing_deaf_ms(&core->timing)) {
        looking->regained_ms = core->now_ms;
    }
    looking->heard_ms = core->now_ms;
    looking->heard = true;
}

void signs_heard(struct core *core, uint32_t position, uint64_t number)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->heard_number = number;
    signs->heard_ms = core->now_ms;
    signs->silent_from_ms = core->now_ms;
    note_heard(core);
    signs->asked_ms = 0;
    /* What was on its way when the connection closed proves nothing against the closing. */
    if (core->now_ms > signs->closed_ms + core->timing.batch_ms) {
        signs->closed_ms = 0;
    }
}

void signs_vouch(struct core *core, uint32_t position)
{
    core->peers[position].signs.vouched_ms = core->now_ms;
}

/* E7c: who says it again after it was passed over for as long as that took is passed over for twice
 * as long. */
static void note_late(const struct core *core, struct peer_signs *signs)
{
    const uint64_t in_time_ms = core->now_ms - signs->late_ms;

    if (signs->late_ms == 0 || in_time_ms >= core->timing.stall_ms << LATE_AGAIN_MAX) {
        signs->late_again = 0;
    } else if (in_time_ms >= core->timing.stall_ms << signs->late_again) {
        signs->late_again++;
    }
    signs->late_ms = core->now_ms;
}

void signs_take_heartbeat(struct core *core, const struct heartbeat *heartbeat, uint32_t position,
                          bool handed_over)
{
    struct peer_signs *signs = &core->peers[position].signs;

    /* What it says between its ACK and our COMMIT is what it held before; the next will tell. */
    if (!signs->acked || view_id_compare(&heartbeat->view, &signs->view) >= 0) {
        signs->view = heartbeat->view;
        signs->view_hash = heartbeat->view_hash;
        signs->said = true;
    }
    signs->acked = false;
    signs->late = heartbeat->late;
    if (heartbeat->late) {
        note_late(core, signs);
    }
    signs->acting = heartbeat->acting;
    signs->handed_over = handed_over;
    signs->suspect_count = heartbeat->suspect_count;
    memcpy(core->doubts[position].list, heartbeat->suspects,
           heartbeat->suspect_count * sizeof heartbeat->suspects[0]);
    signs->suspects_ms = core->now_ms;
}

void signs_hears_us(struct core *core, uint32_t position, bool hears)
{
    core->peers[position].signs.unheard_ms = hears ? 0 : core->now_ms;
}

void signs_acknowledged(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->view = view_id_of(&core->view);
    signs->view_hash = core->view.hash;
    signs->acked = true;
    signs->said = false;
}

void signs_link_opened(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->linked = true;
    signs->was_linked = true;
    signs->closed_ms = 0;
    signs->kernel_ms = core->now_ms;
}

void signs_link_closed(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->linked = false;
    signs->closed_ms = core->now_ms;
}

void signs_link_failed(struct core *core, uint32_t position)
{
    core->peers[position].signs.linked = false;
}

void signs_nobody_there(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->linked = false;
    if (signs->closed_ms == 0) {
        signs->closed_ms = core->now_ms;
        signs->was_linked = false; /* No closing stands behind this, nor behind the next refusal. */
    }
}

void signs_closed_elsewhere(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->was_linked = true; /* Somebody else's lifeline was closed. */
    signs->closed_ms = core->now_ms;
}

void signs_kernel_asked(struct core *core, uint32_t position)
{
    core->peers[position].signs.asked_ms = core->now_ms;
}

void signs_kernel_answered(struct core *core, uint32_t position)
{
    core->peers[position].signs.kernel_ms = core->now_ms;
}

void signs_forget_lifeline(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->linked = false;
    signs->was_linked = false;
    signs->closed_ms = 0;
    signs->asked_ms = 0;
    signs->kernel_ms = 0;
}

void signs_not_silent_before(struct core *core, uint32_t position, uint64_t from_ms)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->silent_from_ms = from_ms > signs->silent_from_ms ? from_ms : signs->silent_from_ms;
}

void signs_silent_since(struct core *core, uint32_t position, uint64_t from_ms)
{
    struct peer_signs *signs = &core->peers[position].signs;
    uint64_t since_ms = from_ms > signs->heard_ms ? from_ms : signs->heard_ms;

    if (since_ms < signs->silent_from_ms) {
        signs->silent_from_ms = since_ms;
        signs_look_now(core);
    }
}

void signs_silent_from_now(struct core *core, uint32_t position)
{
    core->peers[position].signs.silent_from_ms = core->now_ms;
}

void signs_on_late(struct core *core, uint64_t late_ms)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer_signs *signs = &core->peers[i].signs;
        signs->silent_from_ms = earlier(signs->silent_from_ms + late_ms, core->now_ms);
    }
}

void signs_reset(struct core *core)
{
    core->looking.next_ms = NEVER_MS;
    core->looking.wondered_ms = 0;
    core->looking.heard_ms = 0;
    core->looking.regained_ms = 0;
    core->looking.heard = false;
}

/* What a driver may ask about who watches whom (D9). */
#include <assert.h>

#include "core/core.h"
#include "core/detection/hearing.h"
#include "core/detection/watch.h"

static uint64_t since(uint64_t then_ms, uint64_t now_ms)
{
    return then_ms == 0 ? NEVER_MS : now_ms - then_ms;
}

static uint64_t until(uint64_t then_ms, uint64_t now_ms)
{
    return then_ms > now_ms ? then_ms - now_ms : 0;
}

/* Of a verdict: what removal.c waits for. */
static enum outlook verdict_outlook(const struct core *core, const struct peer_charge *charge)
{
    if (charge->confirmed) {
        return OUTLOOK_CONFIRMED;
    }
    if (!core_is_coordinator(core)) {
        return OUTLOOK_JUDGE;
    }
    return charge->verify.until_ms != NEVER_MS ? OUTLOOK_VERIFIED : OUTLOOK_BACKING;
}

/* As the detector looks at a silence (D2), and removal at a verdict (R1). */
static void look_ahead(const struct core *core, uint32_t position, uint64_t now_ms,
                       struct watch_state *state)
{
    const struct timing *timing = &core->timing;
    const struct peer_charge *charge = &core->peers[position].charge;
    const uint64_t from_ms = core->peers[position].signs.silent_from_ms;

    state->due_ms = NEVER_MS;
    if (charge->verdict != VERDICT_NONE) {
        state->outlook = verdict_outlook(core, charge);
        if (state->outlook == OUTLOOK_VERIFIED) {
            state->due_ms = until(charge->verify.until_ms, now_ms);
        }
        return;
    }
    if (state->questions == 0 && state->silent_ms < timing->silent_ms) {
        return;
    }
    const bool answered = state->kernel_ms_ago < timing->lost_ms;
    state->outlook = answered ? OUTLOOK_STALLED : OUTLOOK_LOST;
    state->due_ms = until(from_ms + (answered ? timing->stall_ms : timing->lost_ms), now_ms);
    if (state->due_ms < until(core->detector.late_until_ms, now_ms)) {
        state->due_ms = until(core->detector.late_until_ms, now_ms); /* D4b: nobody is judged. */
    }
}

struct watch_state core_watch(const struct core *core, uint32_t position, uint64_t now_ms)
{
    const struct peer_signs *signs = &core->peers[position].signs;
    const struct peer_watch *watch = &core->peers[position].watch;
    struct watch_state state = {
        .asked_ms_ago = NEVER_MS, .kernel_ms_ago = NEVER_MS, .due_ms = NEVER_MS};

    assert(position < core->view.member_count);
    if (core_is_self(core, position) || !watch_is_on(core, position)) {
        return state;
    }
    const uint64_t asked_ms = signs->asked_ms > watch->asked_ms ? signs->asked_ms : watch->asked_ms;
    state.on = true;
    state.left_ms = watch_is_edge(core, position) ? 0 : until(watch->until_ms, now_ms);
    state.silent_ms = now_ms - signs->silent_from_ms;
    state.questions = watch->questions;
    if (asked_ms >= signs->silent_from_ms) {
        state.asked_ms_ago = since(asked_ms, now_ms);
    }
    if (signs->kernel_ms >= signs->silent_from_ms) {
        state.kernel_ms_ago = since(signs->kernel_ms, now_ms);
    }
    look_ahead(core, position, now_ms, &state);
    return state;
}

/* Besides the rings. */
static unsigned other_edge(const struct core *core, uint32_t a, uint32_t b)
{
    if (!watch_sees(core, a, b) || (a != 0 && b != 0)) {
        return 0;
    }
    return core->plan.guarded > 0 || core->agreed.joint ? EDGE_GUARD : EDGE_OLDEST;
}

unsigned core_edge(const struct core *core, uint32_t a, uint32_t b)
{
    assert(a < core->view.member_count && b < core->view.member_count);
    if (a == b) {
        return 0;
    }
    if (!rings_are_neighbours(&core->rings, a, b)) {
        return other_edge(core, a, b);
    }
    return rings_are_beside(&core->rings, a, b) ? EDGE_RING_1 : EDGE_RING_2;
}

static uint32_t own_doubts(const struct core *core, uint64_t now_ms,
                           struct told_doubt out[SUSPECTS_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count && count < SUSPECTS_MAX; i++) {
        const enum hearing hearing = hearing_of(core, core->position, i, now_ms);
        if (hearing == HEARING_SILENT || hearing == HEARING_SUSPECT) {
            out[count++] = (struct told_doubt){i, core->peers[i].charge.verdict};
        }
    }
    return count;
}

uint32_t core_told_doubts(const struct core *core, uint32_t position, uint64_t now_ms,
                          struct told_doubt out[SUSPECTS_MAX])
{
    const struct peer_signs *signs = &core->peers[position].signs;

    assert(position < core->view.member_count);
    if (core_is_self(core, position)) {
        return own_doubts(core, now_ms, out);
    }
    if (signs->suspects_ms == 0 || now_ms >= signs->suspects_ms + core->timing.lost_ms ||
        signs->view.lineage != core->view.lineage) {
        return 0;
    }
    for (uint32_t i = 0; i < signs->suspect_count; i++) {
        const struct suspicion *doubt = &core->doubts[position].list[i];
        out[i] = (struct told_doubt){view_find_age(&core->view, doubt->age), doubt->verdict};
    }
    return signs->suspect_count;
}

struct roll_call core_roll_call(const struct core *core, uint64_t now_ms)
{
    const uint64_t began_ms = core->watching.called_ms;
    const uint64_t lasts_ms = core->timing.lost_ms + core->timing.silent_ms;
    struct roll_call call = {.began_ms_ago = since(began_ms, now_ms)};

    call.on = call.began_ms_ago < lasts_ms;
    call.left_ms = call.on ? lasts_ms - call.began_ms_ago : 0;
    for (uint32_t i = 0; call.on && i < core->view.member_count; i++) {
        call.answered += !core_is_self(core, i) && core->peers[i].signs.heard_ms >= began_ms;
    }
    return call;
}

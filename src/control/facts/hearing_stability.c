#include "control/facts/hearing_stability.h"

#include <stdlib.h>

/* A member heard within this time has not missed a heartbeat. */
static uint64_t fresh_ms(const struct hearing_stability *stability)
{
    return stability->heartbeat_ms + stability->heartbeat_ms / 4 + 25;
}

/* Another member notices a silence, or its end, at most one heartbeat later than this node, and
 * reports it with its next one. */
static uint64_t settling_ms(const struct hearing_stability *stability)
{
    return stability->silent_ms + 2 * stability->heartbeat_ms;
}

/* The entry of this age, or NULL. */
static struct heard_member *find_member(const struct hearing_stability *stability, uint64_t age)
{
    uint32_t low = 0;
    uint32_t high = stability->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stability->members[middle].age < age) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < stability->count && stability->members[low].age == age ? &stability->members[low]
                                                                        : NULL;
}

static bool is_same_view(const struct hearing_stability *stability, const struct view *view)
{
    for (uint32_t i = 0; i < stability->count && i < view->member_count; i++) {
        if (stability->members[i].age != view->members[i].age) {
            return false;
        }
    }
    return stability->count == view->member_count;
}

/* Carries what is known of the members that stay over to the new view. */
static void follow_view(struct hearing_stability *stability, const struct view *view,
                        uint64_t now_ms)
{
    struct heard_member *members = calloc(view->member_count + 1, sizeof *members);

    for (uint32_t i = 0; members != NULL && i < view->member_count; i++) {
        const struct heard_member *known = find_member(stability, view->members[i].age);

        members[i] = known != NULL ? *known
                                   : (struct heard_member){view->members[i].age, .since_ms = now_ms,
                                                           .heard = true};
    }
    free(stability->members);
    stability->members = members;
    stability->count = members == NULL ? 0 : view->member_count;
}

static void mark_doubted(struct hearing_stability *stability, const struct core *core,
                         uint64_t now_ms)
{
    for (uint32_t i = 0; i < stability->count; i++) {
        stability->members[i].doubted = false;
    }
    for (uint32_t i = 0; i < stability->count; i++) {
        struct told_doubt doubts[SUSPECTS_MAX];
        for (uint32_t k = core_told_doubts(core, i, now_ms, doubts); k > 0; k--) {
            if (doubts[k - 1].subject != VIEW_NONE) {
                stability->members[doubts[k - 1].subject].doubted = true;
            }
        }
    }
}

static void follow_doubts(struct hearing_stability *stability, const struct core *core,
                          uint64_t now_ms)
{
    mark_doubted(stability, core, now_ms);
    for (uint32_t i = 0; i < stability->count; i++) {
        struct heard_member *member = &stability->members[i];

        if (!member->doubted) {
            member->doubted_ms = 0;
        } else if (member->doubted_ms == 0) {
            member->doubted_ms = now_ms;
        }
    }
}

void hearing_stability_update(struct hearing_stability *stability, const struct core *core,
                              const struct timing *timing, uint64_t now_ms)
{
    const uint64_t since_ms = now_ms - stability->updated_ms;

    if (stability->updated_ms != 0 && since_ms < timing->heartbeat_ms) {
        return;
    }
    const struct view *view = core_view(core);
    const uint32_t self = view_find(view, &core_self(core)->id);
    if (self == VIEW_NONE) {
        return;
    }
    stability->heartbeat_ms = timing->heartbeat_ms;
    stability->silent_ms = timing->silent_ms;
    /* After a sleep this node may have read what came meanwhile before it looks here. */
    const bool slept = stability->updated_ms != 0 && since_ms > timing->silent_ms;
    stability->updated_ms = now_ms;
    if (!is_same_view(stability, view)) {
        follow_view(stability, view, now_ms);
    }
    for (uint32_t i = 0; i < stability->count; i++) {
        struct heard_member *member = &stability->members[i];
        const bool heard = core_hearing(core, self, i, now_ms) == HEARING_YES;

        if (heard != member->heard || slept) {
            member->heard = heard;
            member->since_ms = now_ms;
        }
    }
    follow_doubts(stability, core, now_ms);
}

bool hearing_is_stable(const struct hearing_stability *stability, uint64_t age,
                       uint64_t heard_ms_ago, uint64_t now_ms)
{
    const struct heard_member *member = find_member(stability, age);

    if (member == NULL || now_ms - member->since_ms < settling_ms(stability)) {
        return false;
    }
    /* When it falls silent, another member may miss it first; and one that was heard again since
     * the last update is not stable yet. */
    return member->heard ? heard_ms_ago <= fresh_ms(stability)
                         : heard_ms_ago > stability->silent_ms;
}

bool hearing_outlasts_doubt(const struct hearing_stability *stability, uint64_t age,
                            uint64_t heard_ms_ago, uint64_t now_ms)
{
    const struct heard_member *member = find_member(stability, age);

    return member != NULL && (!member->heard || (member->doubted_ms != 0 &&
                                                 now_ms - heard_ms_ago >=
                                                     member->doubted_ms + stability->heartbeat_ms));
}

void hearing_stability_deinit(struct hearing_stability *stability)
{
    free(stability->members);
    *stability = (struct hearing_stability){0};
}

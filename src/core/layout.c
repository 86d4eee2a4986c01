/* Hands out the one block that a core lives in, to struct core first and then to each list of its
 * modules. */
#include "core/layout.h"

#include <assert.h>
#include <string.h>

#include "core/holding/roster.h"
#include "core/state/outbox.h"

enum { PAGE_BYTES = 4096 }; /* of most systems */

/* Hands out parts of the core's one block. */
struct arena {
    uint8_t *base; /* NULL: only counts */
    size_t used;
};

static void *take(struct arena *arena, size_t bytes)
{
    size_t at = arena->used;

    arena->used += (bytes + 15) & ~(size_t)15;
    return arena->base == NULL ? NULL : arena->base + at;
}

static void take_view(struct arena *arena, struct view *view, uint32_t capacity)
{
    void *storage = take(arena, view_bytes(capacity));

    if (arena->base != NULL) {
        view_init(view, capacity, storage);
        view_clear(view);
    }
}

static void take_rings(struct arena *arena, struct rings *rings, uint32_t capacity)
{
    void *storage = take(arena, rings_bytes(capacity));

    if (arena->base != NULL) {
        rings_init(rings, capacity, storage);
    }
}

static void lay_out(struct arena *arena, struct core *core, uint32_t capacity)
{
    uint32_t joins = capacity < JOIN_QUEUE_MAX ? capacity : JOIN_QUEUE_MAX;

    take_view(arena, &core->view, capacity);
    take_view(arena, &core->former, capacity);
    take_view(arena, &core->change.pending, capacity);
    take_view(arena, &core->voter.accepted, capacity);
    take_view(arena, &core->candidacy.founders, 1);
    take_view(arena, &core->succession.base, capacity);
    take_view(arena, &core->granting.shown, capacity);
    take_view(arena, &core->next.building, capacity);
    core->peers = take(arena, capacity * sizeof(struct peer));
    core->peers_former = take(arena, capacity * sizeof(struct peer));
    core->doubts = take(arena, capacity * sizeof(struct peer_doubts));
    core->doubts_former = take(arena, capacity * sizeof(struct peer_doubts));
    take_rings(arena, &core->rings, capacity);
    core->watching.list = take(arena, capacity * sizeof core->watching.list[0]);
    core->removal.accusers = take(arena, capacity * sizeof core->removal.accusers[0]);
    core->answered.members = take(arena, capacity);
    core->candidacy.answers = take(arena, capacity);
    core->next.joiner_capacity = joins;
    core->next.joiners = take(arena, joins * sizeof(struct member));
    core->next.joiner_tags = take(arena, joins * sizeof(struct tags));
    core->listed.candidate_capacity = roster_capacity(capacity);
    core->listed.candidates = take(arena,
                                   core->listed.candidate_capacity * sizeof(struct candidate));
    core->listed.roles = take(arena, ROLES_MAX * sizeof(struct role));
    core->listed.sums = take(arena, capacity * sizeof(struct listed_sum));
    core->roster.members = take(arena, capacity * sizeof(struct roster_member));
    core->roster.former = take(arena, capacity * sizeof(struct roster_member));
    core->out.capacity = outbox_capacity(capacity);
    core->out.items = take(arena, core->out.capacity * sizeof(struct effect));
    core->out.messages = take(arena, MESSAGES_PER_STEP_MAX * sizeof(struct message));
    core->out.notice_capacity = outbox_notices(capacity);
    core->out.notices = take(arena, core->out.notice_capacity * sizeof(struct notice));
}

size_t layout_bytes(uint32_t capacity)
{
    struct core layout; /* What it holds is not looked at. */
    struct arena arena = {0};

    take(&arena, sizeof(struct core));
    lay_out(&arena, &layout, capacity);
    return arena.used;
}

struct core *layout_core(void *block, uint32_t capacity)
{
    struct arena arena = {.base = block};
    struct core *core = take(&arena, sizeof *core);

    memset(core, 0, CORE_CLEARED); /* What it points to is written before it is read. */
    lay_out(&arena, core, capacity);
    return core;
}

/* What is written at each question together, in few pages. */
static void lay_out_witness(struct arena *arena, struct core *core, uint32_t capacity)
{
    core->out.capacity = outbox_capacity_of_witness();
    core->out.items = take(arena, core->out.capacity * sizeof(struct effect));
    take_view(arena, &core->voter.accepted, capacity);
    core->out.messages = take(arena, MESSAGES_PER_STEP_MAX * sizeof(struct message));
}

/* Such that what the voter keeps, but for all who may wait, ends a page if the block begins one. */
static size_t witness_begins_at(void)
{
    const size_t end = offsetof(struct core, voter) + offsetof(struct voter, waiting) +
                       sizeof(struct waiting_vote);

    return (PAGE_BYTES - end % PAGE_BYTES) & ~(size_t)15;
}

size_t layout_witness_bytes(uint32_t capacity)
{
    struct core layout; /* What it holds is not looked at. */
    struct arena arena = {.used = witness_begins_at()};

    take(&arena, sizeof(struct core));
    lay_out_witness(&arena, &layout, capacity);
    return arena.used;
}

struct core *layout_witness(void *block, uint32_t capacity)
{
    struct arena arena = {.base = block, .used = witness_begins_at()};

    assert(block != NULL);
    struct core *core = take(&arena, sizeof *core);

    lay_out_witness(&arena, core, capacity);
    return core;
}

/* All but its table, in which an empty view is looked for, too. */
static struct core_part part_of(const struct view *view)
{
    const size_t table = (size_t)((const uint8_t *)view->members - (const uint8_t *)view->index);

    return (struct core_part){view->members, view_bytes(view->capacity) - table};
}

uint32_t layout_unused(const struct core *core, struct core_part out[CORE_PARTS_MAX])
{
    if (core_is_witness(core)) {
        return 0; /* It has none of these. */
    }
    const struct view *const kept[] = {&core->change.pending, &core->voter.accepted,
                                       &core->succession.base};
    uint32_t count = 0;

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (view_is_empty(kept[i])) {
            out[count++] = part_of(kept[i]);
        }
    }
    out[count++] = part_of(&core->former);
    out[count++] = part_of(&core->granting.shown);
    out[count++] = part_of(&core->next.building);
    out[count++] = (struct core_part){core->peers_former, core->capacity * sizeof(struct peer)};
    out[count++] = (struct core_part){core->doubts_former,
                                      core->capacity * sizeof(struct peer_doubts)};
    out[count++] = (struct core_part){core->out.items, core->out.capacity * sizeof(struct effect)};
    out[count++] = (struct core_part){core->out.notices,
                                      core->out.notice_capacity * sizeof(struct notice)};
    return count;
}

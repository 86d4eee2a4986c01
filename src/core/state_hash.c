/* The state of a core as one number: what a recording checks a replay against. Whatever a
 * deviation would soon show in is in here; what is derived from it is not. */
#include "base/hash.h"
#include "core/core.h"
#include "core/state/state.h"

static uint64_t add_id(uint64_t hash, const struct node_id *id)
{
    return hash_bytes(hash, id->bytes, sizeof id->bytes);
}

/* A view's own hash covers its content, but an empty one has none. */
static uint64_t add_view(uint64_t hash, const struct view *view)
{
    hash = hash_u64(hash, view->member_count);
    if (view_is_empty(view)) {
        return hash;
    }
    hash = hash_u64(hash, view->lineage);
    hash = hash_u64(hash, view->epoch);
    hash = hash_u64(hash, view->version);
    hash = add_id(hash, &view->members[0].id);
    return hash_u64(hash, view->hash);
}

static uint64_t add_peers(uint64_t hash, const struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];

        hash = hash_u64(hash, peer->number.highest);
        hash = hash_u64(hash, peer->signs.heard_ms);
        hash = hash_u64(hash, peer->lease.asked_ms);
        hash = hash_u64(hash, peer->charge.verdict);
        hash = hash_u64(hash, (peer->signs.linked ? 1U : 0U) | (peer->charge.confirmed ? 2U : 0U) |
                                  (peer->charge.leaves ? 4U : 0U));
    }
    return hash;
}

/* Nothing but under guard strict, so that recordings of other nodes keep their hashes. */
static uint64_t add_voter(uint64_t hash, const struct core *core)
{
    const struct voter *voter = &core->voter;

    if (core->terms.guard.policy != GUARD_STRICT) {
        return hash;
    }
    hash = add_id(hash, &voter->record.id);
    hash = hash_u64(hash, voter->record.lineage);
    hash = hash_u64(hash, (uint64_t)voter->record.state | (voter->mute ? 4U : 0U));
    hash = hash_u64(hash, voter->record.promise.epoch);
    hash = add_id(hash, &voter->record.promise.life);
    hash = hash_u64(hash, voter->record.lease_ms);
    hash = hash_u64(hash, voter->record.hold_ms);
    hash = add_view(hash, &voter->accepted);
    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        hash = add_id(hash, &core->lease.voters[i].record);
        hash = hash_u64(hash, core->lease.voters[i].until_ms);
        hash = hash_u64(hash, core->lease.voters[i].writes.known);
    }
    hash = hash_u64(hash, core->lease.longer_over_ms);
    hash = hash_u64(hash, voter->until_ms);
    hash = hash_u64(hash, voter->held_until_ms);
    hash = hash_u64(hash, voter->older_until_ms);
    hash = hash_u64(hash, voter->number);
    hash = hash_u64(hash, voter->synced);
    return hash_u64(hash, voter->waiting_count);
}

static uint64_t add_counts(uint64_t hash, const uint64_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = hash_u64(hash, counts[i]);
    }
    return hash;
}

/* Nothing while nobody wants anything moved. */
static uint64_t add_moving(uint64_t hash, const struct core *core)
{
    const struct move *wanted = &core->wishing.move;
    const struct moving *moving = &core->moving;

    if (wanted->kind != MOVE_NONE) {
        hash = add_id(hash_u64(hash, (uint64_t)wanted->kind), &wanted->subject);
    }
    if (moving->step != STAND_DOWN_NOT) {
        hash = add_id(hash_u64(hash, (uint64_t)moving->step), &moving->to);
    }
    return hash;
}

/* Nothing while nobody wants other tags. */
static uint64_t add_tags(uint64_t hash, const struct core *core)
{
    const struct tagging *tagging = &core->tagging;

    if (tagging->on) {
        hash = hash_u64(hash, tagging->asking.until_ms);
        hash = hash_bytes(hash, tagging->tags.text, tagging->tags.length);
    }
    for (uint32_t i = 0; i < core->tag_wishes.count; i++) {
        const struct tag_wish *wish = &core->tag_wishes.list[i];
        hash = hash_u64(add_id(hash, &wish->id), wish->done ? wish->kept.over_ms : 0);
        hash = hash_bytes(hash, wish->tags.text, wish->tags.length);
    }
    return hash;
}

/* Nothing where nobody stands for a role. */
static uint64_t add_roles(uint64_t hash, const struct core *core)
{
    if (core->holder.count > 0) {
        hash = hash_u64(hash_u64(hash, core->holder.hash), core->holder.due_ms);
    }
    if (core->roster.on) {
        hash = hash_u64(hash_u64(hash, core->roster.serial), core->listed.candidate_count);
        for (uint32_t i = 0; i < core->view.member_count && core->roster.epoch != 0; i++) {
            hash = hash_u64(hash, core->listed.sums[i].hash);
        }
    }
    return hash;
}

/* Without the refusals: they say why a message changed nothing, and a recording is to outlive a
 * reason that is told apart anew. */
static uint64_t add_counters(uint64_t hash, const struct core_counters *counters)
{
    hash = add_counts(hash, counters->received, MESSAGE_TYPE_COUNT);
    hash = add_counts(hash, counters->sent, MESSAGE_TYPE_COUNT);
    hash = hash_u64(hash, counters->sends_cut);
    hash = hash_u64(hash, counters->views_installed);
    hash = hash_u64(hash, counters->mismatches);
    hash = hash_u64(hash, counters->late_wakeups);
    return hash_u64(hash, counters->relayed);
}

uint64_t core_state_hash(const struct core *core)
{
    uint64_t hash = hash_u64(HASH_START, core->life.phase);

    hash = add_id(hash, &core->life.self.id);
    hash = hash_u64(hash, core->out.number);
    hash = add_counts(hash, core->random.state, 4); /* one draw too many, and nothing is the same */
    hash = add_view(hash, &core->view);
    hash = add_view(hash, &core->change.pending);
    hash = hash_u64(hash, core->promise.seen);
    hash = hash_u64(hash, core->counting.version_used);
    hash = hash_u64(hash, core->promise.epoch);
    hash = add_id(hash, &core->promise.to);
    hash = add_voter(hash, core);
    hash = hash_u64(hash, core->candidacy.on ? core->candidacy.epoch : 0);
    hash = hash_u64(hash, core->change.on ? core->proposing.asking.until_ms : 0);
    hash = hash_u64(hash, core->merge.yielding ? core->merge.number : 0);
    hash = hash_u64(hash, core->book.count);
    hash = hash_u64(hash, core->next.joiner_count);
    hash = add_moving(hash, core);
    hash = add_tags(hash, core);
    hash = hash_u64(hash, core_deadline_ms(core));
    hash = add_peers(hash, core);
    hash = add_roles(hash, core);
    return hash_finish(add_counters(hash, &core->counters));
}

#include "core/model/agreed.h"

#include <assert.h>

#include "base/hash.h"
#include "core/model/limits.h"

bool rules_equal(const struct rules *a, const struct rules *b)
{
    return guard_equal(&a->guard, &b->guard) && a->profile == b->profile &&
           a->heartbeat_ms == b->heartbeat_ms && a->lost_ms == b->lost_ms &&
           a->capacity == b->capacity;
}

bool rules_are_written_down(const struct rules *started, const struct rules *agreed, uint32_t room)
{
    struct rules written = *agreed;

    if (started->capacity == room) {
        written.capacity = room;
    }
    return rules_equal(started, &written);
}

struct timing rules_timing(const struct rules *rules)
{
    struct timing timing = timing_of(rules->profile);

    timing_override(&timing, rules->heartbeat_ms, rules->lost_ms);
    return timing;
}

bool rules_are_sound(const struct rules *rules)
{
    const struct guard_asks asks = guard_asks(&rules->guard);

    if (rules->profile < PROFILE_LOCAL || rules->profile > PROFILE_WAN ||
        rules->heartbeat_ms < RULES_HEARTBEAT_MS_MIN ||
        rules->heartbeat_ms > asks.heartbeat_ms_max || rules->lost_ms > RULES_LOST_MS_MAX ||
        rules->capacity < 1 || rules->capacity > MEMBER_MAX ||
        rules->guard.count < asks.count_min || rules->guard.count > asks.count_max ||
        asks.needed > rules->capacity ||
        (asks.size_max != UINT32_MAX && asks.size_max > rules->capacity)) {
        return false;
    }
    const struct timing timing = rules_timing(rules);

    return timing.lost_ms == rules->lost_ms;
}

uint64_t rules_hash(const struct rules *rules)
{
    uint64_t hash = hash_u64(HASH_START, (uint64_t)rules->guard.policy);

    hash = hash_u64(hash, rules->guard.count);
    hash = hash_u64(hash, (uint64_t)rules->profile);
    hash = hash_u64(hash, rules->heartbeat_ms);
    hash = hash_u64(hash, rules->lost_ms);
    return hash_finish(hash_u64(hash, rules->capacity));
}

bool agreed_equal(const struct agreed *a, const struct agreed *b)
{
    return a->number == b->number && a->origin == b->origin && a->room == b->room &&
           a->joint == b->joint && (a->number == 0 || rules_equal(&a->now, &b->now)) &&
           (!a->joint || rules_equal(&a->before, &b->before));
}

bool agreed_is_sound(const struct agreed *agreed)
{
    if (agreed->number == 0) {
        return true;
    }
    return agreed->number <= COUNTER_MAX && agreed->room <= MEMBER_MAX &&
           agreed->now.capacity <= agreed->room && rules_are_sound(&agreed->now) &&
           (!agreed->joint ||
            (agreed->before.capacity <= agreed->room && rules_are_sound(&agreed->before)));
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t shorter(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A3: whoever sends does so as the more hasty of both expect it, whoever waits is as patient as the
 * other. A lease is the word of one who may be the hasty one. */
static struct timing joint_timing(const struct timing *a, const struct timing *b)
{
    return (struct timing){
        .heartbeat_ms = shorter(a->heartbeat_ms, b->heartbeat_ms),
        .heartbeat_ms_longest = longer(a->heartbeat_ms_longest, b->heartbeat_ms_longest),
        .silent_ms = longer(a->silent_ms, b->silent_ms),
        .fresh_ms = longer(a->fresh_ms, b->fresh_ms),
        .lost_ms = longer(a->lost_ms, b->lost_ms),
        .lost_ms_shortest = shorter(a->lost_ms_shortest, b->lost_ms_shortest),
        .stall_ms = longer(a->stall_ms, b->stall_ms),
        .verify_ms = longer(a->verify_ms, b->verify_ms),
        .claim_ms = longer(a->claim_ms, b->claim_ms),
        .prepare_ms = longer(a->prepare_ms, b->prepare_ms),
        .batch_ms = longer(a->batch_ms, b->batch_ms),
        .probe_ms = longer(a->probe_ms, b->probe_ms),
        .merge_ms = longer(a->merge_ms, b->merge_ms),
        .flap_ms = longer(a->flap_ms, b->flap_ms),
        .discover_ms = longer(a->discover_ms, b->discover_ms),
        .leave_ms = longer(a->leave_ms, b->leave_ms),
        .retry_ms_min = longer(a->retry_ms_min, b->retry_ms_min),
        .retry_ms_max = longer(a->retry_ms_max, b->retry_ms_max),
        .lease_ms = shorter(a->lease_ms, b->lease_ms),
        .replace_ms = longer(a->replace_ms, b->replace_ms),
    };
}

struct timing agreed_timing(const struct agreed *agreed)
{
    const struct timing now = rules_timing(&agreed->now);

    if (!agreed->joint) {
        return now;
    }
    const struct timing before = rules_timing(&agreed->before);
    return joint_timing(&now, &before);
}

struct timing timing_unproven(const struct timing *before, const struct timing *now)
{
    struct timing timing = *before;

    timing.heartbeat_ms = shorter(before->heartbeat_ms, now->heartbeat_ms);
    timing.lost_ms_shortest = shorter(before->lost_ms_shortest, now->lost_ms_shortest);
    timing.lease_ms = shorter(before->lease_ms, now->lease_ms);
    return timing;
}

struct guard_asks agreed_asks(const struct agreed *agreed)
{
    struct guard_asks asks = guard_asks(&agreed->now.guard);

    if (agreed->joint) {
        const struct guard_asks before = guard_asks(&agreed->before.guard);
        asks.needed = asks.needed > before.needed ? asks.needed : before.needed;
        asks.size_max = asks.size_max < before.size_max ? asks.size_max : before.size_max;
    }
    return asks;
}

uint32_t agreed_capacity(const struct agreed *agreed)
{
    const bool lower = agreed->joint && agreed->before.capacity < agreed->now.capacity;

    return lower ? agreed->before.capacity : agreed->now.capacity;
}

struct agreed agreed_begin(const struct agreed *from, const struct rules *to)
{
    struct agreed joint = *from;

    joint.number = from->number + 1;
    joint.joint = true;
    joint.before = from->now;
    joint.now = *to;
    return joint;
}

struct agreed agreed_end(const struct agreed *joint)
{
    struct agreed end = *joint;

    end.number = joint->number + 1;
    end.joint = false;
    end.before = (struct rules){.capacity = 0};
    return end;
}

/* With the capacity that it went with: what it counts has to fit (V4h). */
static bool take_stricter(struct rules *rules, const struct agreed *agreed)
{
    if (!agreed->joint ||
        guard_asks(&agreed->before.guard).needed <= guard_asks(&rules->guard).needed) {
        return false;
    }
    rules->guard = agreed->before.guard;
    rules->capacity = agreed->before.capacity;
    return true;
}

struct agreed agreed_merge(const struct agreed *winner, const struct agreed *loser)
{
    const bool loser_leads = loser->number > winner->number;
    const struct agreed *leads = loser_leads ? loser : winner;
    const struct agreed *other = loser_leads ? winner : loser;

    if (agreed_equal(leads, other)) {
        return *leads;
    }
    struct agreed merged = agreed_begin(other, &leads->now);
    merged.number = leads->number + 1;
    merged.origin = leads->origin;
    if (!take_stricter(&merged.before, leads)) {
        take_stricter(&merged.before, other);
    }
    return merged;
}

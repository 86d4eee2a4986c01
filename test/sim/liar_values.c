/* What lies are made of: numbers, ids, addresses. */
#include <string.h>

#include "core/model/limits.h"
#include "core/model/lineage.h"
#include "liar_parts.h"

/* Up to a limit, or hardly beyond it, where what earlier ones led to adds up; or far beyond, which
 * brings near what is asked for (V7c). */
static uint64_t leap_to_limit(struct teller *teller, uint64_t base)
{
    static const uint64_t limits[] = {0, STRANGERS_LEAP_MAX, SAID_LEAP_MAX, BOUND_LEAP_MAX,
                                      LEAP_MAX};
    const uint64_t before = chance(teller, 2) ? 0 : limits[draw(teller, 0, 4)];
    const uint64_t limit = limits[draw(teller, 0, 4)];
    const uint64_t near_it = draw(teller, 0, 4) - 2;

    return chance(teller, 3) ? base + 16 * LEAP_MAX : base + before + limit + near_it;
}

uint64_t lie_leap(struct teller *teller, uint64_t base)
{
    static const unsigned powers[] = {4, 10, 20, 31, 32, 32, 48, 61};
    uint64_t less;

    if (teller->to_limits) {
        return leap_to_limit(teller, base);
    }
    less = draw(teller, 0, 2);
    switch (draw(teller, 0, 7)) {
    case 0:
    case 1:
        return base + 1 + less;
    case 2:
        return COUNTER_MAX - less;
    case 3:
        return UINT64_MAX - less;
    default:
        return base + (UINT64_C(1) << powers[draw(teller, 0, 7)]) - less;
    }
}

struct address lie_nowhere(struct teller *teller)
{
    struct address address = {.family = 4, .bytes = {10, 9, 9, 0}};

    address.bytes[3] = (uint8_t)draw(teller, 1, 4);
    address.port = (uint16_t)draw(teller, 7420, 7423);
    return address;
}

struct node_id lie_fresh_id(struct teller *teller)
{
    return id_draw(teller->random);
}

const struct host *lie_any_running(struct teller *teller)
{
    uint32_t count = teller->sim->host_count;
    uint32_t first = (uint32_t)draw(teller, 0, count - 1);

    for (uint32_t i = 0; i < count; i++) {
        const struct host *host = &teller->sim->hosts[(first + i) % count];
        if (host->running) {
            return host;
        }
    }
    return teller->to;
}

struct node_id lie_any_id(struct teller *teller)
{
    const struct view *known = teller->known;

    if (known->member_count > 0 && !chance(teller, 4)) {
        return known->members[draw(teller, 0, known->member_count - 1)].id;
    }
    return chance(teller, 2) ? lie_any_running(teller)->witness.life : lie_fresh_id(teller);
}

struct address lie_any_address(struct teller *teller)
{
    return chance(teller, 4) ? lie_nowhere(teller) : lie_any_running(teller)->address;
}

struct terms lie_any_terms(struct teller *teller)
{
    const struct sim *sim = teller->sim;
    struct terms terms = {.guard = sim->options.guard,
                          .profile = sim->options.profile,
                          .watchers = sim->options.watchers,
                          .heartbeat_ms = sim->timing.heartbeat_ms,
                          .lost_ms = sim->timing.lost_ms,
                          .capacity = sim->options.capacity,
                          .voters = sim->voters};

    if (guard_is_strict(&terms.guard)) {
        terms.guard.count = sim->options.voters_target;
    }
    terms.heartbeat_ms += chance(teller, 8);
    terms.capacity += chance(teller, 8);
    return terms;
}

struct view_id lie_known_id(struct teller *teller)
{
    return view_id_of(teller->known);
}

uint64_t lie_any_lineage(struct teller *teller)
{
    const uint64_t drawn = random_u64(teller->random);
    const uint64_t at_s = drawn % 4 == 1 ? UINT32_MAX : drawn >> 32;

    return teller->sim->options.successors && drawn % 2 == 1
               ? lineage_of_recovery(teller->known->lineage, at_s, drawn)
               : drawn;
}

struct view_id lie_any_view_id(struct teller *teller)
{
    struct view_id id = lie_known_id(teller);

    switch (draw(teller, 0, 3)) {
    case 0:
        id.epoch = lie_leap(teller, id.epoch);
        break;
    case 1:
        id.version = lie_leap(teller, id.version);
        break;
    case 2:
        id.lineage = lie_any_lineage(teller);
        break;
    default:
        id.version = near(teller, id.version);
        break;
    }
    id.coordinator = chance(teller, 2) ? id.coordinator : lie_any_id(teller);
    return id;
}

#include "core/state/strangers.h"

#include <string.h>

#include "base/hash.h"

enum {
    EACH_MAX = 8,         /* of one kind, to one source that the book has */
    EACH_UNKNOWN_MAX = 4, /* or to one that it has not, */
    UNKNOWN_MAX = 8,      /* and to all of those, */
    PROBES_MAX = 64,      /* but for PROBEs: their answer is as short as the question */
};

static const uint8_t kinds[MESSAGE_TYPE_COUNT] = {
    [MESSAGE_HEARTBEAT] = STRANGER_HEARTBEATS, [MESSAGE_VIEW] = STRANGER_VIEWS,
    [MESSAGE_PREPARE] = STRANGER_VIEWS,        [MESSAGE_PULL] = STRANGER_PULLS,
    [MESSAGE_COMMIT] = STRANGER_COMMITS,       [MESSAGE_CLAIM] = STRANGER_CLAIMS,
    [MESSAGE_PING] = STRANGER_PINGS,           [MESSAGE_PROBE] = STRANGER_PROBES,
    [MESSAGE_JOIN] = STRANGER_JOINS,           [MESSAGE_READY] = STRANGER_JOINS,
    [MESSAGE_OFFER] = STRANGER_OFFERS,
};

/* Another place after each renewal, so that two sources do not share one for long. */
static uint32_t place_of(const struct core *core, uint64_t hash)
{
    return (uint32_t)(hash_finish(hash_u64(hash, core->secret)) % STRANGER_PLACES);
}

static uint64_t salt(const struct core *core)
{
    return hash_u64(hash_u64(HASH_START, core->secret), core->strangers.round);
}

static uint32_t place_of_source(const struct core *core, const struct address *source)
{
    return place_of(core, hash_u64(address_hash(salt(core), source), source->port));
}

/* Whoever has a host has all its ports, and with IPv6 the lower half of the address. */
static uint32_t place_of_host(const struct core *core, const struct address *source)
{
    return place_of(core, hash_bytes(salt(core), source->bytes, source->family == 4 ? 4 : 8));
}

static bool take(uint8_t *taken, uint8_t max)
{
    if (*taken >= max) {
        return false;
    }
    (*taken)++;
    return true;
}

bool strangers_take(struct core *core, const struct message *message)
{
    if (pause_pass(&core->strangers.renewed, core->now_ms, core_interval_ms(core))) {
        strangers_renew(core);
    }
    const bool probe = message->type == MESSAGE_PROBE;
    struct stranger_answers *answers = &core->strangers.answers[kinds[message->type]];
    uint8_t *known = &answers->known[place_of_source(core, &message->source)];
    uint8_t *unknown = &answers->unknown[place_of_host(core, &message->source)];
    const uint8_t all = probe ? PROBES_MAX : UNKNOWN_MAX;
    const bool unknown_left = *unknown < EACH_UNKNOWN_MAX && answers->unknown_all < all;

    if (*known >= EACH_MAX && !unknown_left) {
        return false; /* Whoever it is: a flood costs no look into the book. */
    }
    if (book_has(&core->book, &message->source)) {
        return take(known, EACH_MAX);
    }
    return unknown_left && take(unknown, EACH_UNKNOWN_MAX) && take(&answers->unknown_all, all);
}

void strangers_renew(struct core *core)
{
    core->strangers.round++;
    memset(core->strangers.answers, 0, sizeof core->strangers.answers);
}

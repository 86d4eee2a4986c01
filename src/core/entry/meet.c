#include "core/entry/meet.h"

#include "base/hash.h"
#include "base/text.h"
#include "core/state/outbox.h"

/* F3b: who asks at the slowest pace is heard in it several times. */
static uint64_t window_ms(const struct core *core)
{
    return 4 * core->timing.retry_ms_max;
}

static bool is_lately(const struct core *core, const struct met *met, uint64_t now_ms)
{
    return now_ms < met->heard_ms + window_ms(core);
}

static uint64_t name_hash(const char *name)
{
    return hash_finish(hash_bytes(HASH_START, name, text_length(name, NAME_BYTES_MAX)));
}

/* A node that comes back at another address, or under another name, is the same one. */
static bool is_same_node(const struct met *met, const struct member *joiner, uint64_t hash)
{
    return address_equal(&met->address, &joiner->address) || met->name_hash == hash;
}

/* One node may have two places, if it has taken the name of another that was met before. */
static void forget(struct meeting *meeting, const struct member *joiner)
{
    const uint64_t hash = name_hash(joiner->name);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < meeting->count; i++) {
        if (!is_same_node(&meeting->met[i], joiner, hash)) {
            meeting->met[kept++] = meeting->met[i];
        }
    }
    meeting->count = kept;
}

/* A new place, or that of the one unheard for longest. */
static struct met *new_place(struct meeting *meeting)
{
    struct met *oldest = &meeting->met[0];

    if (meeting->count < EXPECT_MAX) {
        return &meeting->met[meeting->count++];
    }
    for (uint32_t i = 1; i < meeting->count; i++) {
        if (meeting->met[i].heard_ms < oldest->heard_ms) {
            oldest = &meeting->met[i];
        }
    }
    return oldest;
}

static bool is_known(const struct core *core, const struct member *joiner)
{
    const struct meeting *meeting = &core->meeting;

    for (uint32_t i = 0; i < meeting->count; i++) {
        const struct met *met = &meeting->met[i];
        if (address_equal(&met->address, &joiner->address) && is_lately(core, met, core->now_ms)) {
            return true;
        }
    }
    return false;
}

void meet_reset(struct core *core)
{
    core->meeting.count = 0;
}

bool meet_joiner(struct core *core, const struct joiner *said)
{
    const struct member *joiner = &said->member;

    if (address_equal(&joiner->address, &core->life.self.address) ||
        text_equal(joiner->name, core->life.self.name)) {
        return false; /* I2: it and this node are never members together. */
    }
    const bool known = is_known(core, joiner);
    forget(&core->meeting, joiner);
    *new_place(&core->meeting) = (struct met){.address = joiner->address,
                                              .name_hash = name_hash(joiner->name),
                                              .heard_ms = core->now_ms,
                                              .may_found = said->may_found};
    return !known;
}

uint32_t meet_count(const struct core *core, uint64_t now_ms)
{
    const struct meeting *meeting = &core->meeting;
    uint32_t count = 1;

    for (uint32_t i = 0; i < meeting->count; i++) {
        count += is_lately(core, &meeting->met[i], now_ms);
    }
    return count;
}

static bool is_to_be_told(const struct core *core, const struct met *met,
                          const struct joiner *joiner)
{
    return met->may_found && is_lately(core, met, core->now_ms) &&
           !address_equal(&met->address, &joiner->member.address) &&
           !book_has_seed(&core->book, &met->address);
}

void meet_tell(struct core *core, const struct joiner *joiner)
{
    const struct meeting *meeting = &core->meeting;
    struct message *message = NULL;
    uint32_t told = 0;

    if (book_has_seed(&core->book, &joiner->member.address)) {
        return; /* All ask it themselves. */
    }
    for (uint32_t i = 0; i < meeting->count && told < VOTERS_MAX; i++) {
        if (!is_to_be_told(core, &meeting->met[i], joiner)) {
            continue;
        }
        message = message == NULL ? outbox_message(core, MESSAGE_JOIN) : message;
        if (message == NULL) {
            return;
        }
        joiner_copy(&message->joiner, joiner);
        message->joiner.hops = 1;
        outbox_send_to(core, message, NULL, &meeting->met[i].address);
        told++;
    }
}

bool meet_founder(const struct core *core, uint64_t now_ms)
{
    const struct meeting *meeting = &core->meeting;

    for (uint32_t i = 0; i < meeting->count; i++) {
        if (meeting->met[i].may_found && is_lately(core, &meeting->met[i], now_ms)) {
            return true;
        }
    }
    return false;
}

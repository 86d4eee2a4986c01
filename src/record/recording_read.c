#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "record/fields.h"
#include "record/recording.h"

const char *recording_error_text(enum recording_error error)
{
    switch (error) {
    case RECORDING_OK:
        return "ok";
    case RECORDING_TORN:
        return "ends in the midst of a record";
    case RECORDING_MAGIC:
        return "is not a recording";
    case RECORDING_OTHER:
        return "is of another version of the format";
    case RECORDING_DAMAGED:
        return "is damaged";
    }
    return "unknown";
}

/* A cursor for reading without checks in between: it keeps the first fault, and reads zero after
 * it. Loops have bounds of their own. */
struct cursor {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    enum recording_error error;
};

static void fail(struct cursor *cursor, enum recording_error error)
{
    if (cursor->error == RECORDING_OK) {
        cursor->error = error;
    }
}

/* Returns the next `length` bytes, or NULL. */
static const uint8_t *read_bytes(struct cursor *cursor, size_t length)
{
    if (cursor->error == RECORDING_OK && length > cursor->length - cursor->at) {
        fail(cursor, RECORDING_TORN);
    }
    if (cursor->error != RECORDING_OK) {
        return NULL;
    }
    cursor->at += length;
    return cursor->bytes + cursor->at - length;
}

static uint8_t read_byte(struct cursor *cursor)
{
    const uint8_t *byte = read_bytes(cursor, 1);

    return byte == NULL ? 0 : *byte;
}

/* Reads a number from `low` to `high`, in its shortest form. */
static uint64_t read_number(struct cursor *cursor, uint64_t low, uint64_t high)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = read_byte(cursor);
        const uint64_t bits = byte & 0x7f;
        number |= bits << shift;
        if (bits << shift >> shift != bits || (byte == 0 && shift > 0)) {
            break;
        }
        if (byte < 0x80) {
            if (number < low || number > high) {
                fail(cursor, RECORDING_DAMAGED);
            }
            return cursor->error == RECORDING_OK ? number : low;
        }
    }
    fail(cursor, RECORDING_DAMAGED);
    return low;
}

static uint64_t read_fixed(struct cursor *cursor)
{
    const uint8_t *bytes = read_bytes(cursor, 8);
    uint64_t bits = 0;

    for (unsigned i = 0; bytes != NULL && i < 8; i++) {
        bits |= (uint64_t)bytes[i] << (8 * i);
    }
    return bits;
}

/* Reads a text without zero bytes into `out`, which holds `length_max` bytes and a zero. */
static void read_text(struct cursor *cursor, char *out, size_t length_max)
{
    const size_t length = read_number(cursor, 0, length_max);
    const uint8_t *text = read_bytes(cursor, length);

    out[0] = '\0';
    if (text == NULL) {
        return;
    }
    if (length > 0 && memchr(text, 0, length) != NULL) {
        fail(cursor, RECORDING_DAMAGED);
        return;
    }
    memcpy(out, text, length);
    out[length] = '\0';
}

static struct address read_address(struct cursor *cursor)
{
    struct address address = {.family = read_byte(cursor)};
    size_t length = 0;

    if (address.family == 4) {
        length = 4;
    } else if (address.family == 6) {
        length = 16;
    } else if (address.family != 0) {
        fail(cursor, RECORDING_DAMAGED);
    }
    const uint8_t *bytes = read_bytes(cursor, length);
    if (bytes == NULL || length == 0) {
        return (struct address){.family = 0};
    }
    memcpy(address.bytes, bytes, length);
    address.port = (uint16_t)read_number(cursor, 0, UINT16_MAX);
    return address;
}

/* --- Start ----------------------------------------------------------------------------------- */

/* Names go into the log and on the screen: nothing but what a configuration lets pass. */
static void check_name(struct cursor *cursor, const char *name)
{
    static const char more[] = "._-";

    if (name[0] == '\0') {
        fail(cursor, RECORDING_DAMAGED);
    }
    for (const char *c = name; *c != '\0'; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        const bool digit = *c >= '0' && *c <= '9';
        if (!letter && !digit && memchr(more, *c, sizeof more - 1) == NULL) {
            fail(cursor, RECORDING_DAMAGED);
        }
    }
}

static void read_tags(struct cursor *cursor, struct tags *tags)
{
    const size_t length = read_number(cursor, 0, TAGS_BYTES_MAX);
    const uint8_t *text = read_bytes(cursor, length);

    if (text != NULL) {
        tags->length = (uint16_t)length;
        memcpy(tags->text, text, length);
    }
}

/* What they say is judged by the core, as what comes from a disk or a member is. */
static void read_rules(struct cursor *cursor, struct rules *rules)
{
    rules->guard.policy = (enum guard_policy)read_number(cursor, GUARD_NONE, GUARD_STRICT);
    rules->guard.count = (uint32_t)read_number(cursor, 0, UINT32_MAX);
    rules->profile = (enum profile)read_number(cursor, PROFILE_LOCAL, PROFILE_WAN);
    rules->heartbeat_ms = read_number(cursor, 0, UINT64_MAX);
    rules->lost_ms = read_number(cursor, 0, UINT64_MAX);
    rules->capacity = (uint32_t)read_number(cursor, 0, UINT32_MAX);
}

static void read_agreed(struct cursor *cursor, struct core_options *options)
{
    struct agreed *agreed = &options->agreed;

    agreed->number = read_number(cursor, 1, UINT64_MAX);
    agreed->origin = read_number(cursor, 0, UINT64_MAX);
    agreed->room = (uint32_t)read_number(cursor, 0, UINT32_MAX);
    agreed->joint = read_number(cursor, 0, 1) != 0;
    read_rules(cursor, &agreed->now);
    if (agreed->joint) {
        read_rules(cursor, &agreed->before);
    }
    read_rules(cursor, &options->started);
}

static void read_wish(struct cursor *cursor, struct rules_wish *wish)
{
    wish->number = read_number(cursor, 0, UINT64_MAX);
    wish->forget_failed = read_number(cursor, 0, 1) != 0;
    read_rules(cursor, &wish->rules);
}

/* Never 0: every one of them is a step that time has to take. */
static void read_timing(struct cursor *cursor, struct timing *timing)
{
    const struct timing_fields fields = timing_fields_of(timing);

    for (size_t i = 0; i < TIMING_FIELDS; i++) {
        *fields.at[i] = read_number(cursor, 1, UINT32_MAX);
    }
    timing->heartbeat_ms_longest = timing->heartbeat_ms; /* As the core sets them. */
    timing->lost_ms_shortest = timing->lost_ms;
}

static void read_strict(struct cursor *cursor, struct recording_start *start)
{
    struct voters *voters = &start->voters;

    voters->count = (uint8_t)read_number(cursor, 1, VOTERS_MAX);
    for (uint8_t i = 0; i < voters->count; i++) {
        read_text(cursor, voters->names[i], NAME_BYTES_MAX);
        check_name(cursor, voters->names[i]);
    }
    if (start->options.guard.policy != GUARD_STRICT ||
        start->options.guard.count != voters->count) {
        fail(cursor, RECORDING_DAMAGED);
    }
    start->options.voters = voters;
    start->options.voters_target = (uint8_t)read_number(cursor, 0, VOTERS_MAX);
    start->options.timing.lease_ms = read_number(cursor, 1, UINT32_MAX);
    start->options.timing.replace_ms = read_number(cursor, 1, UINT32_MAX);
    start->options.has_disk = read_number(cursor, 0, 1) != 0;
    start->options.record_damaged = read_number(cursor, 0, 1) != 0;
    start->record_length = read_number(cursor, 0, RECORDING_FRAME_BYTES_MAX);
    start->record = read_bytes(cursor, start->record_length);
}

static void read_options(struct cursor *cursor, struct recording_start *start, bool strict)
{
    struct core_options *options = &start->options;

    read_text(cursor, start->name, NAME_BYTES_MAX);
    check_name(cursor, start->name);
    options->name = start->name;
    options->address = read_address(cursor);
    read_tags(cursor, &start->tags);
    options->tags = &start->tags;
    options->guard.policy = (enum guard_policy)read_number(cursor, GUARD_NONE,
                                                           strict ? GUARD_STRICT : GUARD_MAJORITY);
    const bool counts = options->guard.policy != GUARD_NONE;
    options->guard.count = (uint32_t)read_number(cursor, counts, counts ? UINT32_MAX : 0);
    options->profile = (enum profile)read_number(cursor, PROFILE_LOCAL, PROFILE_WAN);
    options->watchers = (uint8_t)read_number(cursor, WATCHERS_LEAST, WATCHERS_MOST);
    options->fanout = (uint32_t)read_number(cursor, FANOUT_LEAST, FANOUT_MOST);
    read_timing(cursor, &options->timing);
    options->capacity = (uint32_t)read_number(cursor, 1, MEMBER_MAX);
    const uint64_t seeds = read_number(cursor, 0, (EXPECT_MAX << 1) + 1);
    options->has_seeds = (seeds & 1) != 0;
    options->expect = (uint32_t)(seeds >> 1);
    options->incarnation = read_number(cursor, 0, COUNTER_MAX);
    options->epoch_seen = read_number(cursor, 0, COUNTER_MAX);
    for (size_t i = 0; i < 4; i++) {
        options->random_seed[i] = read_fixed(cursor);
    }
    if (strict) {
        read_strict(cursor, start);
    }
}

enum recording_error recording_open(struct recording_reader *reader, const uint8_t *bytes,
                                    size_t length, struct recording_start *start)
{
    struct cursor cursor = {.bytes = bytes, .length = length};

    memset(start, 0, sizeof *start);
    const uint8_t *magic = read_bytes(&cursor, RECORDING_MAGIC_BYTES);
    if (magic == NULL || memcmp(magic, RECORDING_MAGIC_TEXT, RECORDING_MAGIC_BYTES) != 0) {
        return RECORDING_MAGIC;
    }
    uint64_t version = read_number(&cursor, 0, UINT64_MAX);
    const bool agreed = version > RECORDING_STRICT_VERSION + RECORDING_SPEAKING;
    version -= agreed ? RECORDING_AGREED : 0;
    const bool speaks_later = version > RECORDING_STRICT_VERSION;
    version -= speaks_later ? RECORDING_SPEAKING : 0;
    if (version != RECORDING_VERSION && version != RECORDING_STRICT_VERSION) {
        fail(&cursor, RECORDING_OTHER);
    }
    read_text(&cursor, start->program, RECORDING_PROGRAM_MAX);
    read_text(&cursor, start->cluster, NAME_BYTES_MAX);
    check_name(&cursor, start->cluster);
    start->now_ms = read_number(&cursor, 0, COUNTER_MAX);
    start->wall_ms = (int64_t)read_fixed(&cursor);
    read_options(&cursor, start, version == RECORDING_STRICT_VERSION);
    if (speaks_later) {
        start->options.versions.low = (uint8_t)read_number(&cursor, 0, VERSIONS_MAX - 1);
        start->options.versions.high = (uint8_t)read_number(&cursor, start->options.versions.low,
                                                            VERSIONS_MAX - 1);
    }
    if (agreed) {
        read_agreed(&cursor, &start->options);
    }
    *reader = (struct recording_reader){.bytes = bytes,
                                        .length = length,
                                        .at = cursor.at,
                                        .now_ms = start->now_ms,
                                        .hash = hash_bytes(HASH_START, bytes, cursor.at)};
    return cursor.error;
}

/* --- Records --------------------------------------------------------------------------------- */

static void read_message(struct cursor *cursor, struct record *record)
{
    record->event.type = EVENT_MESSAGE;
    record->source = read_address(cursor);
    record->frame_length = read_number(cursor, 0, RECORDING_FRAME_BYTES_MAX);
    record->frame = read_bytes(cursor, record->frame_length);
}

static void read_link(struct cursor *cursor, struct record *record)
{
    struct link_event *link = &record->event.link;
    const uint8_t *id = read_bytes(cursor, sizeof link->peer.bytes);

    record->event.type = EVENT_LINK;
    if (id != NULL) {
        memcpy(link->peer.bytes, id, sizeof link->peer.bytes);
    }
    link->news = (enum link_news)read_number(cursor, LINK_OPENED, LINK_KERNEL);
}

static void read_addresses(struct cursor *cursor, struct record *record)
{
    struct addresses_event *addresses = &record->event.addresses;

    record->event.type = EVENT_ADDRESSES;
    addresses->source = (enum address_source)read_number(cursor, ADDRESSES_SEEDS,
                                                         ADDRESSES_REMEMBERED);
    addresses->count = (uint32_t)read_number(cursor, 0, RECORDING_ADDRESSES_MAX);
    addresses->addresses = record->addresses;
    for (uint32_t i = 0; i < addresses->count; i++) {
        record->addresses[i] = read_address(cursor);
    }
}

static void read_synced(struct cursor *cursor, struct record *record)
{
    struct synced_event *synced = &record->event.synced;

    record->event.type = EVENT_SYNCED;
    synced->number = read_number(cursor, 0, COUNTER_MAX);
    synced->ok = read_number(cursor, 0, 1) != 0;
}

static void read_move(struct cursor *cursor, struct record *record)
{
    struct move *move = &record->event.move;

    record->event.type = EVENT_MOVE;
    move->kind = (enum move_kind)read_number(cursor, MOVE_TRANSFER, MOVE_FORGET);
    const uint8_t *id = read_bytes(cursor, sizeof move->subject.bytes);
    if (id != NULL) {
        memcpy(move->subject.bytes, id, sizeof move->subject.bytes);
    }
}

static void check_need(struct cursor *cursor, const struct role_command *role)
{
    const char *need = role->terms.need;

    if (role->wish != ROLE_CAMPAIGN ||
        !role_need_is_sound(need, text_length(need, ROLE_NEED_BYTES_MAX))) {
        fail(cursor, RECORDING_DAMAGED);
    }
}

static void read_role(struct cursor *cursor, struct record *record, bool has_need)
{
    struct role_command *role = &record->role;

    memset(role, 0, sizeof *role);
    record->event.type = EVENT_ROLE;
    record->event.role = role;
    role->wish = (enum role_wish)read_number(cursor, ROLE_CAMPAIGN, ROLE_OUTGROW);
    const uint8_t *id = read_bytes(cursor, sizeof role->request.bytes);
    if (id != NULL) {
        memcpy(role->request.bytes, id, sizeof role->request.bytes);
    }
    if (role->wish == ROLE_CAMPAIGN) {
        read_text(cursor, role->role, NAME_BYTES_MAX);
        check_name(cursor, role->role);
        role->terms.policy = (enum role_policy)read_number(cursor, ROLE_FIRST, ROLE_EACH);
        role->terms.holders = (uint32_t)read_number(cursor, 1, ROLE_HOLDERS_MAX);
        /* 2 and above: after so many milliseconds but one. */
        const uint64_t preempt = read_number(cursor, 0, ROLE_PREEMPT_AFTER_MS_MAX + 1);
        role->terms.preempt = preempt != 0;
        role->terms.preempt_after_ms = preempt > 1 ? (uint32_t)preempt - 1 : 0;
        role->priority = (uint32_t)read_number(cursor, 0, UINT32_MAX);
        role->grace_ms = read_number(cursor, 0, UINT32_MAX);
    }
    if (has_need) {
        read_text(cursor, role->terms.need, ROLE_NEED_BYTES_MAX);
        check_need(cursor, role);
    }
}

static void read_checkpoint(struct cursor *cursor, struct record *record, uint64_t hash)
{
    record->checkpoint.state = read_fixed(cursor);
    record->checkpoint.bytes = read_fixed(cursor);
    if (record->checkpoint.bytes != hash) {
        fail(cursor, RECORDING_DAMAGED);
    }
}

static void read_time(struct cursor *cursor, uint64_t *now_ms)
{
    *now_ms += read_number(cursor, 0, COUNTER_MAX - *now_ms);
}

static void read_record(struct cursor *cursor, struct record *record, uint64_t *now_ms,
                        uint64_t hash)
{
    switch (record->type) {
    case RECORD_TICK:
        read_time(cursor, now_ms);
        record->event.type = EVENT_TICK;
        break;
    case RECORD_MESSAGE:
        read_time(cursor, now_ms);
        read_message(cursor, record);
        break;
    case RECORD_LINK:
        read_time(cursor, now_ms);
        read_link(cursor, record);
        break;
    case RECORD_ADDRESSES:
        read_time(cursor, now_ms);
        read_addresses(cursor, record);
        break;
    case RECORD_LEAVE:
        read_time(cursor, now_ms);
        record->event.type = EVENT_LEAVE;
        break;
    case RECORD_SYNCED:
        read_time(cursor, now_ms);
        read_synced(cursor, record);
        break;
    case RECORD_MOVE:
        read_time(cursor, now_ms);
        read_move(cursor, record);
        break;
    case RECORD_WITHDRAWN:
        read_time(cursor, now_ms);
        record->event.type = EVENT_WITHDRAWN;
        break;
    case RECORD_GAP:
        read_time(cursor, now_ms);
        break;
    case RECORD_ROLE:
    case RECORD_ROLE_WITH_NEED:
        read_time(cursor, now_ms);
        read_role(cursor, record, record->type == RECORD_ROLE_WITH_NEED);
        break;
    case RECORD_TAGS:
        read_time(cursor, now_ms);
        record->event.type = EVENT_TAGS;
        record->event.tags = &record->tags;
        read_tags(cursor, &record->tags);
        break;
    case RECORD_TERMS:
        read_time(cursor, now_ms);
        record->event.type = EVENT_TERMS;
        record->event.wish = &record->wish;
        read_wish(cursor, &record->wish);
        break;
    case RECORD_CHECKPOINT:
        read_checkpoint(cursor, record, hash);
        break;
    case RECORD_END:
        record->end = (enum recording_end)read_number(cursor, RECORDING_CLOSED, RECORDING_FULL);
        if (cursor->at < cursor->length) {
            fail(cursor, RECORDING_DAMAGED); /* Nothing comes after the end. */
        }
        break;
    default:
        /* A host that lost its power may leave zeros where a record was to be. */
        fail(cursor, record->type == 0 ? RECORDING_TORN : RECORDING_DAMAGED);
        break;
    }
    record->event.now_ms = *now_ms;
}

bool recording_is_over(const struct recording_reader *reader)
{
    return reader->at == reader->length;
}

enum recording_error recording_next(struct recording_reader *reader, struct record *record)
{
    struct cursor cursor = {.bytes = reader->bytes, .length = reader->length, .at = reader->at};

    assert(!recording_is_over(reader));
    *record = (struct record){.at = reader->at};
    record->type = (enum record_type)read_byte(&cursor);
    read_record(&cursor, record, &reader->now_ms, reader->hash);
    if (cursor.error == RECORDING_OK) {
        reader->hash = hash_bytes(reader->hash, reader->bytes + reader->at, cursor.at - reader->at);
        reader->at = cursor.at;
    }
    return cursor.error;
}

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

/* Reads in a straight line: the first fault is kept, and what is read after it is zero. Loops have
 * bounds of their own. */
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

/* The next `length` bytes, or NULL. */
static const uint8_t *take(struct cursor *cursor, size_t length)
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

static uint8_t take_byte(struct cursor *cursor)
{
    const uint8_t *byte = take(cursor, 1);

    return byte == NULL ? 0 : *byte;
}

/* A number from `low` to `high`, in its shortest form. */
static uint64_t take_number(struct cursor *cursor, uint64_t low, uint64_t high)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = take_byte(cursor);
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

static uint64_t take_fixed(struct cursor *cursor)
{
    const uint8_t *bytes = take(cursor, 8);
    uint64_t bits = 0;

    for (unsigned i = 0; bytes != NULL && i < 8; i++) {
        bits |= (uint64_t)bytes[i] << (8 * i);
    }
    return bits;
}

/* Into `out`, which holds `length_max` bytes and a zero; no zero inside. */
static void take_text(struct cursor *cursor, char *out, size_t length_max)
{
    const size_t length = take_number(cursor, 0, length_max);
    const uint8_t *text = take(cursor, length);

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

static struct address take_address(struct cursor *cursor)
{
    struct address address = {.family = take_byte(cursor)};
    size_t length = 0;

    if (address.family == 4) {
        length = 4;
    } else if (address.family == 6) {
        length = 16;
    } else if (address.family != 0) {
        fail(cursor, RECORDING_DAMAGED);
    }
    const uint8_t *bytes = take(cursor, length);
    if (bytes == NULL || length == 0) {
        return (struct address){.family = 0};
    }
    memcpy(address.bytes, bytes, length);
    address.port = (uint16_t)take_number(cursor, 0, UINT16_MAX);
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

static void take_tags(struct cursor *cursor, struct tags *tags)
{
    const size_t length = take_number(cursor, 0, TAGS_BYTES_MAX);
    const uint8_t *text = take(cursor, length);

    if (text != NULL) {
        tags->length = (uint16_t)length;
        memcpy(tags->text, text, length);
    }
}

/* Never 0: every one of them is a step that time has to take. */
static void take_timing(struct cursor *cursor, struct timing *timing)
{
    const struct timing_fields fields = timing_fields_of(timing);

    for (size_t i = 0; i < TIMING_FIELDS; i++) {
        *fields.at[i] = take_number(cursor, 1, UINT32_MAX);
    }
}

static void take_options(struct cursor *cursor, struct recording_start *start)
{
    struct core_options *options = &start->options;

    take_text(cursor, start->name, NAME_BYTES_MAX);
    check_name(cursor, start->name);
    options->name = start->name;
    options->address = take_address(cursor);
    take_tags(cursor, &start->tags);
    options->tags = &start->tags;
    options->guard.policy = (enum guard_policy)take_number(cursor, GUARD_NONE, GUARD_MAJORITY);
    options->guard.count = (uint32_t)take_number(
        cursor, options->guard.policy == GUARD_NONE ? 0 : 1, UINT32_MAX);
    options->profile = (enum profile)take_number(cursor, PROFILE_LOCAL, PROFILE_WAN);
    take_timing(cursor, &options->timing);
    options->capacity = (uint32_t)take_number(cursor, 1, MEMBER_MAX);
    options->has_seeds = take_byte(cursor) != 0;
    options->incarnation = take_number(cursor, 0, COUNTER_MAX);
    options->epoch_seen = take_number(cursor, 0, COUNTER_MAX);
    for (size_t i = 0; i < 4; i++) {
        options->random_seed[i] = take_fixed(cursor);
    }
}

enum recording_error recording_open(struct recording_reader *reader, const uint8_t *bytes,
                                    size_t length, struct recording_start *start)
{
    struct cursor cursor = {.bytes = bytes, .length = length};

    memset(start, 0, sizeof *start);
    const uint8_t *magic = take(&cursor, RECORDING_MAGIC_BYTES);
    if (magic == NULL || memcmp(magic, RECORDING_MAGIC_TEXT, RECORDING_MAGIC_BYTES) != 0) {
        return RECORDING_MAGIC;
    }
    if (take_number(&cursor, 0, UINT64_MAX) != RECORDING_VERSION) {
        fail(&cursor, RECORDING_OTHER);
    }
    take_text(&cursor, start->program, RECORDING_PROGRAM_MAX);
    take_text(&cursor, start->cluster, NAME_BYTES_MAX);
    check_name(&cursor, start->cluster);
    start->now_ms = take_number(&cursor, 0, COUNTER_MAX);
    start->wall_ms = (int64_t)take_fixed(&cursor);
    take_options(&cursor, start);
    *reader = (struct recording_reader){.bytes = bytes,
                                        .length = length,
                                        .at = cursor.at,
                                        .now_ms = start->now_ms,
                                        .hash = hash_bytes(HASH_START, bytes, cursor.at)};
    return cursor.error;
}

/* --- Records --------------------------------------------------------------------------------- */

static void take_message(struct cursor *cursor, struct record *record)
{
    record->event.type = EVENT_MESSAGE;
    record->source = take_address(cursor);
    record->frame_length = take_number(cursor, 0, RECORDING_FRAME_BYTES_MAX);
    record->frame = take(cursor, record->frame_length);
}

static void take_link(struct cursor *cursor, struct record *record)
{
    struct link_event *link = &record->event.link;
    const uint8_t *id = take(cursor, sizeof link->peer.bytes);

    record->event.type = EVENT_LINK;
    if (id != NULL) {
        memcpy(link->peer.bytes, id, sizeof link->peer.bytes);
    }
    link->news = (enum link_news)take_number(cursor, LINK_OPENED, LINK_KERNEL);
}

static void take_addresses(struct cursor *cursor, struct record *record)
{
    struct addresses_event *addresses = &record->event.addresses;

    record->event.type = EVENT_ADDRESSES;
    addresses->source = (enum address_source)take_number(cursor, ADDRESSES_SEEDS,
                                                         ADDRESSES_REMEMBERED);
    addresses->count = (uint32_t)take_number(cursor, 0, RECORDING_ADDRESSES_MAX);
    addresses->addresses = record->addresses;
    for (uint32_t i = 0; i < addresses->count; i++) {
        record->addresses[i] = take_address(cursor);
    }
}

static void take_checkpoint(struct cursor *cursor, struct record *record, uint64_t hash)
{
    record->checkpoint.state = take_fixed(cursor);
    record->checkpoint.bytes = take_fixed(cursor);
    if (record->checkpoint.bytes != hash) {
        fail(cursor, RECORDING_DAMAGED);
    }
}

static void take_time(struct cursor *cursor, uint64_t *now_ms)
{
    *now_ms += take_number(cursor, 0, COUNTER_MAX - *now_ms);
}

static void take_record(struct cursor *cursor, struct record *record, uint64_t *now_ms,
                        uint64_t hash)
{
    switch (record->type) {
    case RECORD_TICK:
        take_time(cursor, now_ms);
        record->event.type = EVENT_TICK;
        break;
    case RECORD_MESSAGE:
        take_time(cursor, now_ms);
        take_message(cursor, record);
        break;
    case RECORD_LINK:
        take_time(cursor, now_ms);
        take_link(cursor, record);
        break;
    case RECORD_ADDRESSES:
        take_time(cursor, now_ms);
        take_addresses(cursor, record);
        break;
    case RECORD_LEAVE:
        take_time(cursor, now_ms);
        record->event.type = EVENT_LEAVE;
        break;
    case RECORD_CHECKPOINT:
        take_checkpoint(cursor, record, hash);
        break;
    case RECORD_END:
        record->end = (enum recording_end)take_number(cursor, RECORDING_CLOSED, RECORDING_FULL);
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
    record->type = (enum record_type)take_byte(&cursor);
    take_record(&cursor, record, &reader->now_ms, reader->hash);
    if (cursor.error == RECORDING_OK) {
        reader->hash = hash_bytes(reader->hash, reader->bytes + reader->at, cursor.at - reader->at);
        reader->at = cursor.at;
    }
    return cursor.error;
}

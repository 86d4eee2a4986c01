#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "record/fields.h"
#include "record/recording.h"

/* Appends to bytes that are known to suffice. */
struct writer {
    uint8_t *bytes;
    size_t length;
};

static void put_byte(struct writer *writer, uint8_t byte)
{
    writer->bytes[writer->length++] = byte;
}

static void put_bytes(struct writer *writer, const void *bytes, size_t length)
{
    if (length > 0) {
        memcpy(writer->bytes + writer->length, bytes, length);
        writer->length += length;
    }
}

static void put_number(struct writer *writer, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        put_byte(writer, (uint8_t)(number | 0x80));
    }
    put_byte(writer, (uint8_t)number);
}

/* Random bits gain nothing from the short form. */
static void put_fixed(struct writer *writer, uint64_t bits)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        put_byte(writer, (uint8_t)(bits >> shift));
    }
}

static void put_text(struct writer *writer, const char *text, size_t length_max)
{
    const size_t length = text_length(text, length_max + 1);

    assert(length <= length_max);
    put_number(writer, length);
    put_bytes(writer, text, length);
}

static void put_address(struct writer *writer, const struct address *address)
{
    put_byte(writer, address->family);
    if (address->family != 0) {
        put_bytes(writer, address->bytes, address->family == 4 ? 4 : 16);
        put_number(writer, address->port);
    }
}

static void put_rules(struct writer *writer, const struct rules *rules)
{
    put_number(writer, rules->guard.policy);
    put_number(writer, rules->guard.count);
    put_number(writer, rules->profile);
    put_number(writer, rules->heartbeat_ms);
    put_number(writer, rules->lost_ms);
    put_number(writer, rules->capacity);
}

static void put_agreed(struct writer *writer, const struct core_options *options)
{
    const struct agreed *agreed = &options->agreed;

    put_number(writer, agreed->number);
    put_number(writer, agreed->origin);
    put_number(writer, agreed->room);
    put_number(writer, agreed->joint);
    put_rules(writer, &agreed->now);
    if (agreed->joint) {
        put_rules(writer, &agreed->before);
    }
    put_rules(writer, &options->started);
}

static void put_tags(struct writer *writer, const struct tags *tags)
{
    put_number(writer, tags->length);
    put_bytes(writer, tags->text, tags->length);
}

/* What a node of another guard does not have. */
static void put_strict(struct writer *writer, const struct recording_start *start)
{
    const struct core_options *options = &start->options;
    const struct voters *voters = options->voters;

    put_number(writer, voters->count);
    for (uint8_t i = 0; i < voters->count; i++) {
        put_text(writer, voters->names[i], NAME_BYTES_MAX);
    }
    put_number(writer, options->voters_target);
    put_number(writer, options->timing.lease_ms);
    put_number(writer, options->timing.replace_ms);
    put_number(writer, options->has_disk ? 1 : 0);
    put_byte(writer, options->record_damaged);
    put_number(writer, start->record_length);
    put_bytes(writer, start->record, start->record_length);
}

/* --- Start ----------------------------------------------------------------------------------- */

size_t recording_start_bytes_max(const struct recording_start *start)
{
    return RECORDING_START_BYTES_MAX + start->record_length;
}

size_t recording_write_start(uint8_t *out, const struct recording_start *start)
{
    const struct core_options *options = &start->options;
    struct timing timing = options->timing;
    const struct timing_fields fields = timing_fields_of(&timing);
    const bool strict = options->guard.policy == GUARD_STRICT;
    const struct tags no_tags = {.length = 0};
    struct writer writer = {.bytes = out};

    put_bytes(&writer, RECORDING_MAGIC_TEXT, RECORDING_MAGIC_BYTES);
    put_number(&writer, (strict ? (uint64_t)RECORDING_STRICT_VERSION : RECORDING_VERSION) +
                            (options->versions.high > 0 ? (uint64_t)RECORDING_SPEAKING : 0) +
                            (options->agreed.number > 0 ? (uint64_t)RECORDING_AGREED : 0));
    put_text(&writer, start->program, RECORDING_PROGRAM_MAX);
    put_text(&writer, start->cluster, NAME_BYTES_MAX);
    put_number(&writer, start->now_ms);
    put_fixed(&writer, (uint64_t)start->wall_ms);
    put_text(&writer, options->name, NAME_BYTES_MAX);
    put_address(&writer, &options->address);
    put_tags(&writer, options->tags == NULL ? &no_tags : options->tags);
    put_number(&writer, options->guard.policy);
    put_number(&writer, options->guard.count);
    put_number(&writer, options->profile);
    put_number(&writer, options->watchers);
    put_number(&writer, options->fanout);
    for (size_t i = 0; i < TIMING_FIELDS; i++) {
        put_number(&writer, *fields.at[i]);
    }
    put_number(&writer, options->capacity);
    put_number(&writer, (options->has_seeds ? 1U : 0U) | options->expect << 1);
    put_number(&writer, options->incarnation);
    put_number(&writer, options->epoch_seen);
    for (size_t i = 0; i < 4; i++) {
        put_fixed(&writer, options->random_seed[i]);
    }
    if (strict) {
        put_strict(&writer, start);
    }
    if (options->versions.high > 0) {
        put_number(&writer, options->versions.low);
        put_number(&writer, options->versions.high);
    }
    if (options->agreed.number > 0) {
        put_agreed(&writer, options);
    }
    assert(writer.length <= recording_start_bytes_max(start));
    return writer.length;
}

/* --- Records --------------------------------------------------------------------------------- */

static bool needs_tag(const struct role_command *role)
{
    return role->wish == ROLE_CAMPAIGN && role->terms.need[0] != '\0';
}

static enum record_type type_of(const struct event *event)
{
    switch (event->type) {
    case EVENT_TICK:
        return RECORD_TICK;
    case EVENT_MESSAGE:
        return RECORD_MESSAGE;
    case EVENT_LINK:
        return RECORD_LINK;
    case EVENT_ADDRESSES:
        return RECORD_ADDRESSES;
    case EVENT_LEAVE:
        return RECORD_LEAVE;
    case EVENT_SYNCED:
        return RECORD_SYNCED;
    case EVENT_MOVE:
        return RECORD_MOVE;
    case EVENT_WITHDRAWN:
        return RECORD_WITHDRAWN;
    case EVENT_ROLE:
        return needs_tag(event->role) ? RECORD_ROLE_WITH_NEED : RECORD_ROLE;
    case EVENT_TAGS:
        return RECORD_TAGS;
    case EVENT_TERMS:
        return RECORD_TERMS;
    }
    assert(!"an event of no type");
    return RECORD_TICK;
}

size_t recording_input_bytes_max(const struct event *event, size_t frame_length)
{
    const size_t address_bytes_max = 1 + 16 + NUMBER_BYTES_MAX;

    if (event->type == EVENT_ADDRESSES) {
        return RECORDING_SMALL_BYTES_MAX + event->addresses.count * address_bytes_max;
    }
    if (event->type == EVENT_ROLE) {
        return RECORDING_SMALL_BYTES_MAX + sizeof *event->role;
    }
    if (event->type == EVENT_TERMS) {
        return RECORDING_SMALL_BYTES_MAX + sizeof *event->wish;
    }
    if (event->type == EVENT_TAGS) {
        return RECORDING_SMALL_BYTES_MAX + sizeof *event->tags;
    }
    return RECORDING_SMALL_BYTES_MAX + (event->type == EVENT_MESSAGE ? frame_length : 0);
}

static void put_role(struct writer *writer, const struct role_command *role)
{
    put_byte(writer, (uint8_t)role->wish);
    put_bytes(writer, role->request.bytes, sizeof role->request.bytes);
    if (role->wish == ROLE_CAMPAIGN) {
        put_text(writer, role->role, NAME_BYTES_MAX);
        put_byte(writer, (uint8_t)role->terms.policy);
        put_number(writer, role->terms.holders);
        put_number(writer, (uint64_t)role->terms.preempt + role->terms.preempt_after_ms);
        put_number(writer, role->priority);
        put_number(writer, role->grace_ms);
    }
    if (needs_tag(role)) {
        put_text(writer, role->terms.need, ROLE_NEED_BYTES_MAX);
    }
}

size_t recording_write_input(uint8_t *out, const struct event *event, uint64_t before_ms,
                             const uint8_t *frame, size_t frame_length)
{
    struct writer writer = {.bytes = out};

    assert(event->now_ms >= before_ms);
    put_byte(&writer, (uint8_t)type_of(event));
    put_number(&writer, event->now_ms - before_ms);
    switch (event->type) {
    case EVENT_TICK:
    case EVENT_LEAVE:
    case EVENT_WITHDRAWN:
        break;
    case EVENT_MESSAGE:
        assert(frame_length <= RECORDING_FRAME_BYTES_MAX);
        put_address(&writer, &event->message->source);
        put_number(&writer, frame_length);
        put_bytes(&writer, frame, frame_length);
        break;
    case EVENT_LINK:
        put_bytes(&writer, event->link.peer.bytes, sizeof event->link.peer.bytes);
        put_number(&writer, event->link.news);
        break;
    case EVENT_ADDRESSES:
        assert(event->addresses.count <= RECORDING_ADDRESSES_MAX);
        put_number(&writer, event->addresses.source);
        put_number(&writer, event->addresses.count);
        for (uint32_t i = 0; i < event->addresses.count; i++) {
            put_address(&writer, &event->addresses.addresses[i]);
        }
        break;
    case EVENT_SYNCED:
        put_number(&writer, event->synced.number);
        put_byte(&writer, event->synced.ok);
        break;
    case EVENT_MOVE:
        put_byte(&writer, (uint8_t)event->move.kind);
        put_bytes(&writer, event->move.subject.bytes, sizeof event->move.subject.bytes);
        break;
    case EVENT_ROLE:
        put_role(&writer, event->role);
        break;
    case EVENT_TAGS:
        put_tags(&writer, event->tags);
        break;
    case EVENT_TERMS:
        put_number(&writer, event->wish->number);
        put_number(&writer, event->wish->forget_failed);
        put_rules(&writer, &event->wish->rules);
        break;
    }
    return writer.length;
}

size_t recording_write_gap(uint8_t *out, uint64_t since_start_ms)
{
    struct writer writer = {.bytes = out};

    put_byte(&writer, RECORD_GAP);
    put_number(&writer, since_start_ms);
    return writer.length;
}

size_t recording_write_checkpoint(uint8_t *out, const struct checkpoint *checkpoint)
{
    struct writer writer = {.bytes = out};

    put_byte(&writer, RECORD_CHECKPOINT);
    put_fixed(&writer, checkpoint->state);
    put_fixed(&writer, checkpoint->bytes);
    return writer.length;
}

size_t recording_write_end(uint8_t *out, enum recording_end end)
{
    struct writer writer = {.bytes = out};

    put_byte(&writer, RECORD_END);
    put_byte(&writer, (uint8_t)end);
    return writer.length;
}

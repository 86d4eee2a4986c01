/* Throws bytes at the decoder. It must survive them, and what it accepts must encode to the same
 * bytes again: a message has one form only, so nothing is read that is not accounted for. But for a
 * change of a view, which may have several.
 *
 * With libFuzzer, LLVMFuzzerTestOneInput is all there is; else standalone.c has a main. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/beat_frame.h"
#include "proto/election_frame.h"
#include "proto/own_frame.h"
#include "proto/partition_frame.h"
#include "proto/user_message.h"
#include "proto/wire.h"

enum { CAPACITY = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The view that changes are of: three members, and one that is gone. */
static void make_base(struct view *base)
{
    const struct gone why = {.reason = GONE_FAILED, .verdict = VERDICT_LOST, .silent_ms = 900};

    view_clear(base);
    base->lineage = 0x1234567812345678;
    base->epoch = 1;
    base->version = 5;
    base->cause = CAUSE_CHANGE;
    for (uint8_t i = 1; i <= 4; i++) {
        const struct member member = {.id = {.bytes = {i}},
                                      .address = {.bytes = {10, 0, 0, i}, .port = 1, .family = 4},
                                      .name = {(char)('a' + i)}};
        view_append(base, &member);
    }
    view_remove(base, 1, &why);
    view_seal(base);
}

/* A beat becomes a heartbeat that the codec takes, and that is the same beat again. */
static void check_beat(struct wire *wire, const struct view *base, const uint8_t *bytes,
                       size_t length)
{
    const struct view_id id = view_id_of(base);
    const struct node_id to = base->members[1].id;
    struct beat_view view;
    struct beat beat;
    struct message message;
    struct message read;
    uint8_t again[BEAT_BYTES_MAX];

    if (!beat_is(bytes, length) || !beat_read(bytes, length, &beat)) {
        return;
    }
    beat_view_set(&view, &id, base->hash);
    beat_message(&beat, &view, &base->members[0].id, &to, &message);
    const struct wire_copy copy = {
        .to = &to, .flags = WIRE_FELLOW, .echo = beat.echo, .version = beat.version};
    size_t frame_length;
    const uint8_t *frame = wire_encode(wire, &message, &copy, &frame_length);
    assert(wire_decode(wire, frame, frame_length, &read) == WIRE_OK);
    assert(beat_can_say(&read) && id_equal(&read.to, &to) && read.echo == beat.echo);
    assert(beat_write(&read, &view, read.echo, beat.version, again) == length);
    assert(memcmp(again, bytes, 2) == 0 && memcmp(again + 6, bytes + 6, 6) == 0);
    assert(memcmp(again + 14, bytes + 14, length - BEAT_TAG_BYTES - 14) == 0);
}

static void check_user(struct wire *wire, const uint8_t *bytes, size_t length)
{
    struct user_message message;
    uint8_t again[USER_FRAME_BYTES_MAX];

    if (!user_message_is(bytes, length) ||
        user_message_decode(wire, bytes, length, &message) != WIRE_OK) {
        return;
    }
    assert(user_message_encode(wire, &message, again) == length);
    assert(memcmp(again, bytes, length) == 0);
}

static void check_election(struct wire *wire, const uint8_t *bytes, size_t length)
{
    struct election_frame frame;
    uint8_t again[ELECTION_FRAME_BYTES_MAX];

    if (!election_frame_is(bytes, length) ||
        election_frame_decode(wire, bytes, length, &frame) != WIRE_OK) {
        return;
    }
    assert(election_frame_encode(wire, &frame, again) == length);
    assert(memcmp(again, bytes, length) == 0);
}

static void check_partitions(struct wire *wire, const uint8_t *bytes, size_t length)
{
    struct partition_message message;
    uint8_t again[PARTITION_FRAME_BYTES_MAX];

    if (!partition_frame_is(bytes, length) ||
        partition_frame_decode(wire, bytes, length, &message) != WIRE_OK) {
        return;
    }
    assert(partition_frame_encode(wire, &message, again) == length);
    assert(memcmp(again, bytes, length) == 0);
}

static void check_owners(struct wire *wire, const uint8_t *bytes, size_t length)
{
    struct own_message message;
    uint8_t again[OWN_FRAME_BYTES_MAX];

    if (!own_frame_is(bytes, length) ||
        own_frame_decode(wire, bytes, length, &message) != WIRE_OK) {
        return;
    }
    assert(own_frame_encode(wire, &message, again) == length);
    assert(memcmp(again, bytes, length) == 0);
}

static void check(struct wire *wire, const uint8_t *bytes, size_t length)
{
    struct message message;
    size_t length_again;

    check_user(wire, bytes, length);
    check_election(wire, bytes, length);
    check_partitions(wire, bytes, length);
    check_owners(wire, bytes, length);
    memset(&message, 0, sizeof message);
    const uint64_t skipped = wire_skipped(wire);
    if (wire_decode(wire, bytes, length, &message) != WIRE_OK) {
        return;
    }
    if (wire_skipped(wire) != skipped) {
        return; /* What a later version added is not kept. */
    }
    const unsigned flags = (message.fellow ? WIRE_FELLOW : 0U) | (message.relay ? WIRE_RELAY : 0U) |
                           (message.handed_on ? WIRE_HANDED_ON : 0U);
    const uint8_t *again = wire_encode(
        wire, &message,
        &(struct wire_copy){
            .to = &message.to, .flags = flags, .echo = message.echo, .version = bytes[3] >> 4},
        &length_again);
    if (length_again == length && memcmp(again, bytes, length) == 0) {
        return;
    }
    assert(message_view(&message) != NULL && message.type == MESSAGE_PREPARE);
}

/* Checks the bytes as they are, and once more behind a header that is in order, so that the
 * fuzzer need not learn the hash of the cluster's name before it meets the rest. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct message pull = {.type = MESSAGE_PULL, .from = {.bytes = {1}}};
    struct wire *wire = wire_new("doyen", CAPACITY);
    uint8_t *copy = malloc(size + WIRE_HEADER_BYTES);
    void *storage = malloc(view_bytes(CAPACITY));
    struct view base;
    size_t length;

    assert(wire != NULL && copy != NULL && storage != NULL);
    view_init(&base, CAPACITY, storage);
    make_base(&base);
    wire_set_bases(wire, &base, NULL);
    check_beat(wire, &base, data, size);
    check(wire, data, size);

    memcpy(copy, wire_encode(wire, &pull, &(struct wire_copy){.to = NULL, .flags = 0}, &length),
           WIRE_HEADER_BYTES);
    if (size > WIRE_HEADER_BYTES) {
        memcpy(copy + WIRE_HEADER_BYTES, data + WIRE_HEADER_BYTES, size - WIRE_HEADER_BYTES);
        check(wire, copy, size);
    }
    free(copy);
    wire_free(wire);
    free(storage);
    return 0;
}

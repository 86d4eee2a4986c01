/* The bounds of the codec: what is as long as it may be arrives, and what is longer does not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire_bench.h"
#include "wire_same.h"

TestSuite(wire_bounds, .init = wire_bench_begin, .fini = wire_bench_end);

static struct view_id longest_view_id(void)
{
    struct view_id id = {.lineage = UINT64_MAX, .epoch = UINT64_MAX, .version = UINT64_MAX};

    memset(id.coordinator.bytes, 'c', sizeof id.coordinator.bytes);
    return id;
}

/* A view of `count` members and `gone_count` former ones, each field as long as it may be. */
static void fill_view(struct view *view, uint32_t count, uint32_t gone_count)
{
    struct member member = samples->settled.members[0];
    struct tags tags = {.length = TAGS_BYTES_MAX};
    struct gone gone = samples->settled.gone[1];

    memset(member.name, 'm', NAME_BYTES_MAX);
    memset(tags.text, 't', TAGS_BYTES_MAX);
    memcpy(tags.text, "k=", 2);
    tags.text[TAGS_BYTES_MAX - 1] = '\0';
    member.tags = &tags;
    member.address.family = 6;
    member.incarnation = UINT64_MAX;
    member.versions.high = VERSIONS_MAX - 1;
    memcpy(gone.name, member.name, sizeof gone.name);
    gone.address = member.address;
    gone.age = UINT64_MAX;
    gone.silent_ms = UINT32_MAX;
    gone.accuser_count = ACCUSERS_MAX;
    for (unsigned i = 0; i < ACCUSERS_MAX; i++) {
        gone.accusers[i] = UINT64_MAX;
    }

    view_clear(view);
    view->lineage = view->epoch = view->version = view->next_age = view->hash = UINT64_MAX;
    view->parent = view->merged = longest_view_id();
    view->agreed.number = view->agreed.origin = UINT64_MAX;
    view->agreed.room = MEMBER_MAX;
    view->agreed.joint = true;
    view->agreed.now = (struct rules){
        {GUARD_MAJORITY, UINT32_MAX}, PROFILE_WAN, UINT32_MAX, UINT32_MAX, MEMBER_MAX};
    view->agreed.before = view->agreed.now;
    view->voters.number = UINT64_MAX;
    view->voters.count = VOTERS_LISTED_MAX;
    for (uint8_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        struct listed_voter *voter = &view->voters.voters[i];
        memcpy(voter->name, member.name, sizeof voter->name);
        voter->address = member.address;
        voter->record.bytes[0] = i + 1;
        voter->now = true;
    }
    view->member_count = count;
    view->gone_count = gone_count;
    for (uint32_t i = 0; i < count; i++) {
        member.drained = true;
        member.age = UINT64_MAX - count + i;
        view_put(view, i, &member);
    }
    for (uint32_t i = 0; i < gone_count; i++) {
        view->gone[i] = gone;
    }
}

static struct view *view_of_capacity(uint32_t capacity, struct view *view, void **storage)
{
    *storage = malloc(view_bytes(capacity));
    cr_assert_not_null(*storage);
    view_init(view, capacity, *storage);
    return view;
}

/* The longest message there is, a MERGE, fills the buffer to the last byte. */
static void check_full_view(uint32_t capacity)
{
    struct wire *codec = wire_new(SAMPLE_CLUSTER, capacity);
    struct message message = samples_find(samples, "merge")->message;
    struct probe *part = &message.carrier.part;
    struct message got;
    struct view view;
    void *storage;
    size_t length;

    cr_assert_not_null(codec);
    fill_view(view_of_capacity(capacity, &view, &storage), capacity, GONE_MAX);
    message.carrier.view = &view;
    message.carrier.merge = UINT64_MAX;
    message.number = UINT64_MAX;
    part->view = longest_view_id();
    part->view_hash = part->oldest_age = UINT64_MAX;
    part->holders = MEMBER_MAX;
    part->terms.guard = (struct guard){.policy = GUARD_STRICT, .count = VOTERS_MAX};
    part->terms.voters.count = VOTERS_MAX;
    for (uint8_t i = 0; i < VOTERS_MAX; i++) {
        memset(part->terms.voters.names[i], 'v', NAME_BYTES_MAX);
    }
    part->terms.watchers = WATCHERS_MOST;
    part->terms.number = part->terms.origin = UINT64_MAX;
    part->terms.room = MEMBER_MAX;
    part->terms.heartbeat_ms = part->terms.lost_ms = UINT32_MAX;
    part->terms.capacity = MEMBER_MAX;
    part->coordinator.family = 6;
    part->seed_count = PROBE_SEEDS_MAX;
    for (uint8_t i = 0; i < PROBE_SEEDS_MAX; i++) {
        part->seeds[i] = part->coordinator;
    }
    const uint8_t *frame = wire_encode(
        codec, &message, &(struct wire_copy){.to = &message.from, .flags = WIRE_FELLOW}, &length);

    cr_assert_eq(wire_frame_bytes_max(codec), 40869 + 640 * (size_t)capacity, "as wire.md says");
    /* Lists below 16 and below 65536 items have heads of 1 and 3 bytes. */
    cr_assert_eq(length, wire_frame_bytes_max(codec) - (capacity < 16 ? 2 : 0));
    memset(&got, 0, sizeof got);
    cr_assert_eq(wire_decode_copy(codec, frame, length, &got), WIRE_OK);
    cr_assert(wire_same_body(&got, &message));
    wire_free(codec);
    free(storage);
}

Test(wire_bounds, a_view_with_everything_at_its_bound_arrives)
{
    check_full_view(1);
    check_full_view(SAMPLE_CAPACITY);
    check_full_view(MEMBER_MAX);
}

Test(wire_bounds, a_view_keeps_its_soundness)
{
    struct wire *codec = wire_new(SAMPLE_CLUSTER, MEMBER_MAX);
    struct message message = samples_find(samples, "view")->message;
    struct message got;
    struct view view;
    void *storage;
    size_t length;

    view_of_capacity(MEMBER_MAX, &view, &storage);
    view_clear(&view);
    view.epoch = view.version = 1;
    for (unsigned i = 0; i < MEMBER_MAX; i++) {
        struct member member = samples->settled.members[i % 3];
        memcpy(member.id.bytes, &i, sizeof i);
        snprintf(member.name, sizeof member.name, "node%u", i);
        view_append(&view, &member);
    }
    view_seal(&view);
    message.carrier.view = &view;
    const uint8_t *frame = wire_encode(
        codec, &message, &(struct wire_copy){.to = NULL, .flags = WIRE_FELLOW}, &length);

    memset(&got, 0, sizeof got);
    cr_assert_eq(wire_decode_copy(codec, frame, length, &got), WIRE_OK);
    cr_assert(view_is_sound(got.carrier.view));
    cr_assert(wire_same_view(got.carrier.view, &view));
    free(storage);
    wire_free(codec);
}

Test(wire_bounds, a_view_of_more_members_than_the_capacity_is_refused)
{
    struct wire *large = wire_new(SAMPLE_CLUSTER, SAMPLE_CAPACITY + 1);
    struct message message = samples_find(samples, "view")->message;
    struct view view;
    void *storage;
    size_t length;

    view_of_capacity(SAMPLE_CAPACITY + 1, &view, &storage);
    fill_view(&view, SAMPLE_CAPACITY + 1, 0);
    message.carrier.view = &view;
    const uint8_t *frame = wire_encode(
        large, &message, &(struct wire_copy){.to = NULL, .flags = WIRE_FELLOW}, &length);
    cr_assert(length < wire_frame_bytes_max(wire));
    cr_assert_eq(wire_reads(frame, length), WIRE_BOUND);

    fill_view(&view, SAMPLE_CAPACITY, 0);
    frame = wire_encode(large, &message, &(struct wire_copy){.to = NULL, .flags = WIRE_FELLOW},
                        &length);
    cr_assert_eq(wire_reads(frame, length), WIRE_OK);
    wire_free(large);
    free(storage);
}

Test(wire_bounds, a_frame_longer_than_the_longest_is_refused)
{
    const size_t longest = wire_frame_bytes_max(wire);

    cr_assert(longest < VECTOR_BYTES_MAX);
    vector_of_sample(vector, wire, samples_find(samples, "pull"));
    cr_assert_eq(wire_reads(vector->bytes, longest), WIRE_TRAILING);
    cr_assert_eq(wire_reads(vector->bytes, longest + 1), WIRE_BOUND);
}

Test(wire_bounds, one_former_member_too_many_is_refused)
{
    static const uint8_t head[] = {0xdc, 0x01, 0x01}; /* of a list of 257 */
    struct sample sample = *samples_find(samples, "view-founder");
    struct view view;
    void *storage;

    view_of_capacity(SAMPLE_CAPACITY, &view, &storage);
    fill_view(&view, 1, GONE_MAX);
    sample.message.carrier.view = &view;
    vector_of_sample(vector, wire, &sample);
    cr_assert_eq(wire_reads(vector->bytes, vector->length), WIRE_OK);
    vector_edit(vector, EDIT_TOKENS, 33, 1, head, sizeof head);
    cr_assert_eq(wire_reads(vector->bytes, vector->length), WIRE_BOUND);
    free(storage);
}

Test(wire_bounds, one_byte_of_tags_too_many_is_refused)
{
    uint8_t tags[3 + TAGS_BYTES_MAX + 1] = {0xc5};

    for (unsigned length = TAGS_BYTES_MAX; length <= TAGS_BYTES_MAX + 1; length++) {
        tags[1] = (uint8_t)(length >> 8);
        tags[2] = (uint8_t)(length & 0xff);
        memset(tags + 3, 'v', length);
        tags[4] = '=';
        tags[3 + length - 1] = '\0';
        vector_of_sample(vector, wire, samples_find(samples, "view-founder"));
        vector_edit(vector, EDIT_TOKENS, 29, 1, tags, 3 + length);
        cr_assert_eq(wire_reads(vector->bytes, vector->length),
                     length <= TAGS_BYTES_MAX ? WIRE_OK : WIRE_BOUND);
    }
}

Test(wire_bounds, the_longest_name_is_taken)
{
    uint8_t name[2 + NAME_BYTES_MAX] = {0xd9, NAME_BYTES_MAX};
    struct message got;

    memset(name + 2, 'n', NAME_BYTES_MAX);
    vector_of_sample(vector, wire, samples_find(samples, "view-founder"));
    vector_edit(vector, EDIT_TOKENS, 28, 1, name, sizeof name);
    memset(&got, 0, sizeof got);
    cr_assert_eq(wire_decode_copy(wire, vector->bytes, vector->length, &got), WIRE_OK);
    cr_assert_eq(strlen(got.carrier.view->members[0].name), NAME_BYTES_MAX);
}

/* A view as a change of another one: exact for all pairs of views, and nothing else than the view
 * that it announces is ever read (U3b). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "proto/wire.h"
#include "wire_vectors.h"

enum { CAPACITY = 64, MEMBERS = 40, PAIRS = 3000 };

static const struct node_id sender = {.bytes = {1, 2, 3}};
static const struct node_id receiver = {.bytes = {4, 5, 6}};

static struct wire *wire;
static struct wire *other; /* of a node that holds other views, or none */
static struct view base;
static struct view next;
static struct view kept;
static struct random chance;

static void make_view(struct view *view)
{
    void *storage = calloc(1, view_bytes(CAPACITY));

    cr_assert_not_null(storage);
    view_init(view, CAPACITY, storage);
}

static void setup(void)
{
    wire = wire_new(SAMPLE_CLUSTER, CAPACITY);
    other = wire_new(SAMPLE_CLUSTER, CAPACITY);
    cr_assert(wire != NULL && other != NULL);
    make_view(&base);
    make_view(&next);
    make_view(&kept);
    wire_set_bases(wire, &base, NULL);
    wire_set_bases(other, &base, NULL);
    random_seed(&chance, 5);
}

TestSuite(wire_change, .init = setup);

static uint32_t draw(uint32_t below)
{
    return (uint32_t)random_below(&chance, below);
}

static struct member new_member(unsigned number)
{
    struct member member = {.address = {.bytes = {10, 0, (uint8_t)(number >> 8), (uint8_t)number},
                                        .port = 7420,
                                        .family = 4},
                            .incarnation = number % 3};

    memcpy(member.id.bytes, &number, sizeof number);
    member.id.bytes[15] = 1;
    snprintf(member.name, sizeof member.name, "node%u", number);
    return member;
}

/* A view of so many, under the first ids. */
static void fill(struct view *view, unsigned members)
{
    view_clear(view);
    view->lineage = 0x1234567812345678;
    view->epoch = 3;
    view->version = 17;
    view->cause = CAUSE_CHANGE;
    for (unsigned i = 0; i < members; i++) {
        const struct member member = new_member(i);
        view_append(view, &member);
    }
    view_seal(view);
}

/* The next view of `base`, as yet unchanged. */
static void follow(void)
{
    view_copy(&next, &base);
    next.version++;
    next.parent = view_id_of(&base);
}

static void remove_at(uint32_t position)
{
    const struct gone why = {.reason = GONE_FAILED,
                             .verdict = VERDICT_LOST,
                             .silent_ms = 900,
                             .accuser_count = 1,
                             .accusers = {7}};
    view_remove(&next, position, &why);
}

static struct message carrying(enum message_type type, struct view *view)
{
    struct message message = {.type = type, .from = sender, .number = 9};

    message.carrier.view = view;
    message.carrier.epoch = type == MESSAGE_CLAIM ? view->epoch + 1 : 0;
    return message;
}

static const uint8_t *encode(const struct message *message, bool brief, size_t *length)
{
    return wire_encode(wire, message,
                       &(struct wire_copy){.to = &receiver, .flags = WIRE_FELLOW, .brief = brief},
                       length);
}

/* Both views say the same, to the last field: their whole forms do. */
static void check_same(struct view *read, struct view *sent)
{
    const struct message a = carrying(MESSAGE_PREPARE, read);
    const struct message b = carrying(MESSAGE_PREPARE, sent);
    size_t length_a;
    size_t length_b;
    const uint8_t *whole = wire_encode(wire, &a, &(struct wire_copy){.to = &receiver}, &length_a);
    const uint8_t *expected = wire_encode(other, &b, &(struct wire_copy){.to = &receiver},
                                          &length_b);

    cr_assert_eq(length_a, length_b);
    cr_assert_eq(memcmp(whole, expected, length_a), 0);
}

/* Sends `next` as a change of `base`. Returns the length of the frame. */
static size_t check_arrives(enum message_type type)
{
    const struct message message = carrying(type, &next);
    struct message got = {.type = MESSAGE_PULL};
    size_t length;
    const uint8_t *frame = encode(&message, true, &length);

    cr_assert_eq(wire_decode(wire, frame, length, &got), WIRE_OK);
    cr_assert_eq(got.type, type);
    cr_assert(id_equal(&got.to, &receiver));
    cr_assert(got.fellow);
    cr_assert_eq(got.carrier.epoch, message.carrier.epoch);
    view_copy(&kept, got.carrier.view);
    cr_assert(view_is_sound(&kept) || !view_is_sound(&next));
    check_same(&kept, &next);
    return length;
}

static size_t brief_bytes(struct view *view)
{
    const struct message message = carrying(MESSAGE_PREPARE, view);

    return wire_brief_bytes(wire, &message);
}

/* --- Every change there is --- */

Test(wire_change, a_claim_names_the_view)
{
    struct message got = {.type = MESSAGE_PULL};
    size_t length;

    fill(&base, MEMBERS);
    const struct message message = carrying(MESSAGE_CLAIM, &base);
    const uint8_t *frame = encode(&message, true, &length);
    cr_assert_leq(length, 200);
    wire_set_bases(other, NULL, NULL); /* Whether its receiver holds the view or not. */
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_OK);
    cr_assert_null(got.carrier.view);
    cr_assert(view_is_named(&base, &got.carrier.named));
    cr_assert_eq(got.carrier.epoch, message.carrier.epoch);
}

Test(wire_change, one_of_a_hundred_that_goes_is_one_small_datagram)
{
    fill(&base, CAPACITY);
    follow();
    remove_at(37);
    view_seal(&next);
    cr_assert_leq(check_arrives(MESSAGE_PREPARE), 300);
    cr_assert_leq(check_arrives(MESSAGE_VOTE), 300);
}

Test(wire_change, who_moves_and_who_gets_other_tags_arrives_whole)
{
    fill(&base, MEMBERS);
    follow();
    view_put_behind(&next, 3);
    next.members[5].drained = true;
    view_put_drained_behind(&next);
    view_set_tags(&next, 9, &(struct tags){.length = 8, .text = "role=db"});
    next.members[11].incarnation++;
    next.members[12].address.port++;
    view_seal(&next);
    check_arrives(MESSAGE_PREPARE);
    cr_assert_gt(brief_bytes(&next), 0);
}

static void name_voters(struct view *view, uint8_t count, uint64_t number)
{
    view->voters.number = number;
    view->voters.count = count;
    for (uint8_t i = 0; i < count; i++) {
        const struct member member = new_member(i);
        struct listed_voter *voter = &view->voters.voters[i];
        *voter = (struct listed_voter){.record = member.id, .address = member.address, .now = true};
        memcpy(voter->name, member.name, sizeof voter->name);
        voter->record.bytes[15] = 2;
    }
}

/* Z10a: they are not said again where they are those of the base. */
Test(wire_change, the_voters_are_said_where_they_change)
{
    fill(&base, MEMBERS);
    follow();
    name_voters(&next, 5, 1);
    view_seal(&next);
    const size_t first = check_arrives(MESSAGE_PREPARE);

    name_voters(&base, 5, 1);
    view_seal(&base);
    follow();
    view_seal(&next);
    const size_t same = check_arrives(MESSAGE_PREPARE);
    cr_assert_leq(same + 5 * sizeof(struct node_id), first);

    name_voters(&next, 6, 2);
    next.voters.voters[0].before = true;
    next.voters.voters[0].now = false;
    view_seal(&next);
    cr_assert_gt(check_arrives(MESSAGE_PREPARE), first);
}

static void change_at_random(void)
{
    for (uint32_t i = draw(5); i > 0; i--) {
        const uint32_t at = draw(next.member_count);
        switch (draw(8)) {
        case 0:
            if (next.member_count > 1) {
                remove_at(at);
            }
            break;
        case 1:
            if (next.member_count < CAPACITY) {
                const struct member joiner = new_member(1000 + draw(1000000));
                view_append(&next, &joiner);
            }
            break;
        case 2:
            view_put_behind(&next, draw(4) % next.member_count);
            break;
        case 3:
            next.members[at].drained = !next.members[at].drained;
            view_put_drained_behind(&next);
            break;
        case 4:
            view_set_tags(&next, at,
                          &(struct tags){.length = 4 * (uint16_t)draw(2), .text = "a=b"});
            break;
        case 5:
            if (next.gone_count > 0) {
                next.gone[draw(next.gone_count)].silent_ms++;
            }
            break;
        case 6:
            next.epoch += draw(3);
            next.parent.version += draw(2);
            break;
        default:
            next.merged = view_id_of(&next);
            next.cause = CAUSE_MERGE;
            break;
        }
    }
}

Test(wire_change, any_view_is_a_change_of_any_other)
{
    unsigned brief = 0;

    fill(&base, 1);
    for (unsigned i = 0; i < PAIRS; i++) {
        follow();
        change_at_random();
        view_seal(&next);
        brief += brief_bytes(&next) > 0;
        check_arrives(MESSAGE_PREPARE);
        if (i % 2 == 0) {
            view_copy(&base, &next);
        }
        if (base.member_count < 4 || i % 97 == 0) {
            fill(&base, 1 + draw(CAPACITY));
        }
    }
    cr_assert_gt(brief, PAIRS / 2);
}

/* --- When the view goes out whole --- */

Test(wire_change, what_is_long_goes_out_whole)
{
    fill(&base, 4);
    follow();
    for (unsigned i = 100; i < 140; i++) {
        const struct member joiner = new_member(i);
        view_append(&next, &joiner);
    }
    view_seal(&next);
    cr_assert_eq(brief_bytes(&next), 0);
    cr_assert_gt(check_arrives(MESSAGE_PREPARE), CHANGE_FRAME_BYTES_MAX);
    for (unsigned i = 0; i < 500; i++) { /* The limit is met at each byte. */
        follow();
        for (unsigned k = draw(30); k > 0; k--) {
            struct member joiner = new_member(1000 + k);
            struct tags tags = {.length = (uint16_t)draw(100)};
            memset(tags.text, 'x', tags.length);
            if (tags.length >= 3) {
                tags.text[1] = '=';
                tags.text[tags.length - 1] = '\0';
                joiner.tags = &tags;
            }
            view_append(&next, &joiner);
        }
        view_seal(&next);
        cr_assert_leq(brief_bytes(&next), CHANGE_FRAME_BYTES_MAX);
        check_arrives(MESSAGE_PREPARE);
    }
}

Test(wire_change, without_a_base_or_of_another_lineage_it_goes_out_whole)
{
    fill(&base, MEMBERS);
    follow();
    next.lineage++;
    view_seal(&next);
    cr_assert_eq(brief_bytes(&next), 0);
    check_arrives(MESSAGE_PREPARE);

    follow();
    view_seal(&next);
    cr_assert_gt(brief_bytes(&next), 0);
    wire_set_bases(wire, NULL, NULL);
    cr_assert_eq(brief_bytes(&next), 0);
    view_clear(&base);
    wire_set_bases(wire, &base, NULL);
    cr_assert_eq(brief_bytes(&next), 0);
    check_arrives(MESSAGE_PREPARE);
}

Test(wire_change, whole_and_brief_copies_take_turns)
{
    fill(&base, MEMBERS);
    follow();
    remove_at(2);
    view_seal(&next);
    const struct message message = carrying(MESSAGE_PREPARE, &next);
    size_t length;

    encode(&message, false, &length);
    for (unsigned i = 1; i < 30; i++) {
        const struct node_id to = {.bytes = {(uint8_t)i}};
        const struct wire_copy copy = {.to = i % 7 == 0 ? NULL : &to,
                                       .flags = i % 3 == 0 ? WIRE_FELLOW : 0,
                                       .echo = i,
                                       .brief = i % 5 == 0 || i % 4 == 0};
        size_t length_anew;
        const uint8_t *frame = wire_encode_copy(wire, &message, &copy, &length);
        const uint8_t *anew = wire_encode(other, &message, &copy, &length_anew);
        cr_assert_eq(length, length_anew);
        cr_assert_eq(memcmp(frame, anew, length), 0);
    }
}

/* --- Refusals --- */

/* H58: who holds another view reads nothing; nor is anything read that does not come to the view
 * that is announced. */
Test(wire_change, a_base_that_is_not_held_is_refused)
{
    struct message got = {.type = MESSAGE_PULL};
    size_t length;

    fill(&base, MEMBERS);
    follow();
    remove_at(4);
    view_seal(&next);
    const struct message message = carrying(MESSAGE_PREPARE, &next);
    const uint8_t *frame = encode(&message, true, &length);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_OK);
    wire_set_bases(other, NULL, NULL);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_BASE);
    wire_set_bases(other, &next, NULL);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_BASE);
    view_copy(&kept, &base);
    kept.hash++;
    wire_set_bases(other, &kept, NULL);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_BASE);
    view_clear(&kept);
    wire_set_bases(other, &kept, NULL);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_BASE);
}

/* H90: a voter that is no member has installed nothing, or something older. */
Test(wire_change, one_of_the_view_that_was_accepted_is_read)
{
    struct message got = {.type = MESSAGE_PULL};
    size_t length;

    fill(&base, MEMBERS);
    view_copy(&kept, &base);
    kept.version--;
    view_seal(&kept);
    follow();
    remove_at(4);
    view_seal(&next);
    const struct message message = carrying(MESSAGE_PREPARE, &next);
    const uint8_t *frame = encode(&message, true, &length);
    wire_set_bases(other, NULL, &base);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_OK);
    cr_assert_eq(got.carrier.view->hash, next.hash);
    wire_set_bases(other, &kept, &base);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_OK);
    cr_assert_eq(got.carrier.view->hash, next.hash);
}

static enum wire_error read_beside(const uint8_t *frame, size_t length, const struct view *accepted,
                                   struct message *got)
{
    wire_set_bases(other, NULL, accepted);
    return wire_decode(other, frame, length, got);
}

/* H92: a voter that is no member has given up the base for it, and its answer was lost. */
Test(wire_change, what_was_accepted_is_read_without_its_base)
{
    struct message got = {.type = MESSAGE_PULL};
    size_t length;

    fill(&base, MEMBERS);
    follow();
    remove_at(4);
    view_seal(&next);
    struct message message = carrying(MESSAGE_PREPARE, &next);
    message.carrier.lease_ms = 700;
    message.carrier.hold_ms = 1400;
    const uint8_t *frame = encode(&message, true, &length);
    cr_assert_eq(read_beside(frame, length, &next, &got), WIRE_OK);
    cr_assert_eq(got.carrier.lease_ms, 700);
    cr_assert_eq(got.carrier.hold_ms, 1400);
    cr_assert_eq(wire_skipped(other), 0);
    view_copy(&kept, got.carrier.view);
    check_same(&kept, &next);
    view_copy(&kept, &next);
    kept.hash++;
    cr_assert_eq(read_beside(frame, length, &kept, &got), WIRE_BASE);
    view_copy(&kept, &next);
    kept.version++;
    cr_assert_eq(read_beside(frame, length, &kept, &got), WIRE_BASE);
    view_copy(&kept, &next);
    kept.lineage++;
    cr_assert_eq(read_beside(frame, length, &kept, &got), WIRE_BASE);
    cr_assert_eq(read_beside(frame, length - 1, &next, &got), WIRE_SHORT);
}

/* H58: the base has the name and the hash of the sender's, but was damaged. */
Test(wire_change, what_does_not_come_to_the_view_announced_is_refused)
{
    struct message got = {.type = MESSAGE_PULL};
    size_t length;

    fill(&base, MEMBERS);
    follow();
    remove_at(4);
    view_seal(&next);
    const struct message message = carrying(MESSAGE_PREPARE, &next);
    const uint8_t *frame = encode(&message, true, &length);
    view_copy(&kept, &base);
    kept.members[7].incarnation++;
    wire_set_bases(other, &kept, NULL);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_RESULT);
    view_copy(&kept, &base);
    kept.member_count--;
    wire_set_bases(other, &kept, NULL);
    cr_assert_eq(wire_decode(other, frame, length, &got), WIRE_BOUND);
}

Test(wire_change, no_more_members_are_read_than_there_is_room_for)
{
    struct wire *small = wire_new(SAMPLE_CLUSTER, 3);
    struct message got = {.type = MESSAGE_PULL};
    size_t length;

    cr_assert_not_null(small);
    fill(&base, 3);
    wire_set_bases(small, &base, NULL);
    follow();
    const struct member joiner = new_member(50);
    view_append(&next, &joiner);
    view_seal(&next);
    struct message message = carrying(MESSAGE_PREPARE, &next);
    const uint8_t *frame = encode(&message, true, &length);
    cr_assert_eq(wire_decode(small, frame, length, &got), WIRE_BOUND);

    fill(&base, 8);
    follow();
    view_seal(&next);
    message = carrying(MESSAGE_PREPARE, &next);
    frame = encode(&message, true, &length);
    cr_assert_eq(wire_decode(small, frame, length, &got), WIRE_BOUND);
    wire_free(small);
}

Test(wire_change, a_damaged_one_is_refused_or_what_it_announces)
{
    struct message got = {.type = MESSAGE_PULL};
    uint8_t bytes[CHANGE_FRAME_BYTES_MAX];
    size_t length;

    fill(&base, MEMBERS);
    follow();
    remove_at(4);
    remove_at(9);
    const struct member joiner = new_member(50);
    view_append(&next, &joiner);
    view_seal(&next);
    const struct message message = carrying(MESSAGE_PREPARE, &next);
    const uint8_t *frame = encode(&message, true, &length);
    cr_assert_leq(length, sizeof bytes);
    for (unsigned i = 0; i < 20000; i++) {
        memcpy(bytes, frame, length);
        for (unsigned k = 1 + draw(3); k > 0; k--) {
            bytes[WIRE_HEADER_BYTES + draw((uint32_t)length - WIRE_HEADER_BYTES)] ^=
                (uint8_t)(1U << draw(8));
        }
        if (wire_decode(other, bytes, length, &got) == WIRE_OK && message_view(&got) != NULL) {
            const uint64_t announced = got.carrier.view->hash;
            view_seal(got.carrier.view);
            cr_assert_eq(got.carrier.view->hash, announced);
            cr_assert_eq(announced, next.hash, "no other content has that hash by chance");
        }
    }
}

/* --- Golden bytes --- */

Test(wire_change, golden_bytes_are_read_as_their_files_say)
{
    enum { CHANGE = 5, MEMBER_EDITS = 23, FIRST_EDIT = 24 }; /* tokens of the PREPARE */
    static const struct {
        const char *name;
        const char *about;
        enum message_type type;
        enum wire_error expect;
        size_t at;
        size_t cut;
        const char *bytes;
        size_t length;
    } files[] = {
        {"change/prepare", "one of three leaves, another one comes", MESSAGE_PREPARE, WIRE_OK, 0, 0,
         "", 0},
        {"change/fields", "two fields too many", MESSAGE_PREPARE, WIRE_SHAPE, CHANGE, 1, "\x9d", 1},
        {"change/base-version", "another base", MESSAGE_PREPARE, WIRE_BASE, CHANGE + 4, 1, "\x10",
         1},
        {"change/base-hash", "another base of that name", MESSAGE_PREPARE, WIRE_BASE, CHANGE + 6, 1,
         "\x01", 1},
        {"change/hash", "it does not make what it announces", MESSAGE_PREPARE, WIRE_RESULT,
         CHANGE + 10, 1, "\x01", 1},
        {"change/cause", "no such cause", MESSAGE_PREPARE, WIRE_BOUND, CHANGE + 11, 1, "\x06", 1},
        {"change/edits", "more edits than there can be", MESSAGE_PREPARE, WIRE_BOUND, MEMBER_EDITS,
         1, "\xdc\x00\x44", 3},
        {"change/edit-shape", "an edit of one field", MESSAGE_PREPARE, WIRE_SHAPE, FIRST_EDIT, 2,
         "\x91", 1},
        {"change/edit-kind", "no such edit", MESSAGE_PREPARE, WIRE_BOUND, FIRST_EDIT + 1, 1, "\x03",
         1},
        {"change/copy-none", "nothing is copied", MESSAGE_PREPARE, WIRE_BOUND, FIRST_EDIT + 2, 1,
         "\x00", 1},
        {"change/copy-beyond", "more is copied than the base has", MESSAGE_PREPARE, WIRE_BOUND,
         FIRST_EDIT + 2, 1, "\x04", 1},
        {"change/skip-none", "nothing is left out", MESSAGE_PREPARE, WIRE_BOUND, FIRST_EDIT + 1, 2,
         "\x00\x00", 2},
        {"change/skip-beyond", "more is left out than the base has", MESSAGE_PREPARE, WIRE_BOUND,
         FIRST_EDIT + 1, 2, "\x00\x04", 2},
        {"change/in-a-view", "a message that has no such form", MESSAGE_PREPARE, WIRE_SHAPE, 1, 1,
         "\x03", 1},
    };
    struct vector *vector = calloc(1, sizeof *vector);
    struct vector *file = calloc(1, sizeof *file);
    struct message got = {.type = MESSAGE_PULL};

    cr_assert(vector != NULL && file != NULL);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        fill(&base, 3);
        follow();
        remove_at(1);
        const struct member joiner = new_member(7);
        view_append(&next, &joiner);
        view_seal(&next);
        const struct message message = carrying(files[i].type, &next);
        const uint8_t *frame = encode(&message, true, &vector->length);
        memcpy(vector->bytes, frame, vector->length);
        strcpy(vector->name, files[i].name);
        vector->expect = files[i].expect;
        vector_edit(vector, EDIT_TOKENS, files[i].at, files[i].cut, (const uint8_t *)files[i].bytes,
                    files[i].length);
        if (strcmp(files[i].name, "change/in-a-view") == 0) { /* And without what a VIEW lacks. */
            vector_edit(vector, EDIT_TOKENS, 0, 1, (const uint8_t *)"\x95", 1);
            vector->length -= 2;
        }
        if (getenv("DOYEN_WRITE_VECTORS") != NULL) {
            vector_write(vector, files[i].about);
        }
        vector_read(file, files[i].name);
        cr_assert_eq(file->length, vector->length, "%s", files[i].name);
        cr_assert_eq(memcmp(file->bytes, vector->bytes, file->length), 0, "%s", files[i].name);
        const enum wire_error error = wire_decode(other, file->bytes, file->length, &got);
        cr_assert_eq(error, file->expect, "%s: %s", files[i].name, wire_error_text(error));
    }
    free(vector);
    free(file);
}

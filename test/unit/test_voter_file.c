/* The bytes of a voter's record: what is written comes back, and what is not as it was written is
 * no record (Z1c, Z3b). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/voter_file.h"
#include "view_builder.h"

enum { CAPACITY = 16 };

struct desk {
    struct built_view accepted; /* names A, B and C as the voters */
    struct built_view read_view;
    struct voter_file file;
    struct voter_file read;
    uint8_t *bytes;
    size_t length;
};

static void desk_open(struct desk *desk)
{
    *desk = (struct desk){.accepted = view_of("A B C"), .read_view = view_of("")};
    desk->file = (struct voter_file){.cluster = "doyen",
                                     .name = "athens",
                                     .record = {.id = member_of('r').id,
                                                .lineage = UINT64_MAX,
                                                .state = VOTE_RECORD_FOUNDED,
                                                .promise = {.epoch = 9, .life = member_of('B').id},
                                                .lease_ms = LEASE_MS_MAX,
                                                .hold_ms = LEASE_MS_MAX,
                                                .writes = 12,
                                                .accepted = &desk->accepted.view}};
    view_name_voters(&desk->accepted.view, "A B C");
    view_seal(&desk->accepted.view);
    desk->bytes = malloc(voter_file_bytes_max(CAPACITY));
    cr_assert_not_null(desk->bytes);
    desk->length = voter_file_write(desk->bytes, &desk->file);
}

static void desk_close(struct desk *desk)
{
    view_built_free(&desk->accepted);
    view_built_free(&desk->read_view);
    free(desk->bytes);
}

static enum voter_file_error desk_read(struct desk *desk, size_t length)
{
    /* At its length, for the sanitizer to see. */
    uint8_t *copy = malloc(length + 1);
    cr_assert_not_null(copy);
    memcpy(copy, desk->bytes, length);
    copy = realloc(copy, length > 0 ? length : 1);
    const enum voter_file_error error = voter_file_read(copy, length, &desk->read_view.view,
                                                        &desk->read);
    free(copy);
    return error;
}

Test(voter_file, what_was_written_comes_back)
{
    struct desk desk;
    char text[64];

    desk_open(&desk);
    cr_assert_leq(desk.length, voter_file_bytes_max(3));
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_OK);
    cr_assert_str_eq(desk.read.cluster, "doyen");
    cr_assert_str_eq(desk.read.name, "athens");
    cr_assert(id_equal(&desk.read.record.id, &desk.file.record.id));
    cr_assert_eq(desk.read.record.lineage, UINT64_MAX);
    cr_assert_eq(desk.read.record.state, VOTE_RECORD_FOUNDED);
    cr_assert(ballot_equal(&desk.read.record.promise, &desk.file.record.promise));
    cr_assert_eq(desk.read.record.lease_ms, LEASE_MS_MAX);
    cr_assert_eq(desk.read.record.hold_ms, LEASE_MS_MAX);
    cr_assert_eq(desk.read.record.writes, 12);
    cr_assert_str_eq(view_text(desk.read.record.accepted, text, sizeof text), "A B C");
    cr_assert_eq(desk.read.record.accepted->hash, desk.accepted.view.hash);
    cr_assert(voter_lists_equal(&desk.read.record.accepted->voters, &desk.accepted.view.voters));
    desk_close(&desk);
}

/* Z13a: who goes on after the founder is lost learns from it whom to ask. */
Test(voter_file, the_founders_come_back)
{
    struct desk desk;

    desk_open(&desk);
    struct view *founders = &desk.accepted.view;
    view_clear(founders);
    founders->lineage = desk.file.record.lineage;
    view_name_voters(founders, "A B C");
    view_seal(founders);
    desk.length = voter_file_write(desk.bytes, &desk.file);
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_OK);
    cr_assert(view_is_of_founders(desk.read.record.accepted));
    cr_assert(voter_lists_equal(&desk.read.record.accepted->voters, &founders->voters));

    founders->voters.voters[1].record = record_of('A');
    view_seal(founders);
    desk.length = voter_file_write(desk.bytes, &desk.file);
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_DAMAGED, "one record of two voters");
    desk_close(&desk);
}

/* Z11h */
Test(voter_file, a_retired_record_stays_one)
{
    struct desk desk;

    desk_open(&desk);
    desk.file.record.state = VOTE_RECORD_RETIRED;
    desk.length = voter_file_write(desk.bytes, &desk.file);
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_OK);
    cr_assert_eq(desk.read.record.state, VOTE_RECORD_RETIRED);
    desk_close(&desk);
}

Test(voter_file, a_first_record_has_no_promise_and_no_view)
{
    struct desk desk;

    desk_open(&desk);
    desk.file.record.state = VOTE_RECORD_FOUNDING;
    desk.file.record.promise = (struct ballot){.epoch = 0};
    desk.file.record.accepted = NULL;
    desk.length = voter_file_write(desk.bytes, &desk.file);
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_OK);
    cr_assert_eq(desk.read.record.promise.epoch, 0);
    cr_assert(id_is_none(&desk.read.record.promise.life));
    cr_assert_null(desk.read.record.accepted);
    desk_close(&desk);
}

/* Z3b: a disk that lost a bit anywhere. */
Test(voter_file, a_changed_byte_is_damage)
{
    struct desk desk;

    desk_open(&desk);
    for (size_t at = 0; at < desk.length; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            desk.bytes[at] ^= (uint8_t)(1U << bit);
            cr_expect_neq(desk_read(&desk, desk.length), VOTER_FILE_OK, "byte %zu", at);
            desk.bytes[at] ^= (uint8_t)(1U << bit);
        }
    }
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_OK);
    desk_close(&desk);
}

Test(voter_file, cut_anywhere_it_is_damaged)
{
    struct desk desk;

    desk_open(&desk);
    for (size_t length = 0; length < desk.length; length++) {
        cr_expect_neq(desk_read(&desk, length), VOTER_FILE_OK, "byte %zu", length);
    }
    desk_close(&desk);
}

/* A checksum says that it was written, not that it makes sense. */
Test(voter_file, a_view_that_is_not_sound_is_damage)
{
    struct desk desk;

    desk_open(&desk);
    desk.accepted.view.next_age = 1;
    view_seal(&desk.accepted.view);
    desk.length = voter_file_write(desk.bytes, &desk.file);
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_DAMAGED);
    desk_close(&desk);
}

Test(voter_file, a_view_beyond_the_capacity_is_refused)
{
    struct built_view small = {.storage = calloc(1, view_bytes(2))};
    struct desk desk;

    desk_open(&desk);
    view_init(&small.view, 2, small.storage);
    cr_assert_eq(voter_file_read(desk.bytes, desk.length, &small.view, &desk.read),
                 VOTER_FILE_DAMAGED);
    view_built_free(&small);
    desk_close(&desk);
}

/* Z15a: no voter binds itself for longer. */
Test(voter_file, a_lease_of_more_than_a_minute_is_damage)
{
    struct desk desk;

    desk_open(&desk);
    desk.file.record.lease_ms = LEASE_MS_MAX + 1;
    desk.length = voter_file_write(desk.bytes, &desk.file);
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_DAMAGED);
    desk_close(&desk);
}

Test(voter_file, another_file_and_another_version_are_told_apart)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert_eq(voter_file_read((const uint8_t *)"#!/bin/sh\necho something else\n", 30,
                                 &desk.read_view.view, &desk.read),
                 VOTER_FILE_OTHER);
    cr_assert_eq(voter_file_format(desk.bytes, desk.length), VOTER_FILE_VERSION);
    desk.bytes[8]++;
    cr_assert_eq(desk_read(&desk, desk.length), VOTER_FILE_OTHER);
    cr_assert_eq(voter_file_format(desk.bytes, desk.length), VOTER_FILE_VERSION + 1);
    cr_assert_eq(voter_file_format(desk.bytes, 8), 0, "cut");
    desk.bytes[0]++;
    cr_assert_eq(voter_file_format(desk.bytes, desk.length), 0, "something else");
    desk_close(&desk);
}

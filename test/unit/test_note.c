/* Notes and cookies: what is said to who has shown no key. */
#include <criterion/criterion.h>
#include <string.h>

#include "seal/note.h"

static const uint8_t header[16] = {'D', 'Y', 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t secret[COOKIE_SECRET_BYTES] = {9};
static const struct address source = {.bytes = {127, 0, 0, 9}, .port = 4000, .family = 4};

Test(note, a_hint_is_read_as_it_was_written)
{
    struct note hint = {.kind = NOTE_HINT, .count = 2, .fingerprints = {0x3fa2, 0x91bc}};
    uint8_t question[SEALED_HEADER_BYTES + 40] = {'D', 'Y', SEALED_FORM};
    uint8_t bytes[NOTE_BYTES];
    struct note read;

    put_u64(question + SEALED_AT_NUMBER, 12345);
    memset(question + SEALED_AT_SALT, 5, SALT_BYTES);
    note_answer(&hint, question, sizeof question);
    note_write(&hint, header, bytes);
    cr_assert(note_read(&read, header, bytes, sizeof bytes));
    cr_assert_eq(read.kind, NOTE_HINT);
    cr_assert_eq(read.number, 12345);
    cr_assert_eq(memcmp(read.salt, question + SEALED_AT_SALT, SALT_BYTES), 0);
    cr_assert_eq(read.count, 2);
    cr_assert_eq(read.fingerprints[1], 0x91bc);
}

Test(note, what_is_none_is_refused)
{
    const struct note hint = {.kind = NOTE_HINT, .count = 0};
    static const size_t faults[] = {0, 2, 3, 4, 8}; /* magic, version, kind, count, cluster */
    uint8_t bytes[NOTE_BYTES];
    struct note read;

    note_write(&hint, header, bytes);
    cr_assert(note_read(&read, header, bytes, NOTE_BYTES));
    cr_assert_not(note_read(&read, header, bytes, NOTE_BYTES - 1));
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        bytes[faults[i]] ^= 0x40;
        cr_assert_not(note_read(&read, header, bytes, NOTE_BYTES), "byte %zu", faults[i]);
        bytes[faults[i]] ^= 0x40;
    }
}

Test(note, an_answer_to_a_plain_frame_names_no_number)
{
    uint8_t question[100] = {'D', 'Y', 1};
    struct note hint = {.kind = NOTE_HINT, .number = 7};

    memset(question + 16, 0xff, sizeof question - 16);
    note_answer(&hint, question, sizeof question);
    cr_assert_eq(hint.number, 0);
}

Test(cookie, holds_for_its_address_for_a_minute_or_two)
{
    const uint64_t made_ms = 10 * COOKIE_MINUTE_MS + 1;
    const uint8_t other_secret[COOKIE_SECRET_BYTES] = {8};
    struct address other = source;
    uint8_t cookie[COOKIE_BYTES];

    cookie_make(secret, &source, made_ms, cookie);
    cr_assert(cookie_holds(secret, &source, made_ms, cookie));
    cr_assert(cookie_holds(secret, &source, made_ms + COOKIE_MINUTE_MS, cookie));
    cr_assert_not(cookie_holds(secret, &source, made_ms + 2 * COOKIE_MINUTE_MS, cookie));
    cr_assert_not(cookie_holds(secret, &source, made_ms - COOKIE_MINUTE_MS, cookie));
    cr_assert_not(cookie_holds(other_secret, &source, made_ms, cookie));
    other.port++;
    cr_assert_not(cookie_holds(secret, &other, made_ms, cookie));
    other = source;
    other.bytes[3]++;
    cr_assert_not(cookie_holds(secret, &other, made_ms, cookie));
    cookie[15] ^= 1;
    cr_assert_not(cookie_holds(secret, &source, made_ms, cookie));
}

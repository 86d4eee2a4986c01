/* The bytes of beats (wire.md, section 13): what they say comes back, and the golden ones are as
 * they were. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/beat_frame.h"
#include "proto/wire.h"
#include "seal/beat_key.h"

/* --- The fixture: a heartbeat of alice to bob --- */

enum { NUMBER = 7000, ECHO = 812 };

static const struct node_id alice = {.bytes = {0xa1, 2, 3, 4, 5, 6, 7, 8, 9}};
static const struct node_id bob = {.bytes = {0xb0, 7}};
static const uint8_t header[BEAT_BYTES_MIN] = {'D', 'Y', 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static struct message message;
static struct beat_view view;
static uint8_t beat[BEAT_BYTES_MAX];
static size_t beat_length;

static void set_message(void)
{
    message_clear(&message, MESSAGE_HEARTBEAT);
    message.from = alice;
    message.number = NUMBER;
    message.heartbeat.view = (struct view_id){
        .lineage = 0x1122334455667788, .epoch = 3, .version = 300, .coordinator = alice};
    message.heartbeat.view_hash = 0xb1b2b3b4b5b6b7b8;
}

static void setup(void)
{
    set_message();
    beat_view_set(&view, &message.heartbeat.view, message.heartbeat.view_hash);
}

TestSuite(beat_frame, .init = setup);

static void set_flags(struct heartbeat *heartbeat, unsigned flags)
{
    heartbeat->late = (flags & 1) != 0;
    heartbeat->acting = (flags & 2) != 0;
    heartbeat->asks = (flags & 4) != 0;
}

Test(beat_frame, all_that_it_says_comes_back)
{
    for (unsigned flags = 0; flags < 16; flags++) {
        struct message read;
        struct beat fields;
        set_flags(&message.heartbeat, flags);
        message.number = (UINT64_C(1) << 48) - 1 - flags;
        const uint32_t echo = flags < 8 ? 0 : UINT32_MAX - flags;
        beat_length = beat_write(&message, &view, echo, 0, beat);
        cr_assert_eq(beat_length, echo == 0 ? BEAT_BYTES_MIN : BEAT_BYTES_MAX);
        cr_assert(beat_is(beat, beat_length));
        cr_assert(beat_read(beat, beat_length, &fields));
        cr_assert_eq(fields.life, beat_life(&alice));
        cr_assert_eq(fields.label, view.label);
        beat_message(&fields, &view, &alice, &bob, &read);
        cr_assert(id_equal(&read.from, &alice) && id_equal(&read.to, &bob));
        cr_assert_eq(read.number, message.number);
        cr_assert_eq(read.echo, echo);
        cr_assert(read.fellow && !read.relay && !read.handed_on);
        cr_assert_eq(
            memcmp(&read.heartbeat, &message.heartbeat, offsetof(struct heartbeat, suspects)), 0);
    }
}

Test(beat_frame, what_it_cannot_say_it_does_not_leave_out)
{
    cr_assert(beat_can_say(&message));
    message.heartbeat.suspect_count = 1;
    cr_assert_not(beat_can_say(&message));
    set_message();
    message.heartbeat.handed_over = true;
    cr_assert_not(beat_can_say(&message));
    set_message();
    message.number = UINT64_C(1) << 48;
    cr_assert_not(beat_can_say(&message));
    set_message();
    message.type = MESSAGE_PULL;
    cr_assert_not(beat_can_say(&message));
}

Test(beat_frame, has_one_length_with_an_echo_and_one_without)
{
    beat_length = beat_write(&message, &view, ECHO, 0, beat);
    for (size_t other = 0; other < 40; other++) {
        cr_assert_eq(beat_is(beat, other), other == 22 || other == 26, "%zu", other);
    }
    cr_assert_not(beat_is(header, BEAT_BYTES_MIN));
}

/* Bit 3 means nothing, the version has to be spoken here, and an echo of nothing is left out. */
Test(beat_frame, what_makes_no_sense_is_refused)
{
    struct beat fields;

    beat_length = beat_write(&message, &view, ECHO, 0, beat);
    for (unsigned flags = 0; flags < 256; flags++) {
        beat[1] = (uint8_t)flags;
        cr_assert_eq(beat_read(beat, beat_length, &fields),
                     flags % 16 < 8 && wire_speaks(flags / 16 + 1), "%02x", flags);
    }
    (void)beat_write(&message, &view, ECHO, 0, beat);
    memset(beat + 14, 0, 4);
    cr_assert_not(beat_read(beat, beat_length, &fields));
}

/* --- Golden bytes --- */

static void print_hex(FILE *file, const char *what, const uint8_t *bytes, size_t length)
{
    fprintf(file, "%s:", what);
    for (size_t i = 0; i < length; i++) {
        fprintf(file, "%s%02x", i % 32 == 0 ? "\n  " : " ", bytes[i]);
    }
    fputc('\n', file);
}

static FILE *open_golden(const char *name, const char *mode)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/beat/%s.txt", VECTORS_DIR, name);
    FILE *file = fopen(path, mode);
    cr_assert_not_null(file, "%s cannot be opened", path);
    return file;
}

static void write_golden(const char *name, const char *about, const struct key *key)
{
    FILE *file = open_golden(name, "w");

    fprintf(file, "# %s: %s\n", name, about);
    print_hex(file, "key", key == NULL ? (const uint8_t[KEY_BYTES]){0} : key->bytes, KEY_BYTES);
    print_hex(file, "cluster", header + 8, 8);
    print_hex(file, "from", alice.bytes, sizeof alice.bytes);
    print_hex(file, "to", bob.bytes, sizeof bob.bytes);
    print_hex(file, "view", view.bytes, sizeof view.bytes);
    print_hex(file, "beat", beat, beat_length);
    cr_assert_eq(fclose(file), 0);
}

static void check_golden(const char *name, const char *about, const struct key *key, uint32_t echo)
{
    struct beat_key derived;
    uint8_t authentic[BEAT_AUTHENTIC_BYTES_MAX];
    char line[256];
    unsigned byte;

    beat_length = beat_write(&message, &view, echo, 0, beat);
    beat_key_derive(&derived, key, header, &alice, &bob);
    const size_t covered = beat_authentic(beat, beat_length, &view, authentic);
    beat_key_tag(&derived, authentic, covered, beat + beat_length - BEAT_TAG_BYTES);
    if (getenv("DOYEN_WRITE_VECTORS") != NULL) {
        write_golden(name, about, key);
    }
    FILE *file = open_golden(name, "r");
    while (fgets(line, sizeof line, file) != NULL && strcmp(line, "beat:\n") != 0) {
        /* The rest is for people, and for other programs that check it. */
    }
    for (size_t i = 0; i < beat_length; i++) {
        cr_assert_eq(fscanf(file, "%x", &byte), 1, "%s", name);
        cr_assert_eq(byte, beat[i], "%s, byte %zu", name, i);
    }
    cr_assert_eq(fscanf(file, "%x", &byte), EOF, "%s", name);
    fclose(file);
}

Test(beat_frame, the_golden_beats_are_as_they_were)
{
    struct key key;

    memset(key.bytes, 1, sizeof key.bytes);
    message.number = 0x112233445566;
    check_golden("without-key", "where there is no key, under zeros", NULL, 0);
    message.heartbeat.acting = true;
    message.heartbeat.asks = true;
    check_golden("acting", "of a coordinator that acts, and asks for a lease", &key, 0);
    message.heartbeat.acting = false;
    message.heartbeat.asks = false;
    message.heartbeat.late = true;
    check_golden("late", "of a member that was late", &key, 0);
    message.heartbeat.late = false;
    check_golden("lease", "of a member that leases", &key, 0x01020304);
}

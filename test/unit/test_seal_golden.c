/* The golden frames of proto/vectors/sealed: what is sealed is as it was. The fixture is sealing.h.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sealing.h"

struct golden {
    const char *name;
    const char *about;
    const struct node_id *to;
    struct seal_place place;
    bool with_ring;
};

static const struct golden goldens[] = {
    {"datagram", "to a life", &bob, {.channel = SEAL_DATAGRAM}, false},
    {"heartbeat",
     "to a life, with the sender's fingerprints",
     &bob,
     {.channel = SEAL_DATAGRAM},
     true},
    {"whoever",
     "to whoever lives there; the cookie is all zeros",
     NULL,
     {.channel = SEAL_DATAGRAM},
     false},
    {"stream-first", "the first frame of a stream", &bob, {.channel = SEAL_STREAM}, false},
    {"stream-later",
     "a later frame of stream 1000",
     &bob,
     {.channel = SEAL_STREAM, .stream = 1000, .after = 1000},
     false},
    {"stream-answer",
     "the answer on stream 1000",
     &bob,
     {.channel = SEAL_ANSWER, .stream = 1000},
     false},
};

#define GOLDEN_NUMBER UINT64_C(0x1122334455)

static FILE *golden_open(const char *name, const char *mode)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/sealed/%s.txt", VECTORS_DIR, name);
    FILE *file = fopen(path, mode);
    cr_assert_not_null(file, "%s cannot be opened", path);
    return file;
}

static void print_hex(FILE *file, const char *what, const uint8_t *bytes, size_t length)
{
    fprintf(file, "%s:", what);
    for (size_t i = 0; i < length; i++) {
        fprintf(file, "%s%02x", i % 32 == 0 ? "\n  " : " ", bytes[i]);
    }
    fputc('\n', file);
}

static void golden_write(const struct golden *golden, uint64_t number, const struct node_id *from)
{
    FILE *file = golden_open(golden->name, "w");

    fprintf(file, "# %s: %s\n", golden->name, golden->about);
    fprintf(file, "channel: %d\nstream: %" PRIu64 "\nnumber: %" PRIu64 "\n",
            (int)golden->place.channel, golden->place.stream, number);
    print_hex(file, "key", ring.keys[0].bytes, KEY_BYTES);
    print_hex(file, "from", from->bytes, sizeof from->bytes);
    print_hex(file, "salt", salt, sizeof salt);
    print_hex(file, "to", golden->to == NULL ? (const uint8_t[16]){0} : golden->to->bytes, 16);
    if (golden->place.channel == SEAL_COUNT) {
        print_hex(file, "nonce", nonce, sizeof nonce);
    } else {
        print_hex(file, "plain", plain, sizeof plain);
    }
    print_hex(file, "sealed", sealed, sealed_length);
    cr_assert_eq(fclose(file), 0);
}

/* The bytes behind "sealed:". */
static size_t golden_read(const struct golden *golden, uint8_t *bytes, size_t size)
{
    FILE *file = golden_open(golden->name, "r");
    char line[256];
    size_t length = 0;
    unsigned byte;

    while (fgets(line, sizeof line, file) != NULL && strcmp(line, "sealed:\n") != 0) {
        /* The rest is for people, and for other programs that check it. */
    }
    while (fscanf(file, "%x", &byte) == 1) {
        cr_assert_lt(length, size);
        bytes[length++] = (uint8_t)byte;
    }
    fclose(file);
    return length;
}

/* What was sealed is as it was. */
static void golden_check(const struct golden *golden, uint64_t number, const struct node_id *from)
{
    uint8_t bytes[sizeof sealed];

    if (getenv("DOYEN_WRITE_VECTORS") != NULL) {
        golden_write(golden, number, from);
    }
    const size_t length = golden_read(golden, bytes, sizeof bytes);
    cr_assert_eq(length, sealed_length, "%s", golden->name);
    cr_assert_eq(memcmp(bytes, sealed, length), 0, "%s", golden->name);
}

static void golden_close(const struct golden *golden)
{
    const struct seal_order order = {.frame = plain,
                                     .length = sizeof plain,
                                     .to = golden->to,
                                     .place = golden->place,
                                     .number = GOLDEN_NUMBER,
                                     .with_ring = golden->with_ring};
    const uint8_t *closed = seal_close(sender, &order, &sealed_length);

    memcpy(sealed, closed, sealed_length);
    golden_check(golden, GOLDEN_NUMBER, &alice);
}

Test(seal, the_golden_frames_are_as_they_were)
{
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        golden_close(&goldens[i]);
        seal_free(receiver);
        receiver = seal_of(&bob);
        cr_assert_eq(open_it(receiver, goldens[i].place), SEAL_OK, "%s", goldens[i].name);
        assert_opened(&alice);
    }
}

Test(seal, the_golden_frame_under_aes_is_as_it_was)
{
    static const struct golden golden = {
        "aes", "to a life that opens AES-256-GCM", &bob, {.channel = SEAL_DATAGRAM}, true};

    if (!cipher_is_here(ALGORITHM_AES256_GCM)) {
        cr_skip_test("this processor has no AES");
    }
    seal_use_algorithm(sender, ALGORITHM_AES256_GCM);
    seal_use_algorithm(receiver, ALGORITHM_AES256_GCM);
    close_for(receiver, &alice, by_datagram, 0);
    cr_assert_eq(open_it(sender, by_datagram), SEAL_OK);
    golden_close(&golden);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_AES256_GCM);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    assert_opened(&alice);
}

Test(seal, the_golden_frames_about_counts_are_as_they_were)
{
    static const struct golden asked = {
        "count-question", "bob asks alice for her count", &alice, {.channel = SEAL_COUNT}, false};
    static const struct golden told = {
        "count-answer", "and she answers", &bob, {.channel = SEAL_COUNT}, false};
    struct count_frame answer;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct count_frame question = ask(NOW_MS);
    sealed_length = sizeof question.bytes;
    memcpy(sealed, question.bytes, sealed_length);
    golden_check(&asked, 1, &bob);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    memcpy(sealed, answer.bytes, sealed_length);
    golden_check(&told, 2, &alice);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_OK);
}

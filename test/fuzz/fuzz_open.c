/* Throws bytes at what opens sealed frames. It must survive them; what it opens must be within the
 * bounds, and must not open twice. Inputs are tried as they are, and once more sealed anew around
 * their content by somebody who has the key, so that the fuzzer gets past the tag; and as notes. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "seal/note.h"
#include "seal/seal.h"

enum {
    FRAME_MAX = 4096,
    PLAIN_HEADER = 16,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t header[PLAIN_HEADER] = {'D', 'Y', 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static const struct node_id writer_life = {.bytes = {0xa1, 2, 3}};
static const struct node_id reader_life = {.bytes = {0xb0, 7}};

static struct seal *seal_of(const struct node_id *life)
{
    const uint8_t salt[SALT_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct keyring ring = {.count = 1};
    struct seal *seal = seal_new(header, FRAME_MAX, 4, NULL);

    assert(seal != NULL);
    memset(ring.keys[0].bytes, 1, KEY_BYTES);
    key_name(&ring.keys[0]);
    seal_set_ring(seal, &ring);
    seal_set_self(seal, life, salt);
    return seal;
}

/* Opens the bytes at each kind of place. What opens once does not open again. */
static bool check(struct seal *reader, const uint8_t *bytes, size_t length)
{
    static const struct seal_place places[] = {
        {.channel = SEAL_DATAGRAM},
        {.channel = SEAL_STREAM},
        {.channel = SEAL_STREAM, .stream = 1000, .after = 1000},
    };
    struct seal_opened opened;
    bool any = false;

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct seal_place place = places[i];
        if (seal_open(reader, bytes, length, &place, 0, &opened) != SEAL_OK) {
            continue;
        }
        any = true;
        assert(opened.length >= PLAIN_HEADER && opened.length <= FRAME_MAX);
        assert(opened.frame[2] == 1);
        place.after = opened.number;
        assert(seal_open(reader, bytes, length, &place, 0, &opened) == SEAL_REPLAYED);
    }
    return any;
}

/* What is no answer to a question is none, and what is asked gets no more than it has. */
static void check_count(struct seal *reader, const uint8_t *bytes, size_t length)
{
    const uint8_t *answer = NULL;
    struct node_id life;

    (void)seal_open_count(reader, bytes, length, 1, &answer);
    assert(answer == NULL || length == COUNT_FRAME_BYTES);
    if (length >= SEALED_HEADER_BYTES + COOKIE_BYTES + 1 + TAG_BYTES &&
        seal_check(reader, bytes, length, &(struct seal_place){.channel = SEAL_DATAGRAM}) ==
            SEAL_OK) {
        (void)seal_may_ask(reader, bytes, length, &(struct seal_place){.channel = SEAL_DATAGRAM}, 1,
                           &life);
    }
}

static void check_sealed_anew(const uint8_t *data, size_t size)
{
    struct seal *reader = seal_of(&reader_life);
    struct seal *writer = seal_of(&writer_life);
    const bool whoever = size > 0 && (data[0] & 1) != 0;
    uint8_t frame[FRAME_MAX];
    size_t length;

    memcpy(frame, header, PLAIN_HEADER);
    size = size < FRAME_MAX - PLAIN_HEADER ? size : FRAME_MAX - PLAIN_HEADER;
    memcpy(frame + PLAIN_HEADER, data, size);
    const struct seal_order order = {.frame = frame,
                                     .length = PLAIN_HEADER + size,
                                     .to = whoever ? NULL : &reader_life,
                                     .with_ring = true};
    const uint8_t *sealed = seal_close(writer, &order, &length);
    assert(check(reader, sealed, length));
    check_count(reader, data, size);
    seal_free(writer);
    seal_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seal *reader = seal_of(&reader_life);
    struct note note;

    (void)check(reader, data, size);
    check_count(reader, data, size);
    check_sealed_anew(data, size);
    if (note_read(&note, header, data, size)) {
        assert(note.count <= KEYRING_MAX);
    }
    seal_free(reader);
    return 0;
}

#include "sealing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

const uint8_t header[16] = {'D', 'Y', 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
const struct node_id alice = {.bytes = {0xa1, 2, 3}};
const struct node_id bob = {.bytes = {0xb0, 7}};
const struct node_id carol = {.bytes = {0xb0, 8}};
const uint8_t salt[SALT_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};
const struct seal_place by_datagram = {.channel = SEAL_DATAGRAM};

struct seal *sender;
struct seal *receiver;
struct keyring ring;
uint8_t plain[PLAIN_BYTES];
uint8_t sealed[FRAME_MAX + SEALED_EXTRA_BYTES];
size_t sealed_length;
struct seal_opened opened;

struct seal *seal_of(const struct node_id *life)
{
    struct seal *seal = seal_new(header, FRAME_MAX, SENDERS, NULL);

    cr_assert_not_null(seal);
    seal_set_ring(seal, &ring);
    seal_set_self(seal, life, salt);
    return seal;
}

static void setup(void)
{
    ring = (struct keyring){.count = 2};
    for (uint32_t i = 0; i < ring.count; i++) {
        memset(ring.keys[i].bytes, (int)(i + 1), KEY_BYTES);
        key_name(&ring.keys[i]);
    }
    memcpy(plain, header, sizeof header);
    plain[SEALED_AT_FLAGS] = 1;
    for (unsigned i = MESSAGE_AT; i < PLAIN_BYTES; i++) {
        plain[i] = (uint8_t)i;
    }
    sender = seal_of(&alice);
    receiver = seal_of(&bob);
}

static void teardown(void)
{
    seal_free(sender);
    seal_free(receiver);
}

TestSuite(seal, .init = setup, .fini = teardown);

void close_for(struct seal *seal, const struct node_id *to, struct seal_place place,
               uint64_t number)
{
    const struct seal_order order = {.frame = plain,
                                     .length = sizeof plain,
                                     .to = to,
                                     .place = place,
                                     .number = number,
                                     .with_ring = true};
    const uint8_t *bytes = seal_close(seal, &order, &sealed_length);

    cr_assert_leq(sealed_length, sizeof plain + SEALED_EXTRA_BYTES);
    memcpy(sealed, bytes, sealed_length);
}

enum seal_result open_bytes(struct seal *seal, const uint8_t *bytes, size_t length,
                            struct seal_place place)
{
    uint8_t *copy = malloc(length + (length == 0));

    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    const enum seal_result result = seal_open(seal, copy, length, &place, NOW_MS, &opened);
    free(copy);
    return result;
}

enum seal_result open_it(struct seal *seal, struct seal_place place)
{
    return open_bytes(seal, sealed, sealed_length, place);
}

void assert_opened(const struct node_id *from)
{
    cr_assert_eq(opened.length, sizeof plain);
    cr_assert_eq(memcmp(opened.frame, plain, sizeof plain), 0);
    cr_assert(id_equal(&opened.from, from));
}

const uint8_t nonce[COUNT_NONCE_BYTES] = {4, 5, 6};

static struct count_frame kept(const uint8_t *bytes)
{
    struct count_frame frame;

    cr_assert_not_null(bytes);
    memcpy(frame.bytes, bytes, sizeof frame.bytes);
    return frame;
}

struct count_frame ask(uint64_t now_ms)
{
    return kept(seal_ask(receiver, &alice, nonce, now_ms));
}

enum seal_result take_count(struct seal *seal, const struct count_frame *frame, uint64_t now_ms,
                            struct count_frame *answer)
{
    const uint8_t *bytes = NULL;
    const enum seal_result result = seal_open_count(seal, frame->bytes, sizeof frame->bytes, now_ms,
                                                    &bytes);

    cr_assert_eq(bytes != NULL, answer != NULL && result == SEAL_OK);
    if (bytes != NULL) {
        *answer = kept(bytes);
    }
    return result;
}

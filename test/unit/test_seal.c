/* Sealed frames: what is sealed opens again, for whom it is meant, once, and nothing else does. The
 * golden ones are in proto/vectors/sealed. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seal/seal.h"

enum {
    FRAME_MAX = 3000,
    SENDERS = 4,
    PLAIN_BYTES = 100,
    MESSAGE_AT = 16,
};

static const uint8_t header[16] = {'D', 'Y', 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static const struct node_id alice = {.bytes = {0xa1, 2, 3}};
static const struct node_id bob = {.bytes = {0xb0, 7}};
static const struct node_id carol = {.bytes = {0xb0, 8}}; /* of bob's mark */
static const uint8_t salt[SALT_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};
static const struct seal_place by_datagram = {.channel = SEAL_DATAGRAM};

/* --- The fixture: alice seals, bob opens --- */

static struct seal *sender;
static struct seal *receiver;
static struct keyring ring;
static uint8_t plain[PLAIN_BYTES];
static uint8_t sealed[FRAME_MAX + SEALED_EXTRA_BYTES];
static size_t sealed_length;
static struct seal_opened opened;

static struct seal *seal_of(const struct node_id *life)
{
    struct seal *seal = seal_new(header, FRAME_MAX, SENDERS);

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

/* Seals the plain frame, and keeps a copy. */
static void close_for(struct seal *seal, const struct node_id *to, struct seal_place place,
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

/* Opens a copy of exactly this length, so that a sanitizer sees a read behind its end. */
static enum seal_result open_bytes(struct seal *seal, const uint8_t *bytes, size_t length,
                                   struct seal_place place)
{
    uint8_t *copy = malloc(length + (length == 0));

    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    const enum seal_result result = seal_open(seal, copy, length, &place, 1000, &opened);
    free(copy);
    return result;
}

static enum seal_result open_it(struct seal *seal, struct seal_place place)
{
    return open_bytes(seal, sealed, sealed_length, place);
}

static void assert_opened(const struct node_id *from)
{
    cr_assert_eq(opened.length, sizeof plain);
    cr_assert_eq(memcmp(opened.frame, plain, sizeof plain), 0);
    cr_assert(id_equal(&opened.from, from));
}

/* --- What holds --- */

Test(seal, what_is_sealed_opens_as_it_was)
{
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    assert_opened(&alice);
    cr_assert(opened.is_new_sender);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_not(opened.is_new_sender);
}

Test(seal, the_message_is_not_readable_and_the_same_twice_looks_different)
{
    uint8_t first[sizeof sealed];

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_null(memmem(sealed, sealed_length, plain + MESSAGE_AT, 16));
    memcpy(first, sealed, sealed_length);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_neq(memcmp(first + SEALED_HEADER_BYTES, sealed + SEALED_HEADER_BYTES, 32), 0);
}

Test(seal, the_copies_of_one_message_have_numbers_of_their_own)
{
    uint64_t number;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    number = opened.number;
    close_for(sender, &carol, by_datagram, 0);
    seal_set_self(receiver, &carol, salt);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_gt(opened.number, number, "two frames under one nonce");
}

Test(seal, whoever_lives_there_may_open_what_is_for_nobody)
{
    close_for(sender, NULL, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    assert_opened(&alice);
    seal_set_self(receiver, &carol, salt);
    close_for(sender, &(struct node_id){.bytes = {0}}, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
}

Test(seal, a_cookie_can_be_put_in_afterwards)
{
    close_for(sender, NULL, by_datagram, 0);
    cr_assert_eq(seal_cookie(sealed, sealed_length), sealed + SEALED_HEADER_BYTES);
    memset(sealed + SEALED_HEADER_BYTES, 0x5a, COOKIE_BYTES);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    assert_opened(&alice);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_null(seal_cookie(sealed, sealed_length));
    cr_assert_null(seal_cookie(sealed, 10));
    cr_assert_null(seal_cookie(plain, sizeof plain));
}

Test(seal, any_key_of_the_ring_opens_and_the_first_seals)
{
    struct keyring swapped = {.count = 2, .keys = {ring.keys[1], ring.keys[0]}};

    seal_set_ring(sender, &swapped);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct sender *known = seal_sender(receiver, &alice);
    cr_assert_not_null(known);
    cr_assert_eq(known->name.fingerprint, ring.keys[1].fingerprint);
    cr_assert_eq(known->holds_count, 2);
    cr_assert_eq(known->holds[0], ring.keys[1].fingerprint);
    cr_assert_eq(known->heard_ms, 1000);
    seal_set_ring(sender, &ring); /* back, in the middle of the conversation */
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
}

Test(seal, a_new_salt_is_taken_up_and_the_numbers_go_on)
{
    const uint8_t new_salt[SALT_BYTES] = {9};
    uint8_t old[sizeof sealed];

    close_for(sender, &bob, by_datagram, 0);
    memcpy(old, sealed, sealed_length);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    seal_set_self(sender, &alice, new_salt);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(open_bytes(receiver, old, sealed_length, by_datagram), SEAL_REPLAYED);
}

/* Two processes that are copies of one another number alike; with a salt of its own, each has a key
 * of its own. */
Test(seal, a_new_salt_gives_a_new_key)
{
    const uint8_t new_salt[SALT_BYTES] = {9};
    uint8_t first[sizeof sealed];

    close_for(sender, &bob, by_datagram, 7);
    memcpy(first, sealed, sealed_length);
    seal_set_self(sender, &alice, new_salt);
    close_for(sender, &bob, by_datagram, 7);
    cr_assert_neq(
        memcmp(first + SEALED_HEADER_BYTES, sealed + SEALED_HEADER_BYTES, PLAIN_BYTES / 2), 0);
}

/* --- What does not hold --- */

/* Not one bit of a frame can be changed, and none of it can be cut off. Only the cookie, which no
 * datagram to a known life has, is not covered. */
Test(seal, every_bit_is_authentic)
{
    close_for(sender, &bob, by_datagram, 0);
    for (size_t bit = 0; bit < 8 * sealed_length; bit++) {
        sealed[bit / 8] ^= (uint8_t)(1U << bit % 8);
        cr_assert_neq(open_it(receiver, by_datagram), SEAL_OK, "bit %zu", bit);
        sealed[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t length = 0; length < sealed_length; length++) {
        cr_assert_neq(open_bytes(receiver, sealed, length, by_datagram), SEAL_OK);
    }
    cr_assert_null(seal_sender(receiver, &alice), "nothing that failed is remembered");
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK, "and the window was not touched");
}

Test(seal, it_opens_for_the_life_that_it_is_for_alone)
{
    close_for(sender, &bob, by_datagram, 0);
    seal_set_self(receiver, &carol, salt); /* of the same mark: the tag must tell */
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_NOT_AUTHENTIC);
    seal_set_self(receiver, &alice, salt);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OTHER_LIFE);
}

Test(seal, a_frame_counts_once)
{
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_REPLAYED);
    close_for(sender, NULL, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_REPLAYED);
}

Test(seal, other_keys_clusters_and_algorithms_are_told_apart)
{
    struct keyring other = {.count = 1, .keys = {{.bytes = {77}}}};

    key_name(&other.keys[0]);
    close_for(sender, &bob, by_datagram, 0);
    sealed[SEALED_AT_CLUSTER] ^= 1;
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OTHER_CLUSTER);
    sealed[SEALED_AT_CLUSTER] ^= 1;
    sealed[SEALED_AT_ALGORITHM] = 99;
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_ALGORITHM);
    seal_set_ring(sender, &other);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OTHER_KEY);
    sealed[SEALED_AT_FINGERPRINT] = (uint8_t)(ring.keys[0].fingerprint >> 8);
    sealed[SEALED_AT_FINGERPRINT + 1] = (uint8_t)ring.keys[0].fingerprint;
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_NOT_AUTHENTIC);
}

Test(seal, a_key_that_was_taken_off_the_ring_opens_nothing)
{
    struct keyring rest = {.count = 1, .keys = {ring.keys[1]}};

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    seal_set_ring(receiver, &rest);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OTHER_KEY);
}

/* --- Streams --- */

Test(seal, the_frames_of_a_stream_hold_on_that_stream_alone)
{
    const uint64_t first = seal_take_number(sender);
    const struct seal_place begins = {.channel = SEAL_STREAM};
    const struct seal_place follows = {.channel = SEAL_STREAM, .stream = first, .after = first};

    close_for(sender, &bob, begins, first);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_NOT_AUTHENTIC);
    cr_assert_eq(open_it(receiver, begins), SEAL_OK);
    cr_assert_eq(opened.number, first);
    cr_assert_eq(open_it(receiver, begins), SEAL_REPLAYED, "a stream is not played back");

    close_for(sender, &bob, follows, 0);
    struct seal_place other = follows;
    other.stream++;
    cr_assert_eq(open_it(receiver, other), SEAL_NOT_AUTHENTIC);
    cr_assert_eq(open_it(receiver, begins), SEAL_NOT_AUTHENTIC);
    cr_assert_eq(open_it(receiver, follows), SEAL_OK);
    other = follows;
    other.after = opened.number;
    cr_assert_eq(open_it(receiver, other), SEAL_REPLAYED);
}

Test(seal, an_answer_on_a_stream_holds_for_its_question_alone)
{
    struct seal_place answer = {.channel = SEAL_ANSWER, .stream = 5};

    close_for(receiver, &alice, answer, 0);
    cr_assert_eq(open_it(sender, answer), SEAL_OK);
    answer.stream = 6;
    cr_assert_eq(open_it(sender, answer), SEAL_NOT_AUTHENTIC);
    cr_assert_eq(open_it(sender, (struct seal_place){.channel = SEAL_STREAM, .stream = 5}),
                 SEAL_NOT_AUTHENTIC);
}

/* --- The count of a sender --- */

static const uint8_t nonce[COUNT_NONCE_BYTES] = {4, 5, 6};
#define FAR_AHEAD (UINT64_C(1) << 62)
enum { NOW_MS = 1000 }; /* as in open_bytes */

/* Somebody else who holds the key seals under alice's life, and uses up her numbers. */
static void use_up_numbers_of_alice(uint32_t count)
{
    struct seal *insider = seal_of(&alice);

    for (uint32_t i = 0; i < count; i++) {
        close_for(insider, &bob, by_datagram, FAR_AHEAD + i);
        cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    }
    seal_free(insider);
}

static bool may_ask(uint64_t now_ms)
{
    struct node_id life;
    const bool may = seal_may_ask(receiver, sealed, sealed_length, &by_datagram, now_ms, &life);

    cr_assert(!may || id_equal(&life, &alice));
    return may;
}

struct count_frame {
    uint8_t bytes[COUNT_FRAME_BYTES];
};

static struct count_frame kept(const uint8_t *bytes)
{
    struct count_frame frame;

    cr_assert_not_null(bytes);
    memcpy(frame.bytes, bytes, sizeof frame.bytes);
    return frame;
}

static struct count_frame ask(uint64_t now_ms)
{
    return kept(seal_ask(receiver, &alice, nonce, now_ms));
}

/* What that seal does with the frame; its answer, if it has one, is in `*answer`. */
static enum seal_result take_count(struct seal *seal, const struct count_frame *frame,
                                   uint64_t now_ms, struct count_frame *answer)
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

/* All that alice says is old, until she is asked. */
Test(seal, a_sender_whose_numbers_were_used_up_says_where_its_count_stands)
{
    struct count_frame answer;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    use_up_numbers_of_alice(WINDOW_NUMBERS + 1);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_REPLAYED);
    cr_assert(may_ask(NOW_MS));
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_OK);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_REPLAYED, "it was sealed before the answer");
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_REPLAYED);
}

/* So it is for the frames that begin streams. */
Test(seal, streams_begin_again_when_the_count_is_known)
{
    const struct seal_place begins = {.channel = SEAL_STREAM};
    struct seal *insider = seal_of(&alice);
    struct count_frame answer;
    struct node_id life;

    for (uint32_t i = 0; i <= WINDOW_NUMBERS; i++) {
        close_for(insider, &bob, begins, FAR_AHEAD + i);
        cr_assert_eq(open_it(receiver, begins), SEAL_OK);
    }
    seal_free(insider);
    close_for(sender, &bob, begins, seal_take_number(sender));
    cr_assert_eq(open_it(receiver, begins), SEAL_REPLAYED);
    cr_assert(seal_may_ask(receiver, sealed, sealed_length, &begins, NOW_MS, &life));
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_OK);
    close_for(sender, &bob, begins, seal_take_number(sender));
    cr_assert_eq(open_it(receiver, begins), SEAL_OK);
}

/* Both ways at once: what is asked and answered does not depend on the numbers that were used up.
 */
Test(seal, two_who_are_mute_to_each_other_come_to_know_their_counts)
{
    struct seal *insider = seal_of(&bob);
    struct count_frame answer;

    for (uint32_t i = 0; i <= WINDOW_NUMBERS; i++) {
        close_for(insider, &alice, by_datagram, FAR_AHEAD + i);
        cr_assert_eq(open_it(sender, by_datagram), SEAL_OK);
    }
    seal_free(insider);
    use_up_numbers_of_alice(WINDOW_NUMBERS + 1);
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_OK);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
}

/* An answer that was held back lets nothing count a second time that came meanwhile. */
Test(seal, what_came_since_it_was_asked_counts_once_however_late_the_answer_is)
{
    uint8_t meanwhile[sizeof sealed];
    struct count_frame answer;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    close_for(sender, &bob, by_datagram, 0);
    memcpy(meanwhile, sealed, sealed_length);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_OK);
    cr_assert_eq(open_bytes(receiver, meanwhile, sealed_length, by_datagram), SEAL_REPLAYED);
}

Test(seal, a_count_is_answered_once_and_in_time)
{
    struct count_frame answer;
    struct count_frame later;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS + COUNT_LIFE_MS, NULL), SEAL_REPLAYED);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS + COUNT_LIFE_MS - 1, NULL), SEAL_OK);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_REPLAYED, "it was answered");
    cr_assert_eq(take_count(sender, &question, NOW_MS, &later), SEAL_OK, "it may have been lost");
    cr_assert_eq(take_count(receiver, &later, NOW_MS, NULL), SEAL_REPLAYED);
}

/* The answer brings the nonce of the question; another one says nothing. */
Test(seal, a_count_that_answers_something_else_is_dropped)
{
    static const uint8_t other_nonce[COUNT_NONCE_BYTES] = {9};
    struct count_frame answer;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    seal_free(receiver);
    receiver = seal_of(&bob);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_REPLAYED, "nothing was asked");
    (void)seal_ask(receiver, &alice, other_nonce, NOW_MS);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_REPLAYED);
    seal_set_self(receiver, &carol, salt);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS, NULL), SEAL_NOT_AUTHENTIC);
}

/* Nobody is asked for what is not authentic, and nobody all the time. */
Test(seal, a_count_is_asked_for_what_holds_and_not_all_the_time)
{
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_not(may_ask(NOW_MS), "of her nothing is known");
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_REPLAYED);
    sealed[sealed_length - 1] ^= 1;
    cr_assert_not(may_ask(NOW_MS));
    sealed[sealed_length - 1] ^= 1;
    cr_assert(may_ask(NOW_MS));
    (void)ask(NOW_MS);
    cr_assert_not(may_ask(NOW_MS + COUNT_AGAIN_MS - 1));
    cr_assert(may_ask(NOW_MS + COUNT_AGAIN_MS));
}

/* Asked again before it has answered, it may answer either. */
Test(seal, an_open_question_is_asked_again_under_its_nonce)
{
    static const uint8_t other_nonce[COUNT_NONCE_BYTES] = {9};
    struct count_frame answer;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    (void)seal_ask(receiver, &alice, other_nonce, NOW_MS + COUNT_AGAIN_MS);
    cr_assert_eq(take_count(receiver, &answer, NOW_MS + COUNT_AGAIN_MS, NULL), SEAL_OK);
}

Test(seal, a_frame_about_counts_is_for_one_life_and_no_message)
{
    struct count_frame answer;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(open_bytes(sender, question.bytes, sizeof question.bytes, by_datagram),
                 SEAL_OTHER_CLUSTER);
    for (size_t bit = 0; bit < 8 * sizeof question.bytes; bit++) {
        struct count_frame changed = question;
        changed.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        cr_assert_neq(take_count(sender, &changed, NOW_MS, &answer), SEAL_OK, "bit %zu", bit);
    }
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    cr_assert_eq(take_count(sender, &answer, NOW_MS, NULL), SEAL_OTHER_LIFE);
    close_for(sender, &bob, by_datagram, 0);
    sealed[SEALED_AT_VERSION] = COUNT_VERSION;
    const uint8_t *bytes;
    cr_assert_eq(seal_open_count(receiver, sealed, sealed_length, NOW_MS, &bytes),
                 SEAL_NOT_AUTHENTIC);
}

/* --- Algorithms --- */

/* AES is for who has said that it opens that, and for nobody else. */
Test(seal, aes_is_used_between_those_who_have_it)
{
    if (!cipher_is_here(ALGORITHM_AES256_GCM)) {
        cr_skip_test("this processor has no AES");
    }
    seal_use_algorithm(sender, ALGORITHM_AES256_GCM);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_CHACHA20_POLY1305);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    close_for(receiver, &alice, by_datagram, 0);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_CHACHA20_POLY1305, "bob has none");
    cr_assert_eq(open_it(sender, by_datagram), SEAL_OK);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_CHACHA20_POLY1305, "bob did not say so");
    sealed[SEALED_AT_ALGORITHM] = ALGORITHM_AES256_GCM;
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_ALGORITHM);

    seal_use_algorithm(receiver, ALGORITHM_AES256_GCM);
    close_for(receiver, &alice, by_datagram, 0);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_AES256_GCM);
    cr_assert_eq(open_it(sender, by_datagram), SEAL_OK);
    assert_opened(&bob);
    cr_assert_eq(opened.length, sizeof plain);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_AES256_GCM);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    close_for(sender, NULL, by_datagram, 0);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_CHACHA20_POLY1305, "whoever that is");
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    cr_assert_eq(seal_sender(receiver, &alice)->holds_count, ring.count);
}

Test(seal, every_bit_under_aes_is_authentic)
{
    if (!cipher_is_here(ALGORITHM_AES256_GCM)) {
        cr_skip_test("this processor has no AES");
    }
    seal_use_algorithm(sender, ALGORITHM_AES256_GCM);
    seal_use_algorithm(receiver, ALGORITHM_AES256_GCM);
    close_for(receiver, &alice, by_datagram, 0);
    cr_assert_eq(open_it(sender, by_datagram), SEAL_OK);
    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(sealed[SEALED_AT_ALGORITHM], ALGORITHM_AES256_GCM);
    for (size_t bit = 0; bit < 8 * sealed_length; bit++) {
        sealed[bit / 8] ^= (uint8_t)(1U << bit % 8);
        cr_assert_neq(open_it(receiver, by_datagram), SEAL_OK, "bit %zu", bit);
        sealed[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    sealed[SEALED_AT_ALGORITHM] = ALGORITHM_CHACHA20_POLY1305;
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_NOT_AUTHENTIC, "no way down");
    sealed[SEALED_AT_ALGORITHM] = ALGORITHM_AES256_GCM;
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
}

/* --- Bounds --- */

Test(seal, more_senders_than_there_is_room_for_push_out_the_silent)
{
    for (uint8_t i = 1; i <= 3 * SENDERS; i++) {
        const struct node_id life = {.bytes = {i, 1}};
        seal_set_self(sender, &life, salt);
        close_for(sender, &bob, by_datagram, 0);
        cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
        seal_set_self(sender, &alice, salt); /* She is never silent, and so never forgotten. */
        close_for(sender, &bob, by_datagram, 0);
        cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
        cr_assert_eq(opened.is_new_sender, i == 1);
    }
    cr_assert_null(seal_sender(receiver, &(struct node_id){.bytes = {1, 1}}));
    cr_assert_not_null(seal_sender(receiver, &(struct node_id){.bytes = {3 * SENDERS, 1}}));
}

Test(seal, a_frame_of_the_longest_length_fits)
{
    uint8_t *longest = calloc(1, FRAME_MAX);
    cr_assert_not_null(longest);
    memcpy(longest, header, sizeof header);
    const struct seal_order order = {.frame = longest, .length = FRAME_MAX, .with_ring = true};

    const uint8_t *bytes = seal_close(sender, &order, &sealed_length);
    cr_assert_eq(open_bytes(receiver, bytes, sealed_length, by_datagram), SEAL_OK);
    cr_assert_eq(opened.length, FRAME_MAX);
    free(longest);
}

/* --- Golden bytes --- */

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

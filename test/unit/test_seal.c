/* Sealed frames: what is sealed opens again, for whom it is meant, once, and nothing else does. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sealing.h"

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

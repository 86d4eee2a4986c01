/* Invitations: what only who has the word can make and open, and only once. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "seal/invitation.h"

static const uint8_t word[WORD_BYTES] = {1, 2, 3, 250, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255};
static const uint8_t joiners[INVITATION_SECRET_BYTES] = {7};
static const uint8_t sponsors[INVITATION_SECRET_BYTES] = {8};
static const char place[] = "10.0.0.1:7419";
static const char question[] = "name = host2";
static const char key[] = "the cluster's key";

static uint8_t ask[INVITATION_FRAME_MAX];
static uint8_t answer[INVITATION_FRAME_MAX];
static uint8_t content[INVITATION_CONTENT_MAX];
static size_t asked;
static size_t answered;
static size_t length;

static void exchange(void)
{
    cr_assert(invitation_start());
    asked = invitation_ask(word, place, joiners, question, sizeof question, ask);
    answered = invitation_answer(word, place, sponsors, ask, asked, key, sizeof key, answer);
    cr_assert_gt(asked, sizeof question);
    cr_assert_gt(answered, sizeof key);
}

static bool opens_ask(void)
{
    return invitation_open_ask(word, place, ask, asked, content, &length);
}

static bool opens_answer(void)
{
    return invitation_open_answer(word, place, joiners, ask, asked, answer, answered, content,
                                  &length);
}

Test(invitation, who_has_the_word_opens_both_messages, .init = exchange)
{
    cr_assert(opens_ask());
    cr_assert_eq(length, sizeof question);
    cr_assert_str_eq((const char *)content, question);
    cr_assert_eq(invitation_length(INVITATION_ASK, ask), asked);
    cr_assert_eq(invitation_length(INVITATION_ANSWER, ask), 0);

    cr_assert(opens_answer());
    cr_assert_eq(length, sizeof key);
    cr_assert_str_eq((const char *)content, key);
}

/* A guesser, and somebody in between at another address. */
Test(invitation, another_word_and_another_place_open_nothing, .init = exchange)
{
    uint8_t other[WORD_BYTES];

    for (unsigned bit = 0; bit < WORD_BYTES * 8; bit++) {
        memcpy(other, word, sizeof other);
        other[bit / 8] ^= (uint8_t)(1U << bit % 8);
        cr_assert_not(invitation_open_ask(other, place, ask, asked, content, &length));
        cr_assert_not(invitation_open_answer(other, place, joiners, ask, asked, answer, answered,
                                             content, &length));
    }
    cr_assert_not(invitation_open_ask(word, "10.0.0.2:7419", ask, asked, content, &length));
    cr_assert_not(invitation_open_answer(word, "10.0.0.2:7419", joiners, ask, asked, answer,
                                         answered, content, &length));
}

Test(invitation, a_message_of_which_a_bit_differs_is_none, .init = exchange)
{
    for (size_t bit = 0; bit < asked * 8; bit++) {
        ask[bit / 8] ^= (uint8_t)(1U << bit % 8);
        /* The highest bit of an X25519 key counts for nothing there, and is sealed here. */
        cr_assert_not(opens_ask(), "bit %zu of the ask", bit);
        cr_assert_not(opens_answer(), "bit %zu of the ask, as the answer has it", bit);
        ask[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t bit = 0; bit < answered * 8; bit++) {
        answer[bit / 8] ^= (uint8_t)(1U << bit % 8);
        cr_assert_not(opens_answer(), "bit %zu of the answer", bit);
        answer[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t cut = 1; cut < asked; cut++) {
        cr_assert_not(invitation_open_ask(word, place, ask, asked - cut, content, &length));
    }
    cr_assert(opens_ask() && opens_answer());
}

/* Who has recorded all that was sent, and finds the word later, lacks both secrets; so does who
 * has the word too, and asks at the same time. */
Test(invitation, the_answer_is_for_who_asked, .init = exchange)
{
    static const uint8_t others[INVITATION_SECRET_BYTES] = {9};
    uint8_t second[INVITATION_FRAME_MAX];

    cr_assert_not(invitation_open_answer(word, place, others, ask, asked, answer, answered, content,
                                         &length));
    const size_t length_of_second = invitation_ask(word, place, others, question, sizeof question,
                                                   second);
    cr_assert_not(invitation_open_answer(word, place, others, second, length_of_second, answer,
                                         answered, content, &length));
    /* An ask that is played back gets an answer that its player cannot open either. */
    static const uint8_t later[INVITATION_SECRET_BYTES] = {10};
    answered = invitation_answer(word, place, later, ask, asked, key, sizeof key, answer);
    cr_assert_not(invitation_open_answer(word, place, others, ask, asked, answer, answered, content,
                                         &length));
    cr_assert(opens_answer());
}

Test(invitation, a_key_that_gives_no_secret_gets_no_answer, .init = exchange)
{
    memset(ask + INVITATION_HEADER_BYTES, 0, 32);
    cr_assert_eq(invitation_answer(word, place, sponsors, ask, asked, key, sizeof key, answer), 0);
}

Test(invitation, bytes_that_somebody_made_up_open_nothing, .init = exchange)
{
    struct random random;
    uint8_t frame[INVITATION_FRAME_MAX];

    random_seed(&random, 4711);
    for (unsigned i = 0; i < 20000; i++) {
        const size_t size = random_between(&random, 0, i % 16 == 0 ? sizeof frame : 200);
        const bool begins_well = random_below(&random, 4) > 0;
        for (size_t at = 0; at < size; at++) {
            frame[at] = (uint8_t)random_u64(&random);
        }
        if (begins_well && size >= INVITATION_HEADER_BYTES) {
            memcpy(frame, random_below(&random, 2) == 0 ? ask : answer, INVITATION_HEADER_BYTES);
            frame[INVITATION_HEADER_BYTES - 2] = (uint8_t)(size >> 8);
            frame[INVITATION_HEADER_BYTES - 1] = (uint8_t)size;
        }
        cr_assert_not(invitation_open_ask(word, place, frame, size, content, &length));
        cr_assert_not(invitation_open_answer(word, place, joiners, ask, asked, frame, size, content,
                                             &length));
    }
}

/* --- The word as text ------------------------------------------------------------------------ */

Test(invitation, a_word_is_read_back_as_it_was_written)
{
    uint8_t read[WORD_BYTES];
    char text[WORD_TEXT_MAX];
    struct random random;

    random_seed(&random, 1);
    for (unsigned i = 0; i < 200; i++) {
        uint8_t drawn[WORD_BYTES];
        for (size_t at = 0; at < sizeof drawn; at++) {
            drawn[at] = (uint8_t)random_u64(&random);
        }
        cr_assert(word_parse(word_text(drawn, text), read));
        cr_assert_eq(memcmp(read, drawn, sizeof drawn), 0);
    }
    cr_assert_str_eq(word_text(word, text), "04107y-g50r3g-g28a1c-60t3gf-zw");
}

Test(invitation, a_word_may_be_typed_as_people_do)
{
    static const char *const same[] = {
        "04107Y-G50R3G-G28A1C-60T3GF-ZW",
        "04107yg50r3gg28a1c60t3gfzw",
        "O4IO7y g5Or3g g28a1c 6Ot3gf zw",
        "04l07y-g50r3g-g28alc-60t3gf-zw",
    };
    static const char *const none[] = {
        "",
        "-",
        "04107y",
        "04107y-g50r3g-g28a1c-60t3gf-z",
        "04107y-g50r3g-g28a1c-60t3gf-zw0",
        "04107y-g50r3g-g28a1c-60t3gf-zx", /* a bit beyond the 128 */
        "04107u-g50r3g-g28a1c-60t3gf-zw",
        "04107y_g50r3g_g28a1c_60t3gf_zw",
    };
    uint8_t read[WORD_BYTES];

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        cr_assert(word_parse(same[i], read), "%s", same[i]);
        cr_assert_eq(memcmp(read, word, sizeof word), 0, "%s", same[i]);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        cr_assert_not(word_parse(none[i], read), "%s", none[i]);
    }
}

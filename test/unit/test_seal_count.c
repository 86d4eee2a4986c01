/* What a sender answers that is asked for its count, because its numbers were used up by others who
 * hold the key. The fixture is sealing.h. */
#include <criterion/criterion.h>
#include <string.h>

#include "sealing.h"

#define FAR_AHEAD (UINT64_C(1) << 62)

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

/* Alice is heard and asked for her count; bob has not taken her answer yet. */
static struct count_frame answer_of_alice(void)
{
    struct count_frame answer;

    close_for(sender, &bob, by_datagram, 0);
    cr_assert_eq(open_it(receiver, by_datagram), SEAL_OK);
    const struct count_frame question = ask(NOW_MS);
    cr_assert_eq(take_count(sender, &question, NOW_MS, &answer), SEAL_OK);
    return answer;
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
    const struct count_frame answer = answer_of_alice();

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
    const struct count_frame answer = answer_of_alice();

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
    const struct count_frame answer = answer_of_alice();

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
    sealed[SEALED_AT_FORM] = COUNT_FORM;
    const uint8_t *bytes;
    cr_assert_eq(seal_open_count(receiver, sealed, sealed_length, NOW_MS, &bytes),
                 SEAL_NOT_AUTHENTIC);
}

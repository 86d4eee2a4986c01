/* What is said between nodes that have not shown each other a key, and how little. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/wire.h"
#include "runtime/sealing/strangers.h"

enum { DATAGRAM_BYTES = 120 };

static const uint8_t header[16] = {'D', 'Y', WIRE_FORM, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t secret[COOKIE_SECRET_BYTES] = {7};
static const struct address asker = {.family = 4, .bytes = {10, 0, 0, 1}, .port = 7420};
static const struct address door = {.family = 4, .bytes = {10, 0, 0, 2}, .port = 7420};

/* --- The fixture: two nodes, and what they send --- */

struct sent {
    struct address to;
    size_t length;
    uint32_t count;
    uint8_t bytes[DATAGRAM_BYTES_MAX];
};

static struct strangers *ours;
static struct strangers *theirs;
static struct sent from_ours;
static struct sent from_theirs;
static struct node_traffic traffic;
static struct log log_of_test;
static struct keyring ring;
static const struct keyring none = {.count = 0};
static uint8_t datagram[DATAGRAM_BYTES];
static const uint64_t start_ms = 5 * COOKIE_MINUTE_MS;

static void note_sent(void *context, const struct address *to, const uint8_t *bytes, size_t length)
{
    struct sent *sent = context;

    sent->to = *to;
    sent->length = length;
    sent->count++;
    memcpy(sent->bytes, bytes, length);
}

/* A sealed datagram for whoever lives there, as far as strangers look at it. */
static struct bytes sealed_of(uint64_t number)
{
    memset(datagram, 0xee, sizeof datagram);
    memcpy(datagram, header, sizeof header);
    datagram[SEALED_AT_FORM] = SEALED_FORM;
    put_u16(datagram + SEALED_AT_FINGERPRINT, 0x91bc);
    datagram[SEALED_AT_MARK] = MARK_WHOEVER;
    put_u64(datagram + SEALED_AT_NUMBER, number);
    memset(datagram + SEALED_HEADER_BYTES, 0, COOKIE_BYTES);
    return (struct bytes){.at = datagram, .length = sizeof datagram};
}

static struct bytes bytes_of(const struct sent *sent)
{
    return (struct bytes){.at = sent->bytes, .length = sent->length};
}

static void setup(void)
{
    log_init(&log_of_test, STDERR_FILENO, LOG_ERROR, LOG_TEXT, "test");
    ours = calloc(1, sizeof *ours);
    theirs = calloc(1, sizeof *theirs);
    cr_assert(ours != NULL && theirs != NULL);
    ours->contacts = calloc(CONTACTS_MAX, sizeof ours->contacts[0]);
    theirs->contacts = calloc(CONTACTS_MAX, sizeof theirs->contacts[0]);
    strangers_open(ours, header, secret, &log_of_test, &traffic, note_sent, &from_ours);
    strangers_open(theirs, header, secret, &log_of_test, &traffic, note_sent, &from_theirs);
    ring = (struct keyring){.count = 1, .keys = {{.bytes = {1}, .fingerprint = 0x3fa2}}};
}

static void teardown(void)
{
    free(ours->contacts);
    free(theirs->contacts);
    free(ours);
    free(theirs);
}

TestSuite(strangers, .init = setup, .fini = teardown);

/* --- Challenges --- */

Test(strangers, who_is_challenged_sends_the_same_again_with_the_cookie_once)
{
    struct bytes out = strangers_sent(ours, &door, sealed_of(9), start_ms);

    cr_assert_not(strangers_is_proved(theirs, &asker, out, start_ms));
    cr_assert(address_equal(&from_theirs.to, &asker));
    cr_assert_leq(from_theirs.length, out.length);

    strangers_on_note(ours, &door, bytes_of(&from_theirs), &ring, start_ms + 5);
    cr_assert_eq(from_ours.count, 1);
    cr_assert(address_equal(&from_ours.to, &door));
    cr_assert(strangers_is_proved(theirs, &asker, bytes_of(&from_ours), start_ms + 10));
    cr_assert_eq(from_theirs.count, 1);
    cr_assert_not(strangers_is_proved(theirs, &door, bytes_of(&from_ours), start_ms + 10),
                  "a cookie is for one address");

    strangers_on_note(ours, &door, bytes_of(&from_theirs), &ring, start_ms + 5);
    cr_assert_eq(from_ours.count, 2 - 1, "the same challenge is not answered again");
}

Test(strangers, a_cookie_is_used_while_it_lasts)
{
    (void)strangers_sent(ours, &door, sealed_of(9), start_ms);
    cr_assert_not(strangers_is_proved(theirs, &asker, sealed_of(9), start_ms));
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &ring, start_ms);

    struct bytes out = strangers_sent(ours, &door, sealed_of(10), start_ms + 30000);
    cr_assert(strangers_is_proved(theirs, &asker, out, start_ms + 30000));
    out = strangers_sent(ours, &door, sealed_of(11), start_ms + COOKIE_MINUTE_MS);
    cr_assert_not(strangers_is_proved(theirs, &asker, out, start_ms + 3 * COOKIE_MINUTE_MS));
}

/* Who does not see what we send cannot make us send anything, and nothing to others. */
Test(strangers, a_challenge_that_answers_nothing_is_ignored)
{
    (void)strangers_sent(ours, &door, sealed_of(9), start_ms);
    cr_assert_not(strangers_is_proved(theirs, &asker, sealed_of(8), start_ms));
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &ring, start_ms);
    cr_assert_eq(from_ours.count, 0);
    (void)strangers_sent(ours, &door, (struct bytes){.at = header, .length = 16}, start_ms);
    from_theirs.bytes[23] = 0; /* the number of a plain frame */
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &none, start_ms);
    cr_assert_eq(from_ours.count, 0);
}

Test(strangers, challenges_have_a_bound_in_each_second)
{
    for (uint32_t i = 0; i < 2 * CHALLENGES_PER_S; i++) {
        cr_assert_not(strangers_is_proved(theirs, &asker, sealed_of(i), start_ms));
    }
    cr_assert_eq(from_theirs.count, CHALLENGES_PER_S);
    cr_assert_not(strangers_is_proved(theirs, &asker, sealed_of(1), start_ms + 1000));
    cr_assert_eq(from_theirs.count, CHALLENGES_PER_S + 1);
}

Test(strangers, more_addresses_than_there_is_room_for_forget_the_oldest)
{
    for (uint32_t i = 0; i < CONTACTS_MAX + 1; i++) {
        struct address to = door;
        to.port = (uint16_t)(8000 + i);
        (void)strangers_sent(ours, &to, sealed_of(100 + i), start_ms + i);
    }
    cr_assert_not(strangers_is_proved(theirs, &asker, sealed_of(100), start_ms));
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &ring, start_ms);
    cr_assert_eq(from_ours.count, 0, "the first was forgotten");
    cr_assert_not(strangers_is_proved(theirs, &asker, sealed_of(101), start_ms));
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &ring, start_ms);
    cr_assert_eq(from_ours.count, 1);
    cr_assert_eq(from_ours.to.port, 8001);
}

/* --- Hints --- */

Test(strangers, a_hint_names_both_keys_to_who_asked)
{
    struct keyring other = {.count = 1, .keys = {{.fingerprint = 0x91bc}}};
    const struct bytes out = strangers_sent(ours, &door, sealed_of(9), start_ms);

    strangers_refused(theirs, &asker, out, &ring, start_ms);
    cr_assert_eq(from_theirs.count, 1);
    cr_assert_leq(from_theirs.length, out.length);
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &other, start_ms);
    cr_assert_str_eq(strangers_words(ours, start_ms),
                     "10.0.0.2:7420 answers, but holds another key: ours 91bc, its 3fa2; compare "
                     "--key");
    cr_assert_str_eq(strangers_words(ours, start_ms + STRANGERS_WORDS_MS), "", "for a while");
}

Test(strangers, a_hint_says_who_has_no_key_at_all)
{
    const struct bytes out = strangers_sent(ours, &door, sealed_of(9), start_ms);

    strangers_refused(theirs, &asker, out, &none, start_ms);
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &ring, start_ms);
    cr_assert_not_null(strstr(strangers_words(ours, start_ms), "has no key: ours is 3fa2"));
}

Test(strangers, a_node_without_a_key_is_told_where_it_has_asked)
{
    uint8_t plain[DATAGRAM_BYTES] = {0};
    const struct bytes out = {.at = plain, .length = sizeof plain};

    memcpy(plain, header, sizeof header);
    strangers_refused(theirs, &asker, out, &ring, start_ms);
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &none, start_ms);
    cr_assert_str_eq(strangers_words(ours, start_ms), "", "it has asked nobody");
    (void)strangers_sent(ours, &door, out, start_ms);
    strangers_on_note(ours, &door, bytes_of(&from_theirs), &none, start_ms);
    cr_assert_not_null(strstr(strangers_words(ours, start_ms), "asks for a key, 3fa2"));
}

Test(strangers, hints_are_few_short_and_for_frames_of_this_cluster)
{
    uint8_t bytes[DATAGRAM_BYTES];
    struct address source = asker;

    (void)sealed_of(9);
    memcpy(bytes, datagram, sizeof bytes);
    strangers_refused(theirs, &asker, (struct bytes){.at = bytes, .length = 51}, &ring, start_ms);
    bytes[SEALED_AT_CLUSTER] ^= 1;
    strangers_refused(theirs, &asker, (struct bytes){.at = bytes, .length = 100}, &ring, start_ms);
    cr_assert_eq(from_theirs.count, 0);

    for (uint32_t i = 0; i < 10; i++) {
        strangers_refused(theirs, &asker, sealed_of(i), &ring, start_ms);
    }
    cr_assert_eq(from_theirs.count, 1, "one in a second for each source");
    for (uint32_t i = 0; i < 100; i++) {
        source.port++;
        strangers_refused(theirs, &source, sealed_of(i), &ring, start_ms + 1);
    }
    cr_assert_eq(from_theirs.count, HINTS_PER_S, "and so many for all of them");
}

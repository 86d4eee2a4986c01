/* Questions beside the protocol (decision 21): members ask and answer, nobody else is heard, and an
 * answer goes where the view says, whatever it holds. */
#include <criterion/criterion.h>
#include <string.h>

#include "rig.h"
#include "runtime/host/clock.h"
#include "runtime/services/inquiry.h"

enum { AT_MARK = 16, AT_KIND = 17, AT_LIFE = 18, AT_NONCE = 34, AT_TEXT = 42 };

static const uint8_t header[16] = {'D', 'Y', 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};

/* B of the view A B C, and what it sent last. */
struct desk {
    struct rig *rig;
    struct inquiry inquiry;
    uint32_t sent_count;
    struct address to;
    uint8_t frame[INQUIRY_PROBE_BYTES_MAX];
    size_t length;
    uint32_t answer_count;
    bool cut;
};

static void transmit(void *context, const struct outgoing *outgoing)
{
    struct desk *desk = context;

    cr_assert_leq(outgoing->length, sizeof desk->frame);
    memcpy(desk->frame, outgoing->bytes, outgoing->length);
    desk->length = outgoing->length;
    desk->to = *outgoing->to;
    desk->sent_count++;
}

static bool is_cut(void *context, const struct node_id *peer, const struct address *address)
{
    (void)peer;
    (void)address;
    return ((struct desk *)context)->cut;
}

static size_t own_answer(void *context, char text[INQUIRY_TEXT_MAX])
{
    ((struct desk *)context)->answer_count++;
    memcpy(text, "{}", 2);
    return 2;
}

static void desk_open(struct desk *desk)
{
    *desk = (struct desk){.rig = rig_in("ABC", 'B')};
    inquiry_open(&desk->inquiry, &(struct inquiry_options){.core = desk->rig->core,
                                                           .header = header,
                                                           .transmit = transmit,
                                                           .is_cut = is_cut,
                                                           .context = desk});
    inquiry_set_answerer(&desk->inquiry, own_answer, desk);
}

static void desk_close(struct desk *desk)
{
    inquiry_close(&desk->inquiry);
    rig_free(desk->rig);
}

static const struct member *member_at(const struct desk *desk, uint32_t position)
{
    return &core_view(desk->rig->core)->members[position];
}

/* What the member at that position sends, with the nonce of what was sent last; `text` NULL: a
 * question. */
static void hear(struct desk *desk, uint32_t position, const char *text)
{
    uint8_t frame[INQUIRY_PROBE_BYTES_MAX + 1] = {0};
    const size_t length = text == NULL ? 0 : strlen(text);

    memcpy(frame, desk->frame, desk->length);
    memcpy(frame, header, sizeof header);
    frame[AT_MARK] = 0xc1;
    frame[AT_KIND] = text == NULL ? 1 : 2;
    memcpy(frame + AT_LIFE, &member_at(desk, position)->id, sizeof(struct node_id));
    if (length > 0) {
        memcpy(frame + AT_TEXT, text, length);
    }
    const struct bytes bytes = {.at = frame, .length = AT_TEXT + length};
    cr_assert(inquiry_is_frame(bytes));
    inquiry_on_frame(&desk->inquiry, bytes);
}

Test(inquiry, each_other_member_is_asked_and_its_answer_is_kept)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(inquiry_begin(&desk.inquiry));
    inquiry_ask(&desk.inquiry);
    cr_expect_eq(desk.sent_count, 2, "A and C, not B itself");
    cr_expect_eq(desk.length, AT_TEXT);
    cr_expect(!inquiry_find(&desk.inquiry, 0)->answered);

    hear(&desk, 0, "{\"version\":\"9\"}");
    const struct inquiry_slot *slot = inquiry_find(&desk.inquiry, 0);
    cr_expect(slot->answered);
    cr_expect_eq(slot->length, 15);
    cr_expect_eq(memcmp(slot->text, "{\"version\":\"9\"}", 15), 0);
    cr_expect(!inquiry_find(&desk.inquiry, 2)->answered);
    inquiry_ask(&desk.inquiry);
    cr_expect_eq(desk.sent_count, 2, "each is asked once");
    desk_close(&desk);
}

Test(inquiry, an_answer_counts_once_and_only_in_its_round)
{
    struct desk desk;

    desk_open(&desk);
    hear(&desk, 0, "{}"); /* Nobody has asked. */
    cr_assert(inquiry_begin(&desk.inquiry));
    hear(&desk, 0, "{}"); /* Nor now. */
    cr_expect(!inquiry_find(&desk.inquiry, 0)->answered);
    inquiry_ask(&desk.inquiry);
    hear(&desk, 0, "{\"first\":1}");
    hear(&desk, 0, "{}");
    cr_expect_eq(inquiry_find(&desk.inquiry, 0)->length, 11);
    desk.frame[AT_NONCE] ^= 1;
    hear(&desk, 2, "{}");
    cr_expect(!inquiry_find(&desk.inquiry, 2)->answered, "the nonce is another one");
    desk_close(&desk);
}

Test(inquiry, a_question_is_answered_to_the_address_of_the_view)
{
    struct desk desk;

    desk_open(&desk);
    hear(&desk, 2, NULL);
    cr_expect_eq(desk.answer_count, 1);
    cr_expect_eq(desk.sent_count, 1);
    cr_expect(address_equal(&desk.to, &member_at(&desk, 2)->address));
    cr_expect_eq(desk.length, AT_TEXT + 2);
    desk_close(&desk);
}

Test(inquiry, who_is_no_member_is_not_heard)
{
    struct desk desk;
    uint8_t frame[AT_TEXT] = {0};

    desk_open(&desk);
    memcpy(frame, header, sizeof header);
    frame[AT_MARK] = 0xc1;
    frame[AT_KIND] = 1;
    memset(frame + AT_LIFE, 0x55, sizeof(struct node_id));
    inquiry_on_frame(&desk.inquiry, (struct bytes){.at = frame, .length = sizeof frame});
    memcpy(frame + AT_LIFE, &member_at(&desk, 0)->id, sizeof(struct node_id));
    frame[8] ^= 1; /* another cluster */
    inquiry_on_frame(&desk.inquiry, (struct bytes){.at = frame, .length = sizeof frame});
    frame[8] ^= 1;
    for (size_t length = AT_MARK + 1; length < sizeof frame; length++) {
        inquiry_on_frame(&desk.inquiry, (struct bytes){.at = frame, .length = length});
    }
    cr_expect_eq(desk.answer_count, 0);
    inquiry_on_frame(&desk.inquiry, (struct bytes){.at = frame, .length = sizeof frame});
    cr_expect_eq(desk.answer_count, 1, "the same from a member");
    desk_close(&desk);
}

Test(inquiry, answers_have_a_budget)
{
    struct desk desk;
    const uint64_t second = clock_ms() / 1000;

    desk_open(&desk);
    for (int i = 0; i < 10 * INQUIRY_ANSWERS_PER_S; i++) {
        hear(&desk, 2, NULL);
    }
    const uint64_t seconds = clock_ms() / 1000 - second + 1;
    cr_expect_geq(desk.answer_count, INQUIRY_ANSWERS_PER_S);
    cr_expect_leq(desk.answer_count, seconds * INQUIRY_ANSWERS_PER_S);
    desk_close(&desk);
}

Test(inquiry, a_cut_holds_both_ways)
{
    struct desk desk;

    desk_open(&desk);
    desk.cut = true;
    cr_assert(inquiry_begin(&desk.inquiry));
    inquiry_ask(&desk.inquiry);
    hear(&desk, 2, NULL);
    cr_expect_eq(desk.sent_count, 0);
    cr_expect_eq(desk.answer_count, 0);
    desk_close(&desk);
}

/* A whole frame of that kind, of the member at that position, with a nonce of ones. */
static void hear_frame(struct desk *desk, uint32_t position, uint8_t kind, size_t length)
{
    uint8_t frame[INQUIRY_PROBE_BYTES_MAX + 1] = {0};

    memcpy(frame, header, sizeof header);
    frame[AT_MARK] = 0xc1;
    frame[AT_KIND] = kind;
    memcpy(frame + AT_LIFE, &member_at(desk, position)->id, sizeof(struct node_id));
    memset(frame + AT_NONCE, 1, 8);
    frame[AT_TEXT + 7] = 42;
    inquiry_on_frame(&desk->inquiry, (struct bytes){.at = frame, .length = length});
}

Test(inquiry, an_answer_to_a_probe_is_as_long_as_the_probe)
{
    struct desk desk;

    desk_open(&desk);
    for (size_t length = INQUIRY_PROBE_BYTES_MIN; length <= INQUIRY_PROBE_BYTES_MAX; length += 13) {
        hear_frame(&desk, 2, 5, length);
        cr_assert_eq(desk.length, length);
        cr_assert_eq(desk.frame[AT_KIND], 6);
        cr_assert_eq(desk.frame[AT_NONCE], 1);
        cr_assert_eq(desk.frame[AT_TEXT + 7], 42, "the number");
    }
    hear_frame(&desk, 2, 7, INQUIRY_PROBE_BYTES_MAX);
    cr_expect_eq(desk.length, INQUIRY_PROBE_BYTES_MAX);
    cr_expect_eq(desk.frame[AT_KIND], 8, "one packet there, one packet back");
    const uint32_t sent_count = desk.sent_count;
    hear_frame(&desk, 2, 5, INQUIRY_PROBE_BYTES_MIN - 1);
    hear_frame(&desk, 2, 5, INQUIRY_PROBE_BYTES_MAX + 1);
    cr_expect_eq(desk.sent_count, sent_count, "no such probe");
    cr_expect_eq(desk.answer_count, 0, "nobody is asked");
    desk_close(&desk);
}

struct taken {
    uint32_t count;
    uint32_t position;
    uint64_t number;
    size_t bytes;
};

static void take(void *context, uint32_t position, uint64_t nonce, uint64_t number, size_t bytes,
                 uint64_t clock_us)
{
    struct taken *taken = context;

    (void)nonce;
    (void)clock_us;
    *taken = (struct taken){taken->count + 1, position, number, bytes};
}

Test(inquiry, the_answer_to_a_probe_is_handed_on)
{
    struct taken taken = {0};
    struct desk desk;

    desk_open(&desk);
    hear_frame(&desk, 0, 6, 100); /* Nobody probes. */
    inquiry_set_prober(&desk.inquiry, &(struct inquiry_prober){.take = take, .context = &taken});
    inquiry_probe(&desk.inquiry, 0, &(struct path_probe){.nonce = 7, .number = 42, .bytes = 100});
    cr_expect_eq(desk.length, 100);
    cr_expect_eq(desk.frame[AT_KIND], 5);
    hear_frame(&desk, 0, 6, 100);
    hear_frame(&desk, 0, 6, INQUIRY_PROBE_BYTES_MIN - 1);
    cr_expect_eq(taken.count, 1);
    cr_expect_eq(taken.position, 0);
    cr_expect_eq(taken.number, 42);
    cr_expect_eq(taken.bytes, 100);
    desk_close(&desk);
}

/* Only a probe may be as long as a datagram: there is no room for more of an answer. */
Test(inquiry, an_answer_that_is_too_long_is_not_taken)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(inquiry_begin(&desk.inquiry));
    inquiry_ask(&desk.inquiry);
    memset(&desk.inquiry.nonce, 1, sizeof desk.inquiry.nonce);
    hear_frame(&desk, 0, 2, AT_TEXT + INQUIRY_TEXT_MAX + 1);
    cr_expect(!inquiry_find(&desk.inquiry, 0)->answered);
    hear_frame(&desk, 0, 2, AT_TEXT + INQUIRY_TEXT_MAX);
    cr_expect(inquiry_find(&desk.inquiry, 0)->answered);
    desk_close(&desk);
}

#include "runtime/services/inquiry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/chance.h"
#include "runtime/host/clock.h"
#include "seal/sealed_frame.h"

/* A frame, which with a key is sealed like any other. In the place of a message stands a byte with
 * which no MessagePack begins:
 *
 *      0                16      17     18               34      42
 *    +----------------+-------+------+----------------+-------+----------
 *    | header         | 0xc1  | kind | sender's life  | nonce | text ...
 *    +----------------+-------+------+----------------+-------+---------- */
enum {
    HEADER_BYTES = 16,
    AT_MARK = HEADER_BYTES,
    AT_KIND = AT_MARK + 1,
    AT_LIFE = AT_KIND + 1,
    AT_NONCE = AT_LIFE + sizeof(struct node_id),
    AT_TEXT = AT_NONCE + 8,
    ANSWER_BYTES_MAX = AT_TEXT + INQUIRY_TEXT_MAX,
    FRAME_BYTES_MAX = INQUIRY_PROBE_BYTES_MAX,

    MARK = 0xc1,
    KIND_QUESTION = 1, /* without text */
    KIND_ANSWER = 2,
    KIND_PAGE_QUESTION = 3, /* its text: from which entry on, eight bytes */
    KIND_PAGE = 4,
    PAGE_QUESTION_BYTES = 8,
    KIND_PROBE = 5,        /* its text: a number, and as many zeros as it is to be long */
    KIND_PROBE_ANSWER = 6, /* the same number, the clock in us, and zeros, as long as the probe */
    KIND_LONG_PROBE = 7,   /* the same, as datagrams whatever their length */
    KIND_LONG_PROBE_ANSWER = 8,
    AT_PROBE_NUMBER = AT_TEXT,
    AT_PROBE_CLOCK = AT_PROBE_NUMBER + 8,
    PROBE_BYTES_MIN = AT_PROBE_CLOCK + 8,

    NS_PER_US = 1000,
};

_Static_assert((int)ANSWER_BYTES_MAX <= (int)FRAME_BYTES_MAX, "there is room for an answer");
_Static_assert((int)PROBE_BYTES_MIN == (int)INQUIRY_PROBE_BYTES_MIN, "there is room for a clock");

void inquiry_open(struct inquiry *inquiry, const struct inquiry_options *options)
{
    inquiry->options = *options;
}

void inquiry_close(struct inquiry *inquiry)
{
    free(inquiry->slots);
    inquiry->slots = NULL;
    inquiry->slot_count = 0;
}

void inquiry_set_answerer(struct inquiry *inquiry, inquiry_answerer *answerer, void *context)
{
    inquiry->answerer = answerer;
    inquiry->answerer_context = context;
}

/* --- Sending --------------------------------------------------------------------------------- */

static bool is_long_probe(uint8_t kind)
{
    return kind == KIND_LONG_PROBE || kind == KIND_LONG_PROBE_ANSWER;
}

static void send_frame(struct inquiry *inquiry, const struct member *to, uint8_t kind,
                       uint64_t nonce, const char *text, size_t length)
{
    const struct inquiry_options *options = &inquiry->options;
    uint8_t frame[FRAME_BYTES_MAX];

    if (options->is_cut(options->context, &to->id, &to->address)) {
        return;
    }
    memcpy(frame, options->header, HEADER_BYTES);
    frame[AT_MARK] = MARK;
    frame[AT_KIND] = kind;
    memcpy(frame + AT_LIFE, &core_self(options->core)->id, sizeof(struct node_id));
    put_u64(frame + AT_NONCE, nonce);
    memcpy(frame + AT_TEXT, text, length);
    options->transmit(options->context, &(struct outgoing){.peer = &to->id,
                                                           .to = &to->address,
                                                           .hop = &to->id,
                                                           .type = MESSAGE_PING,
                                                           .bytes = frame,
                                                           .length = AT_TEXT + length,
                                                           .as_datagram = is_long_probe(kind)});
}

/* --- Asking ---------------------------------------------------------------------------------- */

bool inquiry_begin(struct inquiry *inquiry)
{
    const struct view *view = core_view(inquiry->options.core);
    const uint64_t now_ms = clock_ms();

    if (inquiry->slots != NULL && now_ms - inquiry->began_ms < INQUIRY_ROUND_MS) {
        return true;
    }
    struct inquiry_slot *slots = calloc((size_t)view->member_count + 1, sizeof *slots);
    if (slots == NULL || !chance_draw(&inquiry->nonce, sizeof inquiry->nonce)) {
        free(slots);
        return false;
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        slots[i].life = view->members[i].id;
    }
    free(inquiry->slots);
    inquiry->slots = slots;
    inquiry->slot_count = view->member_count;
    inquiry->asked_count = 0;
    inquiry->began_ms = now_ms;
    return true;
}

void inquiry_ask(struct inquiry *inquiry)
{
    const struct core *core = inquiry->options.core;
    const struct view *view = core_view(core);

    for (uint32_t i = 0; i < INQUIRY_TURN && inquiry->asked_count < inquiry->slot_count; i++) {
        struct inquiry_slot *slot = &inquiry->slots[inquiry->asked_count++];
        const uint32_t position = view_find(view, &slot->life);

        if (position != VIEW_NONE && !id_equal(&slot->life, &core_self(core)->id)) {
            slot->asked_wall_ms = clock_wall_ms();
            slot->asked_ns = clock_ns();
            send_frame(inquiry, &view->members[position], KIND_QUESTION, inquiry->nonce, "", 0);
        }
    }
}

/* While the view is that of the round's beginning, so are the positions. */
static struct inquiry_slot *find(const struct inquiry *inquiry, uint32_t position)
{
    const struct node_id *life = &core_view(inquiry->options.core)->members[position].id;

    if (position < inquiry->slot_count && id_equal(&inquiry->slots[position].life, life)) {
        return &inquiry->slots[position];
    }
    for (uint32_t i = 0; i < inquiry->slot_count; i++) {
        if (id_equal(&inquiry->slots[i].life, life)) {
            return &inquiry->slots[i];
        }
    }
    return NULL;
}

const struct inquiry_slot *inquiry_find(const struct inquiry *inquiry, uint32_t position)
{
    return find(inquiry, position);
}

void inquiry_set_pages(struct inquiry *inquiry, const struct inquiry_pages *pages)
{
    inquiry->pages = *pages;
}

void inquiry_ask_page(struct inquiry *inquiry, uint32_t position, uint64_t nonce, uint64_t from)
{
    uint8_t text[PAGE_QUESTION_BYTES];

    put_u64(text, from);
    send_frame(inquiry, &core_view(inquiry->options.core)->members[position], KIND_PAGE_QUESTION,
               nonce, (const char *)text, sizeof text);
}

void inquiry_set_prober(struct inquiry *inquiry, const struct inquiry_prober *prober)
{
    inquiry->prober = *prober;
}

void inquiry_probe(struct inquiry *inquiry, uint32_t position, const struct path_probe *probe)
{
    const struct member *to = &core_view(inquiry->options.core)->members[position];
    uint8_t text[INQUIRY_PROBE_BYTES_MAX - AT_TEXT] = {0};

    assert(probe->bytes >= INQUIRY_PROBE_BYTES_MIN && probe->bytes <= INQUIRY_PROBE_BYTES_MAX);
    put_u64(text, probe->number);
    send_frame(inquiry, to, probe->as_datagram ? KIND_LONG_PROBE : KIND_PROBE, probe->nonce,
               (const char *)text, probe->bytes - AT_TEXT);
}

/* --- What comes ------------------------------------------------------------------------------ */

bool inquiry_is_frame(struct bytes frame)
{
    return frame.length > AT_MARK && frame.at[AT_MARK] == MARK;
}

static bool is_probe(uint8_t kind)
{
    return kind == KIND_PROBE || kind == KIND_LONG_PROBE;
}

static bool is_probe_answer(uint8_t kind)
{
    return kind == KIND_PROBE_ANSWER || kind == KIND_LONG_PROBE_ANSWER;
}

/* Of a whole frame of that kind. */
static size_t bytes_max(uint8_t kind)
{
    return is_probe(kind) || is_probe_answer(kind) ? INQUIRY_PROBE_BYTES_MAX : ANSWER_BYTES_MAX;
}

/* The position of the member that sent it; VIEW_NONE: it is not of our cluster, or its sender is no
 * member. */
static uint32_t sender_of(const struct inquiry *inquiry, struct bytes frame)
{
    const uint8_t *header = inquiry->options.header;
    struct node_id life;

    if (frame.length < AT_TEXT || frame.length > bytes_max(frame.at[AT_KIND]) ||
        memcmp(frame.at, header, HEADER_BYTES) != 0) {
        return VIEW_NONE;
    }
    memcpy(&life, frame.at + AT_LIFE, sizeof life);
    return view_find(core_view(inquiry->options.core), &life);
}

static void answer(struct inquiry *inquiry, const struct member *to, uint64_t nonce)
{
    char text[INQUIRY_TEXT_MAX];

    if (inquiry->answerer == NULL ||
        !per_second_take(&inquiry->answers, INQUIRY_ANSWERS_PER_S, clock_ms())) {
        return;
    }
    const size_t length = inquiry->answerer(inquiry->answerer_context, text);
    if (length > 0) {
        assert(length <= INQUIRY_TEXT_MAX);
        send_frame(inquiry, to, KIND_ANSWER, nonce, text, length);
    }
}

static void take_answer(struct inquiry *inquiry, uint32_t position, struct bytes frame)
{
    struct inquiry_slot *slot = find(inquiry, position);

    if (slot == NULL || slot->asked_ns == 0 || slot->answered ||
        get_u64(frame.at + AT_NONCE) != inquiry->nonce) {
        return; /* Nobody asked, or not in this round. */
    }
    slot->took_us = (clock_ns() - slot->asked_ns) / NS_PER_US;
    slot->length = (uint16_t)(frame.length - AT_TEXT);
    memcpy(slot->text, frame.at + AT_TEXT, slot->length);
    slot->answered = true;
}

static void answer_page(struct inquiry *inquiry, const struct member *to, struct bytes question)
{
    char text[INQUIRY_TEXT_MAX];

    if (inquiry->pages.answer == NULL ||
        !per_second_take(&inquiry->answers, INQUIRY_ANSWERS_PER_S, clock_ms())) {
        return;
    }
    const size_t length = inquiry->pages.answer(inquiry->pages.context,
                                                get_u64(question.at + AT_TEXT), text);
    if (length > 0) {
        assert(length <= INQUIRY_TEXT_MAX);
        send_frame(inquiry, to, KIND_PAGE, get_u64(question.at + AT_NONCE), text, length);
    }
}

/* As long as the probe, so that nobody's question makes more traffic than it is. */
static void answer_probe(struct inquiry *inquiry, const struct member *to, struct bytes probe)
{
    uint8_t text[INQUIRY_PROBE_BYTES_MAX - AT_TEXT] = {0};

    if (!per_second_take(&inquiry->probes, INQUIRY_PROBES_PER_S, clock_ms())) {
        return;
    }
    memcpy(text, probe.at + AT_PROBE_NUMBER, AT_PROBE_CLOCK - AT_PROBE_NUMBER);
    put_u64(text + AT_PROBE_CLOCK - AT_TEXT, clock_ns() / NS_PER_US);
    send_frame(inquiry, to,
               is_long_probe(probe.at[AT_KIND]) ? KIND_LONG_PROBE_ANSWER : KIND_PROBE_ANSWER,
               get_u64(probe.at + AT_NONCE), (const char *)text, probe.length - AT_TEXT);
}

static void take_probe_answer(struct inquiry *inquiry, uint32_t position, struct bytes answer)
{
    const struct inquiry_prober *prober = &inquiry->prober;

    if (prober->take != NULL) {
        prober->take(prober->context, position, get_u64(answer.at + AT_NONCE),
                     get_u64(answer.at + AT_PROBE_NUMBER), answer.length,
                     get_u64(answer.at + AT_PROBE_CLOCK));
    }
}

static void on_probe(struct inquiry *inquiry, uint32_t position, struct bytes frame)
{
    if (frame.length < PROBE_BYTES_MIN) {
        return;
    }
    if (is_probe(frame.at[AT_KIND])) {
        answer_probe(inquiry, &core_view(inquiry->options.core)->members[position], frame);
    } else {
        take_probe_answer(inquiry, position, frame);
    }
}

void inquiry_on_frame(struct inquiry *inquiry, struct bytes frame)
{
    const struct inquiry_options *options = &inquiry->options;
    const uint32_t position = sender_of(inquiry, frame);

    if (position == VIEW_NONE) {
        return;
    }
    const struct member *from = &core_view(options->core)->members[position];
    if (options->is_cut(options->context, &from->id, &from->address)) {
        return;
    }
    if (frame.at[AT_KIND] == KIND_QUESTION && frame.length == AT_TEXT) {
        answer(inquiry, from, get_u64(frame.at + AT_NONCE));
    } else if (frame.at[AT_KIND] == KIND_ANSWER) {
        take_answer(inquiry, position, frame);
    } else if (frame.at[AT_KIND] == KIND_PAGE_QUESTION &&
               frame.length == AT_TEXT + PAGE_QUESTION_BYTES) {
        answer_page(inquiry, from, frame);
    } else if (frame.at[AT_KIND] == KIND_PAGE && inquiry->pages.take != NULL) {
        inquiry->pages.take(inquiry->pages.context, position, get_u64(frame.at + AT_NONCE),
                            (const char *)frame.at + AT_TEXT, frame.length - AT_TEXT);
    } else if (is_probe(frame.at[AT_KIND]) || is_probe_answer(frame.at[AT_KIND])) {
        on_probe(inquiry, position, frame);
    }
}

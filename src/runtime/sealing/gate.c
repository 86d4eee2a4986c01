#include "runtime/sealing/gate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/chance.h"
#include "runtime/host/clock.h"

_Static_assert(DATAGRAM_FRAME_BYTES_MAX + SEALED_EXTRA_BYTES <= DATAGRAM_BYTES_MAX,
               "what is a datagram is one sealed, too");

/* Members, those who were before them, and joiners. */
enum { SENDERS_PER_MEMBER = 2, SENDERS_SPARE = 256 };

/* Who asks a witness: those who coordinate, or would. */
enum { SENDERS_OF_WITNESS = 64 };

static bool open_seal(struct gate *gate, const struct gate_options *options)
{
    const uint32_t senders = options->answers_only
                                 ? SENDERS_OF_WITNESS
                                 : SENDERS_PER_MEMBER * options->capacity + SENDERS_SPARE;

    gate->seal = seal_new(wire_header(options->wire), wire_frame_bytes_max(options->wire), senders,
                          options->buffers);
    if (gate->seal == NULL) {
        return false;
    }
    seal_set_ring(gate->seal, options->ring);
    if (cipher_is_here(ALGORITHM_AES256_GCM)) {
        seal_use_algorithm(gate->seal, ALGORITHM_AES256_GCM);
    }
    gate->sealed_ms = clock_ms();
    return true;
}

/* What only members need, who send to addresses without knowing who lives there, and each other
 * beats. */
static bool open_member(struct gate *gate, const struct gate_options *options)
{
    gate->strangers.contacts = calloc(CONTACTS_MAX, sizeof gate->strangers.contacts[0]);
    return gate->strangers.contacts != NULL &&
           beat_post_open(&gate->beats,
                          &(struct beat_post_options){.core = options->core,
                                                      .wire = options->wire,
                                                      .seal = gate->seal,
                                                      .accepts_plain = gate->accepts_plain,
                                                      .capacity = options->capacity,
                                                      .heartbeat_ms = options->heartbeat_ms,
                                                      .lost_ms = options->lost_ms,
                                                      .traffic = options->traffic});
}

bool gate_open(struct gate *gate, const struct gate_options *options)
{
    uint8_t secret[COOKIE_SECRET_BYTES];

    gate->core = options->core;
    gate->traffic = options->traffic;
    gate->salt_after_ms = options->lost_ms;
    gate->accepts_plain = options->accepts_plain;
    if (!chance_draw(secret, sizeof secret) || !chance_draw(gate->salt, sizeof gate->salt)) {
        return false;
    }
    strangers_open(&gate->strangers, wire_header(options->wire), secret, options->log,
                   options->traffic, options->send, options->context);
    if (options->ring->count > 0 && !open_seal(gate, options)) {
        return false;
    }
    return options->answers_only || open_member(gate, options);
}

void gate_close(struct gate *gate)
{
    beat_post_close(&gate->beats);
    free(gate->strangers.contacts);
    gate->strangers.contacts = NULL;
    seal_free(gate->seal);
    gate->seal = NULL;
}

bool gate_is_keyed(const struct gate *gate)
{
    return gate->seal != NULL;
}

/* --- Sealing --- */

/* The life that is sealed for and opened for is the core's. After a silence in which the machine
 * may have been copied, the two copies must not go on under one key: the salt is drawn anew. The
 * kernel does not refuse random bytes after it has given some once; if it did, the old salt would
 * stay. */
static void follow_core(struct gate *gate)
{
    const struct node_id *life = &core_self(gate->core)->id;

    if (!id_equal(life, &gate->life)) {
        gate->life = *life;
        seal_set_self(gate->seal, life, gate->salt);
    }
}

static void renew_salt(struct gate *gate)
{
    const uint64_t now_ms = clock_ms();
    const bool slept = now_ms - gate->sealed_ms > gate->salt_after_ms;

    gate->sealed_ms = now_ms;
    if (slept && chance_draw(gate->salt, sizeof gate->salt)) {
        seal_set_self(gate->seal, &gate->life, gate->salt);
    }
}

static struct bytes seal_it(struct gate *gate, const struct seal_order *order)
{
    struct bytes sealed;

    follow_core(gate);
    renew_salt(gate);
    sealed.at = seal_close(gate->seal, order, &sealed.length);
    return sealed;
}

/* While plain frames are accepted, others may have no key yet: only who has sealed gets sealed
 * frames. */
static bool seals_for(const struct gate *gate, const struct node_id *to)
{
    return gate->seal != NULL &&
           (!gate->accepts_plain || (to != NULL && seal_sender(gate->seal, to) != NULL));
}

static struct bytes seal_datagram(struct gate *gate, const struct outgoing *outgoing)
{
    const struct seal_order order = {.frame = outgoing->bytes,
                                     .length = outgoing->length,
                                     .to = outgoing->hop,
                                     .place = {.channel = SEAL_DATAGRAM},
                                     .with_ring = outgoing->type == MESSAGE_HEARTBEAT};
    const struct bytes datagram = seal_it(gate, &order);

    return id_is_none(outgoing->hop)
               ? strangers_sent(&gate->strangers, outgoing->to, datagram, clock_ms())
               : datagram;
}

struct bytes gate_seal_datagram(struct gate *gate, const struct outgoing *outgoing)
{
    const struct bytes plain = {.at = outgoing->bytes, .length = outgoing->length};
    const bool to_whoever = id_is_none(outgoing->hop);

    if (seals_for(gate, outgoing->hop)) {
        return seal_datagram(gate, outgoing);
    }
    if (to_whoever && gate->seal != NULL) {
        /* Nobody knows which of the two is understood there: both are sent. */
        const struct bytes sealed = seal_datagram(gate, outgoing);
        gate->strangers.send(gate->strangers.context, outgoing->to, sealed.at, sealed.length);
        return plain;
    }
    return to_whoever ? strangers_sent(&gate->strangers, outgoing->to, plain, clock_ms()) : plain;
}

struct bytes gate_beat(struct gate *gate, const struct effect *effect, uint64_t now_ms)
{
    return beat_post_write(&gate->beats, effect, seals_for(gate, &effect->peer), now_ms);
}

void gate_begin_stream(struct gate *gate, struct gate_stream *stream, const struct node_id *to)
{
    if (stream->begun) {
        return;
    }
    *stream = (struct gate_stream){.begun = true, .sealed = seals_for(gate, to)};
    if (stream->sealed) {
        stream->first = seal_take_number(gate->seal);
    }
}

struct bytes gate_seal_frame(struct gate *gate, const struct gate_stream *stream,
                             enum message_type type, const struct node_id *to, struct bytes frame)
{
    const bool is_first = type == MESSAGE_HELLO;

    if (!stream->sealed) {
        return frame;
    }
    return seal_it(gate, &(struct seal_order){.frame = frame.at,
                                              .length = frame.length,
                                              .to = is_first ? NULL : to, /* Who is there? */
                                              .place = {.channel = SEAL_STREAM,
                                                        .stream = is_first ? 0 : stream->first},
                                              .number = is_first ? stream->first : 0});
}

struct bytes gate_seal_answer(struct gate *gate, const struct gate_stream *stream,
                              const struct node_id *to, struct bytes frame)
{
    if (!stream->sealed) {
        return frame;
    }
    return seal_it(
        gate, &(struct seal_order){.frame = frame.at,
                                   .length = frame.length,
                                   .to = to,
                                   .place = {.channel = SEAL_ANSWER, .stream = stream->first}});
}

/* --- Opening --- */

static bool is_plain(struct bytes frame)
{
    return frame.length <= SEALED_AT_FORM || frame.at[SEALED_AT_FORM] == WIRE_FORM;
}

static bool is_sealed(struct bytes frame)
{
    return frame.length > SEALED_AT_FORM && frame.at[SEALED_AT_FORM] == SEALED_FORM;
}

static bool is_count(struct bytes frame)
{
    return frame.length > SEALED_AT_FORM && frame.at[SEALED_AT_FORM] == COUNT_FORM;
}

/* --- The count of who seems to be played back --- */

/* A member is asked at its own address; whoever else, where the frame came from, which is where its
 * true frames come from, too. NULL: that is not known. */
static const struct address *address_of(const struct gate *gate, const struct node_id *life,
                                        const struct address *source)
{
    const struct view *view = core_view(gate->core);
    const uint32_t position = view_find(view, life);

    return position == VIEW_NONE ? source : &view->members[position].address;
}

/* A holder of the key may have used up the numbers of that life: the life itself is asked where its
 * count stands. */
static void ask_count(struct gate *gate, struct bytes sealed, const struct seal_place *place,
                      const struct address *source)
{
    const uint64_t now_ms = clock_ms();
    uint8_t nonce[COUNT_NONCE_BYTES];
    struct node_id life;

    if (sealed.length < COUNT_FRAME_BYTES ||
        !seal_may_ask(gate->seal, sealed.at, sealed.length, place, now_ms, &life)) {
        return;
    }
    const struct address *to = address_of(gate, &life, source);
    if (to == NULL || !per_second_take(&gate->asked, COUNTS_ASKED_PER_S, now_ms) ||
        !chance_draw(nonce, sizeof nonce)) {
        return;
    }
    renew_salt(gate);
    const uint8_t *question = seal_ask(gate->seal, &life, nonce, now_ms);
    gate->traffic->counts_asked++;
    gate->strangers.send(gate->strangers.context, to, question, COUNT_FRAME_BYTES);
}

/* A question, which is answered with no more than it has itself, or an answer. */
static void on_count(struct gate *gate, struct bytes datagram, const struct address *source)
{
    const uint64_t now_ms = clock_ms();
    const uint8_t *answer;

    follow_core(gate);
    renew_salt(gate);
    const enum seal_result result = seal_open_count(gate->seal, datagram.at, datagram.length,
                                                    now_ms, &answer);
    if (result != SEAL_OK) {
        gate->traffic->sealed_refused[result]++;
    } else if (answer != NULL && per_second_take(&gate->answered, COUNTS_ANSWERED_PER_S, now_ms)) {
        gate->strangers.send(gate->strangers.context, source, answer, COUNT_FRAME_BYTES);
    }
}

/* --- What comes --- */

/* `source` is NULL on a stream. */
static bool open_sealed(struct gate *gate, struct bytes sealed, const struct seal_place *place,
                        const struct address *source, struct seal_opened *opened)
{
    follow_core(gate);
    const enum seal_result result = seal_open(gate->seal, sealed.at, sealed.length, place,
                                              clock_ms(), opened);
    if (result != SEAL_OK) {
        gate->traffic->sealed_refused[result]++;
    }
    if (result == SEAL_REPLAYED) {
        ask_count(gate, sealed, place, source);
    }
    return result == SEAL_OK;
}

static bool refuse_plain(struct gate *gate)
{
    gate->traffic->plain_refused++;
    return false;
}

static const struct keyring *ring_of(const struct gate *gate)
{
    static const struct keyring none = {.count = 0};

    return gate->seal == NULL ? &none : seal_ring(gate->seal);
}

/* Who has no key of ours is told so. */
static void refuse_stranger(struct gate *gate, struct bytes datagram, const struct address *source)
{
    strangers_refused(&gate->strangers, source, datagram, ring_of(gate), clock_ms());
}

/* Is it sealed, and this node has no key? What is no frame at all, the codec counts. */
static bool lacks_key(const struct gate *gate, struct bytes frame)
{
    const uint8_t *header = gate->strangers.header;
    enum seal_result result = SEAL_OTHER_KEY;

    if (!is_sealed(frame) || memcmp(frame.at, header, SEALED_AT_FORM) != 0) {
        return false;
    }
    if (frame.length < SEALED_HEADER_BYTES) {
        result = SEAL_SHORT;
    } else if (memcmp(frame.at + SEALED_AT_CLUSTER, header + SEALED_AT_CLUSTER, 8) != 0) {
        result = SEAL_OTHER_CLUSTER;
    }
    gate->traffic->sealed_refused[result]++;
    return true;
}

static bool open_sealed_datagram(struct gate *gate, struct bytes datagram,
                                 const struct address *source, struct bytes *frame)
{
    const struct seal_place place = {.channel = SEAL_DATAGRAM};
    struct seal_opened opened;

    follow_core(gate);
    const enum seal_result result = seal_check(gate->seal, datagram.at, datagram.length, &place);
    if (result == SEAL_OTHER_KEY) {
        refuse_stranger(gate, datagram, source);
    }
    if (result == SEAL_OK && !strangers_is_proved(&gate->strangers, source, datagram, clock_ms())) {
        gate->traffic->sealed_refused[SEAL_NOT_PROVED]++;
        return false;
    }
    if (!open_sealed(gate, datagram, &place, source, &opened)) {
        return false;
    }
    *frame = (struct bytes){.at = opened.frame, .length = opened.length};
    return true;
}

bool gate_open_beat(struct gate *gate, struct bytes datagram, struct message *message,
                    struct bytes *frame)
{
    /* Only keys were used at some time. */
    const uint64_t now_ms = gate->seal == NULL ? 0 : clock_ms();

    return beat_post_read(&gate->beats, datagram, now_ms, message, frame);
}

bool gate_open_datagram(struct gate *gate, struct bytes datagram, const struct address *source,
                        struct bytes *frame)
{
    *frame = datagram;
    if (strangers_is_note(datagram)) {
        strangers_on_note(&gate->strangers, source, datagram, ring_of(gate), clock_ms());
        return false;
    }
    if (gate->seal == NULL && lacks_key(gate, datagram)) {
        refuse_stranger(gate, datagram, source);
        return false;
    }
    if (gate->seal == NULL) {
        return true; /* The codec counts what it does not know. */
    }
    if (is_count(datagram)) {
        on_count(gate, datagram, source);
        return false;
    }
    if (is_plain(datagram) && gate->accepts_plain) {
        return true;
    }
    if (is_plain(datagram)) {
        refuse_stranger(gate, datagram, source);
        return refuse_plain(gate);
    }
    return open_sealed_datagram(gate, datagram, source, frame);
}

bool gate_open_frame(struct gate *gate, struct gate_stream *stream, struct bytes sealed,
                     struct bytes *frame)
{
    const struct seal_place place = {
        .channel = SEAL_STREAM, .stream = stream->first, .after = stream->last};
    struct seal_opened opened;

    if (gate->seal == NULL) {
        *frame = sealed;
        return !lacks_key(gate, sealed);
    }
    if (is_plain(sealed) && gate->accepts_plain && !stream->sealed) {
        *frame = sealed;
        return true;
    }
    if (is_plain(sealed)) {
        return refuse_plain(gate);
    }
    if (!open_sealed(gate, sealed, &place, NULL, &opened)) {
        return false;
    }
    stream->sealed = true;
    stream->first = stream->first == 0 ? opened.number : stream->first;
    stream->last = opened.number;
    *frame = (struct bytes){.at = opened.frame, .length = opened.length};
    return true;
}

bool gate_open_answer(struct gate *gate, const struct gate_stream *stream, struct bytes sealed,
                      struct bytes *frame)
{
    const struct seal_place place = {.channel = SEAL_ANSWER, .stream = stream->first};
    struct seal_opened opened;

    if (!stream->sealed) {
        *frame = sealed;
        return true;
    }
    if (is_plain(sealed)) {
        return refuse_plain(gate);
    }
    if (!open_sealed(gate, sealed, &place, NULL, &opened)) {
        return false;
    }
    *frame = (struct bytes){.at = opened.frame, .length = opened.length};
    return true;
}

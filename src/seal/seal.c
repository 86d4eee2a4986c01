#include "seal/seal.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLAIN_HEADER_BYTES = 16,
    PLAIN_FORM = 1,

    AT_NONCE_NUMBER = CIPHER_NONCE_BYTES - 8,

    /* The header, the receiver's life, the channel, the stream. */
    AUTHENTIC_BYTES = SEALED_HEADER_BYTES + 16 + 1 + 8,

    /* "doyen 1 sender" or "doyen 1 aes256", the cluster, the life, the salt. */
    PURPOSE_BYTES = 14,
    DERIVED_BYTES = PURPOSE_BYTES + 8 + 16 + SALT_BYTES,
};

struct seal {
    uint8_t plain_header[PLAIN_HEADER_BYTES];
    struct keyring ring;
    uint64_t ring_number;
    struct seal_use key_uses[KEYRING_MAX];
    struct sender_name self;
    bool uses[ALGORITHM_END];                   /* which algorithms are in use here */
    uint8_t own_keys[ALGORITHM_END][KEY_BYTES]; /* of `self`, one for each algorithm */
    bool is_derived[ALGORITHM_END];
    uint64_t number; /* of the last frame */
    struct senders senders;
    size_t frame_bytes_max; /* plain */
    struct seal_buffers *buffers;
    bool owns_buffers;
    struct questions questions; /* rare, and long: last, so that few pages are touched */
};

struct seal_buffers {
    size_t frame_bytes_max;
    uint8_t *sealed;  /* the last frame that was sealed */
    uint8_t *content; /* what is sealed, or was: ring and message */
    uint8_t *opened;  /* the last plain frame that was opened */
};

const char *seal_result_text(enum seal_result result)
{
    switch (result) {
    case SEAL_OK:
        return "ok";
    case SEAL_SHORT:
        return "impossible length";
    case SEAL_OTHER_CLUSTER:
        return "other cluster";
    case SEAL_OTHER_KEY:
        return "other key";
    case SEAL_ALGORITHM:
        return "unknown algorithm";
    case SEAL_OTHER_LIFE:
        return "for another life";
    case SEAL_NOT_PROVED:
        return "sender's address not proved";
    case SEAL_NOT_AUTHENTIC:
        return "not authentic";
    case SEAL_REPLAYED:
        return "played back or too old";
    case SEAL_RESULTS:
        break;
    }
    return "unknown";
}

struct seal_buffers *seal_buffers_new(size_t frame_bytes_max)
{
    struct seal_buffers *buffers = calloc(1, sizeof *buffers);

    if (buffers == NULL) {
        return NULL;
    }
    buffers->frame_bytes_max = frame_bytes_max;
    buffers->sealed = malloc(frame_bytes_max + SEALED_EXTRA_BYTES);
    buffers->content = malloc(frame_bytes_max + RING_BYTES_MAX);
    buffers->opened = malloc(frame_bytes_max);
    if (buffers->sealed == NULL || buffers->content == NULL || buffers->opened == NULL) {
        seal_buffers_free(buffers);
        return NULL;
    }
    return buffers;
}

void seal_buffers_free(struct seal_buffers *buffers)
{
    if (buffers != NULL) {
        free(buffers->sealed);
        free(buffers->content);
        free(buffers->opened);
        free(buffers);
    }
}

struct seal *seal_new(const uint8_t plain_header[PLAIN_HEADER_BYTES], size_t frame_bytes_max,
                      uint32_t senders, struct seal_buffers *buffers)
{
    struct seal *seal = sodium_init() < 0 ? NULL : calloc(1, sizeof *seal);

    if (seal == NULL) {
        return NULL;
    }
    assert(buffers == NULL || buffers->frame_bytes_max >= frame_bytes_max);
    memcpy(seal->plain_header, plain_header, PLAIN_HEADER_BYTES);
    seal->frame_bytes_max = frame_bytes_max;
    seal->uses[ALGORITHM_CHACHA20_POLY1305] = true;
    seal->owns_buffers = buffers == NULL;
    seal->buffers = buffers == NULL ? seal_buffers_new(frame_bytes_max) : buffers;
    if (seal->buffers == NULL || !senders_open(&seal->senders, senders)) {
        seal_free(seal);
        return NULL;
    }
    return seal;
}

void seal_free(struct seal *seal)
{
    if (seal == NULL) {
        return;
    }
    senders_close(&seal->senders);
    if (seal->owns_buffers) {
        seal_buffers_free(seal->buffers);
    }
    sodium_memzero(seal, sizeof *seal);
    free(seal);
}

void seal_use_algorithm(struct seal *seal, enum algorithm algorithm)
{
    assert(cipher_is_here(algorithm));
    seal->uses[algorithm] = true;
}

/* --- Keys --- */

/* The key of one sender: K_s of wire.md. */
static void derive(const struct seal *seal, const struct key *key, const struct sender_name *name,
                   uint8_t out[KEY_BYTES])
{
    uint8_t text[DERIVED_BYTES];
    uint8_t *at = text;

    memcpy(at, name->algorithm == ALGORITHM_AES256_GCM ? "doyen 1 aes256" : "doyen 1 sender",
           PURPOSE_BYTES);
    at += PURPOSE_BYTES;
    memcpy(at, seal->plain_header + SEALED_AT_CLUSTER, 8);
    at += 8;
    memcpy(at, name->life.bytes, sizeof name->life.bytes);
    at += sizeof name->life.bytes;
    memcpy(at, name->salt, SALT_BYTES);
    const int error = crypto_generichash(out, KEY_BYTES, text, sizeof text, key->bytes, KEY_BYTES);
    assert(error == 0); /* The lengths are in the library's bounds. */
    (void)error;
}

static bool name_equal(const struct sender_name *a, const struct sender_name *b)
{
    return a->fingerprint == b->fingerprint && a->algorithm == b->algorithm &&
           id_equal(&a->life, &b->life) && memcmp(a->salt, b->salt, SALT_BYTES) == 0;
}

static void forget_own_keys(struct seal *seal)
{
    sodium_memzero(seal->own_keys, sizeof seal->own_keys);
    memset(seal->is_derived, 0, sizeof seal->is_derived);
}

void seal_set_ring(struct seal *seal, const struct keyring *ring)
{
    assert(ring->count > 0 && ring->count <= KEYRING_MAX);
    struct seal_use uses[KEYRING_MAX] = {{.ms = 0}};

    for (uint32_t i = 0; i < ring->count; i++) {
        const uint32_t was = keyring_find(&seal->ring, ring->keys[i].fingerprint);
        if (was != KEYRING_MAX) {
            uses[i] = seal->key_uses[was];
        }
    }
    memcpy(seal->key_uses, uses, sizeof uses);
    seal->ring = *ring;
    seal->ring_number++;
    seal->self.fingerprint = ring->keys[0].fingerprint;
    forget_own_keys(seal);
    senders_forget_keys(&seal->senders);
}

uint64_t seal_ring_number(const struct seal *seal)
{
    return seal->ring_number;
}

struct seal_use seal_use(const struct seal *seal, uint32_t index)
{
    assert(index < seal->ring.count);
    return seal->key_uses[index];
}

const struct keyring *seal_ring(const struct seal *seal)
{
    return &seal->ring;
}

void seal_set_self(struct seal *seal, const struct node_id *life, const uint8_t salt[SALT_BYTES])
{
    seal->self.life = *life;
    memcpy(seal->self.salt, salt, SALT_BYTES);
    forget_own_keys(seal);
}

uint64_t seal_take_number(struct seal *seal)
{
    assert(seal->number < UINT64_MAX);
    return ++seal->number;
}

/* --- Both ways --- */

static uint8_t form_on(enum seal_channel channel)
{
    return channel == SEAL_COUNT ? COUNT_FORM : SEALED_FORM;
}

/* Numbers are those of the sender's life, so a nonce comes once for each of its keys, whatever the
 * channel; the channel is there too, so that this does not rest on one argument alone. */
static void write_nonce(uint8_t nonce[CIPHER_NONCE_BYTES], enum seal_channel channel,
                        uint64_t number)
{
    memset(nonce, 0, CIPHER_NONCE_BYTES);
    nonce[AT_NONCE_NUMBER - 1] = (uint8_t)channel;
    put_u64(nonce + AT_NONCE_NUMBER, number);
}

/* What the tag covers besides the content. */
static void write_authentic(uint8_t out[AUTHENTIC_BYTES], const uint8_t *header,
                            const struct node_id *to, const struct seal_place *place,
                            uint64_t number)
{
    uint8_t *at = out;

    memcpy(at, header, SEALED_HEADER_BYTES);
    at += SEALED_HEADER_BYTES;
    memset(at, 0, 16);
    if (to != NULL) {
        memcpy(at, to->bytes, 16);
    }
    at += 16;
    *at++ = (uint8_t)place->channel;
    const bool begins = place->channel == SEAL_STREAM && place->stream == 0;
    put_u64(at, begins ? number : place->stream);
}

/* Bytes of a cookie between the header and what is sealed. */
static size_t cookie_bytes(const struct seal_place *place, uint8_t mark)
{
    return place->channel == SEAL_DATAGRAM && mark == MARK_WHOEVER ? COOKIE_BYTES : 0;
}

/* --- Sealing --- */

static void write_header(const struct seal *seal, const struct seal_order *order,
                         enum algorithm algorithm, const struct node_id *to, uint64_t number)
{
    uint8_t *header = seal->buffers->sealed;

    memcpy(header, order->frame, PLAIN_HEADER_BYTES);
    header[SEALED_AT_FORM] = form_on(order->place.channel);
    put_u16(header + SEALED_AT_FINGERPRINT, seal->self.fingerprint);
    header[SEALED_AT_ALGORITHM] = (uint8_t)algorithm;
    header[SEALED_AT_MARK] = to == NULL ? MARK_WHOEVER : sealed_mark(to);
    memcpy(header + SEALED_AT_LIFE, seal->self.life.bytes, sizeof seal->self.life.bytes);
    put_u64(header + SEALED_AT_NUMBER, number);
    memcpy(header + SEALED_AT_SALT, seal->self.salt, SALT_BYTES);
}

/* Ring and message, to be sealed. Returns their length. */
static size_t write_content(const struct seal *seal, const struct seal_order *order)
{
    const uint32_t told = order->with_ring ? seal->ring.count : 0;
    const size_t message_bytes = order->length - PLAIN_HEADER_BYTES;
    uint8_t *at = seal->buffers->content;

    *at++ = (uint8_t)(told | (seal->uses[ALGORITHM_AES256_GCM] ? OPENS_AES : 0));
    for (uint32_t i = 0; i < told; i++) {
        put_u16(at, seal->ring.keys[i].fingerprint);
        at += 2;
    }
    memcpy(at, order->frame + PLAIN_HEADER_BYTES, message_bytes);
    return (size_t)(at - seal->buffers->content) + message_bytes;
}

/* AES is for those alone who have said, in a frame that was authentic, that they open it. */
static enum algorithm algorithm_for(const struct seal *seal, const struct node_id *to,
                                    enum seal_channel channel)
{
    if (to == NULL || channel == SEAL_COUNT || !seal->uses[ALGORITHM_AES256_GCM]) {
        return ALGORITHM_CHACHA20_POLY1305;
    }
    const struct sender *receiver = senders_find(&seal->senders, to);
    return receiver != NULL && receiver->opens_aes ? ALGORITHM_AES256_GCM
                                                   : ALGORITHM_CHACHA20_POLY1305;
}

static const uint8_t *own_key(struct seal *seal, enum algorithm algorithm)
{
    if (!seal->is_derived[algorithm]) {
        struct sender_name name = seal->self;
        name.algorithm = (uint8_t)algorithm;
        derive(seal, &seal->ring.keys[0], &name, seal->own_keys[algorithm]);
        seal->is_derived[algorithm] = true;
    }
    return seal->own_keys[algorithm];
}

/* Seals what is in seal->buffers->content. */
static const uint8_t *close_content(struct seal *seal, const struct seal_order *order,
                                    size_t content, size_t *length)
{
    const struct node_id *to = order->to == NULL || id_is_none(order->to) ? NULL : order->to;
    const uint64_t number = order->number != 0 ? order->number : seal_take_number(seal);
    const enum algorithm algorithm = algorithm_for(seal, to, order->place.channel);
    uint8_t authentic[AUTHENTIC_BYTES];
    uint8_t nonce[CIPHER_NONCE_BYTES];

    write_header(seal, order, algorithm, to, number);
    const size_t cookie = cookie_bytes(&order->place, seal->buffers->sealed[SEALED_AT_MARK]);
    memset(seal->buffers->sealed + SEALED_HEADER_BYTES, 0, cookie);
    write_authentic(authentic, seal->buffers->sealed, to, &order->place, number);
    write_nonce(nonce, order->place.channel, number);
    cipher_close(&(struct cipher){.algorithm = algorithm,
                                  .key = own_key(seal, algorithm),
                                  .nonce = nonce,
                                  .authentic = authentic,
                                  .authentic_bytes = sizeof authentic},
                 seal->buffers->content, content,
                 seal->buffers->sealed + SEALED_HEADER_BYTES + cookie);
    *length = SEALED_HEADER_BYTES + cookie + content + TAG_BYTES;
    return seal->buffers->sealed;
}

const uint8_t *seal_close(struct seal *seal, const struct seal_order *order, size_t *length)
{
    assert(seal->ring.count > 0);
    assert(order->length >= PLAIN_HEADER_BYTES && order->length <= seal->frame_bytes_max);
    return close_content(seal, order, write_content(seal, order), length);
}

/* --- Opening --- */

const uint8_t *seal_cookie(const uint8_t *bytes, size_t length)
{
    return length > SEALED_HEADER_BYTES + COOKIE_BYTES + TAG_BYTES &&
                   bytes[SEALED_AT_FORM] == SEALED_FORM && bytes[SEALED_AT_MARK] == MARK_WHOEVER
               ? bytes + SEALED_HEADER_BYTES
               : NULL;
}

/* What needs no computing, in the order of wire.md. */
enum seal_result seal_check(const struct seal *seal, const uint8_t *bytes, size_t length,
                            const struct seal_place *place)
{
    if (length < SEALED_HEADER_BYTES + 1 + TAG_BYTES ||
        length > seal->frame_bytes_max + SEALED_EXTRA_BYTES) {
        return SEAL_SHORT;
    }
    if (memcmp(bytes, seal->plain_header, SEALED_AT_FORM) != 0 ||
        bytes[SEALED_AT_FORM] != form_on(place->channel) ||
        memcmp(bytes + SEALED_AT_CLUSTER, seal->plain_header + SEALED_AT_CLUSTER, 8) != 0) {
        return SEAL_OTHER_CLUSTER;
    }
    const uint8_t mark = bytes[SEALED_AT_MARK];
    if (length < SEALED_HEADER_BYTES + cookie_bytes(place, mark) + 1 + TAG_BYTES) {
        return SEAL_SHORT;
    }
    if (keyring_find(&seal->ring, get_u16(bytes + SEALED_AT_FINGERPRINT)) == KEYRING_MAX) {
        return SEAL_OTHER_KEY;
    }
    const uint8_t algorithm = bytes[SEALED_AT_ALGORITHM];
    if (algorithm >= ALGORITHM_END || !seal->uses[algorithm]) {
        return SEAL_ALGORITHM;
    }
    if (mark == MARK_WHOEVER ? place->channel == SEAL_COUNT
                             : mark != sealed_mark(&seal->self.life)) {
        return SEAL_OTHER_LIFE;
    }
    return SEAL_OK;
}

/* Would the number be new, if the tag holds? */
static bool is_new(const struct sender *sender, const struct seal_place *place, uint64_t number)
{
    if (place->channel == SEAL_ANSWER || place->channel == SEAL_COUNT) {
        return true; /* It names the number, or the nonce, of what it answers. */
    }
    if (place->channel == SEAL_STREAM && place->stream != 0) {
        return number > place->after;
    }
    if (sender == NULL) {
        return number > 0;
    }
    return window_is_new(place->channel == SEAL_STREAM ? &sender->windows.streams
                                                       : &sender->windows.datagrams,
                         number);
}

/* A frame whose header is sound, and the key that it names. */
struct closed {
    const uint8_t *bytes;
    size_t length;
    const struct seal_place *place;
    struct sender_name name;
    uint64_t number;
    const struct sender *known; /* NULL: nothing is, of that life */
    const uint8_t *key;         /* that of `known`, or `derived` */
    uint8_t derived[KEY_BYTES];
};

static void read_header(const struct seal *seal, const uint8_t *bytes, size_t length,
                        const struct seal_place *place, struct closed *closed)
{
    closed->bytes = bytes;
    closed->length = length;
    closed->place = place;
    closed->name.fingerprint = get_u16(bytes + SEALED_AT_FINGERPRINT);
    closed->name.algorithm = bytes[SEALED_AT_ALGORITHM];
    memcpy(closed->name.life.bytes, bytes + SEALED_AT_LIFE, sizeof closed->name.life.bytes);
    memcpy(closed->name.salt, bytes + SEALED_AT_SALT, SALT_BYTES);
    closed->number = get_u64(bytes + SEALED_AT_NUMBER);
    closed->known = senders_find(&seal->senders, &closed->name.life);
}

static void find_key(const struct seal *seal, struct closed *closed)
{
    const struct sender *known = closed->known;

    if (known != NULL && known->is_derived && name_equal(&known->name, &closed->name)) {
        closed->key = known->key;
        return;
    }
    derive(seal, &seal->ring.keys[keyring_find(&seal->ring, closed->name.fingerprint)],
           &closed->name, closed->derived);
    closed->key = closed->derived;
}

/* Opens what is sealed into seal->buffers->content. Returns its length, 0 when the tag does not
 * hold. */
static size_t decipher(struct seal *seal, struct closed *closed)
{
    const uint8_t mark = closed->bytes[SEALED_AT_MARK];
    const size_t start = SEALED_HEADER_BYTES + cookie_bytes(closed->place, mark);
    uint8_t authentic[AUTHENTIC_BYTES];
    uint8_t nonce[CIPHER_NONCE_BYTES];

    if (closed->length - start - TAG_BYTES > seal->frame_bytes_max + RING_BYTES_MAX) {
        return 0;
    }
    find_key(seal, closed);
    write_authentic(authentic, closed->bytes, mark == MARK_WHOEVER ? NULL : &seal->self.life,
                    closed->place, closed->number);
    write_nonce(nonce, closed->place->channel, closed->number);
    return cipher_open(&(struct cipher){.algorithm = closed->name.algorithm,
                                        .key = closed->key,
                                        .nonce = nonce,
                                        .authentic = authentic,
                                        .authentic_bytes = sizeof authentic},
                       closed->bytes + start, closed->length - start, seal->buffers->content);
}

/* How many fingerprints the content tells. */
static uint32_t told(const struct seal *seal)
{
    return seal->buffers->content[0] & ~(uint32_t)OPENS_AES;
}

/* Makes the plain frame of header and content; false when the content is none, as only who has the
 * key can make it. */
static bool unwrap(const struct seal *seal, const uint8_t *header, size_t content,
                   struct seal_opened *opened)
{
    const size_t front = 1 + (size_t)2 * told(seal);

    if (told(seal) > KEYRING_MAX || content < front ||
        PLAIN_HEADER_BYTES + content - front > seal->frame_bytes_max) {
        return false;
    }
    memcpy(seal->buffers->opened, header, PLAIN_HEADER_BYTES);
    seal->buffers->opened[SEALED_AT_FORM] = PLAIN_FORM;
    memcpy(seal->buffers->opened + PLAIN_HEADER_BYTES, seal->buffers->content + front,
           content - front);
    opened->frame = seal->buffers->opened;
    opened->length = PLAIN_HEADER_BYTES + content - front;
    return true;
}

/* Who sealed what held is known from now on, by this key. */
static struct sender *learn_key(struct seal *seal, const struct closed *closed, uint64_t now_ms)
{
    struct sender *sender = senders_find(&seal->senders, &closed->name.life);

    if (sender == NULL) {
        sender = senders_add(&seal->senders, &closed->name.life);
    } else {
        senders_touch(&seal->senders, sender);
    }
    if (closed->key != sender->key) {
        sender->name = closed->name;
        memcpy(sender->key, closed->key, KEY_BYTES);
        sender->is_derived = true;
    }
    sender->heard_ms = now_ms;
    seal->key_uses[keyring_find(&seal->ring, closed->name.fingerprint)] = (struct seal_use){
        .ms = now_ms, .by = closed->name.life};
    return sender;
}

static void take_number(struct windows *windows, const struct closed *closed)
{
    struct window *window = closed->place->channel == SEAL_STREAM ? &windows->streams
                                                                  : &windows->datagrams;

    if (window_is_new(window, closed->number)) {
        window_take(window, closed->number);
    }
}

/* The number was there now; while the sender's count is asked for, also since then. */
static void learn_number(struct seal *seal, struct sender *sender, const struct closed *closed,
                         uint64_t now_ms)
{
    const enum seal_channel channel = closed->place->channel;

    if (channel != SEAL_DATAGRAM && (channel != SEAL_STREAM || closed->place->stream != 0)) {
        return;
    }
    take_number(&sender->windows, closed);
    if (sender->is_asked) {
        struct question *question = questions_open(&seal->questions, &sender->name.life, now_ms);
        sender->is_asked = question != NULL;
        if (question != NULL) {
            take_number(&question->since, closed);
        }
    }
}

static void learn_content(const struct seal *seal, struct sender *sender)
{
    sender->opens_aes = (seal->buffers->content[0] & OPENS_AES) != 0;
    if (told(seal) > 0) {
        sender->holds_count = (uint8_t)told(seal);
        for (uint32_t i = 0; i < sender->holds_count; i++) {
            sender->holds[i] = get_u16(seal->buffers->content + 1 + (size_t)2 * i);
        }
    }
}

enum seal_result seal_open(struct seal *seal, const uint8_t *bytes, size_t length,
                           const struct seal_place *place, uint64_t now_ms,
                           struct seal_opened *opened)
{
    const enum seal_result result = seal_check(seal, bytes, length, place);
    struct closed closed;

    if (result != SEAL_OK) {
        return result;
    }
    read_header(seal, bytes, length, place, &closed);
    if (!is_new(closed.known, place, closed.number)) {
        return SEAL_REPLAYED;
    }
    const size_t content = decipher(seal, &closed);
    if (content == 0 || !unwrap(seal, bytes, content, opened)) {
        return SEAL_NOT_AUTHENTIC;
    }
    opened->from = closed.name.life;
    opened->number = closed.number;
    opened->is_new_sender = closed.known == NULL;
    struct sender *sender = learn_key(seal, &closed, now_ms);
    learn_number(seal, sender, &closed, now_ms);
    learn_content(seal, sender);
    return SEAL_OK;
}

/* --- The count of a sender --- */

bool seal_may_ask(struct seal *seal, const uint8_t *bytes, size_t length,
                  const struct seal_place *place, uint64_t now_ms, struct node_id *life)
{
    struct closed closed;

    read_header(seal, bytes, length, place, &closed);
    if (closed.known == NULL || !questions_may_ask(&seal->questions, &closed.name.life, now_ms) ||
        decipher(seal, &closed) == 0) {
        return false;
    }
    *life = closed.name.life;
    return true;
}

static const uint8_t *close_count(struct seal *seal, const struct node_id *to, uint8_t kind,
                                  const uint8_t nonce[COUNT_NONCE_BYTES])
{
    const struct seal_order order = {
        .frame = seal->plain_header, .to = to, .place = {.channel = SEAL_COUNT}};
    size_t length;

    seal->buffers->content[0] = kind;
    memmove(seal->buffers->content + 1, nonce, COUNT_NONCE_BYTES);
    const uint8_t *frame = close_content(seal, &order, COUNT_CONTENT_BYTES, &length);
    assert(length == COUNT_FRAME_BYTES);
    return frame;
}

const uint8_t *seal_ask(struct seal *seal, const struct node_id *life,
                        const uint8_t nonce[COUNT_NONCE_BYTES], uint64_t now_ms)
{
    struct sender *sender = senders_find(&seal->senders, life);
    const struct question *question = questions_ask(&seal->questions, life, nonce, now_ms);

    assert(sender != NULL);
    sender->is_asked = true;
    return close_count(seal, life, COUNT_QUESTION, question->nonce);
}

/* What came of that life before it was asked does not count any more, whoever sealed it. */
static enum seal_result learn_count(struct seal *seal, const struct closed *closed, uint64_t now_ms)
{
    struct question *question = questions_open(&seal->questions, &closed->name.life, now_ms);

    if (question == NULL || closed->known == NULL ||
        sodium_memcmp(question->nonce, seal->buffers->content + 1, COUNT_NONCE_BYTES) != 0) {
        return SEAL_REPLAYED;
    }
    struct sender *sender = learn_key(seal, closed, now_ms);
    window_renew(&sender->windows.datagrams, &question->since.datagrams, closed->number);
    window_renew(&sender->windows.streams, &question->since.streams, closed->number);
    sender->is_asked = false;
    question->open = false;
    return SEAL_OK;
}

enum seal_result seal_open_count(struct seal *seal, const uint8_t *bytes, size_t length,
                                 uint64_t now_ms, const uint8_t **answer)
{
    const struct seal_place place = {.channel = SEAL_COUNT};
    const enum seal_result result = seal_check(seal, bytes, length, &place);
    struct closed closed;

    *answer = NULL;
    if (result != SEAL_OK) {
        return result;
    }
    read_header(seal, bytes, length, &place, &closed);
    if (decipher(seal, &closed) != COUNT_CONTENT_BYTES) {
        return SEAL_NOT_AUTHENTIC;
    }
    if (seal->buffers->content[0] == COUNT_ANSWER) {
        return learn_count(seal, &closed, now_ms);
    }
    if (seal->buffers->content[0] == COUNT_QUESTION) {
        *answer = close_count(seal, &closed.name.life, COUNT_ANSWER, seal->buffers->content + 1);
    }
    return SEAL_OK;
}

void seal_on_beat(struct seal *seal, const struct node_id *life, uint32_t index, uint64_t now_ms)
{
    struct sender *sender = senders_find(&seal->senders, life);

    assert(index < seal->ring.count);
    seal->key_uses[index] = (struct seal_use){.ms = now_ms, .by = *life};
    if (sender != NULL) {
        senders_touch(&seal->senders, sender);
        sender->heard_ms = now_ms;
    }
}

const struct sender *seal_sender(const struct seal *seal, const struct node_id *life)
{
    return senders_find(&seal->senders, life);
}

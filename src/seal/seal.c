#include "seal/seal.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLAIN_HEADER_BYTES = 16,
    PLAIN_VERSION = 1,

    NONCE_BYTES = crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
    AT_NONCE_NUMBER = NONCE_BYTES - 8,

    /* The header, the receiver's life, the channel, the stream. */
    AUTHENTIC_BYTES = SEALED_HEADER_BYTES + 16 + 1 + 8,

    /* "doyen 1 sender", the cluster, the life, the salt. */
    PURPOSE_BYTES = 14,
    DERIVED_BYTES = PURPOSE_BYTES + 8 + 16 + SALT_BYTES,
};

_Static_assert(TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES, "the tag's length");
_Static_assert(KEY_BYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES, "the key's length");

struct seal {
    uint8_t plain_header[PLAIN_HEADER_BYTES];
    struct keyring ring;
    struct seal_use uses[KEYRING_MAX]; /* of its keys */
    struct sender_name self;
    uint8_t own_key[KEY_BYTES]; /* of `self`; derived when `is_derived` */
    bool is_derived;
    uint64_t number; /* of the last frame */
    struct senders senders;
    size_t frame_bytes_max; /* plain */
    uint8_t *sealed;        /* the last frame that was sealed */
    uint8_t *content;       /* what is sealed, or was: ring and message */
    uint8_t *opened;        /* the last plain frame that was opened */
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

struct seal *seal_new(const uint8_t plain_header[PLAIN_HEADER_BYTES], size_t frame_bytes_max,
                      uint32_t senders)
{
    struct seal *seal = sodium_init() < 0 ? NULL : calloc(1, sizeof *seal);

    if (seal == NULL) {
        return NULL;
    }
    memcpy(seal->plain_header, plain_header, PLAIN_HEADER_BYTES);
    seal->frame_bytes_max = frame_bytes_max;
    seal->sealed = malloc(frame_bytes_max + SEALED_EXTRA_BYTES);
    seal->content = malloc(frame_bytes_max + RING_BYTES_MAX);
    seal->opened = malloc(frame_bytes_max);
    if (seal->sealed == NULL || seal->content == NULL || seal->opened == NULL ||
        !senders_open(&seal->senders, senders)) {
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
    free(seal->sealed);
    free(seal->content);
    free(seal->opened);
    sodium_memzero(seal, sizeof *seal);
    free(seal);
}

/* --- Keys --- */

/* The key of one sender: K_s of wire.md. */
static void derive(const struct seal *seal, const struct key *key, const struct sender_name *name,
                   uint8_t out[KEY_BYTES])
{
    uint8_t text[DERIVED_BYTES];
    uint8_t *at = text;

    memcpy(at, "doyen 1 sender", PURPOSE_BYTES);
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
    return a->fingerprint == b->fingerprint && id_equal(&a->life, &b->life) &&
           memcmp(a->salt, b->salt, SALT_BYTES) == 0;
}

void seal_set_ring(struct seal *seal, const struct keyring *ring)
{
    assert(ring->count > 0 && ring->count <= KEYRING_MAX);
    struct seal_use uses[KEYRING_MAX] = {{.ms = 0}};

    for (uint32_t i = 0; i < ring->count; i++) {
        const uint32_t was = keyring_find(&seal->ring, ring->keys[i].fingerprint);
        if (was != KEYRING_MAX) {
            uses[i] = seal->uses[was];
        }
    }
    memcpy(seal->uses, uses, sizeof uses);
    seal->ring = *ring;
    seal->self.fingerprint = ring->keys[0].fingerprint;
    seal->is_derived = false;
    senders_forget_keys(&seal->senders);
}

struct seal_use seal_use(const struct seal *seal, uint32_t index)
{
    assert(index < seal->ring.count);
    return seal->uses[index];
}

const struct keyring *seal_ring(const struct seal *seal)
{
    return &seal->ring;
}

void seal_set_self(struct seal *seal, const struct node_id *life, const uint8_t salt[SALT_BYTES])
{
    seal->self.life = *life;
    memcpy(seal->self.salt, salt, SALT_BYTES);
    seal->is_derived = false;
}

uint64_t seal_take_number(struct seal *seal)
{
    assert(seal->number < UINT64_MAX);
    return ++seal->number;
}

/* --- Both ways --- */

/* Numbers are those of the sender's life, so a nonce comes once for each of its keys, whatever the
 * channel; the channel is there too, so that this does not rest on one argument alone. */
static void write_nonce(uint8_t nonce[NONCE_BYTES], enum seal_channel channel, uint64_t number)
{
    memset(nonce, 0, NONCE_BYTES);
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
                         const struct node_id *to, uint64_t number)
{
    uint8_t *header = seal->sealed;

    memcpy(header, order->frame, PLAIN_HEADER_BYTES);
    header[SEALED_AT_VERSION] = SEALED_VERSION;
    put_u16(header + SEALED_AT_FINGERPRINT, seal->self.fingerprint);
    header[SEALED_AT_ALGORITHM] = ALGORITHM_CHACHA20_POLY1305;
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
    uint8_t *at = seal->content;

    *at++ = (uint8_t)told;
    for (uint32_t i = 0; i < told; i++) {
        put_u16(at, seal->ring.keys[i].fingerprint);
        at += 2;
    }
    memcpy(at, order->frame + PLAIN_HEADER_BYTES, message_bytes);
    return (size_t)(at - seal->content) + message_bytes;
}

const uint8_t *seal_close(struct seal *seal, const struct seal_order *order, size_t *length)
{
    const struct node_id *to = order->to == NULL || id_is_none(order->to) ? NULL : order->to;
    const uint64_t number = order->number != 0 ? order->number : seal_take_number(seal);
    uint8_t authentic[AUTHENTIC_BYTES];
    uint8_t nonce[NONCE_BYTES];

    assert(seal->ring.count > 0);
    assert(order->length >= PLAIN_HEADER_BYTES && order->length <= seal->frame_bytes_max);
    if (!seal->is_derived) {
        derive(seal, &seal->ring.keys[0], &seal->self, seal->own_key);
        seal->is_derived = true;
    }
    write_header(seal, order, to, number);
    const size_t cookie = cookie_bytes(&order->place, seal->sealed[SEALED_AT_MARK]);
    memset(seal->sealed + SEALED_HEADER_BYTES, 0, cookie);
    const size_t content = write_content(seal, order);
    write_authentic(authentic, seal->sealed, to, &order->place, number);
    write_nonce(nonce, order->place.channel, number);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(
        seal->sealed + SEALED_HEADER_BYTES + cookie, NULL, seal->content, content, authentic,
        sizeof authentic, NULL, nonce, seal->own_key); /* cannot fail */
    *length = SEALED_HEADER_BYTES + cookie + content + TAG_BYTES;
    return seal->sealed;
}

/* --- Opening --- */

const uint8_t *seal_cookie(const uint8_t *bytes, size_t length)
{
    return length > SEALED_HEADER_BYTES + COOKIE_BYTES + TAG_BYTES &&
                   bytes[SEALED_AT_VERSION] == SEALED_VERSION &&
                   bytes[SEALED_AT_MARK] == MARK_WHOEVER
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
    if (memcmp(bytes, seal->plain_header, SEALED_AT_VERSION) != 0 ||
        bytes[SEALED_AT_VERSION] != SEALED_VERSION ||
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
    if (bytes[SEALED_AT_ALGORITHM] != ALGORITHM_CHACHA20_POLY1305) {
        return SEAL_ALGORITHM;
    }
    if (mark != MARK_WHOEVER && mark != sealed_mark(&seal->self.life)) {
        return SEAL_OTHER_LIFE;
    }
    return SEAL_OK;
}

/* Would the number be new, if the tag holds? */
static bool is_new(const struct sender *sender, const struct seal_place *place, uint64_t number)
{
    if (place->channel == SEAL_ANSWER) {
        return true; /* It names the number of what it answers. */
    }
    if (place->channel == SEAL_STREAM && place->stream != 0) {
        return number > place->after;
    }
    if (sender == NULL) {
        return number > 0;
    }
    return window_is_new(place->channel == SEAL_STREAM ? &sender->streams : &sender->datagrams,
                         number);
}

/* Opens what is sealed into seal->content. Returns its length, 0 when the tag does not hold. */
static size_t decipher(struct seal *seal, const uint8_t *bytes, size_t length,
                       const struct seal_place *place, uint64_t number,
                       const uint8_t key[KEY_BYTES])
{
    const size_t start = SEALED_HEADER_BYTES + cookie_bytes(place, bytes[SEALED_AT_MARK]);
    uint8_t authentic[AUTHENTIC_BYTES];
    uint8_t nonce[NONCE_BYTES];
    unsigned long long content = 0;

    if (length - start - TAG_BYTES > seal->frame_bytes_max + RING_BYTES_MAX) {
        return 0;
    }
    write_authentic(authentic, bytes,
                    bytes[SEALED_AT_MARK] == MARK_WHOEVER ? NULL : &seal->self.life, place, number);
    write_nonce(nonce, place->channel, number);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(seal->content, &content, NULL, bytes + start,
                                                  length - start, authentic, sizeof authentic,
                                                  nonce, key) != 0) {
        return 0;
    }
    return (size_t)content;
}

/* Makes the plain frame of header and content; false when the content is none, as only who has the
 * key can make it. */
static bool unwrap(const struct seal *seal, const uint8_t *header, size_t content,
                   struct seal_opened *opened)
{
    const uint32_t told = seal->content[0];
    const size_t front = 1 + (size_t)2 * told;

    if (told > KEYRING_MAX || content < front ||
        PLAIN_HEADER_BYTES + content - front > seal->frame_bytes_max) {
        return false;
    }
    memcpy(seal->opened, header, PLAIN_HEADER_BYTES);
    seal->opened[SEALED_AT_VERSION] = PLAIN_VERSION;
    memcpy(seal->opened + PLAIN_HEADER_BYTES, seal->content + front, content - front);
    opened->frame = seal->opened;
    opened->length = PLAIN_HEADER_BYTES + content - front;
    return true;
}

/* The tag held: from now on this is known of the sender. */
static void learn(struct seal *seal, const struct sender_name *name, const uint8_t key[KEY_BYTES],
                  const struct seal_place *place, uint64_t number, uint64_t now_ms,
                  struct seal_opened *opened)
{
    struct sender *sender = senders_find(&seal->senders, &name->life);

    opened->is_new_sender = sender == NULL;
    if (sender == NULL) {
        sender = senders_add(&seal->senders, &name->life);
    } else {
        senders_touch(&seal->senders, sender);
    }
    if (key != sender->key) {
        sender->name = *name;
        memcpy(sender->key, key, KEY_BYTES);
        sender->is_derived = true;
    }
    sender->heard_ms = now_ms;
    seal->uses[keyring_find(&seal->ring, name->fingerprint)] = (struct seal_use){.ms = now_ms,
                                                                                 .by = name->life};
    if (place->channel == SEAL_DATAGRAM) {
        window_take(&sender->datagrams, number);
    } else if (place->channel == SEAL_STREAM && place->stream == 0) {
        window_take(&sender->streams, number);
    }
    if (seal->content[0] > 0) {
        sender->holds_count = seal->content[0];
        for (uint32_t i = 0; i < sender->holds_count; i++) {
            sender->holds[i] = get_u16(seal->content + 1 + (size_t)2 * i);
        }
    }
}

enum seal_result seal_open(struct seal *seal, const uint8_t *bytes, size_t length,
                           const struct seal_place *place, uint64_t now_ms,
                           struct seal_opened *opened)
{
    const enum seal_result result = seal_check(seal, bytes, length, place);
    if (result != SEAL_OK) {
        return result;
    }

    struct sender_name name = {.fingerprint = get_u16(bytes + SEALED_AT_FINGERPRINT)};
    memcpy(name.life.bytes, bytes + SEALED_AT_LIFE, sizeof name.life.bytes);
    memcpy(name.salt, bytes + SEALED_AT_SALT, SALT_BYTES);
    const uint64_t number = get_u64(bytes + SEALED_AT_NUMBER);
    const struct sender *known = senders_find(&seal->senders, &name.life);
    if (!is_new(known, place, number)) {
        return SEAL_REPLAYED;
    }

    uint8_t derived[KEY_BYTES];
    const uint8_t *key = known == NULL ? derived : known->key;
    if (known == NULL || !known->is_derived || !name_equal(&known->name, &name)) {
        const uint32_t at = keyring_find(&seal->ring, name.fingerprint);
        derive(seal, &seal->ring.keys[at], &name, derived);
        key = derived;
    }
    const size_t content = decipher(seal, bytes, length, place, number, key);
    if (content == 0 || !unwrap(seal, bytes, content, opened)) {
        return SEAL_NOT_AUTHENTIC;
    }
    opened->from = name.life;
    opened->number = number;
    learn(seal, &name, key, place, number, now_ms, opened);
    return SEAL_OK;
}

const struct sender *seal_sender(const struct seal *seal, const struct node_id *life)
{
    return senders_find(&seal->senders, life);
}

#include "seal/note.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/*      0       2         3      4       5       8         16       24     32
 *    +-------+---------+------+-------+-------+---------+--------+------+------------------------+
 *    | magic |  form   | kind | count | zeros | cluster | number | salt | cookie or fingerprints |
 *    +-------+---------+------+-------+-------+---------+--------+------+------------------------+
 */
enum {
    AT_KIND = 3,
    AT_COUNT = 4,
    AT_NUMBER = 16,
    AT_SALT = 24,
    AT_CONTENT = 32,
};

_Static_assert(AT_CONTENT + COOKIE_BYTES == NOTE_BYTES, "a cookie fills a note");
_Static_assert(2 * KEYRING_MAX == COOKIE_BYTES, "and so do all fingerprints");

void note_answer(struct note *note, const uint8_t *bytes, size_t length)
{
    note->number = 0;
    memset(note->salt, 0, sizeof note->salt);
    if (length >= SEALED_HEADER_BYTES && bytes[SEALED_AT_FORM] == SEALED_FORM) {
        note->number = get_u64(bytes + SEALED_AT_NUMBER);
        memcpy(note->salt, bytes + SEALED_AT_SALT, sizeof note->salt);
    }
}

void note_write(const struct note *note, const uint8_t plain_header[16], uint8_t out[NOTE_BYTES])
{
    memset(out, 0, NOTE_BYTES);
    memcpy(out, plain_header, 16);
    out[SEALED_AT_FORM] = NOTE_FORM;
    out[AT_KIND] = (uint8_t)note->kind;
    put_u64(out + AT_NUMBER, note->number);
    memcpy(out + AT_SALT, note->salt, SALT_BYTES);
    if (note->kind == NOTE_CHALLENGE) {
        memcpy(out + AT_CONTENT, note->cookie, COOKIE_BYTES);
        return;
    }
    assert(note->count <= KEYRING_MAX);
    const uint32_t count = note->count < KEYRING_MAX ? note->count : KEYRING_MAX;
    out[AT_COUNT] = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        put_u16(out + AT_CONTENT + (size_t)2 * i, note->fingerprints[i]);
    }
}

bool note_read(struct note *note, const uint8_t plain_header[16], const uint8_t *bytes,
               size_t length)
{
    if (length != NOTE_BYTES || memcmp(bytes, plain_header, SEALED_AT_FORM) != 0 ||
        bytes[SEALED_AT_FORM] != NOTE_FORM ||
        memcmp(bytes + SEALED_AT_CLUSTER, plain_header + SEALED_AT_CLUSTER, 8) != 0 ||
        (bytes[AT_KIND] != NOTE_CHALLENGE && bytes[AT_KIND] != NOTE_HINT) ||
        bytes[AT_COUNT] > KEYRING_MAX) {
        return false;
    }
    *note = (struct note){.kind = (enum note_kind)bytes[AT_KIND], .count = bytes[AT_COUNT]};
    note->number = get_u64(bytes + AT_NUMBER);
    memcpy(note->salt, bytes + AT_SALT, SALT_BYTES);
    memcpy(note->cookie, bytes + AT_CONTENT, COOKIE_BYTES);
    for (uint32_t i = 0; i < note->count; i++) {
        note->fingerprints[i] = get_u16(bytes + AT_CONTENT + (size_t)2 * i);
    }
    return true;
}

/* --- Cookies --- */

static void cookie_of(const uint8_t secret[COOKIE_SECRET_BYTES], const struct address *source,
                      uint64_t minute, uint8_t out[COOKIE_BYTES])
{
    uint8_t text[1 + sizeof source->bytes + 2 + 8];

    _Static_assert(COOKIE_BYTES == crypto_shorthash_siphashx24_BYTES, "the cookie's length");
    _Static_assert(COOKIE_SECRET_BYTES == crypto_shorthash_siphashx24_KEYBYTES, "the secret's");
    text[0] = source->family;
    memcpy(text + 1, source->bytes, sizeof source->bytes);
    put_u16(text + 1 + sizeof source->bytes, source->port);
    put_u64(text + 1 + sizeof source->bytes + 2, minute);
    (void)crypto_shorthash_siphashx24(out, text, sizeof text, secret); /* cannot fail */
}

void cookie_make(const uint8_t secret[COOKIE_SECRET_BYTES], const struct address *source,
                 uint64_t now_ms, uint8_t out[COOKIE_BYTES])
{
    cookie_of(secret, source, now_ms / COOKIE_MINUTE_MS, out);
}

bool cookie_holds(const uint8_t secret[COOKIE_SECRET_BYTES], const struct address *source,
                  uint64_t now_ms, const uint8_t cookie[COOKIE_BYTES])
{
    const uint64_t minute = now_ms / COOKIE_MINUTE_MS;
    uint8_t right[COOKIE_BYTES];

    for (uint64_t ago = 0; ago < 2 && ago <= minute; ago++) {
        cookie_of(secret, source, minute - ago, right);
        if (sodium_memcmp(right, cookie, COOKIE_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

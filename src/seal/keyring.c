#include "seal/keyring.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "base/text.h"

static const char fingerprint_purpose[] = "doyen 1 fingerprint";
static const char digits[] = "0123456789abcdef";

void key_name(struct key *key)
{
    uint8_t hash[crypto_generichash_BYTES_MIN];
    const int error = crypto_generichash(hash, sizeof hash, (const uint8_t *)fingerprint_purpose,
                                         sizeof fingerprint_purpose - 1, key->bytes, KEY_BYTES);

    assert(error == 0); /* The lengths are in the library's bounds. */
    (void)error;
    key->fingerprint = (uint16_t)(hash[0] << 8 | hash[1]);
}

void key_print(const struct key *key, char out[KEY_TEXT_MAX])
{
    (void)sodium_bin2base64(out, KEY_TEXT_MAX, key->bytes, KEY_BYTES,
                            sodium_base64_VARIANT_ORIGINAL);
}

/* Reads one key from the text of a line. */
static bool key_read(struct key *key, const char *text, size_t length)
{
    const char *end;
    size_t read;

    if (sodium_base642bin(key->bytes, KEY_BYTES, text, length, NULL, &read, &end,
                          sodium_base64_VARIANT_ORIGINAL) != 0 ||
        read != KEY_BYTES || end != text + length) {
        return false;
    }
    key_name(key);
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static enum keyring_fault add_line(struct keyring *ring, const char *text, size_t length)
{
    struct key key;

    while (length > 0 && is_blank(text[length - 1])) {
        length--;
    }
    while (length > 0 && is_blank(text[0])) {
        text++;
        length--;
    }
    if (length == 0 || text[0] == '#') {
        return KEYRING_OK;
    }
    if (!key_read(&key, text, length)) {
        return KEYRING_LINE;
    }
    if (keyring_find(ring, key.fingerprint) != KEYRING_MAX) {
        return KEYRING_REPEATED;
    }
    if (ring->count == KEYRING_MAX) {
        return KEYRING_MANY;
    }
    ring->keys[ring->count++] = key;
    sodium_memzero(&key, sizeof key);
    return KEYRING_OK;
}

enum keyring_fault keyring_parse(struct keyring *ring, const char *text, size_t length,
                                 uint32_t *line)
{
    enum keyring_fault fault = KEYRING_OK;
    size_t at = 0;

    ring->count = 0;
    *line = 0;
    while (at < length && fault == KEYRING_OK) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t stop = end == NULL ? length : (size_t)(end - text);

        ++*line;
        fault = add_line(ring, text + at, stop - at);
        at = stop + 1;
    }
    return fault == KEYRING_OK && ring->count == 0 ? KEYRING_EMPTY : fault;
}

uint32_t keyring_find(const struct keyring *ring, uint16_t fingerprint)
{
    for (uint32_t i = 0; i < ring->count; i++) {
        if (ring->keys[i].fingerprint == fingerprint) {
            return i;
        }
    }
    return KEYRING_MAX;
}

bool fingerprint_parse(const char *text, uint16_t *fingerprint)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < FINGERPRINT_TEXT_MAX - 1; i++) {
        const char *digit = text[i] == '\0' ? NULL : strchr(digits, text[i]);
        if (digit == NULL) {
            return false;
        }
        value = value << 4 | (uint32_t)(digit - digits);
    }
    *fingerprint = (uint16_t)value;
    return text[FINGERPRINT_TEXT_MAX - 1] == '\0';
}

const char *fingerprint_text(uint16_t fingerprint, char out[FINGERPRINT_TEXT_MAX])
{
    for (unsigned i = 0; i < FINGERPRINT_TEXT_MAX - 1; i++) {
        out[i] = digits[fingerprint >> (12 - 4 * i) & 15];
    }
    out[FINGERPRINT_TEXT_MAX - 1] = '\0';
    return out;
}

void keyring_wipe(struct keyring *ring)
{
    sodium_memzero(ring, sizeof *ring);
}

void secret_wipe(void *text, size_t size)
{
    sodium_memzero(text, size);
}

#include "seal/invitation.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "seal/cipher.h"

enum {
    KIND_BYTES = 8,
    AT_EPHEMERAL = INVITATION_HEADER_BYTES,
    EPHEMERAL_BYTES = 32,
    AT_SEALED = AT_EPHEMERAL + EPHEMERAL_BYTES,
    FRAME_MIN = AT_SEALED + TAG_BYTES,
};

_Static_assert((int)EPHEMERAL_BYTES == (int)crypto_scalarmult_BYTES &&
                   (int)INVITATION_SECRET_BYTES == (int)crypto_scalarmult_SCALARBYTES,
               "as X25519 has them");
_Static_assert((int)WORD_BYTES == (int)crypto_generichash_KEYBYTES_MIN, "a word keys a hash");

static const char *const kinds[] = {
    [INVITATION_ASK] = "doyen1a?",
    [INVITATION_ANSWER] = "doyen1a!",
};

bool invitation_start(void)
{
    return sodium_init() >= 0;
}

/* --- The word ------------------------------------------------------------------------------- */

enum {
    LETTER_BITS = 5,
    LETTER_COUNT = (WORD_BYTES * 8 + LETTER_BITS - 1) / LETTER_BITS,
    GROUP_LETTERS = 6,
};

/* Without i, l, o and u: i and l are read as 1, o as 0. */
static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";

const char *word_text(const uint8_t word[WORD_BYTES], char out[WORD_TEXT_MAX])
{
    size_t used = 0;

    for (unsigned i = 0; i < LETTER_COUNT; i++) {
        unsigned value = 0;
        for (unsigned bit = i * LETTER_BITS; bit < (i + 1) * LETTER_BITS; bit++) {
            const unsigned set = bit < WORD_BYTES * 8 ? word[bit / 8] >> (7 - bit % 8) & 1U : 0;
            value = value << 1 | set;
        }
        if (i > 0 && i % GROUP_LETTERS == 0) {
            out[used++] = '-';
        }
        out[used++] = letters[value];
    }
    out[used] = '\0';
    return out;
}

/* Value of a letter; -1 when it is none. */
static int letter_value(char c)
{
    const int lower = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    const int meant = lower == 'o' ? '0' : lower == 'i' || lower == 'l' ? '1' : lower;
    const char *at = meant == '\0' ? NULL : strchr(letters, meant);

    return at == NULL ? -1 : (int)(at - letters);
}

bool word_parse(const char *text, uint8_t word[WORD_BYTES])
{
    unsigned count = 0;

    memset(word, 0, WORD_BYTES);
    for (; *text != '\0'; text++) {
        if (*text == '-' || *text == ' ') {
            continue;
        }
        const int value = letter_value(*text);
        if (value < 0 || count == LETTER_COUNT) {
            return false;
        }
        for (unsigned i = 0; i < LETTER_BITS; i++) {
            const unsigned bit = count * LETTER_BITS + i;
            const unsigned set = (unsigned)value >> (LETTER_BITS - 1 - i) & 1U;
            if (bit < WORD_BYTES * 8) {
                word[bit / 8] = (uint8_t)(word[bit / 8] | set << (7 - bit % 8));
            } else if (set != 0) {
                return false;
            }
        }
        count++;
    }
    return count == LETTER_COUNT;
}

/* --- Keys ----------------------------------------------------------------------------------- */

static void mix(crypto_generichash_state *state, const void *bytes, size_t length)
{
    const uint8_t count[2] = {(uint8_t)(length >> 8), (uint8_t)length};

    /* Each part with its length, so that no two sequences of parts are one text. */
    (void)crypto_generichash_update(state, count, sizeof count);
    (void)crypto_generichash_update(state, bytes, length);
}

/* The key of one message: `first` is what was said before it, `shared` what both secrets give. */
static void derive(const uint8_t word[WORD_BYTES], const char *purpose, const char *place,
                   const uint8_t *first, size_t first_length, const uint8_t *ephemeral,
                   const uint8_t *shared, uint8_t out[KEY_BYTES])
{
    static const uint8_t none[EPHEMERAL_BYTES];
    crypto_generichash_state state;

    const int error = crypto_generichash_init(&state, word, WORD_BYTES, KEY_BYTES);
    assert(error == 0); /* The lengths are in the library's bounds. */
    (void)error;
    mix(&state, purpose, strlen(purpose));
    mix(&state, place, strlen(place));
    mix(&state, first, first_length);
    mix(&state, ephemeral, EPHEMERAL_BYTES);
    mix(&state, shared == NULL ? none : shared, EPHEMERAL_BYTES);
    (void)crypto_generichash_final(&state, out, KEY_BYTES);
    sodium_memzero(&state, sizeof state);
}

static void derive_ask(const uint8_t word[WORD_BYTES], const char *place, const uint8_t *ask,
                       uint8_t out[KEY_BYTES])
{
    derive(word, "doyen 1 invitation: ask", place, ask, AT_EPHEMERAL, ask + AT_EPHEMERAL, NULL,
           out);
}

/* False where the other's key is one that gives no secret. */
static bool derive_answer(const uint8_t word[WORD_BYTES], const char *place, const uint8_t *ask,
                          size_t ask_length, const uint8_t *answer,
                          const uint8_t secret[INVITATION_SECRET_BYTES], const uint8_t *theirs,
                          uint8_t out[KEY_BYTES])
{
    uint8_t shared[EPHEMERAL_BYTES];
    const bool good = crypto_scalarmult(shared, secret, theirs) == 0;

    if (good) {
        derive(word, "doyen 1 invitation: answer", place, ask, ask_length, answer + AT_EPHEMERAL,
               shared, out);
    }
    sodium_memzero(shared, sizeof shared);
    return good;
}

/* --- Frames --------------------------------------------------------------------------------- */

size_t invitation_length(enum invitation_kind kind, const uint8_t header[INVITATION_HEADER_BYTES])
{
    const size_t length = memcmp(header, kinds[kind], KIND_BYTES) == 0
                              ? (size_t)header[KIND_BYTES] << 8 | header[KIND_BYTES + 1]
                              : 0;

    return length >= FRAME_MIN && length <= INVITATION_FRAME_MAX ? length : 0;
}

/* Each key seals one message, so the nonce may be the same. */
static struct cipher cipher_of(const uint8_t key[KEY_BYTES], const uint8_t *frame)
{
    static const uint8_t nonce[CIPHER_NONCE_BYTES];

    return (struct cipher){.algorithm = ALGORITHM_CHACHA20_POLY1305,
                           .key = key,
                           .nonce = nonce,
                           .authentic = frame,
                           .authentic_bytes = AT_SEALED};
}

static size_t begin(enum invitation_kind kind, const uint8_t secret[INVITATION_SECRET_BYTES],
                    size_t content_length, uint8_t *out)
{
    const size_t length = FRAME_MIN + content_length;

    assert(content_length <= INVITATION_CONTENT_MAX);
    memcpy(out, kinds[kind], KIND_BYTES);
    out[KIND_BYTES] = (uint8_t)(length >> 8);
    out[KIND_BYTES + 1] = (uint8_t)length;
    (void)crypto_scalarmult_base(out + AT_EPHEMERAL, secret);
    return length;
}

static void close_frame(uint8_t key[KEY_BYTES], const void *content, size_t length, uint8_t *frame)
{
    const struct cipher cipher = cipher_of(key, frame);

    cipher_close(&cipher, content, length, frame + AT_SEALED);
    sodium_memzero(key, KEY_BYTES);
}

static bool is_whole(enum invitation_kind kind, const uint8_t *frame, size_t length)
{
    return length >= FRAME_MIN && invitation_length(kind, frame) == length;
}

/* An empty content is none that anybody sends. */
static bool open_frame(uint8_t key[KEY_BYTES], const uint8_t *frame, size_t frame_length,
                       uint8_t *content, size_t *length)
{
    const struct cipher cipher = cipher_of(key, frame);

    *length = cipher_open(&cipher, frame + AT_SEALED, frame_length - AT_SEALED, content);
    sodium_memzero(key, KEY_BYTES);
    return *length > 0;
}

size_t invitation_ask(const uint8_t word[WORD_BYTES], const char *place,
                      const uint8_t secret[INVITATION_SECRET_BYTES], const void *content,
                      size_t length, uint8_t *out)
{
    uint8_t key[KEY_BYTES];
    const size_t total = begin(INVITATION_ASK, secret, length, out);

    derive_ask(word, place, out, key);
    close_frame(key, content, length, out);
    return total;
}

bool invitation_open_ask(const uint8_t word[WORD_BYTES], const char *place, const uint8_t *ask,
                         size_t ask_length, uint8_t *content, size_t *length)
{
    uint8_t key[KEY_BYTES];

    if (!is_whole(INVITATION_ASK, ask, ask_length)) {
        return false;
    }
    derive_ask(word, place, ask, key);
    return open_frame(key, ask, ask_length, content, length);
}

size_t invitation_answer(const uint8_t word[WORD_BYTES], const char *place,
                         const uint8_t secret[INVITATION_SECRET_BYTES], const uint8_t *ask,
                         size_t ask_length, const void *content, size_t length, uint8_t *out)
{
    uint8_t key[KEY_BYTES];
    const size_t total = begin(INVITATION_ANSWER, secret, length, out);

    if (!derive_answer(word, place, ask, ask_length, out, secret, ask + AT_EPHEMERAL, key)) {
        return 0;
    }
    close_frame(key, content, length, out);
    return total;
}

bool invitation_open_answer(const uint8_t word[WORD_BYTES], const char *place,
                            const uint8_t secret[INVITATION_SECRET_BYTES], const uint8_t *ask,
                            size_t ask_length, const uint8_t *answer, size_t answer_length,
                            uint8_t *content, size_t *length)
{
    uint8_t key[KEY_BYTES];

    return is_whole(INVITATION_ANSWER, answer, answer_length) &&
           derive_answer(word, place, ask, ask_length, answer, secret, answer + AT_EPHEMERAL,
                         key) &&
           open_frame(key, answer, answer_length, content, length);
}

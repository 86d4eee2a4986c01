/* How a host without the cluster's key gets it: one question and one answer, which only those who
 * have the same word can make and open. The word has 128 random bits and is used once.
 *
 *   joiner                                      sponsor
 *     | ask: E, sealed by word, place, E ------> |  opens it: the joiner has the word
 *     | <-- answer: F, sealed by word, place, ---|
 *     |     the whole ask, F, X25519(E, F)       |
 *
 * E and F are X25519 keys made for this exchange, so that whoever recorded it and finds the word
 * later cannot open it. The place is the sponsor's address as each side has it from its own
 * connection: somebody in between, at another address, cannot hand on what it hears. Keys are
 * BLAKE2b hashes keyed by the word; content is sealed by ChaCha20-Poly1305. Pure over bytes:
 * secrets come from the caller, random and new each time. */
#ifndef SEAL_INVITATION_H
#define SEAL_INVITATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WORD_BYTES = 16,
    WORD_TEXT_MAX = 32, /* 26 letters in five groups, and the zero */
    INVITATION_SECRET_BYTES = 32,
    INVITATION_CONTENT_MAX = 8192, /* bytes of content in either message */
    INVITATION_HEADER_BYTES = 10,  /* kind and length, which are read first */
    INVITATION_FRAME_MAX = INVITATION_HEADER_BYTES + 32 + INVITATION_CONTENT_MAX + 16,
    INVITATION_PLACE_MAX = 64, /* "10.0.0.1:7419", with the zero */
};

enum invitation_kind { INVITATION_ASK, INVITATION_ANSWER };

/* Must be called before anything below; false when the library is not usable. */
bool invitation_start(void);

/* The word as people type it: lower case without letters that are easily taken for others. Reading
 * takes either case, with hyphens or blanks anywhere. False: it is none. */
const char *word_text(const uint8_t word[WORD_BYTES], char out[WORD_TEXT_MAX]);
bool word_parse(const char *text, uint8_t word[WORD_BYTES]);

/* How long is the frame that begins with these bytes, header included? 0 when it is none. */
size_t invitation_length(enum invitation_kind kind, const uint8_t header[INVITATION_HEADER_BYTES]);

/* Writes the joiner's ask, with `length` bytes of content, to `out`, which holds
 * INVITATION_FRAME_MAX. Returns its length in bytes. */
size_t invitation_ask(const uint8_t word[WORD_BYTES], const char *place,
                      const uint8_t secret[INVITATION_SECRET_BYTES], const void *content,
                      size_t length, uint8_t *out);

/* Opens an ask into `content`, which holds INVITATION_CONTENT_MAX. False: it was made with another
 * word or for another place, or is none. */
bool invitation_open_ask(const uint8_t word[WORD_BYTES], const char *place, const uint8_t *ask,
                         size_t ask_length, uint8_t *content, size_t *length);

/* Writes the answer to an ask that was opened to `out`, which holds INVITATION_FRAME_MAX. Returns
 * its length in bytes; 0 where the joiner's key is one that gives no secret. */
size_t invitation_answer(const uint8_t word[WORD_BYTES], const char *place,
                         const uint8_t secret[INVITATION_SECRET_BYTES], const uint8_t *ask,
                         size_t ask_length, const void *content, size_t length, uint8_t *out);

/* Opens the answer to one's own ask, by the secret with which that was made, into `content`, which
 * holds INVITATION_CONTENT_MAX. False: it is no answer to that ask. */
bool invitation_open_answer(const uint8_t word[WORD_BYTES], const char *place,
                            const uint8_t secret[INVITATION_SECRET_BYTES], const uint8_t *ask,
                            size_t ask_length, const uint8_t *answer, size_t answer_length,
                            uint8_t *content, size_t *length);

#endif

/* Notes: what a node answers to who has shown no key, 48 bytes that are never longer than what
 * came, change no state and are not authentic. A challenge asks a sender to show that it gets what
 * is sent to its address; a hint says which keys there are. And the cookies that a challenge hands
 * out, of which nothing is kept: SipHash-2-4 of the address and the minute under a secret. */
#ifndef SEAL_NOTE_H
#define SEAL_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/id.h"
#include "seal/keyring.h"
#include "seal/sealed_frame.h"

enum {
    NOTE_BYTES = 48,
    COOKIE_SECRET_BYTES = 16,
    COOKIE_MINUTE_MS = 60000,
};

enum note_kind {
    NOTE_CHALLENGE = 1, /* send that again with this cookie */
    NOTE_HINT = 2,      /* not with that key: these are mine, perhaps none */
};

struct note {
    enum note_kind kind;

    /* Of the sealed frame that it answers: who is not on the path does not know them. Zeros: that
     * was a plain frame. */
    uint64_t number;
    uint8_t salt[SALT_BYTES];

    uint8_t cookie[COOKIE_BYTES]; /* CHALLENGE */
    uint32_t count;               /* HINT: of fingerprints */
    uint16_t fingerprints[KEYRING_MAX];
};

/* Makes a note an answer to these bytes, which are at least a frame's header. */
void note_answer(struct note *note, const uint8_t *bytes, size_t length);

/* Writes it for the cluster whose plain frames begin with these 16 bytes. */
void note_write(const struct note *note, const uint8_t plain_header[16], uint8_t out[NOTE_BYTES]);

/* Reads one; false when it is none, or of another cluster. */
bool note_read(struct note *note, const uint8_t plain_header[16], const uint8_t *bytes,
               size_t length);

/* The cookie for that address in the minute of `now_ms`. */
void cookie_make(const uint8_t secret[COOKIE_SECRET_BYTES], const struct address *source,
                 uint64_t now_ms, uint8_t out[COOKIE_BYTES]);

/* Is it one of this minute or the last? */
bool cookie_holds(const uint8_t secret[COOKIE_SECRET_BYTES], const struct address *source,
                  uint64_t now_ms, const uint8_t cookie[COOKIE_BYTES]);

#endif

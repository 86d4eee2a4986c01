/* The keys that the nodes of one cluster share, as the lines of a key file, and the fingerprints by
 * which people and frames name them. */
#ifndef SEAL_KEYRING_H
#define SEAL_KEYRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEYRING_MAX = 8,          /* keys */
    KEY_BYTES = 32,           /* of a key */
    KEY_TEXT_MAX = 45,        /* bytes of a key in base64, with the zero */
    KEYRING_TEXT_MAX = 4096,  /* bytes of a key file */
    FINGERPRINT_TEXT_MAX = 5, /* four digits and the zero */
};

struct key {
    uint8_t bytes[KEY_BYTES];
    uint16_t fingerprint; /* of a keyed hash: tells keys apart, and nothing else of them */
};

/* The first key seals, all of them open. */
struct keyring {
    uint32_t count;
    struct key keys[KEYRING_MAX];
};

/* Why a text is no keyring. */
enum keyring_fault {
    KEYRING_OK,
    KEYRING_LINE,     /* a line that is no key */
    KEYRING_EMPTY,    /* no key at all */
    KEYRING_MANY,     /* more than KEYRING_MAX */
    KEYRING_REPEATED, /* two lines have one fingerprint */
};

/* Reads the lines of a key file: one key each, 32 bytes in base64; empty lines and those that begin
 * with '#' count for nothing. After a fault, `*line` is the line where it is, from 1 on. */
enum keyring_fault keyring_parse(struct keyring *ring, const char *text, size_t length,
                                 uint32_t *line);

/* Sets the fingerprint of a key whose bytes are there. */
void key_name(struct key *key);

/* Writes the key as a line of a key file, without the end of the line. */
void key_print(const struct key *key, char out[KEY_TEXT_MAX]);

/* Index of the key with that fingerprint; KEYRING_MAX for none. */
uint32_t keyring_find(const struct keyring *ring, uint16_t fingerprint);

/* Reads a fingerprint of exactly four hexadecimal digits, and writes one. */
bool fingerprint_parse(const char *text, uint16_t *fingerprint);
const char *fingerprint_text(uint16_t fingerprint, char out[FINGERPRINT_TEXT_MAX]);

/* Overwrites all keys, so that they are in no core dump afterwards. */
void keyring_wipe(struct keyring *ring);

/* The same for other memory that held a secret. */
void secret_wipe(void *text, size_t size);

#endif

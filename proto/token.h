/* MessagePack one token at a time: a value, or the head of an array with its count. Nothing is
 * allocated and no count is believed, so what the bytes claim can cost no more than the bytes
 * themselves. See docs/decisions/0003-codec-guard.md. */
#ifndef PROTO_TOKEN_H
#define PROTO_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/wire.h"

enum { TOKEN_NIL_BYTE = 0xc0 };

enum token_kind {
    TOKEN_NIL,
    TOKEN_BOOL,
    TOKEN_UNSIGNED,
    TOKEN_TEXT,
    TOKEN_BYTES,
    TOKEN_ARRAY, /* only its head: the items are the next `number` tokens, and what is in them */
};

struct token {
    enum token_kind kind;
    uint64_t number;      /* the value; BOOL: 0 or 1; TEXT, BYTES: length; ARRAY: count */
    const uint8_t *bytes; /* TEXT, BYTES: inside the bytes that were read; else NULL */
};

/* Reads the token at `*at` and moves `*at` behind it. Returns WIRE_OK, or, with `*at` untouched,
 *   WIRE_SHORT  the bytes end inside the token, or hold fewer items than an array claims;
 *   WIRE_SHAPE  a map, an extension, a floating-point or negative number, or a head that is
 *               longer than it need be: the wire has none of these. */
static inline enum wire_error token_read(const uint8_t *bytes, size_t length, size_t *at,
                                         struct token *token);

/* The same by msgpack-c's parser, whatever the token is. */
enum wire_error token_parse(const uint8_t *bytes, size_t length, size_t *at, struct token *token);

/* --- Inline --- */

/* Most tokens are one byte, to which nothing can be missing. For those the parser need not be set
 * up; what is not one of them, or not in order, is left to it. */
static inline bool token_read_byte(uint8_t byte, size_t left, struct token *token)
{
    if (byte < 0x80) {
        *token = (struct token){.kind = TOKEN_UNSIGNED, .number = byte};
        return true;
    }
    if ((byte & 0xf0) == 0x90 && (byte & 0x0fU) <= left) {
        *token = (struct token){.kind = TOKEN_ARRAY, .number = byte & 0x0f};
        return true;
    }
    if (byte == 0xc2 || byte == 0xc3) {
        *token = (struct token){.kind = TOKEN_BOOL, .number = byte & 1};
        return true;
    }
    return false;
}

static inline enum wire_error token_read(const uint8_t *bytes, size_t length, size_t *at,
                                         struct token *token)
{
    if (*at < length && token_read_byte(bytes[*at], length - *at - 1, token)) {
        *at += 1;
        return WIRE_OK;
    }
    return token_parse(bytes, length, at, token);
}

#endif

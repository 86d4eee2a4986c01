/* MessagePack one token at a time: a value, or the head of an array with its count. Nothing is
 * allocated and no count is believed, so what the bytes claim can cost no more than the bytes
 * themselves. See docs/decisions/0003-codec-guard.md. */
#ifndef PROTO_TOKEN_H
#define PROTO_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "proto/wire_error.h"

/* The first bytes of what messages are made of mostly. */
enum {
    HEAD_NUMBER_MAX = 0x7f, /* a number up to that is its own head */
    HEAD_LIST = 0x90,       /* and its count, below HEAD_LIST_COUNTS */
    HEAD_TEXT = 0xa0,       /* and its length, below HEAD_TEXT_LENGTHS */
    HEAD_NIL = 0xc0,
    HEAD_NONE = 0xc1, /* never the head of anything */
    HEAD_FALSE = 0xc2,
    HEAD_TRUE = 0xc3,
    HEAD_BYTES = 0xc4,     /* then their number in one byte */
    HEAD_NUMBER_8 = 0xcc,  /* then the number, above HEAD_NUMBER_MAX */
    HEAD_NUMBER_16 = 0xcd, /* then the number, highest byte first */
    HEAD_NUMBER_64 = 0xcf,

    HEAD_LIST_COUNTS = 16,
    HEAD_TEXT_LENGTHS = 32,
};

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
enum wire_error token_read(const uint8_t *bytes, size_t length, size_t *at, struct token *token);

#endif

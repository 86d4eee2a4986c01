#include "proto/token.h"

#include <assert.h>
#include <stdbool.h>

#include <msgpack.h>

/* msgpack-c brings its parser as a template, to be instantiated with callbacks and with an object
 * type of one's own. Its own instance builds trees of objects in a zone, and takes memory for as
 * many items as an array's head claims before it has seen one of them. This instance builds
 * nothing: each callback notes what it was given, the object is an unused int, and the callback
 * for an array ends the run, so that nesting and counts are left to whoever knows the message. */
#define MSGPACK_EMBED_STACK_SIZE 1 /* never more than the one head that ends the run */
#include <msgpack/unpack_define.h>

enum {
    GO_ON = 0,
    STOP = -1, /* the template gives up on a negative answer */
};

struct parse {
    struct token *token;
    bool is_array; /* the run was ended by an array's head, not by a fault */
};

static int on_value(struct parse *parse, enum token_kind kind, uint64_t number, int *object)
{
    *object = 0;
    *parse->token = (struct token){.kind = kind, .number = number};
    return GO_ON;
}

static int on_bytes(struct parse *parse, enum token_kind kind, const char *at, unsigned length,
                    int *object)
{
    *object = 0;
    *parse->token = (struct token){.kind = kind, .number = length, .bytes = (const uint8_t *)at};
    return GO_ON;
}

static int on_array(struct parse *parse, uint64_t count)
{
    *parse->token = (struct token){.kind = TOKEN_ARRAY, .number = count};
    parse->is_array = true;
    return STOP;
}

/* The names and parameters below are the template's. */
#define msgpack_unpack_struct(name) struct template##name
#define msgpack_unpack_func(result, name) static inline result template##name
#define msgpack_unpack_callback(name) template_on##name
#define msgpack_unpack_object int
#define msgpack_unpack_user struct parse

#define template_on_root(parse) 0
#define template_on_nil(parse, object) on_value(parse, TOKEN_NIL, 0, object)
#define template_on_false(parse, object) on_value(parse, TOKEN_BOOL, 0, object)
#define template_on_true(parse, object) on_value(parse, TOKEN_BOOL, 1, object)
#define template_on_uint8(parse, value, object) on_value(parse, TOKEN_UNSIGNED, value, object)
#define template_on_uint16(parse, value, object) on_value(parse, TOKEN_UNSIGNED, value, object)
#define template_on_uint32(parse, value, object) on_value(parse, TOKEN_UNSIGNED, value, object)
#define template_on_uint64(parse, value, object) on_value(parse, TOKEN_UNSIGNED, value, object)
#define template_on_str(parse, base, at, length, object)                                           \
    on_bytes(parse, TOKEN_TEXT, at, length, object)
#define template_on_bin(parse, base, at, length, object)                                           \
    on_bytes(parse, TOKEN_BYTES, at, length, object)
#define template_on_array(parse, count, object) on_array(parse, count)

/* What the wire does not have. Items and pairs never come: no container is ever entered. */
#define template_on_int8(parse, value, object) STOP
#define template_on_int16(parse, value, object) STOP
#define template_on_int32(parse, value, object) STOP
#define template_on_int64(parse, value, object) STOP
#define template_on_float(parse, value, object) STOP
#define template_on_double(parse, value, object) STOP
#define template_on_ext(parse, base, at, length, object) STOP
#define template_on_map(parse, count, object) STOP
#define template_on_array_item(parse, container, object) STOP
#define template_on_map_item(parse, container, key, value) STOP

#include <msgpack/unpack_template.h>

static size_t unsigned_bytes(uint64_t number)
{
    if (number < 0x80) {
        return 1;
    }
    if (number <= UINT8_MAX) {
        return 2;
    }
    if (number <= UINT16_MAX) {
        return 3;
    }
    return number <= UINT32_MAX ? 5 : 9;
}

/* The head of a text, a byte string or an array: numbers below `short_count` fit its one-byte
 * form, `has_8` tells whether there is a form with an 8-bit number. */
static size_t head_bytes(uint64_t number, uint64_t short_count, bool has_8)
{
    if (number < short_count) {
        return 1;
    }
    if (has_8 && number <= UINT8_MAX) {
        return 2;
    }
    return number <= UINT16_MAX ? 3 : 5;
}

/* How long the token is in its shortest form, the only one the wire has: so that one message is
 * one string of bytes, and what was decoded encodes to what came in. */
static size_t token_bytes(const struct token *token)
{
    switch (token->kind) {
    case TOKEN_NIL:
    case TOKEN_BOOL:
        return 1;
    case TOKEN_UNSIGNED:
        return unsigned_bytes(token->number);
    case TOKEN_TEXT:
        return head_bytes(token->number, 32, true) + (size_t)token->number;
    case TOKEN_BYTES:
        return head_bytes(token->number, 0, true) + (size_t)token->number;
    case TOKEN_ARRAY:
        return head_bytes(token->number, 16, false);
    }
    return 0;
}

enum wire_error token_read(const uint8_t *bytes, size_t length, size_t *at, struct token *token)
{
    assert(*at <= length);

    struct template_context context;
    size_t end = *at;

    template_init(&context);
    context.user = (struct parse){.token = token};
    int result = template_execute(&context, (const char *)bytes, length, &end);

    if (context.user.is_array) {
        end++; /* Stopped on the last byte of the head. */
    } else if (result == 0) {
        return WIRE_SHORT;
    } else if (result < 0) {
        return WIRE_SHAPE;
    }
    if (end - *at != token_bytes(token)) {
        return WIRE_SHAPE;
    }
    if (token->kind == TOKEN_ARRAY && token->number > length - end) {
        return WIRE_SHORT; /* Every item takes a byte at least. */
    }
    *at = end;
    return WIRE_OK;
}

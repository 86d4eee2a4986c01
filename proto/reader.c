#include "proto/reader.h"

#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "core/model/role.h"
#include "proto/token.h"

void reader_fail(struct reader *reader, enum wire_error error)
{
    if (reader->error == WIRE_OK) {
        reader->error = error;
        reader->length = reader->at; /* So nothing is left, and one question stands for two. */
    }
}

/* The next token, which must be of this kind. False, with the fault noted, when it is not. */
static bool parse_token(struct reader *reader, enum token_kind kind, struct token *token)
{
    size_t start = reader->at;

    if (reader->error != WIRE_OK) {
        return false;
    }
    enum wire_error error = token_read(reader->bytes, reader->length, &reader->at, token);
    if (error == WIRE_OK && token->kind != kind) {
        reader->at = start;
        error = WIRE_SHAPE;
    }
    if (error != WIRE_OK) {
        reader_fail(reader, error);
        return false;
    }
    return true;
}

/* What messages are made of mostly is told by its first byte: numbers, booleans, short lists, texts
 * and byte strings. These are taken as they stand where they are in order; the parser has all the
 * rest, and whatever there is to find fault with, in functions apart, for their stack frames would
 * cost more than the taking does. */
#define NOINLINE_STATIC static __attribute__((noinline))

static inline size_t left(const struct reader *reader)
{
    return reader->length - reader->at;
}

static inline uint8_t head(const struct reader *reader)
{
    return left(reader) > 0 ? reader->bytes[reader->at] : HEAD_NONE;
}

static inline bool accept_list(struct reader *reader, uint32_t low, uint32_t high, uint32_t *count)
{
    *count = head(reader) ^ (unsigned)HEAD_LIST;
    if (*count >= HEAD_LIST_COUNTS || *count < low || *count > high || *count >= left(reader)) {
        return false;
    }
    reader->at++;
    return true;
}

/* A text or byte string of so many bytes, behind a head of so many. */
static inline bool accept_string(struct reader *reader, enum token_kind kind, size_t head_bytes,
                                 size_t length, struct token *token)
{
    const uint8_t *at = reader->bytes + reader->at;

    if (left(reader) < head_bytes + length) {
        return false;
    }
    *token = (struct token){.kind = kind, .number = length, .bytes = at + head_bytes};
    reader->at += head_bytes + length;
    return true;
}

static bool reader_text(struct reader *reader, struct token *token)
{
    const unsigned length = head(reader) ^ (unsigned)HEAD_TEXT;

    return (length < HEAD_TEXT_LENGTHS && accept_string(reader, TOKEN_TEXT, 1, length, token)) ||
           parse_token(reader, TOKEN_TEXT, token);
}

static bool reader_bytes(struct reader *reader, struct token *token)
{
    const uint8_t *at = reader->bytes + reader->at;

    return (head(reader) == HEAD_BYTES && left(reader) >= 2 &&
            accept_string(reader, TOKEN_BYTES, 2, at[1], token)) ||
           parse_token(reader, TOKEN_BYTES, token);
}

NOINLINE_STATIC void parse_fields(struct reader *reader, uint32_t count)
{
    struct token token;

    if (parse_token(reader, TOKEN_ARRAY, &token) && token.number != count) {
        reader_fail(reader, WIRE_SHAPE);
    }
}

void reader_fields(struct reader *reader, uint32_t count)
{
    uint32_t found;

    if (!accept_list(reader, count, count, &found)) {
        parse_fields(reader, count);
    }
}

NOINLINE_STATIC uint32_t parse_list(struct reader *reader, uint32_t low, uint32_t high)
{
    struct token token;

    if (!parse_token(reader, TOKEN_ARRAY, &token)) {
        return 0;
    }
    if (token.number < low || token.number > high) {
        reader_fail(reader, WIRE_BOUND);
        return 0;
    }
    return (uint32_t)token.number;
}

uint32_t reader_list(struct reader *reader, uint32_t low, uint32_t high)
{
    uint32_t count;

    return accept_list(reader, low, high, &count) ? count : parse_list(reader, low, high);
}

NOINLINE_STATIC uint64_t parse_number(struct reader *reader, uint64_t low, uint64_t high)
{
    struct token token;

    if (!parse_token(reader, TOKEN_UNSIGNED, &token)) {
        return 0;
    }
    if (token.number < low || token.number > high) {
        reader_fail(reader, WIRE_BOUND);
        return 0;
    }
    return token.number;
}

/* The number of so many bytes behind the head, if it is within bounds and above `shorter`, the
 * highest one that has a shorter form. */
static inline bool accept_number(struct reader *reader, unsigned bytes, uint64_t shorter,
                                 uint64_t low, uint64_t high, uint64_t *number)
{
    const uint8_t *at = reader->bytes + reader->at + 1;
    uint64_t value = 0;

    if (left(reader) < 1 + bytes) {
        return false;
    }
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * (bytes - 1 - i));
    }
    if (value <= shorter || value < low || value > high) {
        return false;
    }
    reader->at += 1 + bytes;
    *number = value;
    return true;
}

uint64_t reader_number(struct reader *reader, uint64_t low, uint64_t high)
{
    const uint8_t first = head(reader);
    uint64_t number;

    if (first <= HEAD_NUMBER_MAX && first >= low && first <= high) {
        reader->at++;
        return first;
    }
    if ((first == HEAD_NUMBER_64 && accept_number(reader, 8, UINT32_MAX, low, high, &number)) ||
        (first == HEAD_NUMBER_16 && accept_number(reader, 2, UINT8_MAX, low, high, &number)) ||
        (first == HEAD_NUMBER_8 && accept_number(reader, 1, HEAD_NUMBER_MAX, low, high, &number))) {
        return number;
    }
    return parse_number(reader, low, high);
}

/* A count was held against the bytes that are left, so the sum is no larger than a frame. */
void reader_skip(struct reader *reader, uint32_t count)
{
    uint64_t left_over = count;

    while (left_over > 0 && reader->error == WIRE_OK) {
        struct token token;
        const enum wire_error error = token_read(reader->bytes, reader->length, &reader->at,
                                                 &token);
        if (error != WIRE_OK) {
            reader_fail(reader, error);
        }
        left_over += error == WIRE_OK && token.kind == TOKEN_ARRAY ? token.number : 0;
        left_over--;
    }
}

NOINLINE_STATIC bool parse_bool(struct reader *reader)
{
    struct token token;

    return parse_token(reader, TOKEN_BOOL, &token) && token.number != 0;
}

bool reader_bool(struct reader *reader)
{
    const uint8_t value = head(reader);

    if (value != HEAD_FALSE && value != HEAD_TRUE) {
        return parse_bool(reader);
    }
    reader->at++;
    return value == HEAD_TRUE;
}

bool reader_is_at_bool(const struct reader *reader)
{
    return head(reader) == HEAD_FALSE || head(reader) == HEAD_TRUE;
}

bool reader_is_at_array(const struct reader *reader)
{
    return (head(reader) ^ (unsigned)HEAD_LIST) < HEAD_LIST_COUNTS;
}

bool reader_accept_nil(struct reader *reader)
{
    if (head(reader) != HEAD_NIL) {
        return false;
    }
    reader->at++;
    return true;
}

static inline bool accept_id(struct reader *reader, struct node_id *id)
{
    const uint8_t *at = reader->bytes + reader->at;

    if (head(reader) != HEAD_BYTES || left(reader) < 2 + sizeof id->bytes ||
        at[1] != sizeof id->bytes) {
        return false;
    }
    memcpy(id->bytes, at + 2, sizeof id->bytes);
    if (id_is_none(id)) {
        return false;
    }
    reader->at += 2 + sizeof id->bytes;
    return true;
}

NOINLINE_STATIC struct node_id parse_id(struct reader *reader)
{
    struct node_id id = {.bytes = {0}};
    struct token token;

    if (!parse_token(reader, TOKEN_BYTES, &token)) {
        return id;
    }
    if (token.number != sizeof id.bytes) {
        reader_fail(reader, WIRE_SHAPE);
        return id;
    }
    memcpy(id.bytes, token.bytes, sizeof id.bytes);
    if (id_is_none(&id)) {
        reader_fail(reader, WIRE_BOUND); /* None is written as nil, and only where it may be. */
    }
    return id;
}

struct node_id reader_id(struct reader *reader)
{
    struct node_id id;

    return accept_id(reader, &id) ? id : parse_id(reader);
}

struct node_id reader_id_or_nil(struct reader *reader)
{
    if (reader_accept_nil(reader)) {
        return (struct node_id){.bytes = {0}};
    }
    return reader_id(reader);
}

struct address reader_address(struct reader *reader)
{
    struct address address = {.family = 0};
    struct token token;

    if (!reader_bytes(reader, &token)) {
        return address;
    }
    if (token.number != WIRE_ADDRESS_4_BYTES && token.number != WIRE_ADDRESS_6_BYTES) {
        reader_fail(reader, WIRE_SHAPE);
        return address;
    }
    const size_t length = (size_t)token.number - 2;
    const unsigned port = (unsigned)token.bytes[length] << 8 | token.bytes[length + 1];
    if (port == 0) {
        reader_fail(reader, WIRE_BOUND);
        return address;
    }
    address.family = length == 4 ? 4 : 6;
    address.port = (uint16_t)port;
    memcpy(address.bytes, token.bytes, length);
    return address;
}

struct address reader_address_or_nil(struct reader *reader)
{
    if (reader_accept_nil(reader)) {
        return (struct address){.family = 0};
    }
    return reader_address(reader);
}

static bool is_of_name(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == '-';
}

void reader_name(struct reader *reader, char *name)
{
    struct token token;

    name[0] = '\0';
    if (!reader_text(reader, &token)) {
        return;
    }
    if (token.number == 0 || token.number > NAME_BYTES_MAX) {
        reader_fail(reader, WIRE_BOUND);
        return;
    }
    for (size_t i = 0; i < token.number; i++) {
        if (!is_of_name(token.bytes[i])) {
            reader_fail(reader, WIRE_BOUND);
            return;
        }
    }
    text_set(name, NAME_BYTES_MAX + 1, (const char *)token.bytes, (size_t)token.number);
}

void reader_need(struct reader *reader, char *need)
{
    struct token token;

    need[0] = '\0';
    if (!reader_text(reader, &token)) {
        return;
    }
    if (!role_need_is_sound((const char *)token.bytes, (size_t)token.number)) {
        reader_fail(reader, WIRE_BOUND);
        return;
    }
    text_set(need, ROLE_NEED_BYTES_MAX + 1, (const char *)token.bytes, (size_t)token.number);
}

static bool tags_are_sound(const char *text, size_t length)
{
    while (length > 0) {
        const char *end = memchr(text, '\0', length);
        if (end == NULL) {
            return false;
        }
        const size_t tag_length = (size_t)(end - text);
        if (text[0] == '=' || memchr(text, '=', tag_length) == NULL ||
            !utf8_is_printable(text, tag_length)) {
            return false;
        }
        length -= tag_length + 1;
        text = end + 1;
    }
    return true;
}

void reader_tags(struct reader *reader, struct tags *tags)
{
    struct token token;

    tags->length = 0;
    if (!reader_bytes(reader, &token)) {
        return;
    }
    if (token.number > TAGS_BYTES_MAX ||
        !tags_are_sound((const char *)token.bytes, (size_t)token.number)) {
        reader_fail(reader, WIRE_BOUND);
        return;
    }
    tags->length = (uint16_t)token.number;
    memcpy(tags->text, token.bytes, tags->length);
}

const uint8_t *reader_blob(struct reader *reader, uint16_t most, uint16_t *length)
{
    struct token token;

    *length = 0;
    if (!reader_bytes(reader, &token)) {
        return NULL;
    }
    if (token.number > most) {
        reader_fail(reader, WIRE_BOUND);
        return NULL;
    }
    *length = (uint16_t)token.number;
    return token.bytes;
}

#include "proto/writer.h"

#include <assert.h>
#include <string.h>

#include <msgpack.h>

#include "base/text.h"
#include "proto/token.h"
#include "proto/wire_sizes.h"

/* Where the next `length` bytes go. The buffer was sized for the longest message there is, so
 * running out of it is a fault of this program: a message beyond the bounds of core/limits.h. */
static inline uint8_t *reserve(struct writer *writer, size_t length)
{
    uint8_t *at = writer->at;

    assert(length <= (size_t)(writer->end - at));
    writer->at = at + length;
    return at;
}

/* The packer is a template like the parser of token.c: instantiated for a writer it appends
 * directly, where its own instance calls back for every head and every value. The names below are
 * the template's; what its functions return nobody asks for. */
#include <msgpack/pack_define.h>

#define msgpack_pack_inline_func(name) static inline int packer##name
#define msgpack_pack_user struct writer *
#define msgpack_pack_append_buffer(writer, bytes, length)                                          \
    return (memcpy(reserve(writer, length), bytes, length), 0)

#include <msgpack/pack_template.h>

void writer_init(struct writer *writer, uint8_t *at, size_t size)
{
    *writer = (struct writer){.at = at, .end = at + size};
}

/* What messages are made of mostly is written as it stands, as reader.c reads it; the packer has
 * all the rest. */
static inline void write_byte(struct writer *writer, unsigned byte)
{
    *reserve(writer, 1) = (uint8_t)byte;
}

static inline void write_bytes(struct writer *writer, const void *bytes, uint8_t length)
{
    uint8_t *at = reserve(writer, 2U + length);

    at[0] = HEAD_BYTES;
    at[1] = length;
    memcpy(at + 2, bytes, length);
}

void writer_array(struct writer *writer, uint32_t count)
{
    if (count < HEAD_LIST_COUNTS) {
        write_byte(writer, HEAD_LIST | count);
    } else {
        packer_array(writer, count);
    }
}

static inline void write_number_64(struct writer *writer, uint64_t number)
{
    uint8_t *at = reserve(writer, 1 + sizeof number);

    at[0] = HEAD_NUMBER_64;
    for (unsigned i = 0; i < sizeof number; i++) {
        at[1 + i] = (uint8_t)(number >> (56 - 8 * i));
    }
}

void writer_number(struct writer *writer, uint64_t number)
{
    if (number <= HEAD_NUMBER_MAX) {
        write_byte(writer, (unsigned)number);
    } else if (number > UINT32_MAX) {
        write_number_64(writer, number);
    } else {
        packer_uint32(writer, (uint32_t)number);
    }
}

void writer_bool(struct writer *writer, bool value)
{
    write_byte(writer, value ? HEAD_TRUE : HEAD_FALSE);
}

void writer_nil(struct writer *writer)
{
    write_byte(writer, HEAD_NIL);
}

void writer_id(struct writer *writer, const struct node_id *id)
{
    if (id_is_none(id)) {
        writer_nil(writer);
        return;
    }
    write_bytes(writer, id->bytes, sizeof id->bytes);
}

void writer_address(struct writer *writer, const struct address *address)
{
    uint8_t bytes[WIRE_ADDRESS_6_BYTES];

    if (address_is_none(address)) {
        writer_nil(writer);
        return;
    }
    const uint8_t length = address->family == 4 ? 4 : 16;
    memcpy(bytes, address->bytes, length);
    bytes[length] = (uint8_t)(address->port >> 8);
    bytes[length + 1] = (uint8_t)(address->port & 0xff);
    write_bytes(writer, bytes, length + 2);
}

void writer_name(struct writer *writer, const char *name)
{
    const size_t length = text_length(name, NAME_BYTES_MAX);

    packer_str(writer, length);
    packer_str_body(writer, name, length);
}

void writer_need(struct writer *writer, const char *need)
{
    const size_t length = text_length(need, ROLE_NEED_BYTES_MAX);

    packer_str(writer, length);
    packer_str_body(writer, need, length);
}

void writer_tags(struct writer *writer, const struct tags *tags)
{
    assert(tags->length <= TAGS_BYTES_MAX);
    packer_bin(writer, tags->length);
    packer_bin_body(writer, tags->text, tags->length);
}

void writer_blob(struct writer *writer, const uint8_t *bytes, uint16_t length)
{
    packer_bin(writer, length);
    if (length > 0) {
        packer_bin_body(writer, bytes, length);
    }
}

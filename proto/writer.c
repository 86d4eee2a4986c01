#include "proto/writer.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "proto/wire.h"

/* The packer's callback. The buffer was sized for the longest message there is, so running out
 * of it is a fault of this program: a message beyond the bounds of core/limits.h. */
static int writer_append(void *data, const char *bytes, size_t length)
{
    struct writer *writer = data;

    assert(length <= writer->size - writer->length);
    memcpy(writer->bytes + writer->length, bytes, length);
    writer->length += length;
    return 0;
}

void writer_init(struct writer *writer, uint8_t *bytes, size_t size, size_t length)
{
    assert(length <= size);
    *writer = (struct writer){.bytes = bytes, .size = size, .length = length};
    msgpack_packer_init(&writer->packer, writer, writer_append);
}

void writer_array(struct writer *writer, uint32_t count)
{
    msgpack_pack_array(&writer->packer, count);
}

void writer_number(struct writer *writer, uint64_t number)
{
    msgpack_pack_uint64(&writer->packer, number);
}

void writer_bool(struct writer *writer, bool value)
{
    if (value) {
        msgpack_pack_true(&writer->packer);
    } else {
        msgpack_pack_false(&writer->packer);
    }
}

void writer_nil(struct writer *writer)
{
    msgpack_pack_nil(&writer->packer);
}

void writer_id(struct writer *writer, const struct node_id *id)
{
    if (id_is_none(id)) {
        writer_nil(writer);
        return;
    }
    msgpack_pack_bin_with_body(&writer->packer, id->bytes, sizeof id->bytes);
}

void writer_address(struct writer *writer, const struct address *address)
{
    uint8_t bytes[WIRE_ADDRESS_6_BYTES];

    if (address_is_none(address)) {
        writer_nil(writer);
        return;
    }
    const size_t length = address->family == 4 ? 4 : 16;
    memcpy(bytes, address->bytes, length);
    bytes[length] = (uint8_t)(address->port >> 8);
    bytes[length + 1] = (uint8_t)(address->port & 0xff);
    msgpack_pack_bin_with_body(&writer->packer, bytes, length + 2);
}

void writer_name(struct writer *writer, const char *name)
{
    msgpack_pack_str_with_body(&writer->packer, name, text_length(name, NAME_BYTES_MAX));
}

void writer_tags(struct writer *writer, const struct tags *tags)
{
    assert(tags->length <= TAGS_BYTES_MAX);
    msgpack_pack_bin_with_body(&writer->packer, tags->text, tags->length);
}

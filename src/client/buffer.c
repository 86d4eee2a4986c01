#include "client/buffer.h"

#include <assert.h>
#include <string.h>

enum { CAPACITY_MIN = 256 };

bool buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
    assert(buffer->length <= BUFFER_BYTES_MAX);
    if (length > BUFFER_BYTES_MAX - buffer->length) {
        return false;
    }

    const size_t needed = buffer->length + length + 1;
    if (needed > buffer->capacity) {
        size_t capacity = buffer->capacity == 0 ? CAPACITY_MIN : buffer->capacity;
        while (capacity < needed) {
            capacity *= 2;
        }
        char *grown = allocator_get(buffer->memory, capacity);
        if (grown == NULL) {
            return false;
        }
        if (buffer->length > 0) {
            memcpy(grown, buffer->bytes, buffer->length);
        }
        allocator_release(buffer->memory, buffer->bytes);
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }

    if (length > 0) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
    }
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
    return true;
}

void buffer_drop(struct buffer *buffer, size_t length)
{
    assert(length <= buffer->length);
    if (length == 0) {
        return;
    }
    buffer->length -= length;
    memmove(buffer->bytes, buffer->bytes + length, buffer->length);
    buffer->bytes[buffer->length] = '\0';
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    if (buffer->bytes != NULL) {
        buffer->bytes[0] = '\0';
    }
}

void buffer_deinit(struct buffer *buffer)
{
    allocator_release(buffer->memory, buffer->bytes);
    *buffer = (struct buffer){.memory = buffer->memory};
}

char *buffer_take(struct buffer *buffer)
{
    char *text = buffer->bytes == NULL ? allocator_text(buffer->memory, "") : buffer->bytes;

    *buffer = (struct buffer){.memory = buffer->memory};
    return text;
}

const char *buffer_text(const struct buffer *buffer)
{
    return buffer->bytes == NULL ? "" : buffer->bytes;
}

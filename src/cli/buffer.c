#include "cli/buffer.h"

#include <assert.h>
#include <stdlib.h>
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
        char *grown = realloc(buffer->bytes, capacity);
        if (grown == NULL) {
            return false;
        }
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
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

const char *buffer_text(const struct buffer *buffer)
{
    return buffer->bytes == NULL ? "" : buffer->bytes;
}

/* A byte buffer that grows up to a bound, for a daemon's answer that arrives in pieces. */
#ifndef CLIENT_BUFFER_H
#define CLIENT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "client/allocator.h"

/* No answer comes near this: 4096 members with full tags are some 5 MiB. */
#define BUFFER_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* All zero but for `memory` is an empty buffer. `bytes` is followed by a zero byte as soon as it is
 * not NULL. */
struct buffer {
    const struct allocator *memory; /* NULL: malloc */
    char *bytes;
    size_t length;
    size_t capacity;
};

/* Appends the bytes. Returns false, changing nothing, beyond BUFFER_BYTES_MAX or when memory ran
 * out. */
bool buffer_append(struct buffer *buffer, const void *bytes, size_t length);

/* Drops the first `length` bytes; `length` is at most buffer->length. */
void buffer_drop(struct buffer *buffer, size_t length);

/* Empties it and keeps the memory. */
void buffer_clear(struct buffer *buffer);

/* Frees the content; the buffer may be used again. */
void buffer_deinit(struct buffer *buffer);

/* Hands over the content, "" when empty, to be freed with the buffer's allocator. Returns NULL when
 * memory ran out. */
char *buffer_take(struct buffer *buffer);

/* The content as text, "" when empty. Borrowed until the next change. */
const char *buffer_text(const struct buffer *buffer);

#endif

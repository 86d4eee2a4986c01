/* A byte buffer that grows up to a bound, for a daemon's answer that arrives in pieces. */
#ifndef CLI_BUFFER_H
#define CLI_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* No answer comes near this: 4096 members with full tags are some 5 MiB. */
#define BUFFER_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* All zero is an empty buffer. `bytes` is followed by a zero byte as soon as it is not NULL. */
struct buffer {
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

void buffer_deinit(struct buffer *buffer);

/* The content as text, "" when empty. Borrowed until the next change. */
const char *buffer_text(const struct buffer *buffer);

#endif

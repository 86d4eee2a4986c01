/* Bytes to be sent, as libuv wants them: its buffers have a writable type, though it never writes
 * to what it sends. */
#ifndef RUNTIME_BUFFER_H
#define RUNTIME_BUFFER_H

#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

static inline uv_buf_t buffer_of(const uint8_t *bytes, size_t length)
{
    union {
        const uint8_t *in;
        char *out;
    } borrowed = {.in = bytes};

    assert(length <= UINT_MAX);
    return uv_buf_init(borrowed.out, (unsigned)length);
}

#endif

/* File descriptors: how many there are, and which of them streams may use.
 *
 *     0            files, libuv        streams to and from peers        clients, files        limit
 *     |------------------------------------------------------------|----------------------------|
 *                                             descriptors_for_streams
 *
 * The system assigns the lowest free number. When a stream gets a number past the mark, only the
 * reserved descriptors are left, and the stream is closed. Without the reserve a daemon at its
 * limit would look healthy and answer nobody: libuv silently closes what it cannot accept, and
 * neither a client nor the state file would get a descriptor. */
#ifndef RUNTIME_DESCRIPTORS_H
#define RUNTIME_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/process/log.h"

/* The reserve: as many as both control sockets serve, and some for the state, a recording and name
 * lookups. With a small limit the reserve is a quarter of it. */
enum { DESCRIPTORS_RESERVED_MAX = 600 };

/* Whoever starts a program may have closed them; a log must not end up in a socket or a file that
 * got the number 2. Returns false when the system has not even descriptors for that. */
bool descriptors_open_standard(void);

/* The first descriptor number that is reserved, when the process may have `limit` descriptors. */
uint64_t descriptors_for_streams(uint64_t limit);

/* How many clients, and files that are opened for a moment, may have together: what such a limit
 * leaves beside the streams of that many members, and the reserve at least. */
uint64_t descriptors_for_clients(uint64_t limit, uint32_t member_count);

/* The lowest limit at which this node and each of so many members can hold a stream to each
 * other. */
uint64_t descriptors_needed(uint32_t member_count);

/* The number of descriptors that this process may have. */
uint64_t descriptors_limit(void);

/* Raises the limit as far as the system allows. Logs a warning when that is not enough for so many
 * members. */
void descriptors_raise(struct log *log, uint32_t member_count);

#endif

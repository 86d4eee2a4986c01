/* File descriptors: how many there are, and who may have the last of them.
 *
 *     0            files, libuv        streams to and from peers        clients, files        limit
 *     |------------------------------------------------------------|----------------------------|
 *                                             descriptors_for_streams
 *
 * The system gives out the lowest free number, so that a stream whose number is past the mark says
 * that only those are left which are kept. Without that a daemon at its limit would look healthy
 * and answer nobody: libuv closes what it cannot accept and tells no one, and neither a client nor
 * the state would get a descriptor any more. */
#ifndef RUNTIME_DESCRIPTORS_H
#define RUNTIME_DESCRIPTORS_H

#include <stdint.h>

#include "runtime/log.h"

/* As many as both control sockets serve, and some for the state, a recording and looking up names.
 * Of a small limit it is a quarter. */
enum { DESCRIPTORS_KEPT_MAX = 600 };

/* The number from which on a descriptor is not for a stream, when there are `limit`. */
uint64_t descriptors_for_streams(uint64_t limit);

/* The least limit with which each of so many members can hold a stream to this node and be held
 * one to. */
uint64_t descriptors_needed(uint32_t member_count);

/* How many this process may have. */
uint64_t descriptors_limit(void);

/* Raises the limit as far as the system lets it. Says on the log when that is not enough for so
 * many members. */
void descriptors_raise(struct log *log, uint32_t member_count);

#endif

/* A codec, messages to write with it and a frame to change, for the tests of the codec. Criterion
 * gives each test a process, and so a bench, of its own. */
#ifndef TEST_UNIT_WIRE_BENCH_H
#define TEST_UNIT_WIRE_BENCH_H

#include "proto/wire.h"
#include "wire_vectors.h"

extern struct wire *wire; /* of SAMPLE_CLUSTER and SAMPLE_CAPACITY */
extern struct samples *samples;
extern struct vector *vector; /* too large for the stack */

void wire_bench_begin(void);
void wire_bench_end(void);

/* Decodes a copy of exactly this length, so that a sanitizer sees a read behind its end. */
enum wire_error wire_decode_copy(struct wire *codec, const uint8_t *bytes, size_t length,
                                 struct message *message);

/* The same by the bench's codec, of a message that nobody looks at. */
enum wire_error wire_reads(const uint8_t *bytes, size_t length);

/* One message is one string of bytes: what was accepted has to encode to what came in, but for
 * fields that were skipped. */
void wire_encodes_back(struct wire *codec, const uint8_t *bytes, size_t length,
                       const struct message *message);

/* `vector` has to be what the file of its name says. With DOYEN_WRITE_VECTORS set this writes the
 * file instead: after a change of bytes, which belongs into wire.md too. */
void wire_bench_golden(const char *about);

/* An id of bytes that count from that one on. */
struct node_id wire_bench_life(uint8_t first);

#endif

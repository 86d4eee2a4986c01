/* Writes the values that messages are made of, the counterpart of reader.h, by msgpack-c's packer
 * into a buffer that is known to be long enough. Numbers and heads get their shortest form. */
#ifndef PROTO_WRITER_H
#define PROTO_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/member.h"

struct writer {
    uint8_t *at;        /* of the next byte, in a buffer that is borrowed */
    const uint8_t *end; /* of the buffer */
};

/* Starts to write at `at`, in a buffer that has `size` bytes from there on. */
void writer_init(struct writer *writer, uint8_t *at, size_t size);

/* The head of an array: of a fixed number of fields, or of a list. */
void writer_array(struct writer *writer, uint32_t count);

void writer_number(struct writer *writer, uint64_t number);
void writer_bool(struct writer *writer, bool value);
void writer_nil(struct writer *writer);

/* nil for none. */
void writer_id(struct writer *writer, const struct node_id *id);
void writer_address(struct writer *writer, const struct address *address);

void writer_name(struct writer *writer, const char *name);
void writer_need(struct writer *writer, const char *need);
void writer_tags(struct writer *writer, const struct tags *tags);

void writer_blob(struct writer *writer, const uint8_t *bytes, uint16_t length);

#endif

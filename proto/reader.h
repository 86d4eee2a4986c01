/* Reads the values that messages are made of: each with its type, its bound and its rule.
 *
 * The first fault is kept in `error` and nothing is read after it: every further call answers
 * zero, none or nothing. So a message is read in a straight line and asked about once, at its
 * end; loops must have a bound of their own. */
#ifndef PROTO_READER_H
#define PROTO_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/member.h"
#include "proto/wire_error.h"
#include "proto/wire_sizes.h"

struct reader {
    const uint8_t *bytes;
    size_t length; /* after a fault as much as was read */
    size_t at;     /* of the next token; after a fault, of the token at fault */
    enum wire_error error;
    bool skipped; /* have fields of a later version been? */
};

/* Notes a fault, unless there has been one already. */
void reader_fail(struct reader *reader, enum wire_error error);

/* The head of an array of exactly `count` fields; another count is WIRE_SHAPE. */
void reader_fields(struct reader *reader, uint32_t count);

/* The head of a list, returning its count; outside of `low` to `high` is WIRE_BOUND. A list that
 * claims more items than there are bytes left is WIRE_SHORT before that. */
uint32_t reader_list(struct reader *reader, uint32_t low, uint32_t high);

/* A number from `low` to `high`, or WIRE_BOUND. */
uint64_t reader_number(struct reader *reader, uint64_t low, uint64_t high);

/* Goes on behind the next `count` values, whatever they are, with all that is in them. */
void reader_skip(struct reader *reader, uint32_t count);

bool reader_bool(struct reader *reader);
bool reader_is_at_bool(const struct reader *reader);

/* Is an array of at most 15 values next? */
bool reader_is_at_array(const struct reader *reader);

/* Is nil next? Reads it if so, and nothing else. */
bool reader_accept_nil(struct reader *reader);

/* 16 bytes, not all zero. The second takes nil for none. */
struct node_id reader_id(struct reader *reader);
struct node_id reader_id_or_nil(struct reader *reader);

/* 6 or 18 bytes, address and port; port 0 is WIRE_BOUND. The second takes nil for none. */
struct address reader_address(struct reader *reader);
struct address reader_address_or_nil(struct reader *reader);

/* 1 to NAME_BYTES_MAX of A-Z a-z 0-9 . _ - and a terminating zero into `name`, which holds
 * NAME_BYTES_MAX + 1 bytes. */
void reader_name(struct reader *reader, char *name);

/* The tag that a role needs, and a terminating zero, into `need`, which holds ROLE_NEED_BYTES_MAX +
 * 1 bytes. */
void reader_need(struct reader *reader, char *need);

/* At most TAGS_BYTES_MAX bytes of "key=value" texts, each ended by a zero: UTF-8 without control
 * characters, no key empty. */
void reader_tags(struct reader *reader, struct tags *tags);

/* At most `most` bytes, whatever they are: inside the frame, NULL after a fault. */
const uint8_t *reader_blob(struct reader *reader, uint16_t most, uint16_t *length);

#endif

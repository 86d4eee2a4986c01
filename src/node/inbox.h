/* Messages that came for the program and that it has not been told of yet: a bounded queue. */
#ifndef NODE_INBOX_H
#define NODE_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "client/allocator.h"
#include "core/model/member.h"
#include "doyen/node.h"
#include "words/id_text.h"

enum { INBOX_MAX = 256 };

struct inbox_message {
    char from[NAME_BYTES_MAX + 1];
    char from_id[ID_TEXT_MAX];
    uint16_t length;
    uint8_t data[DOYEN_MESSAGE_MAX];
};

struct inbox {
    struct inbox_message *messages; /* INBOX_MAX of them; NULL: none are wanted */
    uint32_t first;
    uint32_t count;
};

/* `inbox` is zeroed. False: no memory. */
bool inbox_open(struct inbox *inbox, const struct allocator *memory);
void inbox_close(struct inbox *inbox, const struct allocator *memory);

/* Appends a copy. False: it is full. */
bool inbox_put(struct inbox *inbox, const struct member *from, const uint8_t *data, size_t length);

/* Takes the oldest one out, borrowed until the next call with the same inbox; NULL: none. */
const struct inbox_message *inbox_take(struct inbox *inbox);

#endif

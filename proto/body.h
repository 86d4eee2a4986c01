/* What follows the frame header: a message as one MessagePack array. Reading and writing stand
 * side by side; wire.md has the tables. */
#ifndef PROTO_BODY_H
#define PROTO_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"
#include "proto/reader.h"
#include "proto/writer.h"

/* Reads a message; a view that it carries goes into `view`, to which the message then points.
 * Whether it went well is in reader->error; what the bytes do not tell is cleared. */
void body_read(struct reader *reader, struct view *view, struct message *message);

/* Writes a message to the life `to`; NULL or none: to whoever lives there. */
void body_write(struct writer *writer, const struct message *message, const struct node_id *to);

/* Makes the message that was written to `bytes` one for another life. Only from a life to a life:
 * false, and nothing done, if it is for whoever lives there, or is to be. */
bool body_redirect(uint8_t *bytes, const struct node_id *to);

/* Longest message whose view has at most `capacity` members, in bytes. */
size_t body_bytes_max(uint32_t capacity);

#endif

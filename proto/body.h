/* What follows the frame header: a message as one MessagePack array. Reading and writing stand
 * side by side; wire.md has the tables. */
#ifndef PROTO_BODY_H
#define PROTO_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"
#include "proto/body_change.h"
#include "proto/reader.h"
#include "proto/writer.h"

enum { BODY_BRIEF_BEYOND = 2 * BODY_CHANGE_BEYOND };

/* Reads a message; a view that it carries goes into `view`, to which the message then points. If it
 * comes as a change, then of one of `bases`. Whether it went well is in reader->error; what the
 * bytes do not tell is cleared. `version` counts from 0; fields that came with a later one are
 * skipped. */
void body_read(struct reader *reader, const struct bases *bases, struct view *view,
               struct message *message, uint8_t version);

/* Writes a message to the life `to`; NULL or none: to whoever lives there. */
void body_write(struct writer *writer, const struct message *message, const struct node_id *to,
                uint8_t version);

/* May a message of that type name its view, or bring it as a change? */
bool body_may_be_brief(enum message_type type);

/* The same with a claim's view named, and any other as a change of `base`. Returns false, and what
 * was written is of no use, if it cannot be written so before `limit`, behind which there must be
 * room for BODY_BRIEF_BEYOND bytes. */
bool body_write_brief(struct writer *writer, const struct message *message,
                      const struct node_id *to, uint8_t version, const struct view *base,
                      const uint8_t *limit);

/* Makes the message that was written to `bytes` one for another life. Only from a life to a life:
 * false, and nothing done, if it is for whoever lives there, or is to be. */
bool body_redirect(uint8_t *bytes, const struct node_id *to);

/* Longest message whose view has at most `capacity` members, in bytes. */
size_t body_bytes_max(uint32_t capacity);

#endif

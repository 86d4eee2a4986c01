/* What a member wants: to leave, another order, other tags, terms or voters. Reading and writing
 * stand side by side; wire.md has the tables. */
#ifndef PROTO_BODY_WISH_H
#define PROTO_BODY_WISH_H

#include "core/model/message.h"
#include "proto/reader.h"
#include "proto/writer.h"

/* Its kind, and what that kind wants. Whether it went well is in reader->error. */
void body_read_wish(struct reader *reader, struct wish *wish);
void body_write_wish(struct writer *writer, const struct wish *wish);

#endif

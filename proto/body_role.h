/* Roles: what a candidate says to the coordinator, and what it is told. Reading and writing stand
 * side by side; wire.md has the tables. */
#ifndef PROTO_BODY_ROLE_H
#define PROTO_BODY_ROLE_H

#include <stdbool.h>

#include "core/model/message.h"
#include "proto/reader.h"
#include "proto/writer.h"

enum { BODY_NEED_FIELDS = 1 }; /* a further one, of ROLES_ENTER where a tag is needed */

/* `type` is one of the roles' messages. `has_need`: that further field is there; `may_be_nil`: a
 * later version has put fields behind it, so that it may say nothing. Whether it went well is in
 * reader->error. */
void body_read_role(struct reader *reader, enum message_type type, struct role_word *word,
                    bool has_need, bool may_be_nil);
void body_write_role(struct writer *writer, enum message_type type, const struct role_word *word);

#endif

/* What tells of the terms that its sender goes by: a joiner, its refusal, and the probe of a part.
 * Reading and writing stand side by side; wire.md has the tables. */
#ifndef PROTO_BODY_TERMS_H
#define PROTO_BODY_TERMS_H

#include "core/model/message.h"
#include "proto/body_view.h"
#include "proto/reader.h"
#include "proto/writer.h"

enum { BODY_PROBE_FIELDS = 9, BODY_JOINER_FIELDS = 6 };

/* Longest forms, each with its head, in bytes. */
enum {
    BODY_CHANGED_BYTES = 2 * BODY_NUMBER_BYTES + 3,
    BODY_VOTERS_BYTES = 1 + VOTERS_MAX * BODY_NAME_BYTES + 1,
    BODY_TERMS_BYTES = 1 + 1 + 1 + 1 + 5 + 5 + 3 + 2 + BODY_VOTERS_BYTES +
                       BODY_CHANGED_BYTES, /* durations are 32 bits wide */
    BODY_PROBE_BYTES = BODY_VIEW_ID_BYTES + 2 * BODY_NUMBER_BYTES + 3 + 2 + 1 +
                       (1 + PROBE_SEEDS_MAX) * BODY_ADDRESS_BYTES + BODY_TERMS_BYTES,
};

void body_read_joiner(struct reader *reader, struct joiner *joiner);
void body_write_joiner(struct writer *writer, const struct joiner *joiner);

/* What is quoted depends on the reason: the other fields of the struct stay zero. */
void body_read_join_refused(struct reader *reader, struct join_refused *refused);
void body_write_join_refused(struct writer *writer, const struct join_refused *refused);

void body_read_probe(struct reader *reader, struct probe *probe);
void body_write_probe(struct writer *writer, const struct probe *probe);

#endif

/* The views that some messages carry, whole or by name, and their members. Reading and writing
 * stand side by side; wire.md has the tables. */
#ifndef PROTO_BODY_VIEW_H
#define PROTO_BODY_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "core/model/view.h"
#include "proto/reader.h"
#include "proto/writer.h"

enum {
    BODY_VIEW_FIELDS = 10,
    BODY_AGREED_FIELDS = 3, /* further ones, where terms were changed */
    BODY_VOTERS_FIELDS = 1, /* and one, under guard strict */
};

/* What a view, or a change of one, has behind all the others: its number of fields says so. */
struct body_view_tail {
    bool agreed;
    bool voters;
};

/* `fields` is the number of all, `plain` that of those which are always there. A number that no
 * such view has fails the reader. */
struct body_view_tail body_view_tail_of(struct reader *reader, uint32_t fields, uint32_t plain);
uint32_t body_view_tail_fields(struct body_view_tail tail);
void body_read_view_tail(struct reader *reader, struct view *view, struct body_view_tail tail);
void body_write_view_tail(struct writer *writer, const struct view *view,
                          struct body_view_tail tail);

/* Longest forms, each with its head, in bytes. */
enum {
    BODY_NUMBER_BYTES = 9,
    BODY_ID_BYTES = 2 + 16,
    BODY_VIEW_ID_BYTES = 1 + 3 * BODY_NUMBER_BYTES + BODY_ID_BYTES,
    BODY_ADDRESS_BYTES = 2 + WIRE_ADDRESS_6_BYTES,
    BODY_NAME_BYTES = 2 + NAME_BYTES_MAX,
    BODY_TAGS_BYTES = 3 + TAGS_BYTES_MAX,
};

/* Two fields: from 1 on, the lower one first. */
struct versions body_read_versions(struct reader *reader);
void body_write_versions(struct writer *writer, struct versions versions);

/* One member, and its tags, which it does not point to; its age must be from `age_low` to
 * `age_high`. */
void body_read_member(struct reader *reader, struct member *member, struct tags *tags,
                      uint64_t age_low, uint64_t age_high);
void body_write_member(struct writer *writer, const struct member *member, const struct tags *tags);

/* The member at that position of the view. */
void body_read_member_of(struct reader *reader, struct view *view, uint32_t position);

/* One that was a member. */
void body_read_gone(struct reader *reader, struct gone *gone);
void body_write_gone(struct writer *writer, const struct gone *gone);

/* The name of a view; the coordinator is none where there is no view. */
void body_read_view_id(struct reader *reader, struct view_id *id);
void body_write_view_id(struct writer *writer, const struct view_id *id);

/* Rules: six fields, in a list of their own. */
void body_read_rules(struct reader *reader, struct rules *rules);
void body_write_rules(struct writer *writer, const struct rules *rules);

/* A whole view. Only filled in, not judged: view_is_sound does that. */
void body_read_view(struct reader *reader, struct view *view);
void body_read_view_fields(struct reader *reader, struct view *view,
                           struct body_view_tail tail); /* what follows the head */
void body_write_view(struct writer *writer, const struct view *view);

/* Longest form of a view of at most `capacity` members, in bytes. */
size_t body_view_bytes_max(uint32_t capacity);

#endif

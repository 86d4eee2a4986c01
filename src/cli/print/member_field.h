/* What doyen members can print about a member, each under a name that columns and formats use. */
#ifndef CLI_MEMBER_FIELD_H
#define CLI_MEMBER_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/print/printer.h"

enum {
    MEMBER_FIELD_NAME_MAX = 600, /* with its zero; a key of a tag has at most 512 bytes */
    MEMBER_FIELD_TEXT_MAX = 1024,
};

/* For usage errors. */
#define MEMBER_FIELD_NAMES                                                                         \
    "name, address, host, port, age, state, heard, heard_ms, since, since_ms, role, tags, "        \
    "tag.KEY, id, incarnation, protocol"

/* One entry of `members` or `gone` and the document that it is in. Both are borrowed. */
struct member_row {
    const json_t *document;
    const json_t *entry;
    bool is_gone;
};

struct field_kind;

struct member_field {
    const struct field_kind *kind;
    char name[MEMBER_FIELD_NAME_MAX]; /* "age", "tag.rack" */
};

/* Reads the name of `length` bytes. Returns false when there is no such field. */
bool member_field_parse(struct member_field *field, const char *name, size_t length);

bool member_field_is_number(const struct member_field *field);

/* Writes the value, which is empty where the row has none, cut where it does not fit. Returns the
 * tone that it is shown in. The text may be another node's: mind control characters. */
enum tone member_field_text(char text[MEMBER_FIELD_TEXT_MAX], const struct member_field *field,
                            const struct member_row *row);

/* What STATE shows: alive, silent, suspect or behind, of those that are gone the reason. Borrowed.
 */
const char *member_state(const json_t *entry);

#endif

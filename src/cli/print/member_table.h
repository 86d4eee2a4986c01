/* Tables of members, with the columns that were asked for. */
#ifndef CLI_MEMBER_TABLE_H
#define CLI_MEMBER_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/print/member_field.h"
#include "cli/print/printer.h"

enum { MEMBER_COLUMNS_MAX = 24 };

struct member_columns {
    struct member_field fields[MEMBER_COLUMNS_MAX];
    size_t count;
};

/* Reads "name,address". Returns NULL, or the first word that is no field or one too many, of
 * `*length` bytes in `text`. */
const char *member_columns_parse(struct member_columns *columns, const char *text, size_t *length);

/* A table that is made row by row. `state_heading` stands above the states; NULL: STATE. */
struct table *member_table_new(const struct printer *printer, const struct member_columns *columns,
                               const char *state_heading);
void member_table_add(struct table *table, const struct member_columns *columns,
                      const struct member_row *row);

#endif

#include "cli/print/member_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *member_columns_parse(struct member_columns *columns, const char *text, size_t *length)
{
    columns->count = 0;
    for (const char *word = text;; word += *length + 1) {
        *length = strcspn(word, ",");
        if (columns->count == MEMBER_COLUMNS_MAX ||
            !member_field_parse(&columns->fields[columns->count], word, *length)) {
            return word;
        }
        columns->count++;
        if (word[*length] == '\0') {
            return NULL;
        }
    }
}

struct table *member_table_new(const struct printer *printer, const struct member_columns *columns,
                               const char *state_heading)
{
    char headings[MEMBER_COLUMNS_MAX][MEMBER_FIELD_NAME_MAX];
    struct column list[MEMBER_COLUMNS_MAX];

    for (size_t i = 0; i < columns->count; i++) {
        const struct member_field *field = &columns->fields[i];
        const bool is_state = strcmp(field->name, "state") == 0;
        snprintf(headings[i], sizeof headings[i], "%s",
                 is_state && state_heading != NULL ? state_heading : field->name);
        for (char *c = headings[i]; *c != '\0'; c++) {
            *c = (char)toupper((unsigned char)*c);
        }
        list[i] = (struct column){headings[i], member_field_is_number(field)};
    }
    return table_new(printer, list, columns->count);
}

void member_table_add(struct table *table, const struct member_columns *columns,
                      const struct member_row *row)
{
    table_row(table);
    for (size_t i = 0; i < columns->count; i++) {
        char text[MEMBER_FIELD_TEXT_MAX];
        const enum tone tone = member_field_text(text, &columns->fields[i], row);
        table_cell_cut(table, tone, text);
    }
}

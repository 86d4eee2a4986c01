#include "cli/print/printer.h"

#include <inttypes.h>
#include <libsmartcols/libsmartcols.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

enum {
    LABEL_COLUMNS = 13, /* the longest label, "coordinator", and a gap */
    FACT_TEXT_MAX = 1024,
    CUT_CHARACTERS = 60,
};

struct table {
    struct libscols_table *table;
    struct libscols_line *row;
    size_t column;
    bool failed;
};

void printer_init(struct printer *printer)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    printer->colour = isatty(STDOUT_FILENO) == 1 && (no_color == NULL || no_color[0] == '\0') &&
                      (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

static const char *tone_sequence(enum tone tone)
{
    switch (tone) {
    case TONE_PLAIN:
        return "";
    case TONE_GOOD:
        return "\033[32m";
    case TONE_DOUBTFUL:
        return "\033[33m";
    case TONE_BAD:
        return "\033[31m";
    case TONE_FAINT:
        return "\033[2m";
    }
    return "";
}

enum tone printer_severity_tone(const char *severity)
{
    return strcmp(severity, "good") == 0  ? TONE_GOOD
           : strcmp(severity, "bad") == 0 ? TONE_BAD
                                          : TONE_DOUBTFUL;
}

void printer_text(const struct printer *printer, enum tone tone, const char *text)
{
    const bool toned = printer->colour && tone != TONE_PLAIN;

    if (toned) {
        fputs(tone_sequence(tone), stdout);
    }
    for (size_t left = strlen(text); left > 0;) {
        const size_t bytes = utf8_character_bytes(text, left);
        const size_t taken = bytes > 0 ? bytes : 1;
        if (bytes > 0 && utf8_is_printable(text, bytes)) {
            (void)fwrite(text, 1, bytes, stdout);
        } else {
            putchar('?');
        }
        text += taken;
        left -= taken;
    }
    if (toned) {
        fputs("\033[0m", stdout);
    }
}

void printer_fact(const struct printer *printer, const char *label, enum tone tone,
                  const char *format, ...)
{
    char text[FACT_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    printf("%-*s", LABEL_COLUMNS, label);
    printer_text(printer, tone, text);
    putchar('\n');
}

/* --- Tables --- */

struct table *table_new(const struct printer *printer, const struct column *columns, size_t count)
{
    struct table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->table = scols_new_table();
    if (table->table == NULL) {
        free(table);
        return NULL;
    }

    /* As wide as it is: a row that a narrow terminal breaks is better than one that lacks its
     * end. */
    scols_table_set_termforce(table->table, SCOLS_TERMFORCE_NEVER);
    scols_table_enable_colors(table->table, printer->colour);
    scols_table_set_column_separator(table->table, "  ");
    for (size_t i = 0; i < count; i++) {
        if (scols_table_new_column(table->table, columns[i].heading, 0,
                                   columns[i].is_right ? SCOLS_FL_RIGHT : 0) == NULL) {
            table->failed = true;
        }
    }
    return table;
}

static void table_free(struct table *table)
{
    if (table != NULL) {
        scols_unref_table(table->table);
        free(table);
    }
}

void table_row(struct table *table)
{
    if (table == NULL) {
        return;
    }
    table->row = scols_table_new_line(table->table, NULL);
    table->column = 0;
    if (table->row == NULL) {
        table->failed = true;
    }
}

void table_cell(struct table *table, enum tone tone, const char *text)
{
    if (table == NULL || table->failed) {
        return;
    }
    struct libscols_cell *cell = scols_line_get_cell(table->row, table->column++);
    if (cell == NULL || scols_cell_set_data(cell, text) != 0 ||
        (tone != TONE_PLAIN && scols_cell_set_color(cell, tone_sequence(tone)) != 0)) {
        table->failed = true;
    }
}

void table_cell_cut(struct table *table, enum tone tone, const char *text)
{
    static const char dots[] = "\xe2\x80\xa6"; /* an ellipsis */
    char cut[(size_t)4 * CUT_CHARACTERS + sizeof dots];
    size_t characters = 0;
    size_t end = 0; /* of what stays */
    size_t at = 0;

    for (; text[at] != '\0' && characters <= CUT_CHARACTERS; at++) {
        if (((unsigned char)text[at] & 0xc0U) != 0x80) { /* the first byte of a character */
            end = characters++ < CUT_CHARACTERS ? at : end;
        }
    }
    if (characters <= CUT_CHARACTERS || end >= sizeof cut - sizeof dots) {
        table_cell(table, tone, text);
        return;
    }
    snprintf(cut, sizeof cut, "%.*s%s", (int)end, text, dots);
    table_cell(table, tone, cut);
}

void table_cell_number(struct table *table, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, number);
    table_cell(table, TONE_PLAIN, text);
}

/* libsmartcols pads the last column too; nobody wants blanks at the ends of lines. */
static void print_without_trailing_blanks(const char *text)
{
    while (*text != '\0') {
        const size_t line = strcspn(text, "\n");
        size_t length = line;
        while (length > 0 && text[length - 1] == ' ') {
            length--;
        }
        fwrite(text, 1, length, stdout);
        putchar('\n');
        text += text[line] == '\n' ? line + 1 : line;
    }
}

bool table_print(struct table *table)
{
    char *text = NULL;
    const bool printed = table != NULL && !table->failed &&
                         scols_print_table_to_string(table->table, &text) == 0;

    if (printed && text != NULL) {
        print_without_trailing_blanks(text);
    }
    free(text);
    table_free(table);
    if (!printed) {
        fputs("doyen: out of memory\n", stderr);
    }
    return printed;
}

/* Prints doyen's answers for people: tables, aligned facts, and colours where a terminal shows
 * them. Everything goes to stdout. */
#ifndef CLI_PRINTER_H
#define CLI_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tone {
    TONE_PLAIN,
    TONE_GOOD,
    TONE_DOUBTFUL,
    TONE_BAD,
    TONE_FAINT,
};

struct printer {
    bool colour;
};

/* Uses colours on terminals that can show them, unless NO_COLOR is set. */
void printer_init(struct printer *printer);

/* One line "label    text", the texts of all facts below one another. */
void printer_fact(const struct printer *printer, const char *label, enum tone tone,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The tone of `severity` in the part `whole` of a document: "good", "warning" or "bad". */
enum tone printer_severity_tone(const char *severity);

/* Prints text from another source: a control character, which could steer the terminal, is shown as
 * "?". */
void printer_text(const struct printer *printer, enum tone tone, const char *text);

struct column {
    const char *heading;
    bool is_right; /* aligned; for numbers */
};

struct table;

/* Makes a table; `columns` is borrowed for the call. A table that runs out of memory says so when
 * it is printed. */
struct table *table_new(const struct printer *printer, const struct column *columns, size_t count);

/* Begins a row. Its cells follow from left to right and are copied; missing cells stay empty. */
void table_row(struct table *table);
void table_cell(struct table *table, enum tone tone, const char *text);

/* Adds a cell of text whose length others choose: what is longer than 60 characters is cut. */
void table_cell_cut(struct table *table, enum tone tone, const char *text);
void table_cell_number(struct table *table, uint64_t number);

/* Prints and frees the table. Returns false, after a line on stderr, when memory ran out. */
bool table_print(struct table *table);

#endif

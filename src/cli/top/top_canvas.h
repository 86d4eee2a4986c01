/* A screen as cells, which a terminal shows and tests read: text is cut where it does not fit, and
 * what could steer a terminal never gets into a cell. */
#ifndef CLI_TOP_CANVAS_H
#define CLI_TOP_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/print/printer.h"

enum {
    TOP_ROWS_MAX = 4096,
    TOP_COLUMNS_MAX = 1024,
    TOP_CELL_BYTES = 5, /* one character in UTF-8 and a zero */
};

/* How a text looks. All zero: plain. */
struct top_look {
    enum tone tone;
    bool bold;
    bool reverse;
};

/* `text` is "" in the right half of a character that is two columns wide. */
struct top_cell {
    char text[TOP_CELL_BYTES];
    struct top_look look;
};

struct top_canvas {
    size_t rows;
    size_t columns;
    bool utf8; /* may characters beyond ASCII be shown? */
    struct top_cell *cells;
};

/* Makes an empty screen, of at most TOP_ROWS_MAX by TOP_COLUMNS_MAX. False when memory ran out. */
bool top_canvas_init(struct top_canvas *canvas, size_t rows, size_t columns, bool utf8);
void top_canvas_deinit(struct top_canvas *canvas);

const struct top_cell *top_canvas_cell(const struct top_canvas *canvas, size_t row, size_t column);

/* Writes the text at a place, in `width` columns at the most, and returns the columns that it took.
 * A character that cannot be shown becomes "?"; one outside the screen is left out. */
size_t top_canvas_text(struct top_canvas *canvas, size_t row, size_t column, size_t width,
                       struct top_look look, const char *text);

/* The columns that the text takes. */
size_t top_canvas_width(const struct top_canvas *canvas, const char *text);

/* Gives a whole row this look, and leaves its text. */
void top_canvas_look(struct top_canvas *canvas, size_t row, struct top_look look);

/* The last row with text, and one more; 0: there is none. */
size_t top_canvas_used_rows(const struct top_canvas *canvas);

/* Prints so many rows, without what is blank at their ends. */
void top_canvas_print(const struct top_canvas *canvas, size_t rows, FILE *out);

#endif

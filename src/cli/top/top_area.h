/* Rows of a canvas that something is drawn into, line by line. */
#ifndef CLI_TOP_AREA_H
#define CLI_TOP_AREA_H

#include "cli/top/top_canvas.h"

enum { TOP_LINE_MAX = 1024 }; /* bytes of one line that is put together */

/* The rows of the canvas that a pane may use, in its whole width. */
struct top_area {
    struct top_canvas *canvas;
    size_t row;
    size_t rows;
};

extern const struct top_look TOP_PLAIN;
extern const struct top_look TOP_HEADING;

/* One line of an area, which is cut; a line below the area is left out. */
void top_area_line(const struct top_area *area, size_t line, struct top_look look,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif

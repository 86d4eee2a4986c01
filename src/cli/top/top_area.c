#include "cli/top/top_area.h"

#include <stdarg.h>
#include <stdio.h>

const struct top_look TOP_PLAIN = {.tone = TONE_PLAIN};
const struct top_look TOP_HEADING = {.bold = true};

void top_area_line(const struct top_area *area, size_t line, struct top_look look,
                   const char *format, ...)
{
    char text[TOP_LINE_MAX];
    va_list arguments;

    if (line >= area->rows) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)top_canvas_text(area->canvas, area->row + line, 0, area->canvas->columns, look, text);
}

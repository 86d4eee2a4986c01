#include "cli/top/top_canvas.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

bool top_canvas_init(struct top_canvas *canvas, size_t rows, size_t columns, bool utf8)
{
    *canvas = (struct top_canvas){.rows = rows < TOP_ROWS_MAX ? rows : TOP_ROWS_MAX,
                                  .columns = columns < TOP_COLUMNS_MAX ? columns : TOP_COLUMNS_MAX,
                                  .utf8 = utf8};
    const size_t count = canvas->rows * canvas->columns;

    canvas->cells = calloc(count > 0 ? count : 1, sizeof canvas->cells[0]);
    if (canvas->cells == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        canvas->cells[i].text[0] = ' ';
    }
    return true;
}

void top_canvas_deinit(struct top_canvas *canvas)
{
    free(canvas->cells);
    canvas->cells = NULL;
}

static struct top_cell *cell_at(const struct top_canvas *canvas, size_t row, size_t column)
{
    return &canvas->cells[row * canvas->columns + column];
}

const struct top_cell *top_canvas_cell(const struct top_canvas *canvas, size_t row, size_t column)
{
    return cell_at(canvas, row, column);
}

/* --- Characters --- */

/* One character: its bytes in the text, what is shown for it, and how wide that is. */
struct glyph {
    size_t bytes;
    char text[TOP_CELL_BYTES];
    size_t width; /* 1 or 2 */
};

/* The code point of a well-formed character. */
static wchar_t code_point(const char *text, size_t bytes)
{
    static const uint8_t masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (uint8_t)text[0] & masks[bytes];

    for (size_t i = 1; i < bytes; i++) {
        code = code << 6 | ((uint8_t)text[i] & 0x3f);
    }
    return (wchar_t)code;
}

static struct glyph glyph_of(const struct top_canvas *canvas, const char *text)
{
    const size_t bytes = utf8_character_bytes(text, strnlen(text, TOP_CELL_BYTES - 1));
    struct glyph glyph = {.bytes = bytes == 0 ? 1 : bytes, .text = "?", .width = 1};

    if (bytes == 1 && text[0] >= ' ' && text[0] != 0x7f) {
        glyph.text[0] = text[0];
        return glyph;
    }
    if (bytes < 2 || !canvas->utf8) {
        return glyph;
    }
    /* Control characters have no width; marks that combine would need a cell to combine with. */
    const int width = wcwidth(code_point(text, bytes));
    if (width == 1 || width == 2) {
        memcpy(glyph.text, text, bytes);
        glyph.text[bytes] = '\0';
        glyph.width = (size_t)width;
    }
    return glyph;
}

size_t top_canvas_width(const struct top_canvas *canvas, const char *text)
{
    size_t width = 0;

    while (*text != '\0') {
        const struct glyph glyph = glyph_of(canvas, text);
        width += glyph.width;
        text += glyph.bytes;
    }
    return width;
}

size_t top_canvas_text(struct top_canvas *canvas, size_t row, size_t column, size_t width,
                       struct top_look look, const char *text)
{
    size_t used = 0;

    if (row >= canvas->rows || column >= canvas->columns) {
        return 0;
    }
    if (width > canvas->columns - column) {
        width = canvas->columns - column;
    }
    while (*text != '\0') {
        const struct glyph glyph = glyph_of(canvas, text);
        if (used + glyph.width > width) {
            break;
        }
        struct top_cell *cell = cell_at(canvas, row, column + used);
        memcpy(cell->text, glyph.text, sizeof cell->text);
        cell->look = look;
        if (glyph.width == 2) {
            cell[1] = (struct top_cell){.text = "", .look = look};
        }
        used += glyph.width;
        text += glyph.bytes;
    }
    return used;
}

void top_canvas_look(struct top_canvas *canvas, size_t row, struct top_look look)
{
    for (size_t column = 0; row < canvas->rows && column < canvas->columns; column++) {
        cell_at(canvas, row, column)->look = look;
    }
}

/* --- As text --- */

/* The columns of the row up to its last text. */
static size_t used_columns(const struct top_canvas *canvas, size_t row)
{
    size_t columns = canvas->columns;

    while (columns > 0 && strcmp(cell_at(canvas, row, columns - 1)->text, " ") == 0) {
        columns--;
    }
    return columns;
}

size_t top_canvas_used_rows(const struct top_canvas *canvas)
{
    size_t rows = canvas->rows;

    while (rows > 0 && used_columns(canvas, rows - 1) == 0) {
        rows--;
    }
    return rows;
}

void top_canvas_print(const struct top_canvas *canvas, size_t rows, FILE *out)
{
    for (size_t row = 0; row < rows && row < canvas->rows; row++) {
        const size_t columns = used_columns(canvas, row);
        for (size_t column = 0; column < columns; column++) {
            fputs(cell_at(canvas, row, column)->text, out);
        }
        fputc('\n', out);
    }
}

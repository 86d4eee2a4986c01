/* The pane of the members: by age, then those that are gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/document.h"
#include "cli/top/top_panes.h"

enum {
    COLUMNS = 8,
    NAME_COLUMNS_MAX = 24,
    GAP = 2,
    STATE_COLUMN = 2,
    HEARD_COLUMN = 3,
    HELD_COLUMN = 6,
};

/* In the order in which a narrow screen loses them from the right. */
struct columns {
    const char *headings[COLUMNS];
    struct member_field fields[COLUMNS]; /* that of HELD_COLUMN is not used */
    size_t widths[COLUMNS];              /* 0: nobody has a value */
};

static struct columns all_columns(void)
{
    static const char *const names[COLUMNS] = {"age",  "name",    "state", "heard",
                                               "role", "address", "name",  "tags"};
    struct columns columns = {
        .headings = {"AGE", "NAME", "STATE", "HEARD", "ROLE", "ADDRESS", "HOLDS", "TAGS"}};

    for (size_t i = 0; i < COLUMNS; i++) {
        (void)member_field_parse(&columns.fields[i], names[i], strlen(names[i]));
    }
    return columns;
}

/* Of one that is gone: "failed: dead", and "gone 1.2 s" where others have when they were heard. */
static enum tone gone_text(char text[MEMBER_FIELD_TEXT_MAX], size_t column,
                           const struct member_row *row)
{
    char since[DURATION_TEXT_MAX];

    if (column == STATE_COLUMN) {
        const bool left = strcmp(member_state(row->entry), "left") == 0;
        const char *verdict = document_text(row->entry, "verdict", "");
        snprintf(text, MEMBER_FIELD_TEXT_MAX, "%s%s%s", member_state(row->entry),
                 verdict[0] == '\0' ? "" : ": ", verdict);
        return left ? TONE_FAINT : TONE_BAD;
    }
    duration_text(since, document_number(row->entry, "since_ms"));
    snprintf(text, MEMBER_FIELD_TEXT_MAX, "gone %s", since);
    return TONE_FAINT;
}

static enum tone cell_text(char text[MEMBER_FIELD_TEXT_MAX], const struct columns *columns,
                           size_t column, const struct top_model *model,
                           const struct member_row *row)
{
    if (column == HELD_COLUMN) {
        char held[TOP_HELD_MAX] = "";
        if (!row->is_gone) {
            top_model_held(model, document_text(row->entry, "name", ""), held);
        }
        snprintf(text, MEMBER_FIELD_TEXT_MAX, "%s", held);
        return TONE_GOOD;
    }
    if (row->is_gone && (column == STATE_COLUMN || column == HEARD_COLUMN)) {
        return gone_text(text, column, row);
    }
    return member_field_text(text, &columns->fields[column], row);
}

/* A column is as wide as what is in it, so that the tables of small clusters fit small screens. */
static void measure(struct columns *columns, const struct top_area *area,
                    const struct top_model *model, const struct member_row *rows, size_t count)
{
    char text[MEMBER_FIELD_TEXT_MAX];

    for (size_t column = 0; column < COLUMNS; column++) {
        size_t widest = 0;
        for (size_t i = 0; i < count; i++) {
            (void)cell_text(text, columns, column, model, &rows[i]);
            const size_t width = top_canvas_width(area->canvas, text);
            widest = width > widest ? width : widest;
        }
        const size_t heading = strlen(columns->headings[column]);
        columns->widths[column] = widest == 0 ? 0 : widest > heading ? widest : heading;
    }
    if (columns->widths[1] > NAME_COLUMNS_MAX) {
        columns->widths[1] = NAME_COLUMNS_MAX;
    }
}

/* One line: of the headings, or of a row. */
static void draw_line(const struct top_area *area, size_t line, const struct columns *columns,
                      const struct top_model *model, const struct member_row *row)
{
    char text[MEMBER_FIELD_TEXT_MAX];
    size_t at = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        const size_t width = columns->widths[i];
        struct top_look look = TOP_HEADING;
        if (width == 0) {
            continue;
        }
        if (row == NULL) {
            snprintf(text, sizeof text, "%s", columns->headings[i]);
        } else {
            look = (struct top_look){.tone = cell_text(text, columns, i, model, row)};
        }
        const size_t used = top_canvas_width(area->canvas, text);
        const bool is_right = i != HELD_COLUMN && member_field_is_number(&columns->fields[i]);
        const size_t indent = is_right && used < width ? width - used : 0;
        (void)top_canvas_text(area->canvas, area->row + line, at + indent, width, look, text);
        at += width + GAP;
    }
}

/* The list is scrolled by no more than it takes to show the chosen one. */
static void scroll_to(struct top_ui *ui, size_t index, size_t count, size_t lines)
{
    if (index < ui->first) {
        ui->first = index;
    }
    if (index >= ui->first + lines) {
        ui->first = index + 1 - lines;
    }
    if (ui->first + lines > count) {
        ui->first = count > lines ? count - lines : 0;
    }
}

/* Draws from row to row, `chosen` marked. Returns the lines used. */
static size_t draw_rows(const struct top_area *area, const struct top_model *model,
                        const struct member_row *rows, size_t count, size_t chosen)
{
    struct columns columns = all_columns();

    measure(&columns, area, model, rows, count);
    draw_line(area, 0, &columns, model, NULL);
    for (size_t i = 0; i < count; i++) {
        draw_line(area, 1 + i, &columns, model, &rows[i]);
        if (i == chosen) {
            top_canvas_look(area->canvas, area->row + 1 + i, (struct top_look){.reverse = true});
        }
    }
    return 1 + count;
}

size_t top_pane_members(const struct top_area *area, const struct top_model *model,
                        struct top_ui *ui)
{
    const char *filter = ui == NULL ? "" : ui->filter;
    struct member_row rows[TOP_SELECTABLE_MAX];
    struct member_row row;
    size_t chosen = SIZE_MAX;
    size_t first = 0;

    if (area->rows < 2) {
        return 0;
    }
    const size_t lines = area->rows - 1;
    const size_t all = top_model_rows(model, filter, rows, TOP_SELECTABLE_MAX);
    const size_t count = all < TOP_SELECTABLE_MAX ? all : TOP_SELECTABLE_MAX;
    if (count == 0) {
        top_area_line(area, 0, (struct top_look){.tone = TONE_FAINT},
                      filter[0] == '\0' ? "no view yet: this node has no members to show"
                                        : "no member has this in name, address, state or tags");
        return 1;
    }
    if (ui != NULL && top_ui_chosen(ui, model, &chosen, &row)) {
        scroll_to(ui, chosen, count, lines);
        ui->page = lines;
        first = ui->first;
    }
    const size_t shown = count - first < lines ? count - first : lines;
    return draw_rows(area, model, rows + first, shown,
                     chosen == SIZE_MAX ? chosen : chosen - first);
}

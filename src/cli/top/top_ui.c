#include "cli/top/top_ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 1 << 20 }; /* further than any list goes */

/* --- The chosen member --- */

bool top_ui_chosen(const struct top_ui *ui, const struct top_model *model, size_t *index,
                   struct member_row *row)
{
    struct member_row rows[TOP_SELECTABLE_MAX];
    size_t count = top_model_rows(model, ui->filter, rows, TOP_SELECTABLE_MAX);

    count = count < TOP_SELECTABLE_MAX ? count : TOP_SELECTABLE_MAX;
    *index = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(top_row_id(&rows[i]), ui->chosen) == 0) {
            *index = i;
        }
    }
    if (count > 0) {
        *row = rows[*index];
    }
    return count > 0;
}

static size_t moved(size_t at, long by, size_t last)
{
    if (by < 0) {
        return (size_t)-by > at ? 0 : at - (size_t)-by;
    }
    return (size_t)by > last - at ? last : at + (size_t)by;
}

static void choose(struct top_ui *ui, const struct top_model *model, long by)
{
    struct member_row rows[TOP_SELECTABLE_MAX];
    const size_t all = top_model_rows(model, ui->filter, rows, TOP_SELECTABLE_MAX);
    const size_t count = all < TOP_SELECTABLE_MAX ? all : TOP_SELECTABLE_MAX;
    struct member_row row;
    size_t index = 0;

    if (!top_ui_chosen(ui, model, &index, &row)) {
        return;
    }
    index = moved(index, by, count - 1);
    snprintf(ui->chosen, sizeof ui->chosen, "%s", top_row_id(&rows[index]));
}

/* --- Keys --- */

/* How far a key goes in a list; 0: it does not. */
static long steps_of(const struct top_ui *ui, int key)
{
    const long page = ui->page > 1 ? (long)ui->page - 1 : 1;

    switch (key) {
    case TOP_KEY_UP:
    case 'k':
        return -1;
    case TOP_KEY_DOWN:
    case 'j':
        return 1;
    case TOP_KEY_PAGE_UP:
    case 'b':
        return -page;
    case TOP_KEY_PAGE_DOWN:
    case ' ':
        return page;
    case TOP_KEY_HOME:
    case 'g':
        return -FAR;
    case TOP_KEY_END:
    case 'G':
        return FAR;
    default:
        return 0;
    }
}

static void move(struct top_ui *ui, const struct top_model *model, long by)
{
    if (ui->pane == TOP_PANE_MEMBERS && !ui->why) {
        choose(ui, model, by);
        return;
    }
    ui->scroll = moved(ui->scroll, by, FAR); /* The layout knows where the end is. */
}

static void show_pane(struct top_ui *ui, int pane)
{
    ui->pane = (enum top_pane)((pane + TOP_PANE_COUNT) % TOP_PANE_COUNT);
    ui->scroll = 0;
    ui->why = false;
}

/* True when the key was for the filter's line. */
static bool type(struct top_ui *ui, int key)
{
    const size_t length = strlen(ui->filter);

    if (key == TOP_KEY_ENTER) {
        ui->typing = false;
    } else if (key == TOP_KEY_ESCAPE) {
        ui->typing = false;
        ui->filter[0] = '\0';
    } else if (key == TOP_KEY_ERASE) {
        ui->typing = length > 0;
        ui->filter[length > 0 ? length - 1 : 0] = '\0';
    } else if (key >= ' ' && key < 0x7f) {
        if (length + 1 < sizeof ui->filter) {
            ui->filter[length] = (char)key;
            ui->filter[length + 1] = '\0';
        }
    } else {
        return false;
    }
    return true;
}

/* What closes: the innermost of help, evidence and filter. */
static void go_back(struct top_ui *ui)
{
    if (ui->help) {
        ui->help = false;
    } else if (ui->why) {
        ui->why = false;
        ui->scroll = 0;
    } else {
        ui->filter[0] = '\0';
    }
}

static bool act(struct top_ui *ui, int key)
{
    switch (key) {
    case TOP_KEY_TAB:
    case TOP_KEY_RIGHT:
    case 'l':
        show_pane(ui, (int)ui->pane + 1);
        return true;
    case TOP_KEY_BACK_TAB:
    case TOP_KEY_LEFT:
    case 'h':
        show_pane(ui, (int)ui->pane - 1);
        return true;
    case TOP_KEY_ENTER:
    case 'w':
        ui->why = ui->pane == TOP_PANE_MEMBERS && !ui->why;
        ui->scroll = 0;
        return true;
    case '/':
        show_pane(ui, TOP_PANE_MEMBERS);
        ui->typing = true;
        return true;
    case '?':
        ui->help = true;
        return true;
    case TOP_KEY_ESCAPE:
    case TOP_KEY_ERASE:
        go_back(ui);
        return true;
    case 'q':
        ui->quit = true;
        return true;
    default:
        return false;
    }
}

bool top_ui_key(struct top_ui *ui, const struct top_model *model, int key)
{
    if (ui->typing && type(ui, key)) {
        return true;
    }
    if (ui->help && key != 'q') {
        ui->help = false; /* Any key closes it. */
        return true;
    }
    const long by = steps_of(ui, key);
    if (by != 0) {
        move(ui, model, by);
        return true;
    }
    if (key >= '1' && key < '1' + TOP_PANE_COUNT) {
        show_pane(ui, key - '1');
        return true;
    }
    return act(ui, key);
}

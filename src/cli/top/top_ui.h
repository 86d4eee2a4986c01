/* What the person at doyen top has chosen, and what keys do to it. Pure: keys come as numbers. */
#ifndef CLI_TOP_UI_H
#define CLI_TOP_UI_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/top/top_model.h"

enum top_pane {
    TOP_PANE_MEMBERS,
    TOP_PANE_LINKS,
    TOP_PANE_EVENTS,
    TOP_PANE_COUNTERS,
    TOP_PANE_COUNT,
};

enum {
    TOP_FILTER_MAX = 64,
    TOP_ID_MAX = 128,
    TOP_SELECTABLE_MAX = 4096, /* members that can be gone to, and gone ones */
};

/* Keys that are no character, from a number that no character has. */
enum top_key {
    TOP_KEY_NONE = -1,
    TOP_KEY_UP = 0x200000,
    TOP_KEY_DOWN,
    TOP_KEY_LEFT,
    TOP_KEY_RIGHT,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_HOME,
    TOP_KEY_END,
    TOP_KEY_ENTER,
    TOP_KEY_ESCAPE,
    TOP_KEY_TAB,
    TOP_KEY_BACK_TAB,
    TOP_KEY_ERASE,
    TOP_KEY_REDRAW,
};

/* All zero is how it begins. */
struct top_ui {
    enum top_pane pane;
    char chosen[TOP_ID_MAX]; /* top_row_id of the member; "": the first */
    size_t first;            /* member that the list shows on top */
    size_t scroll;           /* lines that are above the top of another pane or of `why` */
    size_t page;             /* lines of what scrolls; the layout says so */
    char filter[TOP_FILTER_MAX];
    bool typing; /* the keys go into the filter */
    bool why;    /* the evidence about the chosen member is shown */
    bool help;
    bool quit;
};

/* The index of the chosen member among the rows that pass the filter, and its row. False when there
 * is none. */
bool top_ui_chosen(const struct top_ui *ui, const struct top_model *model, size_t *index,
                   struct member_row *row);

/* Does what the key means. Returns false for a key that means nothing here. */
bool top_ui_key(struct top_ui *ui, const struct top_model *model, int key);

#endif

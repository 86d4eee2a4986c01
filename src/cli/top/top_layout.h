/* Lays out what doyen top shows: from the model, what the person has chosen and a size to cells.
 * Pure; the size is that of the canvas. */
#ifndef CLI_TOP_LAYOUT_H
#define CLI_TOP_LAYOUT_H

#include <stdint.h>

#include "cli/top/top_canvas.h"
#include "cli/top/top_model.h"
#include "cli/top/top_ui.h"

/* The moment that is shown. */
struct top_now {
    uint64_t clock_ms; /* of the clock by which documents were asked for */
    uint64_t wall_ms;  /* since 1970, for the time line */
};

/* Draws the screen, and keeps in `ui` what it scrolled to. */
void top_layout_screen(struct top_canvas *canvas, const struct top_model *model, struct top_ui *ui,
                       const struct top_now *now);

/* Draws all panes below one another, for doyen top --once. */
void top_layout_all(struct top_canvas *canvas, const struct top_model *model,
                    const struct top_now *now);

#endif

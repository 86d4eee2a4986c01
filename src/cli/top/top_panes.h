/* The panes of doyen top, each drawn into an area of a canvas. */
#ifndef CLI_TOP_PANES_H
#define CLI_TOP_PANES_H

#include "cli/top/top_area.h"
#include "cli/top/top_model.h"
#include "cli/top/top_ui.h"

/* The members with the chosen one marked; `ui` NULL: none is. Returns the rows used. */
size_t top_pane_members(const struct top_area *area, const struct top_model *model,
                        struct top_ui *ui);

/* Who hears whom, and the ways on which messages are lost. The others below are scrolled by
 * `*scroll` lines, which is made less where there are not as many. All return the rows used. */
size_t top_pane_links(const struct top_area *area, const struct top_model *model, size_t *scroll);

/* How many members there were, and what happened, the newest first. */
size_t top_pane_events(const struct top_area *area, const struct top_model *model, size_t *scroll,
                       uint64_t wall_ms);
/* The latter alone. */
size_t top_list_events(const struct top_area *area, const struct top_model *model, size_t *scroll);

size_t top_pane_counters(const struct top_area *area, const struct top_model *model,
                         size_t *scroll);

/* The evidence about a member, which is wrapped. */
size_t top_pane_why(const struct top_area *area, const struct top_model *model, const char *name,
                    size_t *scroll);

#endif

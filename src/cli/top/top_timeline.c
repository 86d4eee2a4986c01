#include "cli/top/top_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/print/duration.h"
#include "cli/request/document.h"

enum {
    BAR_ROWS = 3,
    EIGHTHS = 8,
    LABEL_COLUMNS = 5,  /* "256 " and the axis */
    VIEWS_IN_RANGE = 4, /* the range is the narrowest that shows so many */
};

/* What is drawn: the views, and the time from the left end to the right. */
struct line {
    const json_t *views;
    uint64_t from_ms;
    uint64_t to_ms;
    size_t columns;
    uint64_t most; /* members, on the highest bar */
};

/* Since 1970; 0 for what is no time. */
static uint64_t time_of(const json_t *view)
{
    struct tm parts = {.tm_sec = 0};
    const char *rest = strptime(document_text(view, "time", ""), "%Y-%m-%dT%H:%M:%S", &parts);

    if (rest == NULL) {
        return 0;
    }
    const uint64_t part_ms = rest[0] == '.' ? strtoul(rest + 1, NULL, 10) : 0;
    return (uint64_t)timegm(&parts) * 1000 + part_ms % 1000;
}

/* The narrowest range that has a few views; that of all of them where none does. */
static uint64_t range_of(const json_t *views, uint64_t now_ms)
{
    static const uint64_t ranges_ms[] = {300000, 3600000, 86400000};
    const size_t count = json_array_size(views);
    const size_t back = count < VIEWS_IN_RANGE ? count : VIEWS_IN_RANGE;
    const uint64_t since_ms = now_ms - time_of(json_array_get(views, count - back));

    for (size_t i = 0; i < sizeof ranges_ms / sizeof ranges_ms[0]; i++) {
        if (since_ms < ranges_ms[i] / 100 * 95) {
            return ranges_ms[i];
        }
    }
    return since_ms + since_ms / 20;
}

/* The column that a moment lies in; the first one for what was before. */
static size_t column_of(const struct line *line, uint64_t at_ms)
{
    const uint64_t since_ms = at_ms > line->from_ms ? at_ms - line->from_ms : 0;
    const size_t column = (size_t)(since_ms * line->columns / (line->to_ms - line->from_ms));

    return column < line->columns ? column : line->columns - 1;
}

/* How many members there were at the end of each column. */
static void count_members(const struct line *line, uint64_t members[TOP_COLUMNS_MAX])
{
    for (size_t i = 0; i < json_array_size(line->views); i++) {
        const json_t *view = json_array_get(line->views, i);
        const uint64_t count = document_number(view, "members");
        for (size_t column = column_of(line, time_of(view)); column < line->columns; column++) {
            members[column] = count;
        }
    }
}

static uint64_t most_members(const json_t *views)
{
    uint64_t most = 1;

    for (size_t i = 0; i < json_array_size(views); i++) {
        const uint64_t members = document_number(json_array_get(views, i), "members");
        most = members > most ? members : most;
    }
    return most;
}

static void draw_bars(const struct top_area *area, const struct line *line)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

    uint64_t members[TOP_COLUMNS_MAX] = {0};

    count_members(line, members);
    for (size_t column = 0; column < line->columns; column++) {
        uint64_t height = members[column] * BAR_ROWS * EIGHTHS / line->most;
        for (size_t i = 0; i < BAR_ROWS; i++) {
            const uint64_t part = height < EIGHTHS ? height : EIGHTHS;
            const char *text = area->canvas->utf8   ? blocks[part]
                               : part > EIGHTHS / 2 ? "#"
                               : part > 0           ? "."
                                                    : " ";
            height -= part;
            (void)top_canvas_text(area->canvas, area->row + BAR_ROWS - i, LABEL_COLUMNS + column, 1,
                                  (struct top_look){.tone = TONE_GOOD}, text);
        }
    }
}

/* What the view is worth marking for. */
static const char *mark_of(const json_t *view, enum tone *tone)
{
    const char *cause = document_text(view, "cause", "");

    if (document_has(view, "split")) {
        *tone = TONE_BAD;
        return "S";
    }
    if (json_array_size(json_object_get(view, "parents")) > 1) {
        *tone = TONE_GOOD;
        return "M";
    }
    *tone = TONE_DOUBTFUL;
    return strcmp(cause, "claim") == 0 || strcmp(cause, "handover") == 0 ? "C" : NULL;
}

static void draw_marks(const struct top_area *area, const struct line *line)
{
    for (size_t i = 0; i < json_array_size(line->views); i++) {
        const json_t *view = json_array_get(line->views, i);
        const uint64_t at_ms = time_of(view);
        enum tone tone = TONE_PLAIN;
        const char *mark = mark_of(view, &tone);
        if (mark == NULL || at_ms < line->from_ms) {
            continue;
        }
        (void)top_canvas_text(area->canvas, area->row + BAR_ROWS + 1,
                              LABEL_COLUMNS + column_of(line, at_ms), 1,
                              (struct top_look){.tone = tone, .bold = true}, mark);
    }
}

static void draw_axis(const struct top_area *area, const struct line *line)
{
    const struct top_look faint = {.tone = TONE_FAINT};
    char back[DURATION_TEXT_MAX];
    char text[64];

    snprintf(text, sizeof text, "%4" PRIu64, line->most);
    (void)top_canvas_text(area->canvas, area->row + 1, 0, LABEL_COLUMNS, faint, text);
    (void)top_canvas_text(area->canvas, area->row + BAR_ROWS, 0, LABEL_COLUMNS, faint, "   0");
    duration_text(back, line->to_ms - line->from_ms);
    snprintf(text, sizeof text, "%s ago", back);
    (void)top_canvas_text(area->canvas, area->row + BAR_ROWS + 2, LABEL_COLUMNS, line->columns,
                          faint, text);
    if (line->columns > strlen(text) + strlen(" now")) {
        (void)top_canvas_text(area->canvas, area->row + BAR_ROWS + 2,
                              LABEL_COLUMNS + line->columns - strlen("now"), 3, faint, "now");
    }
}

size_t top_timeline(const struct top_area *area, const json_t *history, uint64_t wall_ms)
{
    const json_t *views = json_object_get(history, "views");
    const size_t count = json_array_size(views);
    const size_t columns = area->canvas->columns;

    if (count == 0 || area->rows < TOP_TIMELINE_ROWS || columns <= (size_t)2 * LABEL_COLUMNS) {
        return 0;
    }
    /* The daemon's host may be ahead. */
    const uint64_t latest_ms = time_of(json_array_get(views, count - 1)) + 1;
    struct line line = {.views = views,
                        .to_ms = wall_ms > latest_ms ? wall_ms : latest_ms,
                        .columns = columns - LABEL_COLUMNS,
                        .most = most_members(views)};
    const uint64_t range_ms = range_of(views, line.to_ms);
    line.from_ms = line.to_ms > range_ms ? line.to_ms - range_ms : 0;
    top_area_line(area, 0, TOP_HEADING, "MEMBERS OVER TIME  S split  M merge  C take-over");
    draw_bars(area, &line);
    draw_marks(area, &line);
    draw_axis(area, &line);
    return TOP_TIMELINE_ROWS;
}

#include "cli/top/top_panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/document.h"
#include "cli/top/top_timeline.h"

enum {
    KIND_COLUMNS = 13, /* the longest kind, "join_refused", and a gap */
    TIME_COLUMNS = 10, /* "12:34:56" and a gap */
    LABEL_COLUMNS = 28,
};

/* "12:34:56" of a time as documents have it. */
static void time_of_day(const char *time, char text[16])
{
    const char *separator = strchr(time, 'T');

    snprintf(text, 16, "%.8s", separator == NULL ? time : separator + 1);
}

/* Where a list of `count` lines begins that is scrolled; `*scroll` is made less where it ends. */
static size_t first_shown(size_t count, size_t rows, size_t *scroll)
{
    const size_t last = count > rows ? count - rows : 0;

    if (*scroll > last) {
        *scroll = last;
    }
    return *scroll;
}

/* --- Events --- */

/* How an event looks that is of this kind. */
static enum tone event_tone(const char *kind)
{
    static const struct {
        const char *kind;
        enum tone tone;
    } tones[] = {
        {"gone", TONE_BAD},         {"mismatch", TONE_BAD},     {"split", TONE_BAD},
        {"suspect", TONE_DOUBTFUL}, {"claim", TONE_DOUBTFUL},   {"merging", TONE_DOUBTFUL},
        {"vouched", TONE_DOUBTFUL}, {"late", TONE_DOUBTFUL},    {"address", TONE_DOUBTFUL},
        {"joined", TONE_GOOD},      {"coordinator", TONE_GOOD}, {"merge", TONE_GOOD},
    };

    for (size_t i = 0; i < sizeof tones / sizeof tones[0]; i++) {
        if (strcmp(tones[i].kind, kind) == 0) {
            return tones[i].tone;
        }
    }
    return TONE_PLAIN;
}

static void draw_event(const struct top_area *area, size_t line, const json_t *event)
{
    const char *kind = document_text(event, "kind", "?");
    const struct top_look look = {.tone = event_tone(kind)};
    const size_t row = area->row + line;
    char time[16];

    time_of_day(document_text(event, "time", ""), time);
    (void)top_canvas_text(area->canvas, row, 0, TIME_COLUMNS - 1,
                          (struct top_look){.tone = TONE_FAINT}, time);
    (void)top_canvas_text(area->canvas, row, TIME_COLUMNS, KIND_COLUMNS - 1, look, kind);
    (void)top_canvas_text(area->canvas, row, TIME_COLUMNS + KIND_COLUMNS, area->canvas->columns,
                          TOP_PLAIN, document_text(event, "text", ""));
}

size_t top_list_events(const struct top_area *area, const struct top_model *model, size_t *scroll)
{
    const size_t count = json_array_size(model->events);

    if (area->rows == 0) {
        return 0;
    }
    top_area_line(area, 0, TOP_HEADING, "EVENTS (UTC), the newest first");
    const size_t first = first_shown(count, area->rows - 1, scroll);
    size_t line = 1;
    for (size_t i = first; i < count && line < area->rows; i++) {
        draw_event(area, line++, json_array_get(model->events, count - 1 - i));
    }
    if (count == 0) {
        top_area_line(area, line++, (struct top_look){.tone = TONE_FAINT}, "none yet");
    }
    return line;
}

size_t top_pane_events(const struct top_area *area, const struct top_model *model, size_t *scroll,
                       uint64_t wall_ms)
{
    /* Of a low screen the list has more to tell. */
    const size_t drawn = area->rows < TOP_TIMELINE_ROWS + 4
                             ? 0
                             : top_timeline(area, model->documents[TOP_HISTORY], wall_ms);
    const struct top_area below = {area->canvas, area->row + drawn, area->rows - drawn};

    return drawn + top_list_events(&below, model, scroll);
}

/* --- Counters --- */

/* "12.3 k": short enough for a column, and never more exact than it is. */
static void amount_text(char text[32], double amount)
{
    if (amount >= 1e6) {
        snprintf(text, 32, "%.1f M", amount / 1e6);
    } else if (amount >= 1e4) {
        snprintf(text, 32, "%.1f k", amount / 1e3);
    } else {
        snprintf(text, 32, "%.1f", amount);
    }
}

/* The lines of counters are drawn one by one; those that are scrolled away are only counted. */
struct counter_lines {
    const struct top_area *area;
    const struct top_model *model;
    size_t skip;
    size_t count;
};

static void add_counter(struct counter_lines *lines, const char *label, const char *key,
                        const char *below, enum tone tone)
{
    const size_t line = lines->count++;
    const uint64_t total = top_model_counter(lines->model, key, below);
    double per_second = 0;
    char rate[32] = "-";

    if (line < lines->skip) {
        return;
    }
    if (top_model_rate(lines->model, key, below, &per_second)) {
        amount_text(rate, per_second);
    }
    top_area_line(lines->area, 1 + line - lines->skip,
                  (struct top_look){.tone = total > 0 ? tone : TONE_PLAIN},
                  "%-*.*s %10s %14" PRIu64, LABEL_COLUMNS, LABEL_COLUMNS, label, rate, total);
}

/* Each counter below a key, under its own name. */
static void add_parts(struct counter_lines *lines, const char *label, const char *key,
                      enum tone tone)
{
    json_t *status = lines->model->documents[TOP_STATUS];
    json_t *parts = json_object_get(json_object_get(status, "counters"), key);
    const char *name = NULL;
    json_t *value = NULL;
    char text[64];

    json_object_foreach(parts, name, value)
    {
        snprintf(text, sizeof text, "  %s %s", label, name);
        add_counter(lines, text, key, name, tone);
    }
}

static void add_counters(struct counter_lines *lines)
{
    static const struct {
        const char *label;
        const char *key;
        enum tone tone;
        const char *part; /* how one below it is called; NULL: it has none */
    } counters[] = {
        {"datagrams in", "datagrams_in", TONE_PLAIN, NULL},
        {"datagrams out", "datagrams_out", TONE_PLAIN, NULL},
        {"bytes in", "bytes_in", TONE_PLAIN, NULL},
        {"bytes out", "bytes_out", TONE_PLAIN, NULL},
        {"frames in", "frames_in", TONE_PLAIN, NULL},
        {"frames out", "frames_out", TONE_PLAIN, NULL},
        {"views installed", "views_installed", TONE_PLAIN, NULL},
        {"messages refused", "refused", TONE_DOUBTFUL, "refused"},
        {"frames malformed", "malformed", TONE_BAD, "malformed"},
        {"changes without base", "without_base", TONE_PLAIN, NULL},
        {"frames not opened", "not_opened", TONE_BAD, "not opened:"},
        {"frames without key", "without_key", TONE_DOUBTFUL, NULL},
        {"sends failed", "send_failed", TONE_BAD, NULL},
        {"late wake-ups", "late_wakeups", TONE_DOUBTFUL, NULL},
        {"relayed for others", "relayed", TONE_PLAIN, NULL},
        {"messages received", "received", TONE_PLAIN, "received"},
        {"messages sent", "sent", TONE_PLAIN, "sent"},
    };

    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        add_counter(lines, counters[i].label, counters[i].key, NULL, counters[i].tone);
        if (counters[i].part != NULL) {
            add_parts(lines, counters[i].part, counters[i].key, counters[i].tone);
        }
    }
}

size_t top_pane_counters(const struct top_area *area, const struct top_model *model, size_t *scroll)
{
    const struct top_area nowhere = {area->canvas, area->row, 0};
    struct counter_lines lines = {.area = &nowhere, .model = model};

    if (area->rows == 0) {
        return 0;
    }
    add_counters(&lines); /* How many are there? */
    lines = (struct counter_lines){
        .area = area, .model = model, .skip = first_shown(lines.count, area->rows - 1, scroll)};
    top_area_line(area, 0, TOP_HEADING, "%-*s %10s %14s", LABEL_COLUMNS, "OF THIS NODE", "A SECOND",
                  "SINCE START");
    add_counters(&lines);
    const size_t used = 1 + lines.count - lines.skip;
    return used < area->rows ? used : area->rows;
}

/* --- Why --- */

/* A text that goes over several lines, with the words in one piece. */
struct wrapped {
    const struct top_area *area;
    size_t skip; /* lines that are scrolled away */
    size_t count;
};

static void add_line(struct wrapped *wrapped, size_t indent, const char *text, size_t length)
{
    if (wrapped->count >= wrapped->skip) {
        top_area_line(wrapped->area, wrapped->count - wrapped->skip, TOP_PLAIN, "%*s%.*s",
                      (int)indent, "", (int)length, text);
    }
    wrapped->count++;
}

static void add_wrapped(struct wrapped *wrapped, size_t indent, const char *text)
{
    const size_t columns = wrapped->area->canvas->columns;
    const size_t width = columns > indent + 10 ? columns - indent : 10;
    size_t first = 0; /* of the first line, what follows is indented */

    while (strlen(text) > width) {
        size_t length = width;
        while (length > 0 && text[length] != ' ') {
            length--;
        }
        length = length > 0 ? length : width;
        add_line(wrapped, first, text, length);
        text += length;
        text += *text == ' ' ? 1 : 0;
        first = indent;
    }
    add_line(wrapped, first, text, strlen(text));
}

static void add_evidence(struct wrapped *wrapped, const json_t *why)
{
    const json_t *evidence = json_object_get(why, "evidence");
    const json_t *refusals = json_object_get(why, "refusals");
    char line[TOP_LINE_MAX];

    add_wrapped(wrapped, 0, document_text(why, "text", ""));
    for (size_t i = json_array_size(evidence); i > 0; i--) {
        const json_t *entry = json_array_get(evidence, i - 1);
        char time[16];
        time_of_day(document_text(entry, "time", ""), time);
        snprintf(line, sizeof line, "%-8s  %s", time, document_text(entry, "text", ""));
        add_wrapped(wrapped, TIME_COLUMNS, line);
    }
    for (size_t i = 0; i < json_array_size(refusals); i++) {
        const json_t *refusal = json_array_get(refusals, i);
        char since[DURATION_TEXT_MAX];
        duration_text(since, document_number(refusal, "since_ms"));
        snprintf(line, sizeof line, "not acted on %s ago (%s): %s of %s: %s", since,
                 document_text(refusal, "rule", "?"), document_text(refusal, "type", "?"),
                 document_text(refusal, "from", "?"), document_text(refusal, "text", "?"));
        add_wrapped(wrapped, TIME_COLUMNS, line);
    }
}

size_t top_pane_why(const struct top_area *area, const struct top_model *model, const char *name,
                    size_t *scroll)
{
    const json_t *why = model->documents[TOP_WHY];
    const struct top_area nowhere = {area->canvas, area->row, 0};
    struct wrapped wrapped = {.area = &nowhere};

    if (area->rows == 0) {
        return 0;
    }
    top_area_line(area, 0, TOP_HEADING, "WHY %s  (the newest first; Esc closes)", name);
    const struct top_area below = {area->canvas, area->row + 1, area->rows - 1};
    if (strcmp(document_text(why, "node", ""), name) != 0) {
        top_area_line(&below, 0, (struct top_look){.tone = TONE_FAINT}, "nothing is known of it");
        return area->rows > 1 ? 2 : 1;
    }
    add_evidence(&wrapped, why); /* How many lines are there? */
    wrapped = (struct wrapped){.area = &below,
                               .skip = first_shown(wrapped.count, below.rows, scroll)};
    add_evidence(&wrapped, why);
    const size_t used = 1 + wrapped.count - wrapped.skip;
    return used < area->rows ? used : area->rows;
}

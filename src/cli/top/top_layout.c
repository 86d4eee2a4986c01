#include "cli/top/top_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/document.h"
#include "cli/top/top_panes.h"

enum {
    ROWS_FOR_FOOTER = 10, /* lower screens do without the line of keys */
    ROWS_FOR_HEAD = 7,    /* and lower ones without more than one line of headline */
    ROWS_FOR_EVENTS = 5,  /* that the members must leave free, for the events below them */
    ONCE_EVENTS = 24,     /* lines */
};

static const char *const pane_names[TOP_PANE_COUNT] = {"Members", "Links", "Events", "Counters"};

/* --- The headline --- */

static const struct top_look LOOK_BAD = {.tone = TONE_BAD, .bold = true};

/* "cluster doyen  athens: member  view 2.4  epoch 2  guard majority: 3 of 2 heard" */
static void draw_cluster(const struct top_area *area, size_t line, const struct top_model *model)
{
    const json_t *members = model->documents[TOP_MEMBERS];
    const json_t *view = json_object_get(members, "view");
    const json_t *guard = json_object_get(members, "guard");
    const char *policy = document_text(guard, "policy", "?");
    const bool met = document_guard_is_met(members);
    char text[160];

    if (strcmp(policy, "none") == 0) {
        snprintf(text, sizeof text, "none");
    } else {
        snprintf(text, sizeof text, "%s, %" PRIu64 " heard of %" PRIu64 " needed%s", policy,
                 document_number(guard, "fresh"), document_number(guard, "needed"),
                 met ? "" : ": NOT MET");
    }
    top_area_line(area, line, met ? TOP_HEADING : LOOK_BAD,
                  "cluster %s  |  %s: %s  |  view %" PRIu64 ".%" PRIu64 "  |  guard %s",
                  document_text(members, "cluster", "?"), document_text(members, "self", "?"),
                  document_text(members, "phase", "?"), document_number(view, "epoch"),
                  document_number(view, "version"), text);
}

/* Of another coordinator: what it said of itself, and how old that is. */
static void other_acting_text(char text[128], const struct top_model *model,
                              const struct top_now *now)
{
    const json_t *members = model->documents[TOP_MEMBERS];
    const uint64_t since_ms = now->clock_ms > model->seen_ms ? now->clock_ms - model->seen_ms : 0;
    char ago[DURATION_TEXT_MAX];

    if (document_has(members, "acting_said_ms")) {
        duration_text(ago, document_number(members, "acting_said_ms") + since_ms);
        snprintf(text, 128, ": acts, said %s ago", ago);
    } else {
        snprintf(text, 128, ": whether it acts is not known here");
    }
}

/* "acts, 899 ms left (advisory)" */
static void acting_text(char text[128], const struct top_model *model, const struct top_now *now)
{
    const json_t *members = model->documents[TOP_MEMBERS];
    const char *coordinator = document_coordinator(members);
    const uint64_t left_ms = top_model_acting_left_ms(model, now->clock_ms);
    char left[DURATION_TEXT_MAX];

    if (coordinator == NULL) {
        text[0] = '\0';
        return;
    }
    if (strcmp(coordinator, document_text(members, "self", "")) != 0) {
        other_acting_text(text, model, now);
        return;
    }
    if (left_ms == 0) {
        snprintf(text, 128, "%s",
                 document_is_true(members, "acting") ? ", this node: may have ceased to act"
                                                     : ", this node: does not act");
        return;
    }
    duration_text(left, left_ms);
    snprintf(text, 128, ", this node: acts, %s left (%s)", left,
             document_text(members, "acting_is", "advisory"));
}

/* "3 members, 1 suspect, 2 bad links": what is well is left out, as a line of 80 columns is short.
 */
static void counts_text(char text[TOP_LINE_MAX], const struct top_model *model)
{
    const json_t *members = json_object_get(model->documents[TOP_MEMBERS], "members");
    const json_t *counts = json_object_get(model->documents[TOP_STATUS], "counts");
    const struct {
        uint64_t count;
        const char *what;
    } troubles[] = {
        {document_number(counts, "suspect"), "suspect"},
        {document_number(counts, "failed"), "failed"},
        {json_array_size(json_object_get(model->documents[TOP_LINKS], "bad")), "bad links"},
    };
    int length = snprintf(text, TOP_LINE_MAX, "%zu members", json_array_size(members));

    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
        if (troubles[i].count > 0 && length > 0 && length < TOP_LINE_MAX) {
            length += snprintf(text + length, TOP_LINE_MAX - (size_t)length, ", %" PRIu64 " %s",
                               troubles[i].count, troubles[i].what);
        }
    }
}

static void draw_coordinator(const struct top_area *area, size_t line,
                             const struct top_model *model, const struct top_now *now)
{
    const char *coordinator = document_coordinator(model->documents[TOP_MEMBERS]);
    char acting[128];
    char counts[TOP_LINE_MAX];

    acting_text(acting, model, now);
    counts_text(counts, model);
    top_area_line(area, line, coordinator == NULL ? LOOK_BAD : TOP_PLAIN, "coordinator %s%s  |  %s",
                  coordinator == NULL ? "none" : coordinator, acting, counts);
}

/* How one stands that has not said whether it votes. */
static const char *otherwise(const json_t *voter)
{
    const bool is_known = document_is_true(voter, "member") || document_is_true(voter, "witness");

    return document_is_true(voter, "heard") ? "is in" : is_known ? "is not heard" : "is not in";
}

/* "voters (2 needed): athens votes, byzantium is not heard, cyrene is not in". */
static void draw_voters(const struct top_area *area, size_t line, const struct top_model *model)
{
    const json_t *document = model->documents[TOP_VOTERS];
    const json_t *voters = json_object_get(document, "voters");
    char text[TOP_LINE_MAX];
    int length = snprintf(text, sizeof text,
                          "voters (%" PRIu64 " needed):", document_number(document, "needed"));

    for (size_t i = 0; i < json_array_size(voters); i++) {
        const json_t *voter = json_array_get(voters, i);
        if (length >= 0 && (size_t)length < sizeof text) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s %s %s",
                               i == 0 ? "" : ",", document_text(voter, "name", "?"),
                               document_text(voter, "voter", otherwise(voter)));
        }
    }
    top_area_line(area, line, TOP_PLAIN, "%s", text);
}

static void draw_away(const struct top_area *area, size_t line, const struct top_model *model,
                      const struct top_now *now)
{
    char passed[DURATION_TEXT_MAX];

    duration_text(passed, now->clock_ms > model->seen_ms ? now->clock_ms - model->seen_ms : 0);
    top_area_line(area, line, LOOK_BAD, "AWAY: the daemon does not answer; this is from %s ago. %s",
                  passed, model->away_text);
    top_canvas_look(area->canvas, area->row + line,
                    (struct top_look){.tone = TONE_BAD, .bold = true, .reverse = true});
}

/* The state of the whole, as the daemon says it, before all details. */
static void draw_whole(const struct top_area *area, size_t line, const struct top_model *model)
{
    const json_t *whole = json_object_get(model->documents[TOP_STATUS], "whole");
    const char *severity = document_text(whole, "severity", "bad");
    const struct top_look look = {.tone = printer_severity_tone(severity),
                                  .bold = strcmp(severity, "good") != 0};

    top_area_line(area, line, look, "%s", document_text(whole, "sentence", "not known yet"));
}

/* Returns the rows used. That the daemon is away comes first: all below may be out of date. */
static size_t draw_headline(const struct top_area *area, const struct top_model *model,
                            const struct top_now *now)
{
    const bool is_low = area->rows < ROWS_FOR_HEAD;
    size_t line = 0;

    if (model->away) {
        draw_away(area, line++, model, now);
    }
    if (!is_low || line == 0) {
        draw_whole(area, line++, model);
    }
    if (!is_low) {
        draw_cluster(area, line++, model);
    }
    if (!is_low) {
        draw_coordinator(area, line++, model, now);
    }
    if (!is_low && json_array_size(json_object_get(model->documents[TOP_VOTERS], "voters")) > 0) {
        draw_voters(area, line++, model);
    }
    return line;
}

/* --- Panes --- */

static void draw_tabs(const struct top_area *area, const struct top_ui *ui)
{
    size_t column = 0;
    char text[TOP_FILTER_MAX + 16];

    if (area->rows == 0) {
        return;
    }
    for (size_t i = 0; i < TOP_PANE_COUNT; i++) {
        const bool is_shown = i == ui->pane;
        snprintf(text, sizeof text, is_shown ? "[%zu %s]" : " %zu %s ", i + 1, pane_names[i]);
        column += top_canvas_text(area->canvas, area->row, column, area->canvas->columns,
                                  (struct top_look){.reverse = is_shown}, text);
    }
    if (ui->typing || ui->filter[0] != '\0') {
        snprintf(text, sizeof text, "/%s%s", ui->filter, ui->typing ? "_" : "");
        (void)top_canvas_text(area->canvas, area->row, column + 1, area->canvas->columns,
                              (struct top_look){.bold = true}, text);
    }
}

/* Below the members: the evidence about the chosen one, or the events where there is room. */
static void draw_members(const struct top_area *area, const struct top_model *model,
                         struct top_ui *ui)
{
    struct top_area above = *area;
    struct member_row row = {.entry = NULL};
    size_t index = 0;
    size_t newest = 0;

    ui->why = ui->why && top_ui_chosen(ui, model, &index, &row);
    if (ui->why) {
        above.rows = area->rows / 2;
    }
    const size_t used = top_pane_members(&above, model, ui);
    struct top_area below = {area->canvas, area->row + used + 1,
                             area->rows > used + 1 ? area->rows - used - 1 : 0};
    if (ui->why) {
        ui->page = below.rows;
        (void)top_pane_why(&below, model, document_text(row.entry, "name", ""), &ui->scroll);
    } else if (below.rows >= ROWS_FOR_EVENTS) {
        (void)top_list_events(&below, model, &newest);
    }
}

static void draw_pane(const struct top_area *area, const struct top_model *model, struct top_ui *ui,
                      const struct top_now *now)
{
    ui->page = area->rows;
    switch (ui->pane) {
    case TOP_PANE_MEMBERS:
        draw_members(area, model, ui);
        return;
    case TOP_PANE_LINKS:
        (void)top_pane_links(area, model, &ui->scroll);
        return;
    case TOP_PANE_EVENTS:
        (void)top_pane_events(area, model, &ui->scroll, now->wall_ms);
        return;
    case TOP_PANE_COUNTERS:
        (void)top_pane_counters(area, model, &ui->scroll);
        return;
    case TOP_PANE_COUNT:
        return;
    }
}

static void draw_help(const struct top_area *area)
{
    static const char *const lines[] = {
        "1 2 3 4            members, links, events, counters",
        "Tab, Right, l      the next of them; Shift-Tab, Left, h: the one before",
        "Up, Down, k, j     up and down; PgUp, PgDn, b, Space: a page; Home, End, g, G",
        "Enter, w           why: the evidence about the chosen member",
        "/                  only members with this in name, address, state or tags",
        "Esc                closes what is open, then forgets the filter",
        "Ctrl-L             draws the screen anew",
        "q, Ctrl-C          ends",
        "",
        "In Links a row is what one member hears of the others:",
        "  . or ok  heard      s  silent      !  suspect      ?  not known",
        "  < or <- lost        what the column sends does not reach the row",
        "  X                   neither hears the other",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        top_area_line(area, i, TOP_PLAIN, "%s", lines[i]);
    }
}

/* --- The screen --- */

void top_layout_screen(struct top_canvas *canvas, const struct top_model *model, struct top_ui *ui,
                       const struct top_now *now)
{
    const struct top_area whole = {canvas, 0, canvas->rows};
    const size_t head = draw_headline(&whole, model, now);
    const size_t foot = canvas->rows >= ROWS_FOR_FOOTER ? 1 : 0;
    const size_t taken = head + 1 + foot; /* with the line of the panes' names */

    if (canvas->rows > head) {
        draw_tabs(&(struct top_area){canvas, head, 1}, ui);
    }
    if (canvas->rows > taken) {
        const struct top_area body = {canvas, head + 1, canvas->rows - taken};
        if (ui->help) {
            draw_help(&body);
        } else {
            draw_pane(&body, model, ui, now);
        }
    }
    if (foot > 0) {
        top_area_line(&(struct top_area){canvas, canvas->rows - 1, 1}, 0,
                      (struct top_look){.tone = TONE_FAINT}, "%s",
                      ui->typing ? "Enter keeps the filter, Esc forgets it"
                                 : "1-4 Tab panes  j k choose  Enter why  / filter  ? help  q end");
    }
}

/* What is left of the canvas, after a blank line. */
static struct top_area next_area(const struct top_area *area, size_t used)
{
    const size_t taken = used > 0 ? used + 1 : 0;

    return (struct top_area){area->canvas, area->row + taken,
                             area->rows > taken ? area->rows - taken : 0};
}

void top_layout_all(struct top_canvas *canvas, const struct top_model *model,
                    const struct top_now *now)
{
    const struct top_area whole = {canvas, 0, canvas->rows};
    size_t scroll = 0;
    struct top_area area = next_area(&whole, draw_headline(&whole, model, now));

    area = next_area(&area, top_pane_members(&area, model, NULL));
    area = next_area(&area, top_pane_links(&area, model, &scroll));
    struct top_area events = area;
    events.rows = events.rows < ONCE_EVENTS ? events.rows : ONCE_EVENTS;
    area = next_area(&area, top_pane_events(&events, model, &scroll, now->wall_ms));
    (void)top_pane_counters(&area, model, &scroll);
}

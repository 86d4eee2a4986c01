/* The pane of the links: whom this node watches, and each bad link that it knows of. */
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/document.h"
#include "cli/top/top_panes.h"

/* The lines of the pane, from the one that is at the top. */
struct lines {
    const struct top_area *area;
    size_t skip;
    size_t count;
};

static void add_line(struct lines *lines, struct top_look look, const char *text)
{
    if (lines->count >= lines->skip) {
        top_area_line(lines->area, lines->count - lines->skip, look, "%s", text);
    }
    lines->count++;
}

static void add_sentence(struct lines *lines, enum tone tone, const char *text)
{
    add_line(lines, (struct top_look){.tone = tone}, text);
}

/* As a row of `doyen links`. */
static void add_watch(struct lines *lines, const json_t *watch)
{
    const char *state = document_text(watch, "state", "?");
    const bool good = strcmp(state, "heard") == 0 || strcmp(state, "asked") == 0;
    char heard[DURATION_TEXT_MAX] = "-";
    char text[TOP_LINE_MAX];

    if (document_has(watch, "heard_ms")) {
        duration_text(heard, document_number(watch, "heard_ms"));
    }
    snprintf(text, sizeof text, "%-20s  %-6s  %9s  %-7s  %s", document_text(watch, "name", "?"),
             document_text(watch, "on", "?"), heard, state,
             document_is_true(watch, "linked") ? "up" : "down");
    add_sentence(lines,
                 good                           ? TONE_PLAIN
                 : strcmp(state, "silent") == 0 ? TONE_DOUBTFUL
                                                : TONE_BAD,
                 text);
}

static void add_watches(struct lines *lines, const json_t *watches)
{
    char text[TOP_LINE_MAX];

    snprintf(text, sizeof text, "%-20s  %-6s  %9s  %-7s  %s", "WATCHES", "ON", "LAST SIGN", "STATE",
             "LIFELINE");
    add_line(lines, TOP_HEADING, text);
    for (size_t i = 0; i < json_array_size(watches); i++) {
        add_watch(lines, json_array_get(watches, i));
    }
    add_line(lines, TOP_PLAIN, "");
}

/* "cyrene --x-> athens  messages from cyrene to athens are lost: ..." */
static void add_bad(struct lines *lines, const json_t *bad)
{
    const bool both = strcmp(document_text(bad, "kind", ""), "both") == 0;
    char text[TOP_LINE_MAX];

    snprintf(text, sizeof text, "%s %s %s  %s", document_text(bad, "from", "?"),
             both ? "<-x->" : "--x->", document_text(bad, "to", "?"),
             document_text(bad, "detail", ""));
    add_sentence(lines, TONE_BAD, text);
}

/* Has this node the lifeline of each member that it watches? */
static bool all_are_up(const json_t *watches)
{
    for (size_t i = 0; i < json_array_size(watches); i++) {
        if (!document_is_true(json_array_get(watches, i), "linked")) {
            return false;
        }
    }
    return true;
}

static void add_sentences(struct lines *lines, const json_t *links)
{
    const json_t *bad = json_object_get(links, "bad");
    const json_t *silent = json_object_get(links, "silent");
    const json_t *failed = json_object_get(links, "failed");
    char text[TOP_LINE_MAX];

    for (size_t i = 0; i < json_array_size(bad); i++) {
        add_bad(lines, json_array_get(bad, i));
    }
    for (size_t i = 0; i < json_array_size(silent); i++) {
        const char *name = json_string_value(json_array_get(silent, i));
        snprintf(text, sizeof text, "%s is heard by nobody: it is silent itself, or cut off",
                 name == NULL ? "?" : name);
        add_sentence(lines, TONE_DOUBTFUL, text);
    }
    if (json_array_size(failed) > 0) {
        snprintf(text, sizeof text, "%zu failed and not shown here: pane 1 names them",
                 json_array_size(failed));
        add_sentence(lines, TONE_PLAIN, text);
    }
    if (json_array_size(bad) == 0 && json_array_size(silent) == 0 && json_array_size(failed) == 0 &&
        all_are_up(json_object_get(links, "watches"))) {
        add_sentence(lines, TONE_GOOD, "all that is known of the links is good");
    }
}

static void add_all(struct lines *lines, const json_t *links)
{
    add_watches(lines, json_object_get(links, "watches"));
    add_sentences(lines, links);
}

size_t top_pane_links(const struct top_area *area, const struct top_model *model, size_t *scroll)
{
    const json_t *links = model->documents[TOP_LINKS];
    const struct top_area nowhere = {area->canvas, area->row, 0};
    struct lines lines = {.area = &nowhere};

    if (document_number(links, "members") == 0) {
        top_area_line(area, 0, (struct top_look){.tone = TONE_FAINT},
                      "no view yet: there are no links to show");
        return area->rows > 0 ? 1 : 0;
    }
    add_all(&lines, links);
    const size_t last = lines.count > area->rows ? lines.count - area->rows : 0;
    *scroll = *scroll < last ? *scroll : last;
    lines = (struct lines){.area = area, .skip = *scroll};
    add_all(&lines, links);
    const size_t left = lines.count - *scroll;
    return left < area->rows ? left : area->rows;
}

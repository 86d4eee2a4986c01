/* The pane of who hears whom: a cell for each pair, and a drawing of each bad link. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/request/document.h"
#include "cli/top/top_panes.h"

enum {
    NAME_COLUMNS_MAX = 14, /* of the names at the left */
    WORD_COLUMNS = 8,      /* "suspect" and a gap: cells with words */
    SIGN_COLUMNS = 2,      /* cells with one sign */
};

/* The cells, and of each pair the way on which messages are lost. */
struct grid {
    const json_t *names;
    const json_t *states;
    const json_t *bad;
    size_t count; /* members that fit */
    size_t name_columns;
    size_t cell_columns;
};

static const char *name_of(const struct grid *grid, size_t i)
{
    const char *name = json_string_value(json_array_get(grid->names, i));

    return name == NULL ? "?" : name;
}

/* Does the link lose what the speaker sends to the listener? */
static const json_t *cut_of(const struct grid *grid, const char *listener, const char *speaker)
{
    for (size_t i = 0; i < json_array_size(grid->bad); i++) {
        const json_t *bad = json_array_get(grid->bad, i);
        const char *from = document_text(bad, "from", "");
        const char *to = document_text(bad, "to", "");
        const bool both = strcmp(document_text(bad, "kind", ""), "both") == 0;
        if ((strcmp(from, speaker) == 0 && strcmp(to, listener) == 0) ||
            (both && strcmp(from, listener) == 0 && strcmp(to, speaker) == 0)) {
            return bad;
        }
    }
    return NULL;
}

/* How a state is shown, in words and as one sign. */
struct sign {
    const char *word;
    const char *sign;
    enum tone tone;
};

static struct sign sign_of(const struct grid *grid, size_t row, size_t column)
{
    const char *state = json_string_value(
        json_array_get(json_array_get(grid->states, row), column));
    const json_t *cut = cut_of(grid, name_of(grid, row), name_of(grid, column));

    if (row == column) {
        return (struct sign){"-", "-", TONE_FAINT};
    }
    if (cut != NULL) {
        return strcmp(document_text(cut, "kind", ""), "both") == 0
                   ? (struct sign){"X both", "X", TONE_BAD}
                   : (struct sign){"<- lost", "<", TONE_BAD};
    }
    if (state == NULL || strcmp(state, "unknown") == 0) {
        return (struct sign){"?", "?", TONE_FAINT};
    }
    if (strcmp(state, "ok") == 0) {
        return (struct sign){"ok", ".", TONE_GOOD};
    }
    return strcmp(state, "suspect") == 0 ? (struct sign){"suspect", "!", TONE_BAD}
                                         : (struct sign){"silent", "s", TONE_DOUBTFUL};
}

static struct grid grid_of(const struct top_area *area, const json_t *links, size_t rows)
{
    struct grid grid = {.names = json_object_get(links, "members"),
                        .states = json_object_get(links, "states"),
                        .bad = json_object_get(links, "bad"),
                        .name_columns = strlen("HEARS")};
    const size_t columns = area->canvas->columns;
    size_t count = json_array_size(grid.names);

    for (size_t i = 0; i < count; i++) {
        const size_t width = top_canvas_width(area->canvas, name_of(&grid, i));
        grid.name_columns = width > grid.name_columns ? width : grid.name_columns;
    }
    if (grid.name_columns > NAME_COLUMNS_MAX) {
        grid.name_columns = NAME_COLUMNS_MAX;
    }
    const size_t left = columns > grid.name_columns + 1 ? columns - grid.name_columns - 1 : 0;
    const size_t wide = grid.name_columns + 1 > WORD_COLUMNS ? grid.name_columns + 1 : WORD_COLUMNS;
    grid.cell_columns = count * wide <= left           ? wide
                        : count * WORD_COLUMNS <= left ? WORD_COLUMNS
                                                       : SIGN_COLUMNS;
    count = count < left / grid.cell_columns ? count : left / grid.cell_columns;
    grid.count = count < rows ? count : rows;
    return grid;
}

/* The speakers: their names, or where there is no room their first letters. */
static void draw_headings(const struct top_area *area, const struct grid *grid)
{
    top_area_line(area, 0, TOP_HEADING, "HEARS");
    for (size_t i = 0; i < grid->count; i++) {
        (void)top_canvas_text(area->canvas, area->row,
                              grid->name_columns + 1 + i * grid->cell_columns,
                              grid->cell_columns - 1, TOP_HEADING, name_of(grid, i));
    }
}

static void draw_row(const struct top_area *area, const struct grid *grid, size_t row)
{
    (void)top_canvas_text(area->canvas, area->row + 1 + row, 0, grid->name_columns, TOP_PLAIN,
                          name_of(grid, row));
    for (size_t i = 0; i < grid->count; i++) {
        const struct sign sign = sign_of(grid, row, i);
        (void)top_canvas_text(area->canvas, area->row + 1 + row,
                              grid->name_columns + 1 + i * grid->cell_columns,
                              grid->cell_columns - 1, (struct top_look){.tone = sign.tone},
                              grid->cell_columns > SIGN_COLUMNS ? sign.word : sign.sign);
    }
}

/* The sentences below the cells: how many there are, and where the first one shown stands. */
struct sentences {
    const struct top_area *area;
    size_t skip;
    size_t count;
};

static void add_sentence(struct sentences *sentences, enum tone tone, const char *text)
{
    if (sentences->count >= sentences->skip) {
        top_area_line(sentences->area, sentences->count - sentences->skip,
                      (struct top_look){.tone = tone}, "%s", text);
    }
    sentences->count++;
}

/* "cyrene --x-> athens  messages from cyrene to athens are lost: ..." */
static void add_bad(struct sentences *sentences, const json_t *bad)
{
    const bool both = strcmp(document_text(bad, "kind", ""), "both") == 0;
    char text[TOP_LINE_MAX];

    snprintf(text, sizeof text, "%s %s %s  %s", document_text(bad, "from", "?"),
             both ? "<-x->" : "--x->", document_text(bad, "to", "?"),
             document_text(bad, "detail", ""));
    add_sentence(sentences, TONE_BAD, text);
}

static void add_sentences(struct sentences *sentences, const struct grid *grid, const json_t *links)
{
    const json_t *silent = json_object_get(links, "silent");
    const json_t *failed = json_object_get(links, "failed");
    const uint64_t more = json_array_size(grid->names) - grid->count +
                          document_number(links, "left_out");
    char text[TOP_LINE_MAX];

    if (more > 0) {
        snprintf(text, sizeof text, "and %" PRIu64 " younger members, for which there is no room",
                 more);
        add_sentence(sentences, TONE_FAINT, text);
    }
    for (size_t i = 0; i < json_array_size(grid->bad); i++) {
        add_bad(sentences, json_array_get(grid->bad, i));
    }
    for (size_t i = 0; i < json_array_size(silent); i++) {
        const char *name = json_string_value(json_array_get(silent, i));
        snprintf(text, sizeof text, "%s is heard by nobody: it is silent itself, or cut off",
                 name == NULL ? "?" : name);
        add_sentence(sentences, TONE_DOUBTFUL, text);
    }
    if (json_array_size(failed) > 0) {
        snprintf(text, sizeof text, "%zu failed and not shown here: pane 1 names them",
                 json_array_size(failed));
        add_sentence(sentences, TONE_PLAIN, text);
    }
    if (json_array_size(grid->bad) == 0 && json_array_size(silent) == 0) {
        add_sentence(sentences, TONE_GOOD, "all that is known of the links is good");
    }
}

size_t top_pane_links(const struct top_area *area, const struct top_model *model, size_t *scroll)
{
    const json_t *links = model->documents[TOP_LINKS];
    const struct top_area nowhere = {area->canvas, area->row, 0};

    if (json_array_size(json_object_get(links, "members")) == 0) {
        top_area_line(area, 0, (struct top_look){.tone = TONE_FAINT},
                      "no view yet: there are no links to show");
        return area->rows > 0 ? 1 : 0;
    }
    /* The sentences have at least a third of a low screen. */
    const struct grid grid = grid_of(area, links, area->rows > 3 ? (area->rows - 1) * 2 / 3 : 1);
    draw_headings(area, &grid);
    for (size_t row = 0; row < grid.count && row + 1 < area->rows; row++) {
        draw_row(area, &grid, row);
    }
    const size_t used = grid.count + 1 < area->rows ? grid.count + 1 : area->rows;
    const struct top_area below = {area->canvas, area->row + used, area->rows - used};
    struct sentences sentences = {.area = &nowhere};
    add_sentences(&sentences, &grid, links);
    const size_t last = sentences.count > below.rows ? sentences.count - below.rows : 0;
    *scroll = *scroll < last ? *scroll : last;
    sentences = (struct sentences){.area = &below, .skip = *scroll};
    add_sentences(&sentences, &grid, links);
    const size_t all = used + sentences.count - *scroll;
    return all < area->rows ? all : area->rows;
}

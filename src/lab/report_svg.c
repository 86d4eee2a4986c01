#include <math.h>

#include "lab/report.h"

enum {
    PANEL_WIDTH = 440,
    PANEL_HEIGHT = 300,
    MARGIN_LEFT = 62,
    MARGIN_TOP = 44,
    MARGIN_BOTTOM = 44,
    MARGIN_RIGHT = 14,
    HEAD_HEIGHT = 66,
    COLOURS = 6,
    FOOT_HEIGHT = 12,
};

struct panel {
    const char *title;
    double (*value)(const struct survey *survey);
    bool has_theory;
    double left;
    double top;
    double x_most; /* decades of both axes: logarithms of base 10 */
    double x_least;
    double y_most;
};

static double messages_of(const struct survey *survey)
{
    return survey->messages;
}

static double bytes_of(const struct survey *survey)
{
    return survey->bytes;
}

static double all_ms_of(const struct survey *survey)
{
    return survey->all_ms;
}

static double without_ms_of(const struct survey *survey)
{
    return survey->without_ms;
}

/* Ones that can be told apart by those who see few colours, too. */
static const char *colour_of(size_t index)
{
    static const char *const colours[COLOURS] = {"#0072b2", "#d55e00", "#009e73",
                                                 "#cc79a7", "#e69f00", "#56b4e9"};
    return colours[index % COLOURS];
}

/* What is below 1 stands on the axis. */
static double logarithm(double value)
{
    return value <= 1 ? 0 : log10(value);
}

static double x_of(const struct panel *panel, double nodes)
{
    const double width = PANEL_WIDTH - MARGIN_LEFT - MARGIN_RIGHT;
    const double share = (logarithm(nodes) - panel->x_least) /
                         (panel->x_most - panel->x_least + 1e-9);

    return panel->left + MARGIN_LEFT +
           width * (panel->x_most - panel->x_least < 1e-6 ? 0.5 : share);
}

static double y_of(const struct panel *panel, double value)
{
    const double height = PANEL_HEIGHT - MARGIN_TOP - MARGIN_BOTTOM;

    return panel->top + PANEL_HEIGHT - MARGIN_BOTTOM - height * logarithm(value) / panel->y_most;
}

static void draw_axes(FILE *out, const struct panel *panel, const struct order *order)
{
    const double left = panel->left + MARGIN_LEFT;
    const double right = panel->left + PANEL_WIDTH - MARGIN_RIGHT;
    const double bottom = panel->top + PANEL_HEIGHT - MARGIN_BOTTOM;

    fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" class=\"title\">%s</text>\n", left,
            panel->top + MARGIN_TOP - 14, panel->title);
    for (int decade = 0; decade <= (int)panel->y_most; decade++) {
        const double value = pow(10, decade);
        const double y = y_of(panel, value);
        fprintf(out,
                "<path d=\"M%.1f %.1fH%.1f\" class=\"grid\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" class=\"end\">%s%.0f</text>\n",
                left, y, right, left - 6, y + 4, decade == 0 ? "&#8804;" : "", value);
    }
    for (size_t i = 0; i < order->size_count; i++) {
        const double x = x_of(panel, (double)order->sizes[i]);
        fprintf(out,
                "<path d=\"M%.1f %.1fv5\" class=\"axis\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" class=\"middle\">%zu</text>\n",
                x, bottom, x, bottom + 18, order->sizes[i]);
    }
    fprintf(out,
            "<path d=\"M%.1f %.1fH%.1f\" class=\"axis\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" class=\"middle\">members, with the leader that "
            "fell</text>\n",
            left, bottom, right, (left + right) / 2, bottom + 35);
}

static void draw_line(FILE *out, const struct panel *panel, const struct survey *surveys,
                      size_t count, size_t colour)
{
    fprintf(out, "<path class=\"line\" stroke=\"%s\" d=\"", colour_of(colour));
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x_of(panel, (double)surveys[i].nodes),
                y_of(panel, panel->value(&surveys[i])));
    }
    fputs("\"/>\n", out);
    for (size_t i = 0; i < count; i++) {
        const double x = x_of(panel, (double)surveys[i].nodes);
        fprintf(
            out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s, %zu: %.1f</title></circle>\n",
            x, y_of(panel, panel->value(&surveys[i])), colour_of(colour),
            surveys[i].algorithm->name, surveys[i].nodes, panel->value(&surveys[i]));
        if (panel->has_theory && surveys[i].has_theory) {
            fprintf(out, "<path class=\"theory\" d=\"M%.1f %.1fh16\"/>\n", x - 8,
                    y_of(panel, surveys[i].theory.mean));
        }
    }
}

static void draw_panel(FILE *out, struct panel *panel, const struct order *order,
                       const struct survey *surveys, size_t count)
{
    double most = 1;

    for (size_t i = 0; i < count; i++) {
        const double value = panel->value(&surveys[i]);
        most = value > most ? value : most;
        const double x = logarithm((double)surveys[i].nodes);
        panel->x_least = i == 0 || x < panel->x_least ? x : panel->x_least;
        panel->x_most = i == 0 || x > panel->x_most ? x : panel->x_most;
    }
    panel->y_most = ceil(logarithm(most) + 0.05);
    draw_axes(out, panel, order);
    for (size_t i = 0; i < order->algorithm_count; i++) {
        draw_line(out, panel, surveys + i * order->size_count, order->size_count, i);
    }
}

static void draw_head(FILE *out, const struct order *order)
{
    const char *starters = order->all_start ? "all begin" : "one begins";
    double x = MARGIN_LEFT;

    if (!order->all_start && order->trial.starters > 1) {
        starters = "some begin";
    }
    fprintf(out,
            "<text x=\"%.0f\" y=\"24\" class=\"head\">Elections: the leader has fallen, and %s; ",
            x, starters);
    /* Nothing in it has a meaning in XML: order_parse takes only words that it knows. */
    fprintf(out, "%s%s</text>\n", order->faults == NULL ? "no faults" : "faults ",
            order->faults == NULL ? "" : order->faults);
    for (size_t i = 0; i < order->algorithm_count; i++) {
        fprintf(out,
                "<path d=\"M%.0f 48h18\" class=\"line\" stroke=\"%s\"/>"
                "<text x=\"%.0f\" y=\"52\">%s</text>\n",
                x, colour_of(i), x + 23, order->algorithms[i]->name);
        x += 122;
    }
    fprintf(out,
            "<path d=\"M%.0f 48h16\" class=\"theory\"/><text x=\"%.0f\" y=\"52\">theory</text>\n",
            x + 8, x + 29);
}

void report_svg(FILE *out, const struct order *order, const struct survey *surveys, size_t count)
{
    struct panel panels[] = {
        {.title = "Messages of an election", .value = messages_of, .has_theory = true},
        {.title = "Bytes of an election", .value = bytes_of},
        {.title = "Time until all follow the new leader, in ms", .value = all_ms_of},
        {.title = "Time in which nobody led, in ms", .value = without_ms_of},
    };
    const size_t panel_count = sizeof panels / sizeof panels[0];

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n",
            2 * PANEL_WIDTH, HEAD_HEIGHT + 2 * PANEL_HEIGHT + FOOT_HEIGHT);
    fputs("<style>.head{font-size:14px;font-weight:bold}.title{font-size:13px;font-weight:bold}"
          ".end{text-anchor:end}.middle{text-anchor:middle}.grid{stroke:#ddd}.axis{stroke:#333;"
          "fill:none}.line{fill:none;stroke-width:2}.theory{stroke:#000;stroke-width:1.5}</style>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
          out);
    draw_head(out, order);
    for (size_t i = 0; i < panel_count; i++) {
        const size_t row = i / 2;
        panels[i].left = (double)(i % 2 * PANEL_WIDTH);
        panels[i].top = (double)(HEAD_HEIGHT + row * PANEL_HEIGHT);
        draw_panel(out, &panels[i], order, surveys, count);
    }
    fputs("</svg>\n", out);
}

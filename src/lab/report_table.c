#include "cli/print/printer.h"
#include "lab/report.h"

static void add_mean(struct table *table, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.1f", value);
    table_cell(table, TONE_PLAIN, text);
}

static void add_share(struct table *table, uint64_t part, uint64_t whole)
{
    char text[32];

    snprintf(text, sizeof text, "%.1f%%", 100 * (double)part / (double)whole);
    table_cell(table, part > 0 ? TONE_DOUBTFUL : TONE_PLAIN, text);
}

static void add_range(struct table *table, const struct survey *survey)
{
    char text[64];

    snprintf(text, sizeof text, "%llu..%llu", (unsigned long long)survey->messages_least,
             (unsigned long long)survey->messages_most);
    table_cell(table, TONE_PLAIN, text);
}

bool report_table(const struct order *order, const struct survey *surveys, size_t count)
{
    static const struct column columns[] = {
        {"ALGORITHM", false}, {"NODES", true}, {"MESSAGES", true},  {"THEORY", true},
        {"RANGE", true},      {"BYTES", true}, {"LEADER_MS", true}, {"ALL_MS", true},
        {"WITHOUT_MS", true}, {"TWO", true},   {"TWO_MS", true},    {"OPEN", true},
    };
    struct printer printer;

    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count; i++) {
        const struct survey *survey = &surveys[i];
        table_row(table);
        table_cell(table, TONE_PLAIN, survey->algorithm->name);
        table_cell_number(table, survey->nodes);
        add_mean(table, survey->messages);
        if (survey->has_theory) {
            add_mean(table, survey->theory.mean);
        } else {
            table_cell(table, TONE_FAINT, "-");
        }
        add_range(table, survey);
        add_mean(table, survey->bytes);
        add_mean(table, survey->first_ms);
        add_mean(table, survey->all_ms);
        add_mean(table, survey->without_ms);
        add_share(table, survey->double_runs, survey->runs);
        add_mean(table, survey->double_ms);
        add_share(table, survey->unsettled, survey->runs);
    }
    if (!table_print(table)) {
        return false;
    }
    if (survey_has_faults(order)) {
        puts("THEORY is without faults.");
    }
    return true;
}

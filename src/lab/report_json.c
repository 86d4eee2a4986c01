#include <jansson.h>

#include "lab/report.h"

static json_t *theory_json(const struct survey *survey)
{
    return survey->has_theory ? json_pack("{s:f, s:f, s:f}", "least", survey->theory.least, "mean",
                                          survey->theory.mean, "most", survey->theory.most)
                              : json_null();
}

static json_t *survey_json(const struct survey *survey)
{
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:{s:f, s:I, s:I}, s:o, s:f, s:f, s:f, s:I, s:f, s:I, s:f}",
        "algorithm", survey->algorithm->name, "nodes", (json_int_t)survey->nodes, "runs",
        (json_int_t)survey->runs, "unsettled_runs", (json_int_t)survey->unsettled, "messages",
        "mean", survey->messages, "least", (json_int_t)survey->messages_least, "most",
        (json_int_t)survey->messages_most, "theory", theory_json(survey), "bytes", survey->bytes,
        "first_leader_ms", survey->first_ms, "all_follow_ms", survey->all_ms, "all_follow_ms_max",
        (json_int_t)survey->all_ms_most, "without_leader_ms", survey->without_ms,
        "double_leader_runs", (json_int_t)survey->double_runs, "double_leader_ms",
        survey->double_ms);
}

bool report_json(const struct order *order, const struct survey *surveys, size_t count)
{
    json_t *rows = json_array();
    bool is_whole = rows != NULL;

    for (size_t i = 0; is_whole && i < count; i++) {
        is_whole = json_array_append_new(rows, survey_json(&surveys[i])) == 0;
    }
    json_t *document = json_pack(
        "{s:s?, s:I, s:b, s:I, s:o}", "faults", order->faults, "starters",
        order->all_start ? (json_int_t)0 : (json_int_t)order->trial.starters, "all_start",
        order->all_start, "seed", (json_int_t)order->trial.seed, "results", rows);
    is_whole = is_whole && document != NULL &&
               json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(8)) == 0;
    json_decref(document);
    if (!is_whole) {
        fputs(LAB_PROGRAM ": not enough memory\n", stderr);
        return false;
    }
    putchar('\n');
    return true;
}

#include "lab/survey.h"

static void add(struct survey *survey, const struct trial_result *result)
{
    survey->runs++;
    if (!result->has_settled) {
        survey->unsettled++;
        return;
    }
    if (result->messages < survey->messages_least) {
        survey->messages_least = result->messages;
    }
    if (result->messages > survey->messages_most) {
        survey->messages_most = result->messages;
    }
    if (result->all_ms > survey->all_ms_most) {
        survey->all_ms_most = result->all_ms;
    }
    survey->messages += (double)result->messages;
    survey->bytes += (double)result->bytes;
    survey->first_ms += (double)result->first_ms;
    survey->all_ms += (double)result->all_ms;
    survey->without_ms += (double)result->without_ms;
    survey->double_ms += (double)result->double_ms;
    survey->double_runs += result->doubles > 0;
}

bool survey_run(const struct order *order, const struct election_algorithm *algorithm, size_t nodes,
                struct survey *survey)
{
    struct trial trial = order->trial;

    *survey = (struct survey){
        .algorithm = algorithm,
        .nodes = nodes,
        .messages_least = UINT64_MAX,
        .has_theory = order->all_start || order->trial.starters == 1,
    };
    survey->theory = theory_range(algorithm, nodes - 1, order->all_start);
    trial.algorithm = algorithm;
    trial.nodes = nodes;
    for (uint64_t i = 0; i < order->runs; i++) {
        struct trial_result result;
        trial.seed = order->trial.seed + i;
        if (!trial_run(&trial, &result)) {
            return false;
        }
        add(survey, &result);
    }
    const uint64_t settled = survey->runs - survey->unsettled;
    if (settled == 0) {
        survey->messages_least = 0;
        return true;
    }
    survey->messages /= (double)settled;
    survey->bytes /= (double)settled;
    survey->first_ms /= (double)settled;
    survey->all_ms /= (double)settled;
    survey->without_ms /= (double)settled;
    survey->double_ms /= (double)settled;
    return true;
}

bool survey_has_faults(const struct order *order)
{
    const struct trial *trial = &order->trial;

    return trial->loss_permille > 0 || trial->crash != TRIAL_CRASH_NONE ||
           trial->delay_ms_max > trial->delay_ms_min;
}

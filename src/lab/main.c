/* doyen-lab: runs the classical elections in a simulator, by the thousand, and shows what they cost
 * beside what theory says of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report.h"

static bool draw(const struct order *order, const struct survey *surveys, size_t count)
{
    FILE *out = fopen(order->svg_path, "we");
    bool is_written = out != NULL;

    if (out != NULL) {
        report_svg(out, order, surveys, count);
        is_written = ferror(out) == 0;
        is_written = fclose(out) == 0 && is_written;
    }
    if (!is_written) {
        fprintf(stderr, LAB_PROGRAM ": cannot write %s: %s: choose another name\n", order->svg_path,
                strerror(errno));
    }
    return is_written;
}

/* All algorithms at all sizes; by algorithm. */
static bool run_all(const struct order *order, struct survey *surveys)
{
    for (size_t i = 0; i < order->algorithm_count; i++) {
        for (size_t k = 0; k < order->size_count; k++) {
            if (!survey_run(order, order->algorithms[i], order->sizes[k], surveys++)) {
                return false;
            }
        }
    }
    return true;
}

static bool report(const struct order *order, const struct survey *surveys, size_t count)
{
    bool is_well = order->json ? report_json(order, surveys, count)
                               : report_table(order, surveys, count);

    if (order->svg_path != NULL) {
        is_well = draw(order, surveys, count) && is_well;
    }
    for (size_t i = 0; i < count; i++) {
        is_well = is_well && surveys[i].unsettled == 0;
    }
    return is_well;
}

static bool survey_all(const struct order *order)
{
    const size_t count = order->algorithm_count * order->size_count;
    struct survey *surveys = calloc(count, sizeof *surveys);

    if (surveys == NULL || !run_all(order, surveys)) {
        fputs(LAB_PROGRAM ": not enough memory\n", stderr);
        free(surveys);
        return false;
    }
    const bool is_well = report(order, surveys, count);
    free(surveys);
    return is_well;
}

int main(int argc, char **argv)
{
    struct order order;

    order_parse(&order, argc, argv);
    const bool is_well = order.explain ? report_run(&order) : survey_all(&order);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, LAB_PROGRAM ": cannot write the output: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* doyen-lab: runs the classical elections in a simulator, by the thousand, and shows what they cost
 * beside what theory says of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report.h"
#include "usage/remedy.h"
#include "usage/usage.h"

static bool fail_to_draw(const struct order *order)
{
    fprintf(stderr, LAB_PROGRAM ": cannot write %.240s: %s: %s\n", order->svg_path, strerror(errno),
            remedy_of_write(errno));
    return false;
}

static bool draw(FILE *out, const struct order *order, const struct survey *surveys, size_t count)
{
    report_svg(out, order, surveys, count);
    const bool is_written = fflush(out) == 0 && ferror(out) == 0;
    return (fclose(out) == 0 && is_written) || fail_to_draw(order);
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

/* The column OPEN has them. */
static bool say_unsettled(const struct survey *surveys, size_t count)
{
    uint64_t unsettled = 0;

    for (size_t i = 0; i < count; i++) {
        unsettled += surveys[i].unsettled;
    }
    if (unsettled > 0) {
        fprintf(stderr,
                LAB_PROGRAM ": %" PRIu64 " %s not ended with one leader after %d s: the averages "
                            "leave %s out\n",
                unsettled, unsettled == 1 ? "run had" : "runs had", TRIAL_MS_MAX / 1000,
                unsettled == 1 ? "it" : "them");
    }
    return unsettled == 0;
}

/* `svg` is where to draw, or NULL; it is closed. */
static bool report(const struct order *order, FILE *svg, const struct survey *surveys, size_t count)
{
    bool is_well = order->json ? report_json(order, surveys, count)
                               : report_table(order, surveys, count);

    if (svg != NULL) {
        is_well = draw(svg, order, surveys, count) && is_well;
    }
    return say_unsettled(surveys, count) && is_well;
}

static bool survey_all(const struct order *order)
{
    const size_t count = order->algorithm_count * order->size_count;
    FILE *svg = order->svg_path == NULL ? NULL : fopen(order->svg_path, "we");

    if (order->svg_path != NULL && svg == NULL) { /* Known before the runs, which take long. */
        return fail_to_draw(order);
    }
    struct survey *surveys = calloc(count, sizeof *surveys);
    if (surveys == NULL || !run_all(order, surveys)) {
        fputs(LAB_PROGRAM ": not enough memory: ask for fewer --nodes\n", stderr);
        free(surveys);
        if (svg != NULL) {
            (void)fclose(svg);
        }
        return false;
    }
    const bool is_well = report(order, svg, surveys, count);
    free(surveys);
    return is_well;
}

int main(int argc, char **argv)
{
    struct order order;

    order_parse(&order, argc, argv);
    const bool is_well = order.explain ? report_run(&order) : survey_all(&order);
    const int code = usage_flush(LAB_PROGRAM);
    return is_well ? code : EXIT_FAILURE;
}

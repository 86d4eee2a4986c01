/* Shows what the trials cost: as a table, as JSON, or drawn. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lab/order.h"
#include "lab/survey.h"

/* Each prints `count` surveys to stdout, and returns false, after a line on stderr, when memory ran
 * out. */
bool report_table(const struct order *order, const struct survey *surveys, size_t count);
bool report_json(const struct order *order, const struct survey *surveys, size_t count);

/* Draws messages, bytes and times by size, a line for each algorithm, and what theory says of the
 * messages. Errors are left in `out`, for ferror. */
void report_svg(FILE *out, const struct order *order, const struct survey *surveys, size_t count);

/* Tells one run on stdout, message by message. Returns whether it ended with one leader; false,
 * after a line on stderr, when memory ran out. */
bool report_run(const struct order *order);

#endif

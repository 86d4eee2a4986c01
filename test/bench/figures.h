/* What a benchmark has measured, and how scripts/bench wants it printed. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

enum { FIGURES_MAX = 64 };

struct figure {
    const char *what;
    const char *unit;
    double median;
    double worst;
    size_t runs;
};

struct figures {
    size_t count;
    struct figure items[FIGURES_MAX];
};

/* A monotonic clock, in milliseconds and fractions. */
double figures_now_ms(void);

/* Sorts the samples, keeps their middle and their largest, and tells them on stderr. The texts must
 * outlive the figures. */
void figures_add(struct figures *figures, const char *what, const char *unit, double *samples,
                 size_t count);

/* Prints a Markdown table whose first column has that heading, or one JSON object:
 * {"bench": NAME, "processors": ..., "figures": [...]}. */
void figures_print(const struct figures *figures, bool table, const char *name,
                   const char *heading);

/* Finds doyend: DOYEND_PATH, else beside this program. Ends the program where it cannot be run. */
const char *figures_doyend(const char *program, char path[4096]);

#endif

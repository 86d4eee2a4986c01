#include "figures.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double figures_now_ms(void)
{
    struct timespec now = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;

    return (*x > *y) - (*x < *y);
}

void figures_add(struct figures *figures, const char *what, const char *unit, double *samples,
                 size_t count)
{
    if (figures->count == FIGURES_MAX) {
        fputs("bench: too many figures: raise FIGURES_MAX\n", stderr);
        exit(EXIT_FAILURE);
    }
    qsort(samples, count, sizeof *samples, compare_doubles);
    const double median = count % 2 == 1 ? samples[count / 2]
                                         : (samples[count / 2 - 1] + samples[count / 2]) / 2;
    figures->items[figures->count++] = (struct figure){
        .what = what, .unit = unit, .median = median, .worst = samples[count - 1], .runs = count};
    fprintf(stderr, "  %-56s %10.2f %s\n", what, median, unit);
}

static void print_table(const struct figures *figures, const char *heading)
{
    printf("| %s | median | worst | runs |\n", heading);
    puts("| --- | ---: | ---: | ---: |");
    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->items[i];
        const char *space = figure->unit[0] == '\0' ? "" : " ";
        const int places = figure->unit[0] == '\0' || figure->worst >= 1000 ? 0 : 1;
        printf("| %s | %.*f%s%s | %.*f%s%s | %zu |\n", figure->what, places, figure->median, space,
               figure->unit, places, figure->worst, space, figure->unit, figure->runs);
    }
}

static double rounded(double value)
{
    return (double)(int64_t)(value * 100 + 0.5) / 100;
}

static void print_json(const struct figures *figures, const char *name)
{
    json_t *list = json_array();

    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->items[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:f, s:f, s:I}", "case", figure->what, "unit",
                                        figure->unit, "median", rounded(figure->median), "worst",
                                        rounded(figure->worst), "runs", (json_int_t)figure->runs));
    }
    json_t *object = json_pack("{s:s, s:i, s:o}", "bench", name, "processors",
                               (int)sysconf(_SC_NPROCESSORS_ONLN), "figures", list);
    json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
}

void figures_print(const struct figures *figures, bool table, const char *name, const char *heading)
{
    if (table) {
        print_table(figures, heading);
    } else {
        print_json(figures, name);
    }
}

const char *figures_doyend(const char *program, char path[4096])
{
    const char *told = getenv("DOYEND_PATH");
    const ssize_t length = readlink("/proc/self/exe", path, 4000);

    if (told != NULL && told[0] != '\0') {
        snprintf(path, 4096, "%s", told);
    } else if (length > 0) {
        path[length] = '\0';
        memcpy(strrchr(path, '/') + 1, "doyend", sizeof "doyend");
    }
    if (length <= 0 || access(path, X_OK) != 0) {
        fprintf(stderr, "%s: cannot run %s: %s: build it, or name it in DOYEND_PATH\n", program,
                path, strerror(errno));
        exit(EXIT_FAILURE);
    }
    return path;
}

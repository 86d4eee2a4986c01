/* Reads the command line of doyend, or of doyen-witness, with argp, by the table of options. */
#ifndef RUNTIME_FLAGS_H
#define RUNTIME_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/options/setting.h"
#include "runtime/options/value.h"

/* Called for each flag in turn with row `index` of the table and the flag's argument, NULL for a
 * switch. Returns false to end the walk. */
typedef bool flags_on_flag(void *context, size_t index, const char *text);

struct command_line {
    enum program program;
    int argc;
    char **argv; /* whose order may change */
};

/* Walks the command line. Returns false when it is wrong: an unknown flag, a flag without its
 * argument, a stray word. The complaint is then a whole line. */
bool flags_walk(const struct command_line *line, flags_on_flag *on_flag, void *context,
                struct complaint *complaint);

void flags_print_help(FILE *to, enum program program);

#endif

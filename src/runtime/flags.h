/* The command line of doyend, as argp and the table of options have it. */
#ifndef RUNTIME_FLAGS_H
#define RUNTIME_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/value.h"

/* Called for each flag in turn: row `index` of the table, and its argument, NULL for a switch.
 * Returning false ends the walk. */
typedef bool flags_visitor(void *context, size_t index, const char *text);

/* Walks the command line. Returns false with the complaint set, whole, when it is not one: an
 * unknown flag, one without its argument, a stray word. `argv` may come back in another order. */
bool flags_walk(int argc, char **argv, flags_visitor *visitor, void *context,
                struct complaint *complaint);

void flags_print_help(FILE *to);
void flags_print_usage(FILE *to);

#endif

/* Prints a configuration as text, and the help on its options. */
#ifndef RUNTIME_CONFIG_PRINT_H
#define RUNTIME_CONFIG_PRINT_H

#include <stdio.h>

#include "runtime/options/config_read.h"

/* Prints each value with its origin, as a file that --config reads. */
void config_print(FILE *to, const struct config *config, const struct config_outcome *outcome,
                  enum program program);

/* Prints the text of --help. */
void config_print_help(FILE *to, enum program program);

#endif

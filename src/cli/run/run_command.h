/* Finds the command that doyen run is to start, before there is anything to start: a mistake shows
 * on each node then, and not on the one that takes over. */
#ifndef CLI_RUN_COMMAND_H
#define CLI_RUN_COMMAND_H

#include "cli/request/failure.h"

/* As shells have them. */
enum { RUN_NOT_EXECUTABLE = 126, RUN_NOT_FOUND = 127 };

/* Returns 0 when `name` can be executed, by itself or from PATH; else, with `failure` filled in,
 * one of the numbers above. */
int run_command_find(const char *name, struct failure *failure);

/* How many words stand behind the first "--" of a line that argp has not moved about yet; -1: there
 * is no "--". A command that is longer has begun before the "--". */
int run_command_words(int argc, char *const *argv);

/* Says in `failure` what is wrong with `word`, which stands outside the command; `quoted_count` is
 * what run_command_words returned. */
void run_command_misplaced(const char *word, int quoted_count, struct failure *failure);

#endif

/* The table of doyend's options: name, help, default, and how text becomes a value and a value
 * text. Flags, environment, file, --help, --print-config and suggestions all read this one table.
 */
#ifndef RUNTIME_OPTIONS_H
#define RUNTIME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/options/setting.h"

size_t option_count(void);

/* Row `index` of the table, below option_count(). */
const struct setting *option_at(size_t index);

/* The heading of a group in --help. */
const char *option_group_title(enum option_group group);

/* The row with this name, or option_count(). */
size_t option_find(const char *name);

/* Is the row one of the program's? Its argument and help there, and the program's name. */
bool option_is_of(const struct setting *option, enum program program);
const char *option_argument(const struct setting *option, enum program program);
const char *option_help(const struct setting *option, enum program program);
const char *program_name(enum program program);

/* The name in the table that was probably meant, or NULL. Hidden ones are not suggested; with
 * `settings_only` neither are those that a file cannot hold. */
const char *option_suggest(const char *name, bool settings_only, enum program program);

/* What to use in place of an option that a former version of the program had; NULL: it had no such
 * option. */
const char *option_instead(const char *name, enum program program);

/* DOYEN_STATE_DIR for "state-dir". */
enum { OPTION_VARIABLE_MAX = 64 };
void option_variable(const struct setting *option, char out[OPTION_VARIABLE_MAX]);

#endif

/* What is wrong with a command line, in one line. Left to itself argp prints two, in words that are
 * not this project's. */
#ifndef USAGE_USAGE_H
#define USAGE_USAGE_H

#include <argp.h>
#include <stdarg.h>
#include <stdbool.h>

enum { USAGE_TEXT_MAX = 320 };

/* Will each option be known to argp_parse(argp, argc, argv, flags), meant without doubt, and given
 * its value? If not, `fault` says of the first one that is not. With ARGP_IN_ORDER nothing behind
 * the first word is looked at. Knows the options in the tables of `argp` and its children, none of
 * which may have a value that can be left out, and not those that argp adds: use ARGP_NO_HELP. */
bool usage_is_sound(const struct argp *argp, int argc, char *const *argv, unsigned flags,
                    char fault[USAGE_TEXT_MAX]);

/* argp_parse for a line that is sound; any other is refused in the name of `program`. */
void usage_parse(const struct argp *argp, const char *program, int argc, char **argv,
                 unsigned flags, void *input);

/* For an argp parser: prints --help and exits, with status 0 if it could be written. */
void usage_help(const struct argp_state *state) __attribute__((noreturn));

/* Prints "PROGRAM: TEXT; PROGRAM --help says more" on stderr and exits with status 64. The text may
 * quote what somebody typed, so a control character is shown as "?". */
void usage_refuse(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void usage_refuse_list(const char *program, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0), noreturn));

#endif

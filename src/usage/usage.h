/* Explains what is wrong with a command line, in one line. argp itself would print two, in other
 * words than this project's. */
#ifndef USAGE_USAGE_H
#define USAGE_USAGE_H

#include <argp.h>
#include <stdarg.h>
#include <stdbool.h>

enum { USAGE_TEXT_MAX = 320 };

/* A flag of a struct argp_option, beside those of argp: the option may be said again, and adds to a
 * list then. Of any other that takes a value the one said before would be lost. */
enum { USAGE_LIST = 0x1000 };

/* Does argp_parse(argp, argc, argv, flags) know each option, without ambiguity, and does each have
 * its value, and no second one? If not, `fault` describes the first that is wrong. With
 * ARGP_IN_ORDER nothing behind the first word is looked at. The function knows the options in the
 * tables of `argp` and its children, whose values must not be optional, but not those that argp
 * adds: use ARGP_NO_HELP. */
bool usage_is_sound(const struct argp *argp, int argc, char *const *argv, unsigned flags,
                    char fault[USAGE_TEXT_MAX]);

/* Runs argp_parse on a line that is sound; refuses any other in the name of `program`. */
void usage_parse(const struct argp *argp, const char *program, int argc, char **argv,
                 unsigned flags, void *input);

/* For an argp parser: prints --help and exits, with status 0 if the help could be written. */
void usage_help(const struct argp_state *state) __attribute__((noreturn));

/* Writes what was printed, and returns EXIT_SUCCESS; or EXIT_FAILURE, and says why: a full disk
 * must not look like success. */
int usage_flush(const char *program);

/* Prints "PROGRAM: TEXT; PROGRAM --help says more" on stderr and exits with status 64. The text may
 * quote user input, so a control character is shown as "?". */
void usage_refuse(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void usage_refuse_list(const char *program, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0), noreturn));

#endif

#include "cli/request/failure.h"

#include <stdarg.h>
#include <stdio.h>

#include "usage/line.h"

enum exit_code failure_set(struct failure *failure, enum exit_code code, const char *format, ...)
{
    va_list arguments;

    failure->code = code;
    va_start(arguments, format);
    line_set(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    return code;
}

enum exit_code failure_report(const struct failure *failure)
{
    struct failure shown = *failure;

    for (char *byte = shown.text; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < ' ' || *byte == 0x7f) {
            *byte = '?';
        }
    }
    fflush(stdout); /* What was said before the fault comes before it, also in a common file. */
    fprintf(stderr, "doyen: %s\n", shown.text); /* At once: another process may write there, too. */
    return failure->code;
}

bool failure_passes(enum exit_code code)
{
    return code == EXIT_UNREACHABLE || code == EXIT_TIMED_OUT;
}

enum exit_code failure_of_clock(struct failure *failure, const char *where)
{
    return failure_set(failure, EXIT_REFUSED,
                       "the lease page of %s is of another clock, by which this process cannot "
                       "tell its end: run both in one time namespace of one host, with /proc",
                       where);
}

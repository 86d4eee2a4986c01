/* The reason why something failed: its exit code, and one line for people that names the fault and,
 * where there is one, the remedy. */
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include <stdbool.h>

enum { FAILURE_TEXT_MAX = 1024 };

/* The exit codes of doyen; documented, never renumbered. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1,        /* or failed */
    EXIT_GUARD = 2,          /* answered, but the guard is not met */
    EXIT_NO_COORDINATOR = 3, /* answered, but there is none, or --is-self is false */
    EXIT_UNREACHABLE = 4,
    EXIT_TIMED_OUT = 5,
    EXIT_NOT_HEALTHY = 6, /* answered, but the state of the whole is bad */
    EXIT_USAGE = 64,
};

struct failure {
    enum exit_code code;
    char text[FAILURE_TEXT_MAX]; /* one line, without the name of the program */
};

/* Fills in the failure, cutting the text where it is too long, and returns `code`. */
enum exit_code failure_set(struct failure *failure, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* No daemon is there, or it says nothing: another try may go better. */
bool failure_passes(enum exit_code code);

/* The lease page of `where` is of another clock than that of this process (doyen_lease_map). */
enum exit_code failure_of_clock(struct failure *failure, const char *where);

/* Prints it to stderr as "doyen: TEXT" and returns its code. The text may quote a daemon, so a
 * control character, which could steer the terminal, is shown as "?". */
enum exit_code failure_report(const struct failure *failure);

#endif

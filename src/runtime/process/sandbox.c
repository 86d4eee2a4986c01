#include "runtime/process/sandbox.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "runtime/process/sandbox_calls.h"
#include "runtime/process/sandbox_files.h"

#ifdef DOYEN_INSTRUMENTED

/* Sanitizers and gcov read /proc, start threads that trace others and write their reports when and
 * where they like: they cannot do that from inside. */
bool sandbox_enter(const struct config *config, struct log *log)
{
    (void)config;
    log_line(log, LOG_WARN, "sandbox", "off: this program was built for finding faults");
    return false;
}

#else

/* What `what` is for has to do without where everybody's files are. */
static void say_shared(struct log *log, const char *what, const char *file, const char *without)
{
    if (file[0] != '\0' && sandbox_shares_directory(file)) {
        log_line(log, LOG_WARN, "sandbox",
                 "--%s %s: %s, since from inside of the sandbox nothing is made in a directory of "
                 "the system: give it a directory of its own",
                 what, file, without);
    }
}

bool sandbox_enter(const struct config *config, struct log *log)
{
    if (!sandbox_is_directory(config->key)) {
        say_shared(log, "key", config->key, "doyen keys use and remove cannot write it");
    }
    say_shared(log, "record", config->record, "it ends when it is full");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        log_line(log, LOG_WARN, "sandbox", "off: the kernel keeps no process from new privileges");
        return false;
    }
    const int files_error = sandbox_fence_files(config);
    const int calls_error = sandbox_filter_calls();
    if (files_error == 0 && calls_error == 0) {
        log_line(log, LOG_INFO, "sandbox",
                 "on: no other program, no file but its own, no system "
                 "call but those it needs; --sandbox off lifts it");
        return true;
    }
    if (files_error != 0) {
        log_line(log, LOG_WARN, "sandbox",
                 "Landlock does not fence files off (%s): going on without", strerror(files_error));
    }
    if (calls_error != 0) {
        log_line(log, LOG_WARN, "sandbox",
                 "this kernel does not filter system calls (seccomp: %s): going on without",
                 strerror(calls_error));
    }
    return false;
}

#endif

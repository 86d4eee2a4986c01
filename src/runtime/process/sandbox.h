/* What a running daemon may still ask of the system, so that somebody who takes it over by a fault
 * in it gets little: no other program can be started, files outside of its own directories can be
 * neither read nor written, and of the system calls there are those that it needs. */
#ifndef RUNTIME_SANDBOX_H
#define RUNTIME_SANDBOX_H

#include <stdbool.h>

#include "runtime/options/config.h"
#include "runtime/process/log.h"

/* Gives up for good what the daemon of this configuration does not need once everything is open:
 * new privileges, by Landlock all files but those of the state directory, the recording, the key
 * and the control socket (to write, but not in a directory of the system such as /etc), and /etc
 * and the libraries (to read, for looking up names),
 * and by seccomp all system calls that are not on the list. To be called before there are threads,
 * which inherit it. What the kernel does not have is said in one line on the log, and does without.
 * Returns whether files are fenced off and calls are filtered. */
bool sandbox_enter(const struct config *config, struct log *log);

#endif

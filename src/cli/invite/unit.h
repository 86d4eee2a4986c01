/* The services of this host, as systemd runs them: doyend, and doyen-run@NAME for each executable
 * in the folder of jobs. */
#ifndef CLI_UNIT_H
#define CLI_UNIT_H

#include <stdbool.h>

#include "cli/invite/host.h"
#include "cli/request/failure.h"

/* Does systemd run this host? */
bool unit_system_is_here(void);

/* Prints the commands that unit_start would run. */
void unit_print(const struct host *host);

/* Has the services started now and with the host. doyend is ready when it is a member; what takes
 * longer goes on, and EXIT_TIMED_OUT is returned. */
enum exit_code unit_start(const struct host *host, struct failure *failure);

#endif

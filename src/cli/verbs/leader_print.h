/* Prints the document of /v1/leader for people; doyen leader and doyen elect share it. */
#ifndef CLI_LEADER_PRINT_H
#define CLI_LEADER_PRINT_H

#include <jansson.h>

#include "cli/request/failure.h"

/* One line that says who leads, or a line on stderr that nobody does. Returns EXIT_DONE, or
 * EXIT_NO_COORDINATOR where there is no leader. */
enum exit_code leader_print_line(const json_t *document);

#endif

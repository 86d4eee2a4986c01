/* Prints one event on one line of stdout: for people, or as JSON. */
#ifndef CLI_EVENT_PRINT_H
#define CLI_EVENT_PRINT_H

#include <stdbool.h>

#include "cli/print/printer.h"
#include "cli/request/failure.h"
#include "doyen/client.h"

/* Prints the event and flushes the output. Returns EXIT_REFUSED when it cannot; that has been
 * reported unless stdout is at fault. */
enum exit_code event_print(const struct doyen_event *event, const struct printer *printer,
                           bool as_json);

#endif

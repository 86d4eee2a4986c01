/* The documents about the present: status, coordinator, version. They are functions of the facts
 * alone. Each returns a new reference, or NULL when memory ran out. */
#ifndef CONTROL_REPORT_STATUS_H
#define CONTROL_REPORT_STATUS_H

#include <jansson.h>

#include "control/facts/facts.h"
#include "control/facts/links.h"
#include "words/whole.h"

/* `node` is asked for the faults in force. */
json_t *report_status(const struct facts *facts, const struct links *links,
                      const struct whole *whole, const struct node *node);
json_t *report_coordinator(const struct facts *facts);
json_t *report_lease(const struct facts *facts);
json_t *report_version(void);

#endif

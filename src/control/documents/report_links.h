/* GET /v1/links: whom this node watches, which members are in doubt, which links are bad, and
 * whether it asks everybody (D9, R3). */
#ifndef CONTROL_REPORT_LINKS_H
#define CONTROL_REPORT_LINKS_H

#include <jansson.h>

#include "control/facts/facts.h"
#include "control/facts/links.h"

/* O(members) where nobody is doubted. NULL when memory ran out. */
json_t *report_links(const struct facts *facts, const struct links *links);

/* "heard", "asked" (a heartbeat is missing), "silent", or a verdict. NULL: it is not watched. */
const char *report_watch_state(const struct facts *facts, uint32_t position,
                               const struct watch_state *watch);

#endif

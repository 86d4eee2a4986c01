/* The members as targets for the service discovery of Prometheus by HTTP. */
#ifndef CONTROL_REPORT_TARGETS_H
#define CONTROL_REPORT_TARGETS_H

#include <jansson.h>

#include "control/facts/facts.h"

/* A group of one target for each member, at `port` of its host, and for each that failed and is
 * remembered, so that what is scraped does not vanish with the host. NULL when memory ran out. */
json_t *report_targets(const struct facts *facts, uint16_t port);

#endif

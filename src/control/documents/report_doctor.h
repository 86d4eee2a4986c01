/* The document of /v1/doctor: what a measurement found, what the timings promise and cost, and
 * whether the network that was measured lets them keep it. */
#ifndef CONTROL_REPORT_DOCTOR_H
#define CONTROL_REPORT_DOCTOR_H

#include <jansson.h>

#include "control/facts/facts.h"
#include "runtime/node/measure.h"
#include "words/whole.h"

/* A new reference; NULL when memory ran out. */
json_t *report_doctor(const struct facts *facts, const struct measure *measure,
                      const struct inquiry *inquiry, const struct whole *whole);

#endif

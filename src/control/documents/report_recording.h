/* The recording of the last minutes. */
#ifndef CONTROL_REPORT_RECORDING_H
#define CONTROL_REPORT_RECORDING_H

#include "control/facts/facts.h"
#include "control/text/text_builder.h"

/* Writes the document, in which the recording is hexadecimal, or null where there is none. */
void report_recording(const struct facts *facts, struct text_builder *text);

#endif

/* The core's marks and planted bugs, as the tests see them: see core/plant.h. */
#ifndef SIM_MARKS_H
#define SIM_MARKS_H

#include <stdint.h>

#include "core/plant.h"

enum { MARKS_MAX = 128 };

/* How many marks there are; name and count of one. The order is that of the linker. */
uint32_t marks_count(void);
const char *marks_name(uint32_t index);
uint64_t marks_reached(uint32_t index);

/* Name of a planted bug, and what it does. NULL: no such bug. */
const char *plant_name(enum plant plant);
const char *plant_text(enum plant plant);

#endif

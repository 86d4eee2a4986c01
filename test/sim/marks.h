/* The core's marks, as the tests see them: see core/model/marks.h. */
#ifndef SIM_MARKS_H
#define SIM_MARKS_H

#include <stdint.h>

#include "core/model/marks.h"

enum { MARKS_MAX = 128 };

/* How many marks there are; name and count of one. The order is that of the linker. */
uint32_t marks_count(void);
const char *marks_name(uint32_t index);
uint64_t marks_reached(uint32_t index);

#endif

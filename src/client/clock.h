/* The clock that all waiting goes by. */
#ifndef CLIENT_CLOCK_H
#define CLIENT_CLOCK_H

#include <stdint.h>

uint64_t clock_ms(void); /* monotonic */

/* How many milliseconds are left until then; 0 when it has passed. At most INT_MAX. */
int clock_until(uint64_t deadline_ms);

#endif

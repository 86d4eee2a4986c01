/* The clock that all waiting goes by. */
#ifndef CLIENT_CLOCK_H
#define CLIENT_CLOCK_H

#include <stdint.h>

uint64_t clock_ms(void); /* monotonic */

/* When a time to wait is over that begins now; never, UINT64_MAX, if it is negative. */
uint64_t clock_deadline_ms(int timeout_ms);

/* How many milliseconds are left until then; 0 when it has passed. At most INT_MAX. */
int clock_until(uint64_t deadline_ms);

#endif

/* The clock of the command: monotonic, in milliseconds. */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ms(void);

/* Returns the time left until `deadline_ms`; 0 when it has passed. */
uint64_t clock_left_ms(uint64_t deadline_ms);

void clock_sleep_ms(uint64_t milliseconds);

#endif

/* The reader of a verb's output: the other end of its pipe. */
#ifndef CLI_READER_H
#define CLI_READER_H

#include <stdbool.h>
#include <stdint.h>

/* Waits for this time; returns whether the reader of `fd` was there throughout. A file, and a
 * descriptor below 0, always has a reader. */
bool reader_stays(int fd, uint64_t milliseconds);

#endif

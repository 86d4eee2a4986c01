/* The numbers of one sender that were taken, so that a frame that is played back is known again.
 *
 * A sender numbers the frames to all its receivers in one row, so what one receiver sees of them
 * has gaps: a row of bits over numbers would cover a quarter of a round of 4096 heartbeats. The
 * window holds the highest numbers that came instead, however far they are apart. What is not above
 * all that fell out of it is old. */
#ifndef SEAL_WINDOW_H
#define SEAL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { WINDOW_NUMBERS = 128 };

/* All zero is a window that has seen nothing. */
struct window {
    uint64_t below; /* this number and all below it are old */
    bool begun;     /* it has taken a number, or was told where to begin */
    uint32_t count;
    uint64_t numbers[WINDOW_NUMBERS]; /* rising */
};

/* Was the number never taken, and may be? */
bool window_is_new(const struct window *window, uint64_t number);

/* Takes the number, which window_is_new says is new. With the first one, all below become old. */
void window_take(struct window *window, uint64_t number);

/* Makes the window one that has taken nothing, and to which this number and all below it are old.
 */
void window_begin(struct window *window, uint64_t below);

/* Forgets what the window took before the sender's count was asked for, which was `count` then:
 * what was made up to then is old, and above that it keeps what `since` took since it was asked. */
void window_renew(struct window *window, const struct window *since, uint64_t count);

#endif

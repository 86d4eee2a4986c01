/* A node's right to act, as clients are told of it. */
#ifndef WORDS_ACTING_H
#define WORDS_ACTING_H

#include <stdbool.h>
#include <stdint.h>

/* How much of a right that lasts until `until_ms` (0: there is none) is certainly left: the
 * millisecond `now_ms` may be all but over, so it does not count. */
static inline uint64_t acting_left_ms(uint64_t until_ms, uint64_t now_ms)
{
    return until_ms > now_ms + 1 ? until_ms - now_ms - 1 : 0;
}

/* "advisory" under a guard that cannot rule out that two nodes act at once, else "exclusive". */
static inline const char *acting_kind_text(bool advisory)
{
    return advisory ? "advisory" : "exclusive";
}

#endif

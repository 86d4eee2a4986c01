/* Which history a view belongs to (I3), and which of two goes on for the other (Z18). */
#ifndef CORE_LINEAGE_H
#define CORE_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Under guard strict, from the highest bit on: 24 drawn at the founding, which a recovery keeps; 24
 * that say when the last recovery was, 0 if there was none; and 16 that each of them draws. */
enum { LINEAGE_DRAWN_BITS = 16, LINEAGE_TIME_BITS = 24, LINEAGE_SECONDS_BITS = 8 };

/* In 2106. */
#define LINEAGE_SECONDS_MAX ((UINT64_C(1) << (LINEAGE_TIME_BITS + LINEAGE_SECONDS_BITS)) - 1)

uint64_t lineage_of_founding(uint64_t drawn);

/* Of the same founding, and later than it: by the clock, or by one unit of 256 seconds at least. Of
 * another one, where nothing is later. */
uint64_t lineage_of_recovery(uint64_t former, uint64_t now_s, uint64_t drawn);

/* Are both of one founding, and was the first one recovered later? Of two that were recovered at
 * one time one does, and it is the same for everybody. Never so of two foundings. */
bool lineage_succeeds(uint64_t later, uint64_t former);

#endif

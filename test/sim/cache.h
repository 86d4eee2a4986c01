/* How the simulator lays out what it looks at all the time. */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

enum { CACHE_LINE = 64 }; /* bytes that a processor fetches together */

#endif

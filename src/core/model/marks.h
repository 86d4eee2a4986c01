/* Marks on branches that the tests should come by: the simulator builds the core with DOYEN_TESTED,
 * counts them, and names those that a run of the swarm never reached. In a normal build a mark is
 * nothing. */
#ifndef CORE_MARKS_H
#define CORE_MARKS_H

#ifdef DOYEN_TESTED

#include <stdint.h>

struct mark {
    const char *name;
    uint64_t count;
} __attribute__((aligned(16)));

/* The linker puts the marks side by side, so that they can be listed, reached or not. */
#define REACHED(name)                                                                              \
    do {                                                                                           \
        static struct mark mark_here __attribute__((section("doyen_marks"), used)) = {#name, 0};   \
        mark_here.count++;                                                                         \
    } while (0)

#else

#define REACHED(name) ((void)0)

#endif

#endif

/* Who watches whom: everybody, or the neighbours on two rings (D9). Pure functions of the ids of a
 * view, so that all members of one view find the same. */
#ifndef CORE_RING_H
#define CORE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/view.h"

/* On the wire, with the profile. */
enum watch_plan {
    WATCHERS_ALL = 0,   /* all members watch all others */
    WATCHERS_RINGS = 1, /* two rings: four watchers, whatever the number of members */
};

enum {
    RING_NEIGHBOURS = 4, /* in the mean */
    RING_ALL_MAX = 5,    /* members among which two rings are all-to-all */
    RING_NEIGHBOURS_MAX = 6,
};

/* Two orders of the members: by id, and by id with its halves swapped. Each as the positions in
 * that order, and as the place of each position. */
struct rings {
    uint32_t count;
    uint16_t *order[2];
    uint16_t *place[2];
};

/* Bytes of storage that rings of so many members need, and their initialisation inside `storage`
 * (aligned for uint16_t), which the rings borrow for their life. */
size_t rings_bytes(uint32_t capacity);
void rings_init(struct rings *rings, uint32_t capacity, void *storage);

/* O(members), or O(members · log members) where ids are not random. */
void rings_of(struct rings *rings, const struct view *view);

/* The neighbour that the member at `position` has after it on ring 0 or 1, which are called ring 1
 * and 2 elsewhere. There have to be two members. O(1). */
uint32_t rings_next(const struct rings *rings, int ring, uint32_t position);

/* Are the members at these two positions beside each other on the first ring? O(1). */
bool rings_are_beside(const struct rings *rings, uint32_t a, uint32_t b);

/* Are they neighbours? O(1). */
bool rings_are_neighbours(const struct rings *rings, uint32_t a, uint32_t b);

/* All neighbours of the member at `position`, rising; returns how many. O(1). */
uint32_t rings_neighbours(const struct rings *rings, uint32_t position,
                          uint32_t out[RING_NEIGHBOURS_MAX]);

#endif

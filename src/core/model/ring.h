/* Who watches whom: the neighbours on two rings (D9). Pure functions of the ids of a view, so that
 * all members of one view find the same. */
#ifndef CORE_RING_H
#define CORE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/view.h"

/* How many watch each member: a multiple of four, in the mean. Where there are no more others than
 * that, all watch all. */
enum {
    WATCHERS_LEAST = 4,
    WATCHERS_DEFAULT = 4,
    WATCHERS_MOST = 255,
};

enum {
    RING_LISTED_MAX = 6, /* neighbours of one member at the most, of four */
};

/* Two orders of the members: by id, and by id with its halves swapped. Each as the positions in
 * that order, and as the place of each position. */
struct rings {
    uint32_t watchers;
    uint32_t count;
    uint16_t *order[2];
    uint16_t *place[2];
};

/* Bytes of storage that rings of so many members need, and their initialisation inside `storage`
 * (aligned for uint16_t), which the rings borrow for their life. */
size_t rings_bytes(uint32_t capacity);
void rings_init(struct rings *rings, uint32_t capacity, void *storage);

/* O(members), or O(members · log members) where ids are not random. */
void rings_of(struct rings *rings, uint32_t watchers, const struct view *view);

/* Are the members at these two positions neighbours on the first ring? O(1). */
bool rings_are_beside(const struct rings *rings, uint32_t a, uint32_t b);

/* Are they neighbours? O(watchers). */
bool rings_are_neighbours(const struct rings *rings, uint32_t a, uint32_t b);

/* Has each member so few neighbours that they are worth a list? */
bool rings_are_listed(const struct rings *rings);

/* Where that is so: all neighbours of the member at `position`, rising; returns how many. O(1). */
uint32_t rings_neighbours(const struct rings *rings, uint32_t position,
                          uint32_t out[RING_LISTED_MAX]);

#endif

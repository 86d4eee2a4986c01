#include "core/model/ring.h"

#include <string.h>

enum { MOVES_PER_MEMBER_MAX = 16 };

size_t rings_bytes(uint32_t capacity)
{
    return 4 * (size_t)capacity * sizeof(uint16_t);
}

void rings_init(struct rings *rings, uint32_t capacity, void *storage)
{
    uint16_t *at = storage;

    rings->count = 0;
    for (int ring = 0; ring < 2; ring++) {
        rings->order[ring] = at + (size_t)(2 * ring) * capacity;
        rings->place[ring] = rings->order[ring] + capacity;
    }
}

/* Ids are random, so their second half orders the members anew. */
static int compare(const struct view *view, int ring, uint16_t a, uint16_t b)
{
    const uint8_t *left = view->members[a].id.bytes;
    const uint8_t *right = view->members[b].id.bytes;
    const size_t half = sizeof view->members[a].id.bytes / 2;
    const size_t first = ring == 0 ? 0 : half;
    int order = memcmp(left + first, right + first, half);

    return order != 0 ? order : memcmp(left + (half - first), right + (half - first), half);
}

static void sink(const struct view *view, int ring, uint16_t *order, uint32_t at, uint32_t count)
{
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(view, ring, order[child], order[child + 1]) < 0) {
            child++;
        }
        if (compare(view, ring, order[at], order[child]) >= 0) {
            return;
        }
        uint16_t greater = order[child];
        order[child] = order[at];
        order[at] = greater;
        at = child;
    }
}

static void sort_slowly(const struct view *view, int ring, uint16_t *order)
{
    const uint32_t count = view->member_count;

    for (uint32_t i = count / 2; i > 0; i--) {
        sink(view, ring, order, i - 1, count);
    }
    for (uint32_t left = count; left > 1; left--) {
        uint16_t greatest = order[0];
        order[0] = order[left - 1];
        order[left - 1] = greatest;
        sink(view, ring, order, 0, left - 1);
    }
}

/* By so many bits that the id begins with: the share of a member, of which there are as many as
 * members, or half as many. */
static uint32_t share_of(const struct view *view, int ring, uint32_t position, uint32_t bits)
{
    const uint8_t *bytes = view->members[position].id.bytes;
    const uint8_t *first = bytes + (ring == 0 ? 0 : sizeof view->members[position].id.bytes / 2);

    return (((uint32_t)first[0] << 8) | first[1]) >> (16 - bits);
}

/* All by their shares. `places` is where these are counted. */
static void sort_by_share(const struct view *view, int ring, uint16_t *order, uint16_t *places)
{
    const uint32_t count = view->member_count;
    uint32_t bits = 0;
    uint16_t before = 0;

    while (2U << bits <= count) {
        bits++;
    }
    memset(places, 0, (1U << bits) * sizeof places[0]);
    for (uint32_t i = 0; i < count; i++) {
        places[share_of(view, ring, i, bits)]++;
    }
    for (uint32_t i = 0; i < 1U << bits; i++) {
        const uint16_t members = places[i];
        places[i] = before;
        before = (uint16_t)(before + members);
    }
    for (uint32_t i = 0; i < count; i++) {
        order[places[share_of(view, ring, i, bits)]++] = (uint16_t)i;
    }
}

/* Ids are random, so a share has one member or two. But who makes his own may make many that begin
 * alike: returns false where they would have to move too often. */
static bool sort_nearly_sorted(const struct view *view, int ring, uint16_t *order)
{
    const uint32_t count = view->member_count;
    uint32_t moves = 0;

    for (uint32_t i = 1; i < count && moves <= MOVES_PER_MEMBER_MAX * count; i++) {
        const uint16_t position = order[i];
        uint32_t at = i;
        for (; at > 0 && compare(view, ring, order[at - 1], position) > 0; at--) {
            order[at] = order[at - 1];
            moves++;
        }
        order[at] = position;
    }
    return moves <= MOVES_PER_MEMBER_MAX * count;
}

void rings_of(struct rings *rings, uint32_t watchers, const struct view *view)
{
    const uint32_t count = view->member_count;

    rings->watchers = watchers;
    rings->count = count;
    for (int ring = 0; ring < 2 && count > 0; ring++) {
        uint16_t *order = rings->order[ring];
        sort_by_share(view, ring, order, rings->place[ring]);
        if (!sort_nearly_sorted(view, ring, order)) {
            sort_slowly(view, ring, order);
        }
        for (uint32_t i = 0; i < count; i++) {
            rings->place[ring][order[i]] = (uint16_t)i;
        }
    }
}

/* Who comes so many places after it on a ring, at most once around. */
static uint32_t after(const struct rings *rings, int ring, uint32_t position, uint32_t places)
{
    const uint32_t place = rings->place[ring][position] + places;

    return rings->order[ring][place < rings->count ? place : place - rings->count];
}

static bool are_few(const struct rings *rings)
{
    return rings->count <= rings->watchers + 1;
}

/* To so many after it, and as many before it, a member is a neighbour on each ring. */
static uint32_t reach_of(const struct rings *rings)
{
    return (rings->watchers + 3) / 4;
}

/* From the one forward to the other. */
static uint32_t places_between(const struct rings *rings, int ring, uint32_t from, uint32_t to)
{
    const uint32_t a = rings->place[ring][from];
    const uint32_t b = rings->place[ring][to];

    return b >= a ? b - a : b + rings->count - a;
}

static bool is_beside(const struct rings *rings, uint32_t a, uint32_t b)
{
    return places_between(rings, 0, a, b) <= reach_of(rings) ||
           places_between(rings, 0, b, a) <= reach_of(rings);
}

/* On ring 2 the next ones that are no neighbours on ring 1, or a member would have fewer watchers.
 */
static bool is_second_target(const struct rings *rings, uint32_t from, uint32_t to)
{
    const uint32_t places = places_between(rings, 1, from, to);
    uint32_t passed = 0; /* that are targets before it */

    if (is_beside(rings, from, to) || places > 3 * reach_of(rings)) {
        return false;
    }
    for (uint32_t i = 1; i < places; i++) {
        passed += !is_beside(rings, from, after(rings, 1, from, i));
    }
    return passed < reach_of(rings);
}

/* The first of them. Of few members ring 2 goes on where ring 1 ends. */
static uint32_t second_target(const struct rings *rings, uint32_t position)
{
    uint32_t places = 1;

    if (are_few(rings)) {
        return after(rings, 0, position, (reach_of(rings) + 1) % rings->count);
    }
    while (is_beside(rings, position, after(rings, 1, position, places))) {
        places++;
    }
    return after(rings, 1, position, places);
}

bool rings_are_beside(const struct rings *rings, uint32_t a, uint32_t b)
{
    return a != b && is_beside(rings, a, b);
}

bool rings_are_neighbours(const struct rings *rings, uint32_t a, uint32_t b)
{
    return a != b && (are_few(rings) || is_beside(rings, a, b) || is_second_target(rings, a, b) ||
                      is_second_target(rings, b, a));
}

bool rings_are_listed(const struct rings *rings)
{
    return reach_of(rings) == 1;
}

/* Unless it is there, in its place. */
static uint32_t put(uint32_t out[RING_LISTED_MAX], uint32_t count, uint32_t position)
{
    uint32_t at = count;

    for (uint32_t i = 0; i < count; i++) {
        if (out[i] == position) {
            return count;
        }
    }
    while (at > 0 && out[at - 1] > position) {
        out[at] = out[at - 1];
        at--;
    }
    out[at] = position;
    return count + 1;
}

/* Who has it as a target on ring 2 passes over two on the way to it at most. */
uint32_t rings_neighbours(const struct rings *rings, uint32_t position,
                          uint32_t out[RING_LISTED_MAX])
{
    enum { PASSED_OVER = 2 };
    const bool few = are_few(rings);
    uint32_t count = 0;

    for (uint32_t i = 0; few && i < rings->count; i++) {
        count = i == position ? count : put(out, count, i);
    }
    if (few) {
        return count;
    }
    const uint32_t others = rings->count - 1;
    count = put(out, count, after(rings, 0, position, 1));
    count = put(out, count, after(rings, 0, position, others));
    count = put(out, count, second_target(rings, position));
    for (uint32_t places = 0; places <= PASSED_OVER; places++) {
        const uint32_t other = after(rings, 1, position, others - places);
        if (second_target(rings, other) == position) {
            count = put(out, count, other);
        }
    }
    return count;
}

/* Terms that were changed in a living cluster, as the view carries them (rules A1 to A5). */
#ifndef CORE_AGREED_H
#define CORE_AGREED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/quorum.h"
#include "core/model/timing.h"

/* What can be changed of the terms (J2); but nothing becomes guard strict, nor ceases to be (A4a).
 */
struct rules {
    struct guard guard;
    enum profile profile;
    uint64_t heartbeat_ms;
    uint64_t lost_ms;
    uint32_t capacity;
};

struct agreed {
    struct rules now;
    struct rules before; /* all zero unless `joint` */
    uint64_t number; /* rises with each change (A1); 0: none was made, and nothing else is set */
    uint64_t origin; /* a hash of the rules of the start, from which the first was made (A5) */
    uint32_t room;   /* every member can hold so many: the capacity is not above it (A1) */
    bool joint;      /* `before` holds besides, until everybody is known to have `now` (A2) */
};

bool rules_equal(const struct rules *a, const struct rules *b);

/* Do the rules of a start say what is agreed? A capacity that became smaller does not have to be
 * written down: a node starts with as much as it has to have room for (A4b, A5a). */
bool rules_are_written_down(const struct rules *started, const struct rules *agreed, uint32_t room);

/* Is every value one that could have been stated at the start? Its lost_ms is one that
 * timing_override would not raise. */
bool rules_are_sound(const struct rules *rules);

/* Of rules that are equal the same. */
uint64_t rules_hash(const struct rules *rules);

bool agreed_equal(const struct agreed *a, const struct agreed *b);

/* Nothing, or sound rules that fit the room. */
bool agreed_is_sound(const struct agreed *agreed);

struct timing rules_timing(const struct rules *rules);

/* The durations in force: those of `now`, or of both as A3 says. */
struct timing agreed_timing(const struct agreed *agreed);

/* Until the others are known to go by `now` (A3b): what is sent is sent as either would have it,
 * and who waits does so as before. */
struct timing timing_unproven(const struct timing *before, const struct timing *now);

/* What both guards ask for while both hold (A2), and what both leave room for. */
struct guard_asks agreed_asks(const struct agreed *agreed);
uint32_t agreed_capacity(const struct agreed *agreed);

/* From `from` to the rules `to` (A2), from `from` where both hold already; and to its end. */
struct agreed agreed_begin(const struct agreed *from, const struct rules *to);
struct agreed agreed_end(const struct agreed *joint);

/* A5: what holds where two parts become one, of which the first wins. Both begin with the same
 * origin, or are equal. */
struct agreed agreed_merge(const struct agreed *winner, const struct agreed *loser);

#endif

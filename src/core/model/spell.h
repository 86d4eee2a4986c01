/* For how long something has been said, again and again. All zero: it is not said. */
#ifndef CORE_SPELL_H
#define CORE_SPELL_H

#include <stdbool.h>
#include <stdint.h>

struct spell {
    uint64_t since_ms; /* 0: it is not said */
    uint64_t said_ms;  /* the last time */
};

static inline bool spell_is_on(const struct spell *spell)
{
    return spell->since_ms != 0;
}

/* It is said now. After a pause of that length it begins anew. */
static inline void spell_note(struct spell *spell, uint64_t now_ms, uint64_t pause_ms)
{
    if (!spell_is_on(spell) || now_ms > spell->said_ms + pause_ms) {
        spell->since_ms = now_ms;
    }
    spell->said_ms = now_ms;
}

/* Was it said for that long? Once is no time at all. */
static inline bool spell_lasted(const struct spell *spell, uint64_t ms)
{
    return spell_is_on(spell) && spell->said_ms >= spell->since_ms + ms;
}

#endif

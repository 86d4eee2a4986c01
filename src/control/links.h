/* Who hears whom among the members, as far as this node knows: by its own ears, and by what the
 * others' heartbeats say. From it follow the links that are bad, and which way. */
#ifndef CONTROL_LINKS_H
#define CONTROL_LINKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/facts.h"
#include "control/sheet.h"

/* Of a larger cluster the oldest are shown: the matrix grows with the square. */
enum { LINKS_MEMBERS_MAX = 256 };

/* All zero is the matrix of nobody. */
struct links {
    uint32_t count;    /* members shown: rows and columns, by position in the view */
    uint32_t left_out; /* members beyond them */
    uint32_t capacity;
    uint8_t *cells; /* enum hearing, by observer and subject */
};

/* Takes the matrix of this moment. Returns false when memory ran out. */
bool links_take(struct links *links, const struct core *core, uint64_t now_ms);
void links_deinit(struct links *links);

/* Does the member at `observer` hear the one at `subject`? Both below `count`. */
enum hearing links_hearing(const struct links *links, uint32_t observer, uint32_t subject);

/* Is the member at `position` heard by nobody? Then it is silent itself, and no link is to blame.
 * This node, whose position is `self`, knows that it is not silent. */
bool links_is_silent(const struct links *links, uint32_t position, uint32_t self);

/* The pairs between which messages are lost, as /v1/links has them. A new reference, or NULL when
 * memory ran out. */
json_t *links_bad_json(const struct links *links, const struct facts *facts);

/* The document of /v1/links. A new reference, or NULL when memory ran out. */
json_t *links_json(const struct links *links, const struct facts *facts);

/* Appends who does not hear the member at `position`, and whom it does not hear; nothing where all
 * is well: "; not heard by cyrene and delphi; does not hear cyrene". */
void links_sentence(const struct links *links, const struct facts *facts, uint32_t position,
                    struct sheet *sentence);

#endif

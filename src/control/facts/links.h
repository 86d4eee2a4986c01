/* Which members hear which others, as far as this node knows: from its own sockets and from the
 * others' heartbeats. The bad links and their direction follow from it. */
#ifndef CONTROL_LINKS_H
#define CONTROL_LINKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/facts/facts.h"
#include "control/facts/hearing_stability.h"
#include "control/text/text_builder.h"

/* In a larger cluster only the oldest members are shown: the matrix grows with the square. */
enum { LINKS_MEMBERS_MAX = 256 };

/* All zero is an empty matrix. */
struct links {
    uint32_t count;    /* members shown: rows and columns, by position in the view */
    uint32_t left_out; /* members beyond them */
    uint32_t capacity;
    uint8_t *cells;                            /* enum hearing, by observer and subject */
    const struct hearing_stability *stability; /* borrowed; NULL: all evidence counts as current */
};

/* Fills in the matrix as of `now_ms`. Returns false when memory ran out. */
bool links_collect(struct links *links, const struct core *core, uint64_t now_ms);
void links_deinit(struct links *links);

/* Does the member at `observer` hear the one at `subject`? Both below `count`. */
enum hearing links_hearing(const struct links *links, uint32_t observer, uint32_t subject);

/* Is the member at `position` heard by nobody? Then it is silent itself, and no link is to blame.
 * `self` is this node's position: it knows that it is not silent. */
bool links_is_silent(const struct links *links, uint32_t position, uint32_t self);

/* The pairs between which messages are lost, as /v1/links shows them. Pairs for which the others'
 * reports may be older than this node's own evidence are left out. Returns a new reference, or NULL
 * when memory ran out. */
json_t *links_bad_json(const struct links *links, const struct facts *facts);

/* The document of /v1/links: a new reference, or NULL when memory ran out. */
json_t *links_json(const struct links *links, const struct facts *facts);

/* Appends which members do not hear the one at `position`, and which it does not hear: "; not heard
 * by cyrene and delphi; does not hear cyrene". Appends nothing where all is well. */
void links_sentence(const struct links *links, const struct facts *facts, uint32_t position,
                    struct text_builder *sentence);

#endif

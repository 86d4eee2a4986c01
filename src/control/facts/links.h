/* The links between members that are bad, and in which direction, as far as this node knows: from
 * its own sockets and from what the others doubt, or say when they are asked. No document has a
 * cell for each pair: of pairs that nobody doubts there is nothing to say. */
#ifndef CONTROL_LINKS_H
#define CONTROL_LINKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/facts/facts.h"
#include "control/facts/hearing_stability.h"
#include "control/text/text_builder.h"

enum { LINKS_DOUBTS_MAX = 32 }; /* of one member */

/* Who says what of whom. All of it is by position in the view. */
struct links {
    /* Does the member at `observer` hear the one at `subject`? */
    enum hearing (*hearing)(const void *context, uint32_t observer, uint32_t subject);
    /* Whom it does not hear: returns how many. */
    uint32_t (*doubts)(const void *context, uint32_t observer, uint32_t out[LINKS_DOUBTS_MAX]);
    const void *context;
    const struct hearing_stability *stability; /* borrowed; NULL: all evidence counts as current */
};

/* By this node's own ears and the others' heartbeats; `facts` and `stability` are borrowed. */
struct links links_told(const struct facts *facts, const struct hearing_stability *stability);

/* The same of one member, for who asks others, too, and got no answer of that one. */
enum hearing links_told_hearing(const void *context, uint32_t observer, uint32_t subject);
uint32_t links_told_doubts(const void *context, uint32_t observer, uint32_t out[LINKS_DOUBTS_MAX]);

/* Is the member at `position` heard by nobody? Then it is silent itself, and no link is to blame.
 * Of this node it is known that it is not. */
bool links_is_silent(const struct links *links, const struct facts *facts, uint32_t position);

/* The pairs between which messages are lost, as /v1/links shows them. Pairs for which the others'
 * reports may be older than this node's own evidence are left out. Returns a new reference, or NULL
 * when memory ran out. */
json_t *links_bad_json(const struct links *links, const struct facts *facts);

/* Adds them as "bad", those that nobody hears as "silent", and the names of those that are members
 * no more because they failed as "failed". */
bool links_put(json_t *object, const struct links *links, const struct facts *facts);

/* Appends which members do not hear the one at `position`, and which it does not hear: "; not heard
 * by cyrene and delphi; does not hear cyrene". Appends nothing where all is well. */
void links_sentence(const struct links *links, const struct facts *facts, uint32_t position,
                    struct text_builder *sentence);

#endif

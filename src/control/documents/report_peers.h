/* What each member says of itself: this node's own answer to the others, and the document of all of
 * them. */
#ifndef CONTROL_REPORT_PEERS_H
#define CONTROL_REPORT_PEERS_H

#include <jansson.h>
#include <stddef.h>

#include "control/facts/facts.h"
#include "control/facts/hearing_stability.h"
#include "runtime/services/inquiry.h"

/* Writes this node's answer; returns its length, or 0 when memory ran out. */
size_t report_peer_write(const struct facts *facts, char text[INQUIRY_TEXT_MAX]);

/* The members, their answers in the round that runs, and the links that are bad; none of it yet
 * while some members are still to be asked. Returns a new reference, or NULL when memory ran out.
 */
json_t *report_peers(const struct facts *facts, const struct inquiry *inquiry,
                     const struct hearing_stability *stability);

/* What the member at that position of the view says of itself: the keys that are known, null where
 * it does not say. NULL: it has not answered, or memory ran out. */
json_t *report_peer_said(const struct facts *facts, const struct inquiry *inquiry,
                         uint32_t position);

#endif

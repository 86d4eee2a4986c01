/* A refusal in words: for the log, the control socket and doyen-replay. */
#ifndef WORDS_REFUSED_TEXT_H
#define WORDS_REFUSED_TEXT_H

#include "core/model/effect.h"
#include "words/address_text.h"

enum {
    SENDER_TEXT_MAX = NAME_BYTES_MAX + 1 > ADDRESS_TEXT_MAX ? NAME_BYTES_MAX + 1 : ADDRESS_TEXT_MAX,
    REFUSED_TEXT_MAX = 384,
};

/* Who that is: a name, where the view or its list of the gone has one; else the address; else the
 * beginning of the id. Returns `out`. */
const char *sender_text(const struct view *view, const struct node_id *id,
                        const struct address *source, char out[SENDER_TEXT_MAX]);

/* "rule=C2b reason=epoch_promised type=claim from=cyrene number=12: the epoch is promised to
 * another". What is to be told of a message of an earlier step has no number. Returns `out`. */
const char *refused_text(const struct refused_message *refused, const char *sender,
                         char out[REFUSED_TEXT_MAX]);

#endif

/* What a message says, on one line. */
#ifndef WORDS_MESSAGE_WORDS_H
#define WORDS_MESSAGE_WORDS_H

#include "core/model/message.h"

enum { MESSAGE_WORDS_MAX = 320 };

/* "view=2.6@byzantium epoch=2": the content in the words of the log, without type, sender and
 * number; empty where there is nothing to be said. `known` is the view in which coordinators' names
 * are looked up. Returns `out`. */
const char *message_words(const struct message *message, const struct view *known,
                          char out[MESSAGE_WORDS_MAX]);

#endif

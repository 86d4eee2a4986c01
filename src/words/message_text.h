/* Messages by name, for counters and for who tells of them. */
#ifndef WORDS_MESSAGE_TEXT_H
#define WORDS_MESSAGE_TEXT_H

#include "core/message.h"

/* "heartbeat", "join_refused"; "unknown" beyond the last. */
const char *message_text(enum message_type type);

#endif

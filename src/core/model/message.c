#include "core/model/message.h"

#include <stddef.h>
#include <string.h>

void message_clear(struct message *message, enum message_type type)
{
    size_t bytes = type == MESSAGE_HEARTBEAT ? offsetof(struct message, heartbeat.suspects)
                                             : sizeof *message;
    memset(message, 0, bytes);
    message->type = type;
}

enum message_body message_body(enum message_type type)
{
#define MESSAGE_BODY(name, number, text, body) [MESSAGE_##name] = CARRIES_##body,
    static const enum message_body bodies[MESSAGE_TYPE_COUNT] = {MESSAGES(MESSAGE_BODY)};
#undef MESSAGE_BODY

    return bodies[type];
}

const char *message_text(enum message_type type)
{
#define MESSAGE_TEXT(name, number, text, body) [MESSAGE_##name] = (text),
    static const char *const texts[MESSAGE_TYPE_COUNT] = {MESSAGES(MESSAGE_TEXT)};
#undef MESSAGE_TEXT

    return texts[type] != NULL ? texts[type] : "unknown"; /* There is no type 0. */
}

struct view *message_view(const struct message *message)
{
    enum message_body body = message_body(message->type);

    return body == CARRIES_VIEW || body == CARRIES_BALLOT ? message->carrier.view : NULL;
}

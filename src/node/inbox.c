#include "node/inbox.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

bool inbox_open(struct inbox *inbox, const struct allocator *memory)
{
    inbox->messages = allocator_get(memory, INBOX_MAX * sizeof *inbox->messages);
    return inbox->messages != NULL;
}

void inbox_close(struct inbox *inbox, const struct allocator *memory)
{
    allocator_release(memory, inbox->messages);
    *inbox = (struct inbox){.messages = NULL};
}

bool inbox_put(struct inbox *inbox, const struct member *from, const uint8_t *data, size_t length)
{
    struct inbox_message *message = &inbox->messages[(inbox->first + inbox->count) % INBOX_MAX];

    assert(length <= sizeof message->data);
    if (inbox->count == INBOX_MAX) {
        return false;
    }
    inbox->count++;
    (void)text_set(message->from, sizeof message->from, from->name,
                   text_length(from->name, NAME_BYTES_MAX));
    (void)id_text(&from->id, message->from_id);
    message->length = (uint16_t)length;
    if (length > 0) {
        memcpy(message->data, data, length);
    }
    return true;
}

const struct inbox_message *inbox_take(struct inbox *inbox)
{
    const struct inbox_message *message = &inbox->messages[inbox->first];

    if (inbox->count == 0) {
        return NULL;
    }
    inbox->first = (inbox->first + 1) % INBOX_MAX;
    inbox->count--;
    return message;
}

#include "proto/beat_frame.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "proto/wire.h"

enum {
    AT_FLAGS = 1,
    AT_LIFE = 2,
    AT_NUMBER = 6,
    AT_VIEW = 12,
    AT_ECHO = 14,

    NUMBER_BYTES = AT_VIEW - AT_NUMBER,
    ECHO_BYTES = 4,

    FLAG_LATE = BEAT_LATE,
    FLAG_ACTING = 2,
    FLAG_ASKS = BEAT_ASKS,
    FLAGS_NONE = 8, /* this one means nothing yet */
    VERSION_SHIFT = 4,
};

/* Of those above it a heartbeat tells: at a thousand messages a second after 8,900 years. */
#define NUMBER_MAX ((UINT64_C(1) << (8 * NUMBER_BYTES)) - 1)

static uint8_t *put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
    }
    return at + bytes;
}

static uint64_t get(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

void beat_view_set(struct beat_view *view, const struct view_id *id, uint64_t hash)
{
    uint8_t *at = view->bytes;

    view->id = *id;
    view->hash = hash;
    at = put(at, id->lineage, 8);
    at = put(at, id->epoch, 8);
    at = put(at, id->version, 8);
    memcpy(at, id->coordinator.bytes, sizeof id->coordinator.bytes);
    at = put(at + sizeof id->coordinator.bytes, hash, 8);
    assert(at == view->bytes + BEAT_VIEW_BYTES);
    view->label = (uint16_t)hash_finish(hash_bytes(HASH_START, view->bytes, BEAT_VIEW_BYTES));
}

uint32_t beat_life(const struct node_id *life)
{
    return (uint32_t)get(life->bytes, 4);
}

bool beat_is(const uint8_t *bytes, size_t length)
{
    return (length == BEAT_BYTES_MIN || length == BEAT_BYTES_MAX) && bytes[0] == BEAT_KIND;
}

bool beat_read(const uint8_t *bytes, size_t length, struct beat *beat)
{
    const uint8_t flags = bytes[AT_FLAGS];
    const bool echoes = length == BEAT_BYTES_MAX;

    *beat = (struct beat){.version = flags >> VERSION_SHIFT,
                          .late = (flags & FLAG_LATE) != 0,
                          .acting = (flags & FLAG_ACTING) != 0,
                          .asks = (flags & FLAG_ASKS) != 0,
                          .life = (uint32_t)get(bytes + AT_LIFE, 4),
                          .number = get(bytes + AT_NUMBER, NUMBER_BYTES),
                          .echo = echoes ? (uint32_t)get(bytes + AT_ECHO, ECHO_BYTES) : 0,
                          .label = (uint16_t)get(bytes + AT_VIEW, 2)};

    return wire_speaks(beat->version + 1U) && (flags & FLAGS_NONE) == 0 &&
           echoes == (beat->echo != 0);
}

bool beat_can_say(const struct message *message)
{
    const struct heartbeat *heartbeat = &message->heartbeat;

    return message->type == MESSAGE_HEARTBEAT && message->number <= NUMBER_MAX &&
           heartbeat->suspect_count == 0 && !heartbeat->handed_over;
}

size_t beat_write(const struct message *message, const struct beat_view *view, uint32_t echo,
                  uint8_t version, uint8_t out[BEAT_BYTES_MAX])
{
    const struct heartbeat *heartbeat = &message->heartbeat;

    assert(beat_can_say(message));
    assert(view_id_equal(&heartbeat->view, &view->id) && heartbeat->view_hash == view->hash);
    out[0] = BEAT_KIND;
    out[AT_FLAGS] = (uint8_t)((heartbeat->late ? FLAG_LATE : 0) |
                              (heartbeat->acting ? FLAG_ACTING : 0) |
                              (heartbeat->asks ? FLAG_ASKS : 0) | version << VERSION_SHIFT);
    memcpy(out + AT_LIFE, message->from.bytes, 4);
    (void)put(out + AT_NUMBER, message->number, NUMBER_BYTES);
    (void)put(out + AT_VIEW, view->label, 2);
    if (echo == 0) {
        return BEAT_BYTES_MIN;
    }
    (void)put(out + AT_ECHO, echo, ECHO_BYTES);
    return BEAT_BYTES_MAX;
}

size_t beat_authentic(const uint8_t *bytes, size_t length, const struct beat_view *view,
                      uint8_t out[BEAT_AUTHENTIC_BYTES_MAX])
{
    const size_t tag_at = length - BEAT_TAG_BYTES;

    assert(length == BEAT_BYTES_MIN || length == BEAT_BYTES_MAX);
    memcpy(out, bytes, tag_at);
    memcpy(out + tag_at, view->bytes, BEAT_VIEW_BYTES);
    return tag_at + BEAT_VIEW_BYTES;
}

void beat_message(const struct beat *beat, const struct beat_view *view, const struct node_id *from,
                  const struct node_id *to, struct message *message)
{
    message_clear(message, MESSAGE_HEARTBEAT);
    message->from = *from;
    message->number = beat->number;
    message->to = *to;
    message->fellow = true; /* The view that both name holds the receiver. */
    message->echo = beat->echo;
    message->heartbeat.view = view->id;
    message->heartbeat.view_hash = view->hash;
    message->heartbeat.late = beat->late;
    message->heartbeat.acting = beat->acting;
    message->heartbeat.asks = beat->asks;
}

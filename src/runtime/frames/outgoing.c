#include "runtime/frames/outgoing.h"

#include <assert.h>

struct outgoing outgoing_encode(struct wire *wire, const struct effect *effect, bool again)
{
    assert(effect->type == EFFECT_SEND && effect->message != NULL);
    const struct wire_copy copy = {
        .to = id_is_none(&effect->peer) ? NULL : &effect->peer,
        .flags = (effect->fellow ? WIRE_FELLOW : 0U) | (effect->relay ? WIRE_RELAY : 0U) |
                 (effect->handed_on ? WIRE_HANDED_ON : 0U),
        .echo = effect->echo,
        .version = effect->version,
        .brief = effect->brief,
    };
    struct outgoing outgoing = {
        .peer = &effect->peer,
        .to = &effect->address,
        .hop = &effect->peer,
        .type = effect->message->type,
    };

    outgoing.bytes = (again ? wire_encode_copy : wire_encode)(wire, effect->message, &copy,
                                                              &outgoing.length);
    return outgoing;
}

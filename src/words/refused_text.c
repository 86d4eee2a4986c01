#include "words/refused_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/model/view.h"
#include "words/id_text.h"

const char *sender_text(const struct view *view, const struct node_id *id,
                        const struct address *source, char out[SENDER_TEXT_MAX])
{
    const uint32_t position = view_find(view, id);
    const struct gone *gone = view_find_gone(view, id);
    char text[ADDRESS_TEXT_MAX];

    if (position != VIEW_NONE) {
        snprintf(out, SENDER_TEXT_MAX, "%s", view->members[position].name);
    } else if (gone != NULL) {
        snprintf(out, SENDER_TEXT_MAX, "%s", gone->name);
    } else if (!address_is_none(source)) {
        snprintf(out, SENDER_TEXT_MAX, "%s", address_text(source, text));
    } else {
        snprintf(out, SENDER_TEXT_MAX, "id:%02x%02x%02x%02x", id->bytes[0], id->bytes[1],
                 id->bytes[2], id->bytes[3]);
    }
    return out;
}

const char *refused_text(const struct refused_message *refused, const char *sender,
                         char out[REFUSED_TEXT_MAX])
{
    char number[32] = "";

    if (refused->number != 0) {
        snprintf(number, sizeof number, " number=%" PRIu64, refused->number);
    }
    snprintf(out, REFUSED_TEXT_MAX, "rule=%s reason=%s type=%s from=%s%s: %s",
             refusal_clause(refused->reason), refusal_name(refused->reason),
             message_text(refused->type), sender, number, refusal_text(refused->reason));
    return out;
}

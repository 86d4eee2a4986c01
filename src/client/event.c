#include "client/event.h"

#include <string.h>

#include "client/field.h"
#include "client/view.h"

static enum doyen_kind kind_of(const char *name, const json_t *data)
{
    static const struct {
        const char *name;
        enum doyen_kind kind;
    } kinds[] = {
        {"snapshot", DOYEN_SNAPSHOT}, {"joined", DOYEN_JOINED},
        {"gone", DOYEN_GONE},         {"coordinator", DOYEN_COORDINATOR},
        {"guard", DOYEN_GUARD},       {"view", DOYEN_VIEW},
        {"gap", DOYEN_GAP},           {"tags", DOYEN_TAGS},
    };

    if (strcmp(name, "acting") == 0) {
        return field_is_true(data, "acting") ? DOYEN_ACTING : DOYEN_NOT_ACTING;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(name, kinds[i].name) == 0) {
            return kinds[i].kind;
        }
    }
    return DOYEN_OTHER;
}

/* The member that an event is about, as it is known best. */
static const struct doyen_member *member_of(const json_t *data, const struct doyen_view *view,
                                            const struct doyen_view *before, struct arena *arena,
                                            struct doyen_member *space)
{
    const char *id = field_text(data, "id");
    const struct doyen_member *member = view_find_life(view, id);

    if (member == NULL) {
        member = view_find_life(before, id);
    }
    if (member == NULL && id != NULL && field_text(data, "name") != NULL) {
        view_read_member(data, arena, space);
        member = space;
    }
    return member;
}

void event_read(struct read_event *read, const char *name, const char *json,
                const struct doyen_view *view, const struct doyen_view *before,
                const struct allocator *memory)
{
    struct doyen_event *event = &read->event;

    *read = (struct read_event){.data = json_loads(json, 0, NULL), .arena.memory = memory};
    const char *text = field_text(read->data, "text");
    *event = (struct doyen_event){.kind = kind_of(name, read->data),
                                  .name = name,
                                  .text = text == NULL ? "" : text,
                                  .view = view,
                                  .json = json};
    if (event->kind != DOYEN_SNAPSHOT) {
        event->member = member_of(read->data, view, before, &read->arena, &read->member);
    }
    if (event->kind == DOYEN_GONE) {
        event->reason = field_text(read->data, "reason");
    }
}

void event_deinit(struct read_event *read)
{
    arena_deinit(&read->arena);
    json_decref(read->data);
}

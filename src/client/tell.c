#include "client/tell.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/arena.h"
#include "client/field.h"
#include "client/view.h"

struct told *told_new(const struct allocator *memory, const struct sse_event *event)
{
    const size_t name_bytes = strlen(event->name) + 1;
    const size_t json_bytes = strlen(event->data) + 1;
    struct told *told = allocator_get(memory, sizeof *told + name_bytes + json_bytes);

    if (told == NULL) {
        return NULL;
    }
    char *name = (char *)(told + 1);
    char *json = name + name_bytes;
    told->name = memcpy(name, event->name, name_bytes);
    told->json = memcpy(json, event->data, json_bytes);
    if (client_is_token(event->id)) {
        (void)text_set(told->id, sizeof told->id, event->id, strlen(event->id));
    }
    return told;
}

/* --- Calling back --- */

static bool call(struct doyen *d, struct doyen_event *event)
{
    struct watch *watch = &d->watch;

    event->resume = watch->resume[0] == '\0' ? NULL : watch->resume;
    d->calling_back = true;
    const int result = watch->on_event(watch->user, event);
    d->calling_back = false;
    if (result != 0) {
        watch->result = result;
        watch->on = false;
    }
    return watch->on;
}

static enum doyen_kind kind_of(const char *name, const json_t *data)
{
    static const struct {
        const char *name;
        enum doyen_kind kind;
    } kinds[] = {
        {"snapshot", DOYEN_SNAPSHOT}, {"joined", DOYEN_JOINED},
        {"gone", DOYEN_GONE},         {"coordinator", DOYEN_COORDINATOR},
        {"guard", DOYEN_GUARD},       {"view", DOYEN_VIEW},
        {"gap", DOYEN_GAP},
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

bool tell_event(struct doyen *d, const struct told *told, const struct doyen_view *view,
                const struct doyen_view *before)
{
    json_t *data = json_loads(told->json, 0, NULL);
    struct arena arena = {.memory = &d->memory};
    struct doyen_member space;
    const char *text = field_text(data, "text");
    struct doyen_event event = {.kind = kind_of(told->name, data),
                                .name = told->name,
                                .text = text == NULL ? "" : text,
                                .view = view,
                                .json = told->json};

    if (event.kind != DOYEN_SNAPSHOT) {
        event.member = member_of(data, view, before, &arena, &space);
    }
    if (event.kind == DOYEN_GONE) {
        event.reason = field_text(data, "reason");
    }
    if (told->id[0] != '\0') {
        memcpy(d->watch.resume, told->id, sizeof told->id);
    }
    const bool on = call(d, &event);
    arena_deinit(&arena);
    json_decref(data);
    return on;
}

/* --- What changed meanwhile --- */

static bool tell_derived(struct doyen *d, enum doyen_kind kind, const char *name,
                         const struct doyen_view *view, const struct doyen_member *member)
{
    char text[512];
    struct doyen_event event = {
        .kind = kind, .name = name, .text = text, .view = view, .member = member, .derived = true};

    snprintf(text, sizeof text, "%s meanwhile%s%.300s", name, member == NULL ? "" : ": ",
             member == NULL ? "" : member->name);
    return call(d, &event);
}

/* Tells of each member of `of` whose life is not in `others`. */
static bool tell_missing(struct doyen *d, enum doyen_kind kind, const char *name,
                         const struct doyen_view *of, const struct doyen_view *others,
                         const struct doyen_view *view)
{
    for (size_t i = 0; i < of->member_count; i++) {
        const struct doyen_member *member = of->members[i];
        if (view_find_life(others, member->id) == NULL &&
            !tell_derived(d, kind, name, view, member)) {
            return false;
        }
    }
    return true;
}

static bool is_same_life(const struct doyen_member *a, const struct doyen_member *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a->id, b->id) == 0);
}

static bool tell_difference(struct doyen *d, const struct doyen_view *before,
                            const struct doyen_view *view)
{
    if (!tell_missing(d, DOYEN_GONE, "gone", before, view, view) ||
        !tell_missing(d, DOYEN_JOINED, "joined", view, before, view)) {
        return false;
    }
    if (!is_same_life(before->coordinator, view->coordinator) &&
        !tell_derived(d, DOYEN_COORDINATOR, "coordinator", view, view->coordinator)) {
        return false;
    }
    if (before->guard_met != view->guard_met &&
        !tell_derived(d, DOYEN_GUARD, "guard", view, NULL)) {
        return false;
    }
    return before->acting == view->acting ||
           tell_derived(d, view->acting ? DOYEN_ACTING : DOYEN_NOT_ACTING, "acting", view, NULL);
}

bool tell_gap(struct doyen *d, const struct told *gap, const struct doyen_view *view,
              const struct doyen_view *before)
{
    json_t *data = json_loads(gap->json, 0, NULL);
    const char *text = field_text(data, "text");
    struct doyen_event event = {.kind = DOYEN_GAP,
                                .name = gap->name,
                                .text = text == NULL ? "" : text,
                                .view = view,
                                .lost = before == NULL,
                                .json = gap->json};

    const bool on = call(d, &event);
    json_decref(data);
    return on && (before == NULL || tell_difference(d, before, view));
}

/* --- The daemon comes and goes --- */

static void say(const struct doyen *d, const char *line)
{
    if (d->log != NULL) {
        d->log(d->memory.user, line);
    }
}

bool tell_away(struct doyen *d, const struct problem *problem)
{
    struct doyen_event event = {
        .kind = DOYEN_AWAY, .name = "away", .text = problem->text, .view = d->watch.view};

    say(d, problem->text);
    return call(d, &event);
}

bool tell_back(struct doyen *d)
{
    char text[PROBLEM_TEXT_MAX + 64];
    struct doyen_event event = {
        .kind = DOYEN_BACK, .name = "back", .text = text, .view = d->watch.view};

    snprintf(text, sizeof text, "the daemon at %s is back", target_text(&d->target));
    say(d, text);
    return call(d, &event);
}

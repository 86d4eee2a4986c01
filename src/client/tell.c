#include "client/tell.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/event.h"
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

bool tell_event(struct doyen *d, const struct told *told, const struct doyen_view *view,
                const struct doyen_view *before)
{
    struct read_event read;

    if (told->id[0] != '\0') {
        memcpy(d->watch.resume, told->id, sizeof told->id);
    }
    event_read(&read, told->name, told->json, view, before, &d->memory);
    const bool on = call(d, &read.event);
    event_deinit(&read);
    return on;
}

/* --- What changed meanwhile --- */

/* Why a former member went, as the view remembers it; NULL: it does not, or it is a member. */
static const char *reason_of(const struct doyen_view *view, const struct doyen_member *member)
{
    for (size_t i = 0; member != NULL && i < view->gone_count; i++) {
        if (strcmp(view->gone[i]->id, member->id) == 0) {
            return view->gone[i]->reason;
        }
    }
    return NULL;
}

static bool tell_derived(struct doyen *d, enum doyen_kind kind, const char *name,
                         const struct doyen_view *view, const struct doyen_member *member)
{
    char text[512];
    struct doyen_event event = {.kind = kind,
                                .name = name,
                                .text = text,
                                .view = view,
                                .member = member,
                                .reason = kind == DOYEN_GONE ? reason_of(view, member) : NULL,
                                .derived = true};

    snprintf(text, sizeof text, "%s%s meanwhile%s%.300s", kind == DOYEN_NOT_ACTING ? "not " : "",
             name, member == NULL ? "" : ": ", member == NULL ? "" : member->name);
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

static bool has_same_tags(const struct doyen_member *a, const struct doyen_member *b)
{
    bool same = a->tag_count == b->tag_count;

    for (size_t i = 0; i < a->tag_count && same; i++) {
        same = strcmp(a->tags[i].key, b->tags[i].key) == 0 &&
               strcmp(a->tags[i].value, b->tags[i].value) == 0;
    }
    return same;
}

/* Tells of each member that was there and has other tags now. */
static bool tell_tags(struct doyen *d, const struct doyen_view *before,
                      const struct doyen_view *view)
{
    for (size_t i = 0; i < view->member_count; i++) {
        const struct doyen_member *member = view->members[i];
        const struct doyen_member *former = view_find_life(before, member->id);
        if (former != NULL && !has_same_tags(former, member) &&
            !tell_derived(d, DOYEN_TAGS, "tags", view, member)) {
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
        !tell_missing(d, DOYEN_JOINED, "joined", view, before, view) ||
        !tell_tags(d, before, view)) {
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
    struct read_event read;

    event_read(&read, gap->name, gap->json, view, NULL, &d->memory);
    read.event.lost = before == NULL;
    const bool on = call(d, &read.event);
    event_deinit(&read);
    return on && (before == NULL || tell_difference(d, before, view));
}

/* --- The daemon comes and goes --- */

static void say(const struct doyen *d, const char *line)
{
    if (d->log != NULL) {
        d->log(d->memory.user, line);
    }
}

void tell_log_away(const struct doyen *d, const struct problem *problem)
{
    char line[PROBLEM_TEXT_MAX + 64];

    snprintf(line, sizeof line, "%s; waiting for it", problem->text);
    say(d, line);
}

void tell_log_back(const struct doyen *d)
{
    char line[PROBLEM_TEXT_MAX + 64];

    snprintf(line, sizeof line, "the daemon at %s is back", target_text(&d->target));
    say(d, line);
}

bool tell_away(struct doyen *d, const struct problem *problem)
{
    struct doyen_event event = {
        .kind = DOYEN_AWAY, .name = "away", .text = problem->text, .view = d->watch.view};

    tell_log_away(d, problem);
    return call(d, &event);
}

bool tell_back(struct doyen *d)
{
    char text[PROBLEM_TEXT_MAX + 64];
    struct doyen_event event = {
        .kind = DOYEN_BACK, .name = "back", .text = text, .view = d->watch.view};

    snprintf(text, sizeof text, "the daemon at %s is back", target_text(&d->target));
    tell_log_back(d);
    return call(d, &event);
}

#include "client/view.h"

#include <stdatomic.h>
#include <string.h>

#include "client/field.h"

/* A view with what it is made of. */
struct held_view {
    struct doyen_view view; /* first, so that one is found from the other */
    atomic_uint holders;
    struct allocator memory;
    struct arena arena;
};

static struct held_view *holder_of(const struct doyen_view *view)
{
    struct held_view *held;

    memcpy(&held, &view, sizeof held); /* The caller has it as const; the count is ours. */
    return held;
}

const struct doyen_view *doyen_view_retain(const struct doyen_view *view)
{
    if (view != NULL) {
        atomic_fetch_add(&holder_of(view)->holders, 1);
    }
    return view;
}

static void view_free(struct held_view *held)
{
    const struct allocator memory = held->memory;

    arena_deinit(&held->arena);
    allocator_release(&memory, held);
}

void doyen_view_release(const struct doyen_view *view)
{
    if (view != NULL && atomic_fetch_sub(&holder_of(view)->holders, 1) == 1) {
        view_free(holder_of(view));
    }
}

const struct doyen_member *doyen_view_member(const struct doyen_view *view, const char *name)
{
    for (size_t i = 0; i < view->member_count; i++) {
        if (strcmp(view->members[i]->name, name) == 0) {
            return view->members[i];
        }
    }
    return NULL;
}

const struct doyen_member *view_find_life(const struct doyen_view *view, const char *id)
{
    for (size_t i = 0; view != NULL && id != NULL && i < view->member_count; i++) {
        if (strcmp(view->members[i]->id, id) == 0) {
            return view->members[i];
        }
    }
    return NULL;
}

/* --- Reading --- */

static void read_tags(const json_t *tags, struct arena *arena, struct doyen_member *member)
{
    const size_t count = json_object_size(tags);
    struct doyen_tag *list = count == 0 ? NULL : arena_get(arena, count * sizeof *list);
    const char *key = NULL;
    json_t *value = NULL;
    json_t *object = NULL;

    if (list == NULL) {
        return;
    }
    memcpy(&object, &tags, sizeof object); /* jansson's loop does not take what is const. */
    json_object_foreach(object, key, value)
    {
        list[member->tag_count++] = (struct doyen_tag){
            .key = arena_text(arena, key), .value = arena_text(arena, json_string_value(value))};
    }
    member->tags = list;
}

/* Milliseconds, or -1 where there are none. */
static int64_t ago_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
}

void view_read_member(const json_t *object, struct arena *arena, struct doyen_member *member)
{
    const char *state = field_text(object, "state");

    *member = (struct doyen_member){
        .name = arena_text(arena, field_text(object, "name")),
        .id = arena_text(arena, field_text(object, "id")),
        .address = arena_text(arena, field_text(object, "address")),
        .incarnation = field_number(object, "incarnation"),
        .age = (uint32_t)field_number(object, "age"),
        .coordinator = field_is_true(object, "coordinator"),
        .suspect = state != NULL && strcmp(state, "suspect") == 0,
        .silent = field_is_true(object, "silent"),
        .behind = field_is_true(object, "behind"),
        .drained = field_is_true(object, "drained"),
        .heard_ms = ago_of(object, "heard_ms"),
    };
    read_tags(json_object_get(object, "tags"), arena, member);
}

static void read_gone(const json_t *object, struct arena *arena, struct doyen_gone *gone)
{
    const char *state = field_text(object, "state");
    const char *verdict = field_text(object, "verdict");

    *gone = (struct doyen_gone){
        .name = arena_text(arena, field_text(object, "name")),
        .id = arena_text(arena, field_text(object, "id")),
        .address = arena_text(arena, field_text(object, "address")),
        .age = (uint32_t)field_number(object, "age"),
        .left = state != NULL && strcmp(state, "left") == 0,
        .reason = arena_text(arena, field_text(object, "reason")),
        .verdict = verdict == NULL ? NULL : arena_text(arena, verdict),
        .since_ms = field_number(object, "since_ms"),
    };
}

static void read_members(const json_t *list, struct held_view *held)
{
    const size_t count = json_array_size(list);
    struct doyen_view *view = &held->view;
    struct doyen_member *members = arena_get(&held->arena, count * sizeof *members);
    const struct doyen_member **pointers = arena_get(&held->arena, count * sizeof *pointers);

    if (members == NULL || pointers == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        view_read_member(json_array_get(list, i), &held->arena, &members[i]);
        pointers[i] = &members[i];
    }
    view->members = pointers;
    view->member_count = count;
}

static void read_all_gone(const json_t *list, struct held_view *held)
{
    const size_t count = json_array_size(list);
    struct doyen_gone *gone = arena_get(&held->arena, count * sizeof *gone);
    const struct doyen_gone **pointers = arena_get(&held->arena, count * sizeof *pointers);

    if (gone == NULL || pointers == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        read_gone(json_array_get(list, i), &held->arena, &gone[i]);
        pointers[i] = &gone[i];
    }
    held->view.gone = pointers;
    held->view.gone_count = count;
}

static void read_view(const json_t *document, const char *json, struct held_view *held)
{
    const json_t *guard = json_object_get(document, "guard");
    const char *acting_is = field_text(document, "acting_is");
    const char *coordinator = field_text(document, "coordinator");
    struct arena *arena = &held->arena;

    held->view = (struct doyen_view){
        .cluster = arena_text(arena, field_text(document, "cluster")),
        .node = arena_text(arena, field_text(document, "self")),
        .phase = arena_text(arena, field_text(document, "phase")),
        .epoch = field_number(document, "epoch"),
        .version = field_number(json_object_get(document, "view"), "version"),
        .acting = field_is_true(document, "acting"),
        .advisory = acting_is == NULL || strcmp(acting_is, "exclusive") != 0,
        .acting_ms = field_number(document, "acting_ms"),
        .guard = arena_text(arena, field_text(guard, "policy")),
        .guard_needed = (uint32_t)field_number(guard, "needed"),
        .guard_fresh = (uint32_t)field_number(guard, "fresh"),
        .guard_met = field_is_true(guard, "met"),
        .resume = arena_text(arena, field_text(document, "cursor")),
        .json = arena_text(arena, json),
        .acting_said_ms = ago_of(document, "acting_said_ms"),
    };
    read_members(json_object_get(document, "members"), held);
    read_all_gone(json_object_get(document, "gone"), held);
    held->view.self = doyen_view_member(&held->view, held->view.node);
    held->view.coordinator = coordinator == NULL ? NULL
                                                 : doyen_view_member(&held->view, coordinator);
}

/* Is it such a document at all? */
static bool is_members_document(const json_t *document)
{
    return field_text(document, "self") != NULL && field_text(document, "phase") != NULL &&
           field_text(document, "cursor") != NULL &&
           json_is_array(json_object_get(document, "members"));
}

const struct doyen_view *view_read(const char *json, const struct allocator *memory,
                                   struct problem *problem)
{
    json_t *document = json_loads(json, 0, NULL);
    struct held_view *held = NULL;

    if (!is_members_document(document)) {
        json_decref(document);
        (void)problem_set(problem, DOYEN_E_PROTOCOL,
                          "the view of doyend is not the one expected: is it another version?");
        return NULL;
    }
    held = allocator_get(memory, sizeof *held);
    if (held != NULL) {
        held->memory = memory == NULL ? (struct allocator){.allocate = NULL} : *memory;
        held->arena.memory = &held->memory;
        atomic_init(&held->holders, 1);
        read_view(document, json, held);
    }
    json_decref(document);
    if (held == NULL || held->arena.exhausted) {
        if (held != NULL) {
            view_free(held);
        }
        (void)problem_memory(problem);
        return NULL;
    }
    return &held->view;
}

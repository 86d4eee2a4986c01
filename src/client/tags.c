/* Tags at run time: asks the daemon for them and waits until its view shows them. */
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_state.h"
#include "client/clock.h"

enum {
    LOOK_PAUSE_MS = 20,
    ASK_AGAIN_MS = 2000, /* the daemon gives up after a while, as when there is no coordinator */
};

static bool put_change(json_t *set, json_t *unset, const struct doyen_tag *change)
{
    if (change->value == NULL) {
        return json_array_append_new(unset, json_string(change->key)) == 0;
    }
    return json_object_set_new(set, change->key, json_string(change->value)) == 0;
}

/* The body of POST /v1/tags, to be freed; NULL: no memory, or a text is not UTF-8. */
static char *tags_body(const struct doyen_tag *changes, size_t count)
{
    json_t *body = json_pack("{s:{}, s:[]}", "set", "unset");
    json_t *set = json_object_get(body, "set");
    json_t *unset = json_object_get(body, "unset");
    bool whole = body != NULL;

    for (size_t i = 0; i < count && whole; i++) {
        whole = put_change(set, unset, &changes[i]);
    }
    char *text = whole ? json_dumps(body, JSON_COMPACT) : NULL;
    json_decref(body);
    return text;
}

static const char *value_of(const struct doyen_member *member, const char *key)
{
    for (size_t i = 0; i < member->tag_count; i++) {
        if (strcmp(member->tags[i].key, key) == 0) {
            return member->tags[i].value;
        }
    }
    return NULL;
}

static bool shows(const struct doyen_view *view, const struct doyen_tag *changes, size_t count)
{
    if (view->self == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const char *value = value_of(view->self, changes[i].key);
        const bool same = value == NULL || changes[i].value == NULL
                              ? value == changes[i].value
                              : strcmp(value, changes[i].value) == 0;
        if (!same) {
            return false;
        }
    }
    return true;
}

/* Asks and looks until it is so. */
static int await_tags(struct doyen *d, const struct exchange_request *request,
                      const struct doyen_tag *changes, size_t count, int timeout_ms)
{
    const uint64_t deadline_ms = clock_deadline_ms(timeout_ms);
    struct problem problem = {.code = 0};
    uint64_t ask_ms = 0;

    while (clock_until(deadline_ms) > 0) {
        const struct doyen_view *view = NULL;
        if (clock_ms() >= ask_ms) {
            ask_ms = clock_ms() + ASK_AGAIN_MS;
            if (client_ask(d, request, clock_until(deadline_ms), NULL, &problem) != 0) {
                return client_fail(d, &problem);
            }
        }
        const int code = doyen_get(d, clock_until(deadline_ms), &view);
        const bool done = code == 0 && shows(view, changes, count);
        doyen_view_release(view);
        if (code != 0 || done) {
            return code;
        }
        (void)poll(NULL, 0, LOOK_PAUSE_MS);
    }
    return problem_set(
        &d->problem, DOYEN_E_TIMEOUT,
        "the view does not show the tags after %d ms: is there a coordinator? One of "
        "an older version does not do it",
        timeout_ms);
}

int doyen_set_tags(struct doyen *d, const struct doyen_tag *changes, size_t count, int timeout_ms)
{
    struct exchange_request request = {.method = "POST", .path = "/v1/tags"};
    char *body = tags_body(changes, count);

    if (body == NULL) {
        return problem_set(&d->problem, DOYEN_E_USAGE, "tags need a key each, and texts in UTF-8");
    }
    request.body = body;
    const int code = await_tags(d, &request, changes, count, timeout_ms);
    free(body);
    return code;
}

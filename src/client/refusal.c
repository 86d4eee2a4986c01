#include "client/refusal.h"

#include <jansson.h>
#include <string.h>

enum {
    STATUS_BAD_REQUEST = 400,
    STATUS_NOT_FOUND = 404,
    STATUS_CONFLICT = 409, /* also reserved for what the guard refuses, by later daemons */
};

/* Of the kind: "title: detail; hint", whatever lacks of it left out. */
static void say(const json_t *document, int code, struct problem *problem)
{
    const char *title = json_string_value(json_object_get(document, "title"));
    const char *detail = json_string_value(json_object_get(document, "detail"));
    const char *hint = json_string_value(json_object_get(document, "hint"));

    (void)problem_set(problem, code, "%s%s%s%s%s", title == NULL ? "" : title,
                      title != NULL && detail != NULL ? ": " : "", detail == NULL ? "" : detail,
                      hint == NULL ? "" : "; ", hint == NULL ? "" : hint);
}

int refusal_read(const struct target *target, int status, const char *body, size_t length,
                 struct problem *problem)
{
    json_t *document = json_loadb(body, length, 0, NULL);
    const char *title = json_string_value(json_object_get(document, "title"));
    const char *detail = json_string_value(json_object_get(document, "detail"));
    const bool by_guard = status == STATUS_CONFLICT && title != NULL &&
                          strcmp(title, "not enough members") == 0;
    const int code = by_guard                       ? DOYEN_E_GUARD
                     : status == STATUS_BAD_REQUEST ? DOYEN_E_USAGE
                                                    : DOYEN_E_REFUSED;

    if (title == NULL && detail == NULL) {
        (void)problem_set(problem, code, "%s answered with status %d%s", target_text(target),
                          status,
                          status == STATUS_NOT_FOUND
                              ? ": it does not know what was asked; is it doyend, an older one?"
                              : ", which says no more: is it doyend?");
    } else {
        say(document, code, problem);
    }
    json_decref(document);
    return code;
}

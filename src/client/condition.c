/* What doyen_wait waits for. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/condition.h"

enum { MISSING_ONE_MAX = 384 };

/* The list of what is missing, as far as there is room for it. */
struct missing {
    char *text; /* NULL: nobody wants to know */
    size_t bytes;
    size_t used;
    bool any;
};

static void add(struct missing *missing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct missing *missing, const char *format, ...)
{
    va_list arguments;
    const size_t left = missing->bytes - missing->used;
    const char *separator = missing->any ? ", " : "";
    char text[MISSING_ONE_MAX];

    missing->any = true;
    if (missing->text == NULL || left <= 1) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const int length = snprintf(missing->text + missing->used, left, "%s%s", separator, text);
    missing->used += (size_t)length < left ? (size_t)length : left - 1;
}

/* Has it the tag of the condition, "KEY" or "KEY=VALUE", if there is one? */
static bool counts(const struct doyen_condition *condition, const struct doyen_member *member)
{
    const char *tag = condition->tag;
    const char *value = tag == NULL ? NULL : strchr(tag, '=');
    const size_t key_length = tag == NULL ? 0 : value == NULL ? strlen(tag) : (size_t)(value - tag);

    for (size_t i = 0; tag != NULL && i < member->tag_count; i++) {
        const struct doyen_tag *has = &member->tags[i];
        if (strlen(has->key) == key_length && strncmp(has->key, tag, key_length) == 0 &&
            (value == NULL || strcmp(has->value, value + 1) == 0)) {
            return true;
        }
    }
    return tag == NULL;
}

static void check_count(const struct doyen_condition *condition, const struct doyen_view *view,
                        struct missing *missing)
{
    const uint32_t wanted = condition->members;
    const char *with = condition->tag == NULL ? "" : " with ";
    const char *tag = condition->tag == NULL ? "" : condition->tag;
    size_t count = 0;

    for (size_t i = 0; i < view->member_count; i++) {
        count += counts(condition, view->members[i]);
    }
    const bool enough = condition->at_least ? count >= wanted : count == wanted;
    if (wanted != 0 && !enough) {
        add(missing, "%zu member%s%s%s where %" PRIu32 "%s %s waited for", count,
            count == 1 ? "" : "s", with, tag, wanted, condition->at_least ? " or more" : "",
            wanted == 1 && !condition->at_least ? "is" : "are");
    } else if (wanted == 0 && condition->name == NULL && count == 0 && condition->tag != NULL) {
        add(missing, "no member has the tag %s", tag);
    }
}

static void check_members(const struct doyen_condition *condition, const struct doyen_view *view,
                          struct missing *missing)
{
    const struct doyen_member *named = condition->name == NULL
                                           ? NULL
                                           : doyen_view_member(view, condition->name);

    check_count(condition, view, missing);
    if (condition->name != NULL && named == NULL) {
        add(missing, "%s is not a member", condition->name);
    } else if (named != NULL && !counts(condition, named)) {
        add(missing, "%s has not the tag %s", condition->name, condition->tag);
    }
    if (condition->gone != NULL && doyen_view_member(view, condition->gone) != NULL) {
        add(missing, "%s is a member", condition->gone);
    }
}

bool condition_holds(const struct doyen_condition *condition, const struct doyen_view *view,
                     char *text, size_t bytes)
{
    struct missing missing = {.text = bytes == 0 ? NULL : text, .bytes = bytes};
    const char *named = view->coordinator == NULL ? NULL : view->coordinator->name;

    if (missing.text != NULL) {
        missing.text[0] = '\0';
    }
    if (strcmp(view->phase, "member") != 0) {
        add(&missing, "%s is in phase %s", view->node, view->phase);
    }
    check_members(condition, view, &missing);
    if (condition->coordinator != NULL &&
        (named == NULL || strcmp(named, condition->coordinator) != 0)) {
        add(&missing, "the coordinator is %s", named == NULL ? "not known" : named);
    }
    if (condition->acting && !view->acting) {
        add(&missing, "%s is not acting", view->node);
    }
    if (condition->guard_met && !view->guard_met) {
        add(&missing, "the guard is not met");
    }
    return !missing.any;
}

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

static void check_members(const struct doyen_condition *condition, const struct doyen_view *view,
                          struct missing *missing)
{
    const size_t count = view->member_count;
    const uint32_t wanted = condition->members;
    const bool enough = condition->at_least ? count >= wanted : count == wanted;

    if (wanted != 0 && !enough) {
        add(missing, "%zu member%s where %" PRIu32 "%s %s waited for", count, count == 1 ? "" : "s",
            wanted, condition->at_least ? " or more" : "",
            wanted == 1 && !condition->at_least ? "is" : "are");
    }
    if (condition->name != NULL && doyen_view_member(view, condition->name) == NULL) {
        add(missing, "%s is not a member", condition->name);
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

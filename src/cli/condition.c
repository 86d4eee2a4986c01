#include "cli/condition.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/document.h"

/* Adds to the list of what is missing. */
static void add_missing(char missing[CONDITION_TEXT_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_missing(char missing[CONDITION_TEXT_MAX], const char *format, ...)
{
    size_t used = strlen(missing);
    va_list arguments;

    if (used > 0 && used < CONDITION_TEXT_MAX - 3) {
        memcpy(missing + used, ", ", 3);
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(missing + used, CONDITION_TEXT_MAX - used, format, arguments);
    va_end(arguments);
}

static bool has_member(const json_t *members, const char *name)
{
    const json_t *list = json_object_get(members, "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(document_text(json_array_get(list, i), "name", ""), name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_members(const struct conditions *conditions, const json_t *members,
                          char missing[CONDITION_TEXT_MAX])
{
    const uint64_t count = json_array_size(json_object_get(members, "members"));
    const uint64_t wanted = conditions->member_count;
    const bool enough = conditions->at_least ? count >= wanted : count == wanted;

    if (wanted != 0 && !enough) {
        add_missing(missing, "%" PRIu64 " member%s where %" PRIu64 "%s %s waited for", count,
                    count == 1 ? "" : "s", wanted, conditions->at_least ? " or more" : "",
                    wanted == 1 && !conditions->at_least ? "is" : "are");
    }
    if (conditions->present != NULL && !has_member(members, conditions->present)) {
        add_missing(missing, "%s is not a member", conditions->present);
    }
    if (conditions->absent != NULL && has_member(members, conditions->absent)) {
        add_missing(missing, "%s is a member", conditions->absent);
    }
}

bool conditions_hold(const struct conditions *conditions, const json_t *members,
                     char missing[CONDITION_TEXT_MAX])
{
    const char *coordinator = document_coordinator(members);
    const char *self = document_text(members, "self", "this node");
    const char *phase = document_text(members, "phase", "?");

    missing[0] = '\0';
    if (strcmp(phase, "member") != 0) {
        add_missing(missing, "%s is in phase %s", self, phase);
    }
    check_members(conditions, members, missing);
    if (conditions->coordinator != NULL &&
        (coordinator == NULL || strcmp(coordinator, conditions->coordinator) != 0)) {
        add_missing(missing, "the coordinator is %s",
                    coordinator == NULL ? "not known" : coordinator);
    }
    if (conditions->acting && !document_is_true(members, "acting")) {
        add_missing(missing, "%s is not acting", self);
    }
    if (conditions->guard_met && !document_guard_is_met(members)) {
        add_missing(missing, "the guard is not met");
    }
    return missing[0] == '\0';
}

#include "cli/condition.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/document.h"

/* Adds to the list of what is missing. */
static void add(char missing[CONDITION_TEXT_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(char missing[CONDITION_TEXT_MAX], const char *format, ...)
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

bool conditions_hold(const struct conditions *conditions, const json_t *members,
                     char missing[CONDITION_TEXT_MAX])
{
    const uint64_t member_count = json_array_size(json_object_get(members, "members"));
    const char *coordinator = document_coordinator(members);
    const char *self = document_text(members, "self", "this node");
    const char *phase = document_text(members, "phase", "?");

    missing[0] = '\0';
    if (strcmp(phase, "member") != 0) {
        add(missing, "%s is in phase %s", self, phase);
    }
    if (conditions->member_count != 0 && member_count != conditions->member_count) {
        add(missing, "%" PRIu64 " member%s where %" PRIu64 " are waited for", member_count,
            member_count == 1 ? "" : "s", conditions->member_count);
    }
    if (conditions->coordinator != NULL &&
        (coordinator == NULL || strcmp(coordinator, conditions->coordinator) != 0)) {
        add(missing, "the coordinator is %s", coordinator == NULL ? "not known" : coordinator);
    }
    if (conditions->acting && !document_is_true(members, "acting")) {
        add(missing, "%s is not acting", self);
    }
    if (conditions->guard_met && !document_guard_is_met(members)) {
        add(missing, "the guard is not met");
    }
    return missing[0] == '\0';
}

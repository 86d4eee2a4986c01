#include "cli/print/role_terms.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/document.h"

static void add(char text[ROLE_TERMS_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(char text[ROLE_TERMS_MAX], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, ROLE_TERMS_MAX - used, format, arguments);
    va_end(arguments);
}

void role_terms_text(const json_t *role, char text[ROLE_TERMS_MAX])
{
    const char *policy = document_text(role, "policy", "?");
    const char *need = document_text(role, "need", NULL);
    const uint64_t holders = document_number(role, "max_holders");
    const uint64_t after_ms = document_number(role, "preempt_after_ms");
    const bool preempts = document_is_true(role, "preempt");
    const bool is_by_priority = strcmp(policy, "priority") == 0;
    char after[DURATION_TEXT_MAX];

    snprintf(text, ROLE_TERMS_MAX, "%s", policy);
    if (holders > 1) {
        add(text, ", holders %" PRIu64, holders);
    }
    if (need != NULL) {
        add(text, ", need %s", need);
    }
    if (after_ms > 0) {
        duration_typed(after, after_ms);
        add(text, ", preempt-after %s", after);
    } else if (preempts != is_by_priority) {
        add(text, preempts ? ", preempt" : ", no-preempt");
    }
}

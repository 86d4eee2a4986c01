#include "cli/request/document.h"

#include <stdlib.h>
#include <string.h>

const char *document_text(const json_t *document, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(document, key));
    return text == NULL ? otherwise : text;
}

uint64_t document_number(const json_t *document, const char *key)
{
    const json_t *value = json_object_get(document, key);

    if (json_is_string(value)) {
        return strtoull(json_string_value(value), NULL, 10);
    }
    const json_int_t number = json_integer_value(value);
    return number < 0 ? 0 : (uint64_t)number;
}

bool document_has(const json_t *document, const char *key)
{
    const json_t *value = json_object_get(document, key);
    return value != NULL && !json_is_null(value);
}

bool document_is_true(const json_t *document, const char *key)
{
    return json_is_true(json_object_get(document, key));
}

const char *document_coordinator(const json_t *members)
{
    return document_text(members, "coordinator", NULL);
}

bool document_guard_is_met(const json_t *members)
{
    return document_is_true(json_object_get(members, "guard"), "met");
}

enum exit_code document_exit_code(const json_t *members)
{
    if (document_coordinator(members) == NULL) {
        return EXIT_NO_COORDINATOR;
    }
    return document_guard_is_met(members) ? EXIT_DONE : EXIT_GUARD;
}

enum exit_code document_whole_exit_code(const json_t *document)
{
    const char *severity = document_text(json_object_get(document, "whole"), "severity", "bad");

    return strcmp(severity, "bad") == 0 ? EXIT_NOT_HEALTHY : EXIT_DONE;
}

enum exit_code document_self_exit_code(const json_t *members)
{
    const char *coordinator = document_coordinator(members);

    if (coordinator == NULL || strcmp(coordinator, document_text(members, "self", "")) != 0) {
        return EXIT_NO_COORDINATOR;
    }
    if (document_is_true(members, "acting")) {
        return EXIT_DONE;
    }
    return document_guard_is_met(members) ? EXIT_NO_COORDINATOR : EXIT_GUARD;
}

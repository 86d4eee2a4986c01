#include "control/requests/fault_request.h"

#include <stdio.h>
#include <string.h>

#include "control/text/json.h"

static bool refuse_fault(char why[FAULT_WHY_MAX], const char *text)
{
    snprintf(why, FAULT_WHY_MAX, "%s", text);
    return false;
}

static bool parse_drop(struct fault_request *fault, const json_t *names, char why[FAULT_WHY_MAX])
{
    const size_t count = json_array_size(names);

    if (!json_is_array(names) || count == 0) {
        return refuse_fault(why, "\"drop\" wants an array of at least one member's name");
    }
    if (count > FAULT_NAMES_MAX) {
        snprintf(why, FAULT_WHY_MAX, "\"drop\" has %zu names, more than %d", count,
                 FAULT_NAMES_MAX);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        fault->names[i] = json_string_value(json_array_get(names, i));
        if (fault->names[i] == NULL) {
            snprintf(why, FAULT_WHY_MAX, "\"drop\" has something that is no text at position %zu",
                     i);
            return false;
        }
    }
    fault->kind = FAULT_DROP;
    fault->name_count = (uint32_t)count;
    return true;
}

static bool parse_delay(struct fault_request *fault, const json_t *delay, char why[FAULT_WHY_MAX])
{
    const json_t *name = json_object_get(delay, "name");
    const json_t *ms = json_object_get(delay, "ms");

    if (json_object_size(delay) != 2 || !json_is_string(name) || !json_is_integer(ms)) {
        return refuse_fault(why,
                            "\"delay\" wants {\"name\": NAME, \"ms\": NUMBER} and nothing else");
    }
    if (json_integer_value(ms) < 0 || json_integer_value(ms) > FAULT_DELAY_MS_MAX) {
        snprintf(why, FAULT_WHY_MAX, "\"ms\" is %" JSON_INTEGER_FORMAT ", not from 0 to %d",
                 json_integer_value(ms), FAULT_DELAY_MS_MAX);
        return false;
    }
    fault->kind = FAULT_DELAY;
    fault->names[0] = json_string_value(name);
    fault->name_count = 1;
    fault->delay_ms = (uint64_t)json_integer_value(ms);
    return true;
}

static bool parse_body(struct fault_request *fault, char why[FAULT_WHY_MAX])
{
    static const char *const known[] = {"drop", "delay", "clear"};
    const char *unknown = json_unknown_key(fault->body, known, sizeof known / sizeof known[0]);

    if (unknown != NULL) {
        snprintf(why, FAULT_WHY_MAX, "\"%.40s\" is no fault; there are drop, delay and clear",
                 unknown);
        return false;
    }
    if (json_object_size(fault->body) != 1) {
        return refuse_fault(
            why, "the body must be {\"drop\": [\"NAME\"]}, {\"delay\": {\"name\": \"NAME\", "
                 "\"ms\": 100}} or {\"clear\": true}");
    }

    json_t *value = json_object_get(fault->body, "drop");
    if (value != NULL) {
        return parse_drop(fault, value, why);
    }
    value = json_object_get(fault->body, "delay");
    if (value != NULL) {
        return parse_delay(fault, value, why);
    }
    fault->kind = FAULT_CLEAR;
    return json_is_true(json_object_get(fault->body, "clear")) ||
           refuse_fault(why, "\"clear\" wants true");
}

bool fault_request_parse(struct fault_request *fault, const char *body, size_t length,
                         char why[FAULT_WHY_MAX])
{
    memset(fault, 0, sizeof *fault);
    fault->body = json_of_body(body, length, why, FAULT_WHY_MAX);
    if (fault->body == NULL) {
        return false;
    }
    if (parse_body(fault, why)) {
        return true;
    }
    fault_request_deinit(fault);
    return false;
}

void fault_request_deinit(struct fault_request *fault)
{
    json_decref(fault->body);
    fault->body = NULL;
}

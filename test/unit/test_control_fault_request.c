/* The body of POST /v1/fault: what is taken, and that what is not gets a reason. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "control/requests/fault_request.h"

Test(control_fault_request, each_kind_is_read)
{
    struct fault_request request;
    char why[FAULT_WHY_MAX];
    const char *drop = "{\"drop\": [\"a\", \"b\"]}";
    const char *delay = " {\"delay\": {\"name\": \"a\", \"ms\": 100}} ";
    const char *clear = "{\"clear\": true}";

    cr_assert(fault_request_parse(&request, drop, strlen(drop), why));
    cr_assert_eq(request.kind, FAULT_DROP);
    cr_assert_eq(request.name_count, 2);
    cr_assert_str_eq(request.names[1], "b");
    fault_request_deinit(&request);

    cr_assert(fault_request_parse(&request, delay, strlen(delay), why));
    cr_assert_eq(request.kind, FAULT_DELAY);
    cr_assert_str_eq(request.names[0], "a");
    cr_assert_eq(request.delay_ms, 100);
    fault_request_deinit(&request);

    cr_assert(fault_request_parse(&request, clear, strlen(clear), why));
    cr_assert_eq(request.kind, FAULT_CLEAR);
    cr_assert_eq(request.name_count, 0);
    fault_request_deinit(&request);
}

Test(control_fault_request, anything_else_is_refused_with_a_reason)
{
    static const char *const bodies[] = {
        "",
        " ",
        "null",
        "[]",
        "{}",
        "{",
        "\xff",
        "{\"drop\": []}",
        "{\"drop\": \"a\"}",
        "{\"drop\": [\"a\", 1]}",
        "{\"drop\": [null]}",
        "{\"drop\": [\"a\"], \"clear\": true}",
        "{\"drop\": [\"a\"], \"drop\": [\"b\"]}",
        "{\"delay\": {\"name\": \"a\"}}",
        "{\"delay\": {\"name\": \"a\", \"ms\": -1}}",
        "{\"delay\": {\"name\": \"a\", \"ms\": 60001}}",
        "{\"delay\": {\"name\": \"a\", \"ms\": 1.5}}",
        "{\"delay\": {\"name\": \"a\", \"ms\": 99999999999999999999}}",
        "{\"delay\": {\"name\": 1, \"ms\": 1}}",
        "{\"delay\": {\"name\": \"a\", \"ms\": 1, \"x\": 1}}",
        "{\"delay\": []}",
        "{\"clear\": false}",
        "{\"clear\": 1}",
        "{\"crash\": true}",
        "{\"clear\": true} x",
    };

    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct fault_request request;
        char why[FAULT_WHY_MAX] = "";
        cr_assert_not(fault_request_parse(&request, bodies[i], strlen(bodies[i]), why), "%s",
                      bodies[i]);
        cr_assert(strlen(why) > 10, "%s", bodies[i]);
    }
}

Test(control_fault_request, too_many_names_are_refused)
{
    struct fault_request request;
    char why[FAULT_WHY_MAX] = "";
    char body[8 * (FAULT_NAMES_MAX + 4)] = "{\"drop\": [\"a\"";

    for (int i = 0; i < FAULT_NAMES_MAX; i++) {
        strcat(body, ",\"a\"");
    }
    strcat(body, "]}");
    cr_assert_not(fault_request_parse(&request, body, strlen(body), why));
    cr_assert_not_null(strstr(why, "257"));
}

/* Brackets without end must not take the stack along. */
Test(control_fault_request, deep_nesting_is_refused)
{
    struct fault_request request;
    char why[FAULT_WHY_MAX] = "";
    static char body[60000];

    memset(body, '[', sizeof body);
    cr_assert_not(fault_request_parse(&request, body, sizeof body, why));
}

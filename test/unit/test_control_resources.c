/* The table of resources, and the facts behind the reports. */
#include <criterion/criterion.h>

#include "control/resources/resources.h"

struct case_of {
    const char *path;
    const char *method;
    bool over_unix;
    enum route expected;
};

Test(control_resources, requests_find_their_resource)
{
    static const struct case_of cases[] = {
        {"/v1/members", "GET", true, ROUTE_FOUND},
        {"/v1/members", "HEAD", true, ROUTE_FOUND},
        {"/v1/members", "GET", false, ROUTE_FOUND},
        {"/v1/members", "POST", true, ROUTE_WRONG_METHOD},
        {"/v1/members", "get", true, ROUTE_WRONG_METHOD},
        {"/v1/members", "", true, ROUTE_WRONG_METHOD},
        {"/v1/members/", "GET", true, ROUTE_UNKNOWN},
        {"/v1/member", "GET", true, ROUTE_UNKNOWN},
        {"/v1/membersx", "GET", true, ROUTE_UNKNOWN},
        {"", "GET", true, ROUTE_UNKNOWN},
        {"/", "GET", true, ROUTE_FOUND},
        {"/", "POST", false, ROUTE_WRONG_METHOD},
        {"/page/page.js", "GET", false, ROUTE_FOUND},
        {"/page", "GET", false, ROUTE_UNKNOWN},
        {"/pages", "GET", false, ROUTE_UNKNOWN},
        {"/livez", "GET", true, ROUTE_FOUND},
        {"/readyz", "HEAD", false, ROUTE_FOUND},
        {"/readyz", "POST", true, ROUTE_WRONG_METHOD},
        {"/metrics", "GET", false, ROUTE_FOUND},
        {"/metrics", "POST", true, ROUTE_WRONG_METHOD},
        {"/healthz", "GET", true, ROUTE_UNKNOWN},
        {"/v1/status", "GET", false, ROUTE_FOUND},
        {"/v1/coordinator", "GET", false, ROUTE_FOUND},
        {"/v1/is-coordinator", "GET", false, ROUTE_FOUND},
        {"/v1/history", "GET", false, ROUTE_FOUND},
        {"/v1/journal", "GET", false, ROUTE_FOUND},
        {"/v1/why", "GET", false, ROUTE_FOUND},
        {"/v1/version", "GET", false, ROUTE_FOUND},
        {"/v1/events", "GET", false, ROUTE_FOUND},
        {"/v1/lease", "GET", false, ROUTE_FOUND},
        {"/v1/lease", "POST", true, ROUTE_WRONG_METHOD},
        {"/v1/leave", "POST", true, ROUTE_FOUND},
        {"/v1/leave", "POST", false, ROUTE_UNIX_ONLY},
        {"/v1/leave", "GET", true, ROUTE_WRONG_METHOD},
        {"/v1/fault", "POST", true, ROUTE_FOUND},
        {"/v1/fault", "POST", false, ROUTE_UNIX_ONLY},
        {"/v1/fault", "DELETE", false, ROUTE_WRONG_METHOD},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct resource *found = NULL;
        const enum route route = resource_find(cases[i].path, method_parse(cases[i].method),
                                               cases[i].over_unix, &found);
        cr_assert_eq(route, cases[i].expected, "%s %s", cases[i].method, cases[i].path);
        cr_assert_eq(found == NULL, route == ROUTE_UNKNOWN);
    }
}

/* --http serves GET only: whatever can be posted is for the Unix socket. */
Test(control_resources, nothing_can_be_posted_over_tcp)
{
    for (size_t i = 0; i < resource_count; i++) {
        const struct resource *found = NULL;
        cr_assert_neq(resource_find(resource_table[i].path, METHOD_POST, false, &found),
                      ROUTE_FOUND, "%s", resource_table[i].path);
    }
}

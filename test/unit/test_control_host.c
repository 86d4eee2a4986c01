/* Which names in the header Host are this node's. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "control/http/host.h"

Test(control_host, its_own_names_and_any_address_are_this_node)
{
    static const char *const own[] = {
        "127.0.0.1",         "10.1.2.3:8080", "[::1]:8080",  "[2001:db8::5]", "localhost",
        "localhost:8080",    "LocalHost",     "athens",      "Athens:80",     "box7.example.org",
        "box7.example.org.", "box7:8080",     "doyen.corp:1"};
    static const char *const others[] = {"evil.example",
                                         "evil.example:8080",
                                         "athens.evil.example",
                                         "127.0.0.1.evil.example",
                                         "[evil.example]",
                                         "",
                                         ":8080",
                                         "box7.example.com",
                                         "corp",
                                         "[::1",
                                         "box"};
    struct config *config = calloc(1, sizeof *config);

    cr_assert_not_null(config);
    strcpy(config->name, "athens");
    strcpy(config->http_hosts[0], "doyen.corp");
    config->http_host_count = 1;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        cr_expect(host_is_this(own[i], config, "box7.example.org"), "%s", own[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        cr_expect_not(host_is_this(others[i], config, "box7.example.org"), "%s", others[i]);
    }
    cr_expect_not(host_is_this("box", config, ""), "a host without a name");
    cr_expect_not(host_is_this("", config, ""));
    free(config);
}

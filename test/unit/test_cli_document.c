/* What doyen makes of the daemon's documents: fields, exit codes, conditions to wait for. */
#include <criterion/criterion.h>
#include <jansson.h>

#include "cli/condition.h"
#include "cli/document.h"

static json_t *document_of(const char *text)
{
    json_t *document = json_loads(text, 0, NULL);
    cr_assert_not_null(document, "%s", text);
    return document;
}

static enum exit_code exit_code_of(const char *text)
{
    json_t *document = document_of(text);
    const enum exit_code code = document_exit_code(document);
    json_decref(document);
    return code;
}

static enum exit_code self_exit_code_of(const char *text)
{
    json_t *document = document_of(text);
    const enum exit_code code = document_self_exit_code(document);
    json_decref(document);
    return code;
}

Test(cli_document, fields_may_be_missing_or_of_another_type)
{
    json_t *document = document_of("{\"text\":\"a\",\"number\":7,\"wide\":\"18446744073709551615\","
                                   "\"below\":-1,\"null\":null,\"object\":{}}");

    cr_expect_str_eq(document_text(document, "text", "?"), "a");
    cr_expect_str_eq(document_text(document, "number", "?"), "?");
    cr_expect_str_eq(document_text(document, "missing", "?"), "?");
    cr_expect_eq(document_number(document, "number"), 7);
    cr_expect_eq(document_number(document, "wide"), UINT64_MAX);
    cr_expect_eq(document_number(document, "below"), 0);
    cr_expect_eq(document_number(document, "object"), 0);
    cr_expect_not(document_has(document, "null"));
    cr_expect_not(document_has(document, "missing"));
    cr_expect(document_has(document, "object"));
    cr_expect_str_eq(document_text(NULL, "text", "?"), "?");
    json_decref(document);
}

Test(cli_document, the_exit_code_tells_coordinator_and_guard)
{
    cr_expect_eq(exit_code_of("{\"coordinator\":\"a\",\"guard\":{\"met\":true}}"), EXIT_DONE);
    cr_expect_eq(exit_code_of("{\"coordinator\":\"a\",\"guard\":{\"met\":false}}"), EXIT_GUARD);
    cr_expect_eq(exit_code_of("{\"coordinator\":null,\"guard\":{\"met\":true}}"),
                 EXIT_NO_COORDINATOR);
    cr_expect_eq(exit_code_of("{\"coordinator\":null,\"guard\":{\"met\":false}}"),
                 EXIT_NO_COORDINATOR);
    cr_expect_eq(exit_code_of("{}"), EXIT_NO_COORDINATOR);
}

Test(cli_document, self_coordinates_only_while_it_acts)
{
    cr_expect_eq(self_exit_code_of("{\"self\":\"a\",\"coordinator\":\"a\",\"acting\":true,"
                                   "\"guard\":{\"met\":true}}"),
                 EXIT_DONE);
    cr_expect_eq(self_exit_code_of("{\"self\":\"a\",\"coordinator\":\"a\",\"acting\":false,"
                                   "\"guard\":{\"met\":false}}"),
                 EXIT_GUARD);
    /* Nobody is known to have heard it yet (D8). */
    cr_expect_eq(self_exit_code_of("{\"self\":\"a\",\"coordinator\":\"a\",\"acting\":false,"
                                   "\"guard\":{\"met\":true}}"),
                 EXIT_NO_COORDINATOR);
    cr_expect_eq(self_exit_code_of("{\"self\":\"b\",\"coordinator\":\"a\",\"acting\":false,"
                                   "\"guard\":{\"met\":true}}"),
                 EXIT_NO_COORDINATOR);
    cr_expect_eq(self_exit_code_of("{\"self\":\"b\",\"coordinator\":null}"), EXIT_NO_COORDINATOR);
}

static const char two_members[] =
    "{\"self\":\"b\",\"phase\":\"member\",\"coordinator\":\"a\",\"acting\":false,"
    "\"guard\":{\"met\":false},\"members\":[{\"name\":\"a\"},{\"name\":\"b\"}]}";

static void expect_missing(const char *text, struct conditions conditions, const char *expected)
{
    json_t *document = document_of(text);
    char missing[CONDITION_TEXT_MAX];
    const bool hold = conditions_hold(&conditions, document, missing);

    cr_expect_str_eq(missing, expected);
    cr_expect_eq(hold, expected[0] == '\0');
    json_decref(document);
}

Test(cli_document, conditions_hold_all_or_say_what_is_missing)
{
    expect_missing(two_members, (struct conditions){.member_count = 0}, "");
    expect_missing(two_members, (struct conditions){.member_count = 2, .coordinator = "a"}, "");
    expect_missing(two_members, (struct conditions){.member_count = 1},
                   "2 members where 1 is waited for");
    expect_missing(two_members, (struct conditions){.member_count = 1, .at_least = true}, "");
    expect_missing(two_members, (struct conditions){.member_count = 2, .at_least = true}, "");
    expect_missing(two_members, (struct conditions){.member_count = 3, .at_least = true},
                   "2 members where 3 or more are waited for");
    expect_missing(two_members,
                   (struct conditions){.coordinator = "b", .acting = true, .guard_met = true},
                   "the coordinator is a, b is not acting, the guard is not met");
}

Test(cli_document, a_name_is_waited_for_to_be_in_or_gone)
{
    expect_missing(two_members, (struct conditions){.present = "a", .absent = "c"}, "");
    expect_missing(two_members, (struct conditions){.present = "c", .absent = "a"},
                   "c is not a member, a is a member");
}

/* Before the first view nobody is known to be gone. */
Test(cli_document, nobody_is_gone_from_a_view_that_is_not_there)
{
    expect_missing("{\"self\":\"b\",\"phase\":\"joining\",\"members\":[]}",
                   (struct conditions){.absent = "a"}, "b is in phase joining");
}

Test(cli_document, a_node_that_is_still_joining_meets_no_condition)
{
    expect_missing("{\"self\":\"b\",\"phase\":\"joining\",\"coordinator\":null,\"members\":[]}",
                   (struct conditions){.coordinator = "a"},
                   "b is in phase joining, the coordinator is not known");
}

/* What doyen makes of the daemon's documents: fields and exit codes. */
#include <criterion/criterion.h>
#include <jansson.h>

#include "cli/request/document.h"

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

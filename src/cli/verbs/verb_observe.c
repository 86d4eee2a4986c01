/* doyen observe: a line for each change of who holds one role. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/request/roles_ask.h"
#include "cli/verbs/verbs.h"

enum { LOOK_AGAIN_MS = 250 };

struct observing {
    struct cli *cli;
    const char *role;
    json_t *holders; /* as they were printed last; NULL: nothing was */
    bool away;
};

static enum exit_code run_observe(struct cli *cli, int argc, char **argv);

const struct verb verb_observe = {
    .name = "observe",
    .arguments = "ROLE",
    .summary = "Prints who holds a role, and each change of it",
    .details = "A line for each holder, with its token and value, or one that says that nobody "
               "holds it; with --json an object with the holders. Looks every 250 ms, so that "
               "holders who come and go in between are not seen. Goes on until it is ended, also "
               "while the daemon is away.",
    .parse = cli_parse_role,
    .example = "doyen observe backup",
    .run = run_observe,
};

/* Who holds it, without what moves with the clock; a new reference. */
static json_t *holders_of(const json_t *role)
{
    const json_t *list = json_object_get(role, "holders");
    json_t *holders = json_array();

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *holder = json_array_get(list, i);
        if (!document_is_true(holder, "stopping")) {
            json_array_append_new(holders,
                                  json_pack("{s:s s:s s:s s:s}", "member",
                                            document_text(holder, "member", "?"), "request",
                                            document_text(holder, "request", "?"), "token",
                                            document_text(holder, "token", "?"), "value",
                                            document_text(holder, "value", "")));
        }
    }
    return holders;
}

static void print_json(const struct observing *observing)
{
    json_t *line = json_pack("{s:s s:O}", "role", observing->role, "holders", observing->holders);
    char *text = line == NULL ? NULL : json_dumps(line, JSON_COMPACT);

    if (text != NULL) {
        printf("%s\n", text);
    }
    free(text);
    json_decref(line);
}

/* Returns false when the output cannot be written; main says why. */
static bool print_holders(const struct observing *observing)
{
    const size_t count = json_array_size(observing->holders);
    struct printer printer = {.colour = false};
    char text[1024];

    if (observing->cli->json) {
        print_json(observing);
    } else if (count == 0) {
        printf("%s is held by nobody\n", observing->role);
    }
    for (size_t i = 0; i < count && !observing->cli->json; i++) {
        const json_t *holder = json_array_get(observing->holders, i);
        const char *value = document_text(holder, "value", "");
        snprintf(text, sizeof text, "%s is held by %s token %s%s%s", observing->role,
                 document_text(holder, "member", "?"), document_text(holder, "token", "?"),
                 value[0] == '\0' ? "" : " value ", value);
        printer_text(&printer, TONE_PLAIN, text);
        putchar('\n');
    }
    return fflush(stdout) == 0 && !ferror(stdout);
}

/* A member that does not answer may hold it: what was known stays until it answers, or is gone.
 * Returns false when the output cannot be written. */
static bool look(struct observing *observing, const json_t *document)
{
    json_t *holders = holders_of(roles_find(document, observing->role));
    bool is_written = true;
    const bool is_known = json_array_size(holders) > 0 || !document_is_true(document, "stale");

    if (is_known && (observing->holders == NULL || !json_equal(holders, observing->holders))) {
        json_decref(observing->holders);
        observing->holders = json_incref(holders);
        is_written = print_holders(observing);
    }
    json_decref(holders);
    return is_written;
}

static enum exit_code run_observe(struct cli *cli, int argc, char **argv)
{
    struct observing observing = {.cli = cli};
    struct failure failure;

    cli_parse(cli, &verb_observe, argc, argv, &observing.role);
    for (;;) {
        struct answer answer;
        const enum exit_code code = roles_ask(cli, &answer, &failure);
        if (code == EXIT_DONE) {
            const bool is_written = look(&observing, answer.json);
            answer_deinit(&answer);
            if (!is_written) {
                json_decref(observing.holders);
                return EXIT_REFUSED;
            }
            observing.away = false;
        } else if (!failure_passes(code)) {
            json_decref(observing.holders);
            return failure_report(&failure);
        } else if (!observing.away) {
            (void)failure_report(&failure);
            observing.away = true;
        }
        clock_sleep_ms(LOOK_AGAIN_MS);
    }
}

/* doyen leave: this node leaves in good order, and its daemon ends. */
#include <stdio.h>
#include <string.h>

#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum {
    LEAVE_MS_MAX = 10000, /* T_leave is 5 s at most */
    LOOK_PAUSE_MS = 20,
};

static enum exit_code run_leave(struct cli *cli, int argc, char **argv);

const struct verb verb_leave = {
    .name = "leave",
    .summary = "This node leaves in good order and ends",
    .details = "Returns when the daemon is gone. The others see it leave, nobody suspects it; a "
               "coordinator hands over first.\n\n"
               "Exit: 5 when it is still there after 10 s.",
    .run = run_leave,
};

/* Is the daemon gone, or another life in its place? */
static bool has_gone(struct cli *cli, const char *id)
{
    struct answer status;
    struct failure failure;

    const enum exit_code code = client_get(cli->client, "/v1/status", REQUEST_TIMEOUT_MS, &status,
                                           &failure);
    if (code != EXIT_DONE) {
        return code == EXIT_UNREACHABLE;
    }
    const bool other_life = strcmp(document_text(status.json, "id", ""), id) != 0;
    answer_deinit(&status);
    return other_life;
}

static enum exit_code wait_until_gone(struct cli *cli, const json_t *status)
{
    const uint64_t deadline_ms = clock_now_ms() + LEAVE_MS_MAX;
    const char *name = document_text(status, "self", "this node");
    struct failure failure;

    while (!has_gone(cli, document_text(status, "id", ""))) {
        if (clock_left_ms(deadline_ms) == 0) {
            failure_set(&failure, EXIT_TIMED_OUT,
                        "%s was asked to leave and is still there after %d s: its log says why",
                        name, LEAVE_MS_MAX / 1000);
            return failure_report(&failure);
        }
        clock_sleep_ms(LOOK_PAUSE_MS);
    }
    if (!cli->json) {
        printf("%s has left\n", name);
    }
    return EXIT_DONE;
}

static enum exit_code run_leave(struct cli *cli, int argc, char **argv)
{
    struct answer status;
    struct answer answer;

    cli_parse(cli, &verb_leave, argc, argv, NULL);
    enum exit_code code = cli_get(cli, "/v1/status", &status);
    if (code != EXIT_DONE) {
        return code;
    }
    code = cli_post(cli, "/v1/leave", NULL, &answer);
    if (code == EXIT_DONE) {
        if (cli->json) {
            cli_print_document(&answer);
        }
        code = wait_until_gone(cli, status.json);
    }
    answer_deinit(&answer);
    answer_deinit(&status);
    return code;
}

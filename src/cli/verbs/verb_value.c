/* doyen value: what others read of this node's candidates for a role. */
#include <jansson.h>

#include "cli/request/cli.h"
#include "cli/verbs/verbs.h"

struct value_options {
    const char *role;
    const char *value;
};

static enum exit_code run_value(struct cli *cli, int argc, char **argv);

static error_t parse_value(int key, char *argument, struct argp_state *state)
{
    struct value_options *options = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (options->value != NULL) {
            cli_usage_error(state, "%s: write doyen value ROLE TEXT", argument);
        }
        if (options->role == NULL) {
            options->role = cli_role(state, argument);
        } else {
            options->value = argument;
        }
        return 0;
    case ARGP_KEY_END:
        if (options->value == NULL) {
            cli_usage_error(state, "write doyen value ROLE TEXT");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct verb verb_value = {
    .name = "value",
    .arguments = "ROLE TEXT",
    .summary = "What others read of this node's candidates for a role",
    .details = "As doyen campaign --value, but while they stand: where the holder is reached, up "
               "to 256 bytes. doyen roles and doyen observe show it.\n\n"
               "Exit: 1 when no client of this node stands for the role.",
    .parse = parse_value,
    .example = "doyen value backup 10.0.0.5:5433",
    .run = run_value,
};

static enum exit_code run_value(struct cli *cli, int argc, char **argv)
{
    struct value_options options = {.role = NULL};
    struct answer answer;

    cli_parse(cli, &verb_value, argc, argv, &options);
    json_t *body = json_pack("{s:s, s:s}", "role", options.role, "value", options.value);
    if (body == NULL) {
        struct failure failure;
        failure_set(&failure, EXIT_USAGE, "the value is not UTF-8");
        return failure_report(&failure);
    }
    const enum exit_code code = cli_post(cli, "/v1/value", body, &answer);
    json_decref(body);
    answer_deinit(&answer);
    return code;
}

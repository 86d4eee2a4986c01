/* doyen restart-plan: in which order to restart all members, so that the coordinator changes at
 * most once: the youngest first, the coordinator last, after it has handed over to one who is back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/member_field.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/request/voters_ask.h"
#include "cli/verbs/verbs.h"

enum { COMMAND_MAX = 256, WARNING_MAX = 256 };

static enum exit_code run_restart_plan(struct cli *cli, int argc, char **argv);

const struct verb verb_restart_plan = {
    .name = "restart-plan",
    .summary = "In which order to restart all members: one change of coordinator at the most",
    .details = "Changes nothing. For each step it says what to wait for before the next.\n\n"
               "Exit: 2 when the guard would not be met while one of them restarts, 3 when there "
               "is no coordinator.",
    .run = run_restart_plan,
};

/* What the plan is made of. */
struct plan {
    json_t *steps; /* owned */
    json_t *warnings;
    size_t members;
    bool guard_fails;
};

static void add_step(struct plan *plan, const char *what, const char *node, const char *wait)
{
    (void)json_array_append_new(
        plan->steps, json_pack("{s:s, s:s, s:s}", "do", what, "node", node, "wait", wait));
}

static void warn(struct plan *plan, const char *text)
{
    (void)json_array_append_new(plan->warnings, json_string(text));
}

static void add_restart(struct plan *plan, const char *node, bool guarded)
{
    char wait[COMMAND_MAX];

    snprintf(wait, sizeof wait, "doyen wait --members %zu%s --timeout 60s", plan->members,
             guarded ? " --guard-met" : "");
    add_step(plan, "restart", node, wait);
}

static void add_transfer(struct plan *plan, const char *node)
{
    char wait[COMMAND_MAX];

    snprintf(wait, sizeof wait, "doyen wait --coordinator %s --timeout 10s", node);
    add_step(plan, "transfer", node, wait);
}

static const char *name_at(const json_t *list, size_t position)
{
    return document_text(json_array_get(list, position), "name", "?");
}

/* The members are listed from the oldest on, and the coordinator is the first of them. */
static void add_steps(struct plan *plan, const json_t *members)
{
    const json_t *list = json_object_get(members, "members");
    const char *policy = document_text(json_object_get(members, "guard"), "policy", "none");
    const bool guarded = strcmp(policy, "none") != 0;

    for (size_t i = plan->members; i > 1; i--) {
        add_restart(plan, name_at(list, i - 1), guarded);
    }
    if (plan->members > 1) { /* The first to be back is the oldest of those who are. */
        add_transfer(plan, name_at(list, plan->members - 1));
    }
    add_restart(plan, name_at(list, 0), guarded);
}

static void warn_of_members(struct plan *plan, const json_t *members)
{
    const json_t *list = json_object_get(members, "members");
    char text[WARNING_MAX];

    for (size_t i = 0; i < plan->members; i++) {
        const json_t *member = json_array_get(list, i);
        const char *state = member_state(member);
        if (strcmp(state, "alive") != 0) {
            snprintf(text, sizeof text, "%s is %s: doyen why %s says why; mend that first",
                     name_at(list, i), strcmp(state, "suspect") == 0 ? "suspected" : state,
                     name_at(list, i));
            warn(plan, text);
        }
        if (document_is_true(member, "drained")) {
            snprintf(text, sizeof text, "%s is drained, and will not be any more when it is back",
                     name_at(list, i));
            warn(plan, text);
        }
    }
    if (plan->members == 1) {
        warn(plan, "nobody coordinates while the only member restarts");
    }
}

/* How many of the voters are members and say that they vote, or witnesses that answer; of the
 * others one is named. */
static size_t voters_that_vote(struct cli *cli, struct plan *plan)
{
    struct answer answer;
    char text[WARNING_MAX];
    size_t voting = 0;

    if (voters_ask(cli, "/v1/voters", &answer) != EXIT_DONE) {
        return 0;
    }
    const json_t *voters = json_object_get(answer.json, "voters");
    if (document_has(answer.json, "change")) {
        warn(plan, "the voters are being changed: wait until doyen voters shows no change");
        plan->guard_fails = true;
    }
    for (size_t i = 0; i < json_array_size(voters); i++) {
        const json_t *voter = json_array_get(voters, i);
        const char *status = document_text(voter, "voter", "it has not said that it does");
        if (!document_is_true(voter, "heard")) {
            snprintf(text, sizeof text, "voter %s is %s", name_at(voters, i),
                     document_is_true(voter, "witness")  ? "a witness, and has not answered"
                     : document_is_true(voter, "member") ? "not heard"
                                                         : "no member now");
            warn(plan, text);
        } else if (strcmp(status, "votes") != 0) {
            snprintf(text, sizeof text, "voter %s does not vote (%.64s): doyen voters shows them",
                     name_at(voters, i), status);
            warn(plan, text);
        } else {
            voting++;
        }
    }
    answer_deinit(&answer);
    return voting;
}

static void warn_of_guard(struct cli *cli, struct plan *plan, const json_t *members)
{
    const json_t *guard = json_object_get(members, "guard");
    const char *policy = document_text(guard, "policy", "none");
    const bool strict = strcmp(policy, "strict") == 0;
    const size_t needed = (size_t)document_number(guard, "needed");
    const size_t present = strict ? voters_that_vote(cli, plan) : plan->members;
    char text[WARNING_MAX];

    if (!document_guard_is_met(members)) {
        warn(plan, "the guard is not met now: doyen status says who is missing");
        plan->guard_fails = true;
    }
    if (present <= needed && needed > 0) {
        snprintf(text, sizeof text,
                 "guard %.32s wants %zu %s and there are %zu: nobody acts while one of them "
                 "restarts; %s",
                 policy, needed, strict ? "voters that vote" : "members", present,
                 strict ? "bring back the others first, or replace them: doyen voters replace"
                        : "add one first");
        warn(plan, text);
        plan->guard_fails = true;
    }
}

static void print_plan(const struct plan *plan, const char *coordinator)
{
    size_t position;
    json_t *item;

    printf("%s coordinates %zu member%s; %s.\n", coordinator, plan->members,
           plan->members == 1 ? "" : "s",
           plan->members == 1 ? "it is down while it restarts" : "it changes once");
    json_array_foreach(plan->steps, position, item)
    {
        const char *what = document_text(item, "do", "?");
        const char *node = document_text(item, "node", "?");
        printf("%3zu. %s %-12s then %s%s: %s\n", position + 1,
               strcmp(what, "restart") == 0 ? "restart " : "transfer", node,
               strcmp(what, "restart") == 0 ? "on " : "anywhere",
               strcmp(what, "restart") == 0 ? node : "", document_text(item, "wait", ""));
    }
    json_array_foreach(plan->warnings, position, item)
    {
        fprintf(stderr, "doyen: %s\n", json_string_value(item));
    }
}

static void print_json(const struct plan *plan, const char *coordinator)
{
    json_t *document = json_pack("{s:s, s:i, s:i, s:O, s:O}", "coordinator", coordinator, "members",
                                 (int)plan->members, "coordinator_changes",
                                 plan->members > 1 ? 1 : 0, "steps", plan->steps, "warnings",
                                 plan->warnings);

    if (document != NULL) {
        (void)json_dumpf(document, stdout, JSON_COMPACT);
        putchar('\n');
    }
    json_decref(document);
}

static enum exit_code make_plan(struct cli *cli, const json_t *members)
{
    const char *coordinator = document_coordinator(members);
    struct plan plan = {.steps = json_array(),
                        .warnings = json_array(),
                        .members = json_array_size(json_object_get(members, "members"))};
    struct failure failure;

    if (coordinator == NULL || plan.members == 0) {
        json_decref(plan.steps);
        json_decref(plan.warnings);
        failure_set(&failure, EXIT_NO_COORDINATOR,
                    "there is no coordinator now: doyen status says what this node waits for");
        return failure_report(&failure);
    }
    add_steps(&plan, members);
    warn_of_members(&plan, members);
    warn_of_guard(cli, &plan, members);
    if (cli->json) {
        print_json(&plan, coordinator);
    } else {
        print_plan(&plan, coordinator);
    }
    json_decref(plan.steps);
    json_decref(plan.warnings);
    return plan.guard_fails ? EXIT_GUARD : EXIT_DONE;
}

static enum exit_code run_restart_plan(struct cli *cli, int argc, char **argv)
{
    struct answer members;

    cli_parse(cli, &verb_restart_plan, argc, argv, NULL);
    const enum exit_code code = cli_get(cli, "/v1/members", &members);
    if (code != EXIT_DONE) {
        return code;
    }
    const enum exit_code result = make_plan(cli, members.json);
    answer_deinit(&members);
    return result;
}

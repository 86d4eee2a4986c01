#include "cli/hook/hook_tell.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "cli/hook/hook_process.h"

enum { VARIABLE_MAX = 512 };

/* What a hook is told. */
struct telling {
    const char *hook;
    const struct doyen_event *event;
    const struct doyen_view *view; /* or NULL */
};

static const char *coordinator_name(const struct doyen_view *view)
{
    return view != NULL && view->coordinator != NULL ? view->coordinator->name : "";
}

static bool is_acting(const struct telling *telling)
{
    const enum doyen_kind kind = telling->event->kind;

    return telling->view != NULL && telling->view->acting && kind != DOYEN_AWAY &&
           kind != DOYEN_NOT_ACTING;
}

/* As text, which no reader of JSON rounds; null where there is no view. */
static json_t *number_or_null(const struct doyen_view *view, uint64_t number)
{
    return view == NULL ? json_null() : json_sprintf("%" PRIu64, number);
}

static char *input_of(const struct telling *telling)
{
    const struct doyen_view *view = telling->view;
    const struct doyen_member *member = telling->event->member;
    const char *coordinator = coordinator_name(view);
    json_t *told = telling->event->json == NULL ? json_null()
                                                : json_loads(telling->event->json, 0, NULL);
    json_t *document = json_pack(
        "{s:i s:s s:s? s:s? s:o s:o s:s? s:s? s:s? s:s? s:b s:b s:i s:s s:b s:o}", "schema", 1,
        "hook", telling->hook, "node", view == NULL ? NULL : view->node, "cluster",
        view == NULL ? NULL : view->cluster, "epoch",
        number_or_null(view, view == NULL ? 0 : view->epoch), "version",
        number_or_null(view, view == NULL ? 0 : view->version), "member",
        member == NULL ? NULL : member->name, "address", member == NULL ? NULL : member->address,
        "reason", telling->event->reason, "coordinator",
        coordinator[0] == '\0' ? NULL : coordinator, "acting", is_acting(telling), "guard_met",
        view != NULL && view->guard_met, "members", view == NULL ? 0 : (int)view->member_count,
        "text", telling->event->text, "derived", telling->event->derived, "event",
        told == NULL ? json_null() : told);
    char *text = json_dumps(document, JSON_COMPACT);

    json_decref(document);
    return text;
}

/* "NAME=VALUE" for the environment of a hook. */
struct variables {
    char text[HOOK_VARIABLES_MAX][VARIABLE_MAX];
    uint32_t count;
};

static void put_variable(struct variables *variables, const char *name, const char *value)
{
    assert(variables->count < HOOK_VARIABLES_MAX);
    snprintf(variables->text[variables->count++], VARIABLE_MAX, "%s=%s", name,
             value == NULL ? "" : value);
}

static void put_number(struct variables *variables, const char *name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    put_variable(variables, name, text);
}

static void put_variables(struct variables *variables, const struct telling *telling,
                          const char *where)
{
    const struct doyen_view *view = telling->view;
    const struct doyen_member *member = telling->event->member;

    variables->count = 0;
    put_variable(variables, "DOYEN_HOOK", telling->hook);
    put_variable(variables, "DOYEN_NODE", view == NULL ? "" : view->node);
    put_variable(variables, "DOYEN_CLUSTER", view == NULL ? "" : view->cluster);
    put_number(variables, "DOYEN_EPOCH", view == NULL ? 0 : view->epoch);
    put_number(variables, "DOYEN_VERSION", view == NULL ? 0 : view->version);
    put_number(variables, "DOYEN_MEMBERS", view == NULL ? 0 : view->member_count);
    put_variable(variables, "DOYEN_COORDINATOR", coordinator_name(view));
    put_variable(variables, "DOYEN_ACTING", is_acting(telling) ? "yes" : "no");
    put_variable(variables, "DOYEN_GUARD_MET", view != NULL && view->guard_met ? "yes" : "no");
    put_variable(variables, "DOYEN_MEMBER", member == NULL ? "" : member->name);
    put_variable(variables, "DOYEN_ADDRESS", member == NULL ? "" : member->address);
    put_variable(variables, "DOYEN_REASON", telling->event->reason);
    if (where[0] == '/') { /* So that a hook that asks back asks the same daemon. */
        put_variable(variables, "DOYEN_CONTROL", where);
    }
}

/* What is called while a hook runs. */
struct looking {
    const struct hook_teller *teller;
    const char *hook;
};

static bool look(void *user, int *again_ms)
{
    const struct looking *looking = user;

    return looking->teller->look == NULL ||
           looking->teller->look(looking->teller->user, looking->hook, again_ms);
}

/* One line of what came of it; --json: one object. */
static void report(const struct hook_teller *teller, const struct telling *telling,
                   const struct hook_result *result)
{
    const char *name = telling->hook;
    const int status = result->status;
    char what[200] = "";

    switch (result->end) {
    case HOOK_NONE:
        return;
    case HOOK_DONE:
        snprintf(what, sizeof what, WIFSIGNALED(status) ? "was ended by signal %d" : "exit %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        break;
    case HOOK_OVERDUE:
        snprintf(what, sizeof what, "took longer than --timeout, and was ended");
        break;
    case HOOK_ENDED:
        snprintf(what, sizeof what, "was ended with doyen hook");
        break;
    case HOOK_UNDUE:
        snprintf(what, sizeof what, "was ended, as this node does not act any more");
        break;
    case HOOK_FAILED:
        (void)failure_report(&result->failure);
        return;
    }
    if (!teller->json) {
        fprintf(stderr, "doyen hook: %s%s%s: %s, %" PRIu64 " ms\n", name,
                telling->event->member == NULL ? "" : " ",
                telling->event->member == NULL ? "" : telling->event->member->name, what,
                result->took_ms);
        return;
    }
    json_t *line = json_pack("{s:i s:s s:s? s:s s:I s:b}", "schema", 1, "hook", name, "member",
                             telling->event->member == NULL ? NULL : telling->event->member->name,
                             "text", what, "took_ms", (json_int_t)result->took_ms, "done",
                             result->end == HOOK_DONE && WIFEXITED(status) &&
                                 WEXITSTATUS(status) == 0);
    char *text = json_dumps(line, JSON_COMPACT);
    fprintf(stderr, "%s\n", text == NULL ? "" : text);
    free(text);
    json_decref(line);
}

void hook_tell(struct hook_teller *teller, const char *hook, const struct doyen_event *event,
               const struct doyen_view *view)
{
    const struct telling telling = {.hook = hook, .event = event, .view = view};
    struct variables variables;
    struct hook_result result;
    char path[PATH_MAX];
    struct looking looking = {.teller = teller, .hook = hook};
    struct hook_run run = {.path = path,
                           .timeout_ms = teller->timeout_ms,
                           .end_fd = teller->end_fd,
                           .look = look,
                           .user = &looking};

    if (teller->ended ||
        snprintf(path, sizeof path, "%s/%s", teller->folder, hook) >= (int)sizeof path) {
        return;
    }
    char *input = input_of(&telling);
    run.input = input == NULL ? "" : input;
    put_variables(&variables, &telling, doyen_where(teller->client));
    for (uint32_t i = 0; i < variables.count; i++) {
        run.variables[i] = variables.text[i];
    }
    hook_run(&run, &result);
    teller->ended = teller->ended || result.end == HOOK_ENDED;
    report(teller, &telling, &result);
    free(input);
}

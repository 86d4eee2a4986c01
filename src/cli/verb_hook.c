/* doyen hook: runs executables of a folder that are named after events, one at a time and in order.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/duration.h"
#include "cli/hook_memory.h"
#include "cli/hook_process.h"

enum { HOOK_TIMEOUT_MS = 30000, VARIABLE_MAX = 512 };

struct hook_options {
    const char *folder;
    const char *resume; /* NULL: FOLDER/.resume */
    uint64_t timeout_ms;
};

static enum exit_code run_hooks(struct cli *cli, int argc, char **argv);

static error_t parse_hook(int key, char *argument, struct argp_state *state)
{
    struct hook_options *options = state->input;

    switch (key) {
    case 'r':
        options->resume = argument;
        return 0;
    case 't':
        if (!duration_parse(argument, &options->timeout_ms) || options->timeout_ms == 0 ||
            options->timeout_ms > INT_MAX) {
            cli_usage_error(
                state, "--timeout %s: give a number and its unit, as in 500ms, 5s or 2m", argument);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (options->folder != NULL) {
            return ARGP_ERR_UNKNOWN;
        }
        options->folder = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->folder == NULL || options->folder[0] == '\0') {
            cli_usage_error(state,
                            "name the folder of the hooks, as in doyen hook /etc/doyen/hooks");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option hook_options[] = {
    {.name = "resume",
     .key = 'r',
     .arg = "FILE",
     .doc = "Where to keep what the hooks have been told (default: DIR/.resume)"},
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "A hook that takes longer is ended (default: 30s)"},
    {.name = NULL},
};

const struct verb verb_hook = {
    .name = "hook",
    .arguments = "DIR",
    .summary = "Runs the executables of DIR that are named after what happens",
    .details =
        "DIR may have joined, gone, coordinator, acting, not-acting, guard, split and merge. They "
        "run one at a time, in the order of the events, each with the event as JSON on its "
        "standard input and as DOYEN_HOOK, DOYEN_NODE, DOYEN_CLUSTER, DOYEN_EPOCH, DOYEN_VERSION, "
        "DOYEN_MEMBERS, DOYEN_COORDINATOR, DOYEN_ACTING, DOYEN_GUARD_MET, DOYEN_MEMBER, "
        "DOYEN_ADDRESS and DOYEN_REASON. The daemon waits for none of them.\n\n"
        "After a restart, of this or of the daemon, they are told what happened meanwhile; and "
        "not-acting when the daemon goes away while it acted. What has to end before another node "
        "can begin is a matter for doyen run, which looks at the lease.\n\n"
        "Exit: 0 after INT, TERM, or HUP, which stands for the end of the daemon, 1 when DIR or the file of --resume cannot be used.",
    .options = hook_options,
    .parse = parse_hook,
    .run = run_hooks,
};

/* --- One hook --------------------------------------------------------------------------------- */

struct hooks {
    const struct cli *cli;
    struct hook_options options;
    char memory_path[PATH_MAX];
    struct hook_memory memory;
    int end_fd;  /* INT or TERM */
    int gone_fd; /* HUP: the daemon is gone */
    bool ends;
    bool failed; /* the memory could not be kept; that was said */
};

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
    return telling->view != NULL && telling->view->acting && telling->event->kind != DOYEN_AWAY;
}

/* Of one number of a view, as text; none are told as "". */
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
    snprintf(variables->text[variables->count++], VARIABLE_MAX, "%s=%s", name,
             value == NULL ? "" : value);
}

static void put_number(struct variables *variables, const char *name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    put_variable(variables, name, text);
}

static void put_variables(struct variables *variables, const struct telling *telling)
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
}

/* One line of what came of it; --json: one object. */
static void report(const struct hooks *hooks, const struct telling *telling,
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
    case HOOK_FAILED:
        (void)failure_report(&result->failure);
        return;
    }
    if (!hooks->cli->json) {
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

static void run_hook(struct hooks *hooks, const char *name, const struct doyen_event *event,
                     const struct doyen_view *view)
{
    const struct telling telling = {.hook = name, .event = event, .view = view};
    struct variables variables;
    struct hook_result result;
    char path[PATH_MAX];
    struct hook_run run = {
        .path = path, .timeout_ms = hooks->options.timeout_ms, .end_fd = hooks->end_fd};

    if (hooks->ends ||
        snprintf(path, sizeof path, "%s/%s", hooks->options.folder, name) >= (int)sizeof path) {
        return;
    }
    char *input = input_of(&telling);
    run.input = input == NULL ? "" : input;
    put_variables(&variables, &telling);
    for (uint32_t i = 0; i < variables.count; i++) {
        run.variables[i] = variables.text[i];
    }
    hook_run(&run, &result);
    hooks->ends = result.end == HOOK_ENDED;
    report(hooks, &telling, &result);
    free(input);
}

/* --- Which hooks ------------------------------------------------------------------------------ */

static void tell_acting(struct hooks *hooks, const struct doyen_event *event,
                        const struct doyen_view *view, bool acting)
{
    const enum hook_told told = acting ? TOLD_YES : TOLD_NO;

    if (hooks->memory.acting != told) {
        hooks->memory.acting = told;
        run_hook(hooks, acting ? "acting" : "not-acting", event, view);
    }
}

static void tell_guard(struct hooks *hooks, const struct doyen_event *event,
                       const struct doyen_view *view)
{
    const enum hook_told told = view->guard_met ? TOLD_YES : TOLD_NO;

    if (hooks->memory.guard_met != told) {
        hooks->memory.guard_met = told;
        run_hook(hooks, "guard", event, view);
    }
}

static void tell_coordinator(struct hooks *hooks, const struct doyen_event *event,
                             const struct doyen_view *view)
{
    struct hook_memory *memory = &hooks->memory;
    const char *name = coordinator_name(view);

    if (!memory->coordinator_told || strcmp(memory->coordinator, name) != 0) {
        memory->coordinator_told = true;
        snprintf(memory->coordinator, sizeof memory->coordinator, "%s", name);
        run_hook(hooks, "coordinator", event, view);
    }
}

/* What holds now, where hooks were told something else, or nothing. */
static void tell_state(struct hooks *hooks, const struct doyen_event *event)
{
    if (event->view != NULL) {
        tell_coordinator(hooks, event, event->view);
        tell_guard(hooks, event, event->view);
        tell_acting(hooks, event, event->view, event->view->acting);
    }
}

static void tell_event(struct hooks *hooks, const struct doyen_event *event)
{
    switch (event->kind) {
    case DOYEN_SNAPSHOT:
    case DOYEN_BACK:
        tell_state(hooks, event);
        break;
    case DOYEN_JOINED:
        run_hook(hooks, "joined", event, event->view);
        break;
    case DOYEN_GONE:
        run_hook(hooks, "gone", event, event->view);
        break;
    case DOYEN_COORDINATOR:
        tell_coordinator(hooks, event, event->view);
        break;
    case DOYEN_ACTING:
    case DOYEN_NOT_ACTING:
        tell_acting(hooks, event, event->view, event->kind == DOYEN_ACTING);
        break;
    case DOYEN_GUARD:
        if (event->view != NULL) {
            tell_guard(hooks, event, event->view);
        }
        break;
    case DOYEN_AWAY:
        if (hooks->memory.acting == TOLD_YES) {
            tell_acting(hooks, event, event->view, false);
        }
        break;
    case DOYEN_OTHER:
        if (strcmp(event->name, "split") == 0 || strcmp(event->name, "merge") == 0) {
            run_hook(hooks, event->name, event, event->view);
        }
        break;
    case DOYEN_VIEW:
    case DOYEN_GAP:
        break;
    }
}

static bool is_same(const struct hook_memory *a, const struct hook_memory *b)
{
    return strcmp(a->resume, b->resume) == 0 && a->acting == b->acting &&
           a->guard_met == b->guard_met && a->coordinator_told == b->coordinator_told &&
           strcmp(a->coordinator, b->coordinator) == 0;
}

static int on_event(void *user, const struct doyen_event *event)
{
    struct hooks *hooks = user;
    const struct hook_memory before = hooks->memory;
    struct failure failure;

    tell_event(hooks, event);
    if (hooks->ends) {
        return 1; /* The hook was cut short: it is told again after the next start. */
    }
    if (event->resume != NULL) {
        snprintf(hooks->memory.resume, sizeof hooks->memory.resume, "%s", event->resume);
    }
    if (!is_same(&before, &hooks->memory) &&
        !hook_memory_write(hooks->memory_path, &hooks->memory, &failure)) {
        (void)failure_report(&failure);
        hooks->failed = true;
        return 1;
    }
    return 0;
}

/* --- Running ---------------------------------------------------------------------------------- */

static bool is_folder(const char *path, struct failure *failure)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return true;
    }
    (void)failure_set(failure, EXIT_REFUSED,
                      "%s is no folder that can be read: make it, and put hooks in it", path);
    return false;
}

/* A descriptor that is readable once one of the two came. */
static int signals_of(int one, int other)
{
    sigset_t both;

    (void)signal(one, SIG_DFL); /* What is ignored would not be heard of. */
    (void)signal(other, SIG_DFL);
    (void)sigemptyset(&both);
    (void)sigaddset(&both, one);
    (void)sigaddset(&both, other);
    (void)sigprocmask(SIG_BLOCK, &both, NULL);
    return signalfd(-1, &both, SFD_CLOEXEC);
}

/* Also finds out whether the memory can be kept, before anything is told. */
static bool prepare(struct hooks *hooks, struct failure *failure)
{
    const char *file = hooks->options.resume;
    const char *folder = hooks->options.folder;
    if (!is_folder(folder, failure)) {
        return false;
    }
    snprintf(hooks->memory_path, sizeof hooks->memory_path, "%s%s", file == NULL ? folder : file,
             file == NULL ? "/.resume" : "");
    if (!hook_memory_read(hooks->memory_path, &hooks->memory, failure) ||
        !hook_memory_write(hooks->memory_path, &hooks->memory, failure)) {
        return false;
    }
    hooks->end_fd = signals_of(SIGINT, SIGTERM);
    hooks->gone_fd = signals_of(SIGHUP, SIGHUP);
    if (hooks->end_fd < 0 || hooks->gone_fd < 0) {
        (void)failure_set(failure, EXIT_REFUSED, "no descriptor is left: %s", strerror(errno));
        return false;
    }
    return true;
}

/* Waits until the client has something to do. False: INT, TERM or HUP came first. */
static bool sleep_until_due(struct hooks *hooks)
{
    const struct doyen_event gone = {
        .kind = DOYEN_AWAY, .name = "away", .text = "the daemon has ended"};
    const struct doyen *client = hooks->cli->client;
    struct pollfd fds[] = {{.fd = doyen_fd(client), .events = POLLIN},
                           {.fd = hooks->end_fd, .events = POLLIN},
                           {.fd = hooks->gone_fd, .events = POLLIN}};

    if (poll(fds, sizeof fds / sizeof fds[0], doyen_timeout_ms(client)) <= 0) {
        return true;
    }
    if (fds[2].revents != 0) {
        (void)on_event(hooks, &gone);
    }
    return fds[1].revents == 0 && fds[2].revents == 0;
}

static enum exit_code run_hooks(struct cli *cli, int argc, char **argv)
{
    struct hooks hooks = {.cli = cli, .options.timeout_ms = HOOK_TIMEOUT_MS};
    struct failure failure;
    int result;

    cli_parse(cli, &verb_hook, argc, argv, &hooks.options);
    if (!prepare(&hooks, &failure) || cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    const char *resume = hooks.memory.resume[0] == '\0' ? NULL : hooks.memory.resume;
    result = doyen_watch_start(cli->client, resume, 0, on_event, &hooks);
    if (result == DOYEN_E_USAGE && resume != NULL) { /* A file that somebody has damaged. */
        result = doyen_watch_start(cli->client, NULL, 0, on_event, &hooks);
    }
    while (result == 0 && sleep_until_due(&hooks)) {
        result = doyen_step(cli->client);
    }
    (void)close(hooks.end_fd);
    (void)close(hooks.gone_fd);
    if (result < 0) {
        (void)client_failure(cli->client, result, &failure);
        return failure_report(&failure);
    }
    return hooks.failed ? EXIT_REFUSED : EXIT_DONE;
}

/* doyen hook: runs executables of a folder that are named after events, one at a time and in order;
 * but that this node does not act any more is told at once. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/hook/hook_memory.h"
#include "cli/hook/hook_right.h"
#include "cli/hook/hook_tell.h"
#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/verbs/verbs.h"
#include "usage/hook_files.h"

enum {
    HOOK_TIMEOUT_MS = 30000,
    HOOK_MS_MAX = 500 * 3600 * 1000,
    LOCK_MS = 20, /* between two looks whether the memory is free */
    AWAY_TEXT_MAX = 512,
    AWAY_MS = 2000, /* a daemon that starts, or starts again, is away for less */
};

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
        if (argument[0] == '\0') {
            cli_usage_error(state, "--resume is empty: name a file, or leave it out");
        }
        options->resume = argument;
        return 0;
    case 't':
        options->timeout_ms = duration_option(state, "--timeout", argument, 1, HOOK_MS_MAX);
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
        "DIR may have " HOOK_NAMES ". They "
        "run one at a time, in the order of the events, each with the event as JSON on its "
        "standard input and as DOYEN_HOOK, DOYEN_NODE, DOYEN_CLUSTER, DOYEN_EPOCH, DOYEN_VERSION, "
        "DOYEN_MEMBERS, DOYEN_COORDINATOR, DOYEN_ACTING, DOYEN_GUARD_MET, DOYEN_MEMBER, "
        "DOYEN_ADDRESS, DOYEN_REASON and DOYEN_CONTROL. The daemon waits for none of them.\n\n"
        "After a restart, of this or of the daemon, they are told what happened meanwhile. "
        "not-acting is told when the lease page says so, which it does in time also where the "
        "daemon is stopped, and when the daemon goes away while it acted. It waits for no other "
        "hook: one that still runs goes on beside it, but acting, which is ended first. What has "
        "to have ended before another node can begin is a matter for "
        "doyen run, which ends it. Where another doyen hook "
        "keeps the same file of --resume, this one waits until it has ended.\n\n"
        "Exit: 0 after INT, TERM, or HUP, which stands for the end of the daemon, 1 when DIR or "
        "the file of --resume cannot be used, or a hook is a folder or a link to nothing.",
    .options = hook_options,
    .parse = parse_hook,
    .example = "doyen hook /etc/doyen/hooks",
    .run = run_hooks,
};

struct hooks {
    struct cli *cli;
    struct hook_options options;
    struct hook_teller teller; /* its end_fd: INT or TERM */
    struct hook_right right;
    const struct doyen_view *view; /* the last that came; NULL: none did */
    char memory_path[PATH_MAX];
    struct hook_memory memory;
    int lock;             /* of the memory */
    int gone_fd;          /* HUP: the daemon is gone */
    uint64_t say_away_ms; /* when to say that the daemon is away; 0: it is not, or that was said */
    char away[AWAY_TEXT_MAX];
    bool ended;      /* by a signal, before anything was told */
    bool failed;     /* the memory could not be kept; that was said */
    bool lacks_room; /* for the memory; likewise */
};

/* --- Which hooks ------------------------------------------------------------------------------ */

static void tell_acting(struct hooks *hooks, const struct doyen_event *event, bool acting)
{
    const enum hook_told told = acting ? TOLD_YES : TOLD_NO;

    if (hooks->memory.acting != told) {
        hooks->memory.acting = told;
        hook_tell(&hooks->teller, acting ? "acting" : "not-acting", event, event->view);
    }
}

/* Tells what the page says, if that is something else. `event` is what led to this look. */
static void tell_right(struct hooks *hooks, const struct doyen_event *event)
{
    int again_ms = -1;
    const enum hook_right_state state = hook_right_look(&hooks->right, hooks->cli, &again_ms);

    if (state != RIGHT_UNKNOWN) {
        tell_acting(hooks, event, state == RIGHT_HELD);
    }
}

/* The daemon has said whether it acts. */
static void tell_claim(struct hooks *hooks, const struct doyen_event *event, bool acts)
{
    hook_right_claim(&hooks->right, acts);
    tell_right(hooks, event);
}

static void tell_guard(struct hooks *hooks, const struct doyen_event *event,
                       const struct doyen_view *view)
{
    const enum hook_told told = view->guard_met ? TOLD_YES : TOLD_NO;

    if (hooks->memory.guard_met != told) {
        hooks->memory.guard_met = told;
        hook_tell(&hooks->teller, "guard", event, view);
    }
}

static void tell_coordinator(struct hooks *hooks, const struct doyen_event *event,
                             const struct doyen_view *view)
{
    struct hook_memory *memory = &hooks->memory;
    const char *name = view->coordinator == NULL ? "" : view->coordinator->name;

    if (!memory->coordinator_told || strcmp(memory->coordinator, name) != 0) {
        memory->coordinator_told = true;
        snprintf(memory->coordinator, sizeof memory->coordinator, "%s", name);
        hook_tell(&hooks->teller, "coordinator", event, view);
    }
}

/* What holds now, where hooks were told something else, or nothing. */
static void tell_state(struct hooks *hooks, const struct doyen_event *event)
{
    if (event->view != NULL) {
        tell_coordinator(hooks, event, event->view);
        tell_guard(hooks, event, event->view);
        tell_claim(hooks, event, event->view->acting);
    }
}

/* The daemon has gone away, or says nothing: to be said if it stays so. */
static void note_away(struct hooks *hooks, const struct doyen_event *event)
{
    snprintf(hooks->away, sizeof hooks->away, "%s", event->text);
    hooks->say_away_ms = clock_now_ms() + AWAY_MS;
}

static void say_away_when_due(struct hooks *hooks)
{
    if (hooks->say_away_ms != 0 && clock_left_ms(hooks->say_away_ms) == 0) {
        fprintf(stderr, "doyen hook: %s; waiting for it\n", hooks->away);
        hooks->say_away_ms = 0;
    }
}

static void note_back(struct hooks *hooks, const struct doyen_event *event)
{
    if (hooks->away[0] != '\0' && hooks->say_away_ms == 0) {
        fprintf(stderr, "doyen hook: %s\n", event->text);
    }
    hooks->away[0] = '\0';
    hooks->say_away_ms = 0;
}

static void tell_event(struct hooks *hooks, const struct doyen_event *event)
{
    switch (event->kind) {
    case DOYEN_BACK:
        note_back(hooks, event);
        tell_state(hooks, event);
        break;
    case DOYEN_SNAPSHOT:
        tell_state(hooks, event);
        break;
    case DOYEN_JOINED:
        hook_tell(&hooks->teller, "joined", event, event->view);
        break;
    case DOYEN_GONE:
        hook_tell(&hooks->teller, "gone", event, event->view);
        break;
    case DOYEN_COORDINATOR:
        tell_coordinator(hooks, event, event->view);
        break;
    case DOYEN_ACTING:
    case DOYEN_NOT_ACTING:
        tell_claim(hooks, event, event->kind == DOYEN_ACTING);
        break;
    case DOYEN_GUARD:
        tell_guard(hooks, event, event->view);
        break;
    case DOYEN_AWAY:
        note_away(hooks, event);
        hook_right_claim(&hooks->right, false);
        if (hooks->memory.acting == TOLD_YES) {
            tell_acting(hooks, event, false);
        }
        break;
    case DOYEN_OTHER:
        if (strcmp(event->name, "split") == 0 || strcmp(event->name, "merge") == 0 ||
            strcmp(event->name, "drained") == 0) {
            hook_tell(&hooks->teller, event->name, event, event->view);
        }
        break;
    case DOYEN_VIEW:
    case DOYEN_TAGS:
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

/* Says once that there is no room. */
static bool keep(struct hooks *hooks, struct failure *failure)
{
    const enum hook_kept kept = hook_memory_write(hooks->memory_path, &hooks->memory, failure);

    if (kept == HOOK_NO_ROOM && !hooks->lacks_room) {
        (void)failure_report(failure);
    }
    hooks->lacks_room = kept == HOOK_NO_ROOM;
    return kept != HOOK_NOT_KEPT;
}

/* Keeps what hooks have been told since `before`. Returns what ends the watch; 0: nothing does. */
static int keep_told(struct hooks *hooks, const struct hook_memory *before)
{
    struct failure failure;

    if (hooks->teller.ended) {
        return 1; /* The hook was cut short: it is told again after the next start. */
    }
    if (!is_same(before, &hooks->memory) && !keep(hooks, &failure)) {
        (void)failure_report(&failure);
        hooks->failed = true;
        return 1;
    }
    return 0;
}

static int on_event(void *user, const struct doyen_event *event)
{
    struct hooks *hooks = user;
    const struct hook_memory before = hooks->memory;

    if (event->view != NULL) {
        doyen_view_release(hooks->view);
        hooks->view = doyen_view_retain(event->view);
    }
    tell_event(hooks, event);
    if (event->resume != NULL && !hooks->teller.ended) {
        snprintf(hooks->memory.resume, sizeof hooks->memory.resume, "%s", event->resume);
    }
    return keep_told(hooks, &before);
}

/* What the page says, and no event. */
static void tell_page(struct hooks *hooks, bool held)
{
    const struct doyen_event event = {
        .kind = held ? DOYEN_ACTING : DOYEN_NOT_ACTING,
        .name = "acting",
        .text = held ? "this node acts as coordinator again"
                     : "this node does not act any more: its right was not renewed in time",
        .view = hooks->view,
        .derived = true};

    tell_acting(hooks, &event, held);
}

/* Looks whether the right to act has run out, or holds again, of which no event tells where the
 * daemon is stopped. Sets when to look next. Returns what ends the watch; 0: nothing does. */
static int look_at_right(struct hooks *hooks, int *again_ms)
{
    const enum hook_right_state state = hook_right_look(&hooks->right, hooks->cli, again_ms);
    const struct hook_memory before = hooks->memory;

    if (state != RIGHT_UNKNOWN && hooks->memory.acting != TOLD_NOTHING) {
        tell_page(hooks, state == RIGHT_HELD);
    }
    return keep_told(hooks, &before);
}

/* The same while a hook runs, which the end of the right does not wait for: not-acting is told
 * beside it. But two that say opposite things do not run at once. */
static bool look_meanwhile(void *user, const char *hook, int *again_ms)
{
    struct hooks *hooks = user;

    if (hooks->memory.acting != TOLD_YES || hooks->teller.ended ||
        hook_right_look(&hooks->right, hooks->cli, again_ms) != RIGHT_OVER) {
        return true;
    }
    if (strcmp(hook, "acting") == 0) {
        return false;
    }
    tell_page(hooks, false);
    *again_ms = -1;
    return true;
}

/* --- Running ---------------------------------------------------------------------------------- */

static bool is_folder(const char *path, struct failure *failure)
{
    struct stat status;

    errno = 0;
    const bool is_there = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_there && access(path, X_OK) == 0) {
        return true;
    }
    if (is_there || errno == EACCES) {
        (void)failure_set(failure, EXIT_REFUSED,
                          "%s cannot be read by this account: let it, or run this as another one",
                          path);
        return false;
    }
    (void)failure_set(failure, EXIT_REFUSED,
                      "%s is no folder that can be read: make it, and put hooks in it", path);
    return false;
}

static void say_refused(void *context, const char *path)
{
    char fault[HOOK_FAULT_MAX];

    (void)context;
    if (hook_files_judge(path, fault) == HOOK_IS_REFUSED) {
        fprintf(stderr, "doyen hook: %s\n", fault);
    }
}

/* One may be put there later, and its mode be mended; a mistyped folder or name, and one that will
 * not be run, are to be seen at once. */
static bool look_at_hooks(const char *folder, struct failure *failure)
{
    char fault[HOOK_FAULT_MAX];
    const enum hook_fitness worst = hook_files_worst(folder, fault);

    if (worst == HOOK_IS_NO_FILE) {
        (void)failure_set(failure, EXIT_REFUSED, "%s", fault);
        return false;
    }
    if (worst == HOOK_IS_ABSENT) {
        fprintf(stderr, "doyen hook: " HOOK_NONE_FORMAT "\n", folder);
    }
    hook_files_each(folder, say_refused, NULL);
    return true;
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

/* Another may still be telling what a daemon that has ended left to be told. False: a signal came
 * first, or the lock cannot be had. */
static bool lock_memory(struct hooks *hooks, struct failure *failure)
{
    bool said = false;

    if (hook_memory_open_lock(hooks->memory_path, &hooks->lock, failure) == HOOK_NOT_KEPT) {
        return false;
    }
    while (hooks->lock >= 0 && !hook_memory_try_lock(hooks->lock)) {
        struct pollfd fds[] = {{.fd = hooks->teller.end_fd, .events = POLLIN},
                               {.fd = hooks->gone_fd, .events = POLLIN}};
        if (!said) {
            fprintf(stderr, "doyen hook: another one keeps %s: waiting until it has ended\n",
                    hooks->memory_path);
            said = true;
        }
        if (poll(fds, sizeof fds / sizeof fds[0], LOCK_MS) > 0) {
            hooks->ended = true;
            return false;
        }
    }
    return true;
}

/* A signal that comes while it says what it finds ends it in good order. Also finds out whether the
 * memory can be kept, before anything is told. */
static bool prepare(struct hooks *hooks, struct failure *failure)
{
    const char *file = hooks->options.resume;
    const char *folder = hooks->options.folder;

    hooks->teller.end_fd = signals_of(SIGINT, SIGTERM);
    hooks->gone_fd = signals_of(SIGHUP, SIGHUP);
    if (hooks->teller.end_fd < 0 || hooks->gone_fd < 0) {
        (void)failure_set(failure, EXIT_REFUSED, "no descriptor is left: %s", strerror(errno));
        return false;
    }
    if (!is_folder(folder, failure) || !look_at_hooks(folder, failure)) {
        return false;
    }
    snprintf(hooks->memory_path, sizeof hooks->memory_path, "%s%s", file == NULL ? folder : file,
             file == NULL ? "/.resume" : "");
    return lock_memory(hooks, failure) &&
           hook_memory_read(hooks->memory_path, &hooks->memory, failure) && keep(hooks, failure);
}

/* Of two times in milliseconds; below 0 is never. */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Waits until the client has something to do, or the time is over. False: INT, TERM or HUP came
 * first. */
static bool sleep_until_due(struct hooks *hooks, int again_ms)
{
    const int say_ms = hooks->say_away_ms == 0 ? -1 : (int)clock_left_ms(hooks->say_away_ms);
    const struct doyen_event gone = {
        .kind = DOYEN_AWAY, .name = "away", .text = "the daemon has ended", .view = hooks->view};
    const struct doyen *client = hooks->cli->client;
    const int due_ms = sooner(doyen_timeout_ms(client), sooner(again_ms, say_ms));
    struct pollfd fds[] = {{.fd = doyen_fd(client), .events = POLLIN},
                           {.fd = hooks->teller.end_fd, .events = POLLIN},
                           {.fd = hooks->gone_fd, .events = POLLIN}};

    if (poll(fds, sizeof fds / sizeof fds[0], due_ms) <= 0) {
        return true;
    }
    if (fds[2].revents != 0) {
        (void)on_event(hooks, &gone);
    }
    return fds[1].revents == 0 && fds[2].revents == 0;
}

/* Until a signal, or an error, which is returned. */
static int watch(struct hooks *hooks, const char *resume)
{
    struct doyen *client = hooks->cli->client;
    int again_ms = -1;
    int result = doyen_watch_start(client, resume, 0, on_event, hooks);

    /* What they were told still holds until somebody says otherwise. */
    hook_right_claim(&hooks->right, hooks->memory.acting == TOLD_YES);
    while (result == 0) {
        say_away_when_due(hooks);
        result = look_at_right(hooks, &again_ms);
        if (result != 0 || !sleep_until_due(hooks, again_ms)) {
            break;
        }
        result = doyen_step(client);
    }
    return result;
}

/* Does the library, or the daemon by the title of its problem, say that no daemon gave what the
 * watch was to go on from? */
static bool is_no_token(const struct hooks *hooks, int result)
{
    static const char title[] = "not a cursor";

    return result == DOYEN_E_USAGE ||
           (result == DOYEN_E_REFUSED &&
            strncmp(doyen_error(hooks->cli->client), title, sizeof title - 1) == 0);
}

static enum exit_code run_hooks(struct cli *cli, int argc, char **argv)
{
    struct hooks hooks = {
        .cli = cli, .options.timeout_ms = HOOK_TIMEOUT_MS, .right = HOOK_RIGHT_NONE};
    struct failure failure;

    cli_parse(cli, &verb_hook, argc, argv, &hooks.options);
    if (!prepare(&hooks, &failure)) {
        return hooks.ended ? EXIT_DONE : failure_report(&failure);
    }
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    hooks.teller.client = cli->client;
    hooks.teller.folder = hooks.options.folder;
    hooks.teller.timeout_ms = hooks.options.timeout_ms;
    hooks.teller.json = cli->json;
    hooks.teller.look = look_meanwhile;
    hooks.teller.user = &hooks;
    const char *resume = hooks.memory.resume[0] == '\0' ? NULL : hooks.memory.resume;
    int result = watch(&hooks, resume);
    if (resume != NULL && is_no_token(&hooks, result)) {
        hook_memory_report_damage(hooks.memory_path);
        doyen_watch_stop(cli->client);
        result = watch(&hooks, NULL);
    }
    hook_right_close(&hooks.right);
    doyen_view_release(hooks.view);
    (void)close(hooks.teller.end_fd);
    (void)close(hooks.gone_fd);
    (void)close(hooks.lock);
    if (result < 0) {
        (void)client_failure(cli->client, result, &failure);
        return failure_report(&failure);
    }
    return hooks.failed ? EXIT_REFUSED : EXIT_DONE;
}

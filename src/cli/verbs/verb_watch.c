/* doyen watch: what happens, one line per event, beginning with how things are. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/event_print.h"
#include "cli/request/cli.h"
#include "cli/verbs/verbs.h"

enum { ID_MAX = 64 }; /* bytes of a cursor; the daemon's have less than half of it */

struct watch_options {
    const char *since;
    bool reconnect;
};

static enum exit_code run_watch(struct cli *cli, int argc, char **argv);

/* What it means is the daemon's business; it has to fit a header. */
static bool is_plausible_id(const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        if (text[i] <= ' ' || text[i] > '~') {
            return false;
        }
    }
    return length > 0 && length < ID_MAX;
}

static error_t parse_watch(int key, char *argument, struct argp_state *state)
{
    struct watch_options *options = state->input;

    switch (key) {
    case 's':
        if (!is_plausible_id(argument)) {
            cli_usage_error(state, "--since %s: give a cursor, as an earlier line has it",
                            argument);
        }
        options->since = argument;
        return 0;
    case 'r':
        options->reconnect = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option watch_options[] = {
    {.name = "since",
     .key = 's',
     .arg = "CURSOR",
     .doc = "Go on after this event instead of beginning with a snapshot"},
    {.name = "reconnect",
     .key = 'r',
     .doc = "Wait for a daemon that is not there, and go on when it is back"},
    {.name = NULL},
};

const struct verb verb_watch = {
    .name = "watch",
    .summary = "Events, one line each, after a snapshot of how things are",
    .details =
        "Each line has the time, the cursor, the kind and a sentence; with --json it is one "
        "object. Give a CURSOR back as it was. A daemon that no longer has the events after "
        "it, or was restarted, says \"gap\" and goes on from a new snapshot.\n\n"
        "Exit, without --reconnect: 4 when the daemon goes away, as it does when its node leaves; "
        "5 when it does not answer, or says nothing for 15 s. When whoever reads the output goes away, it ends at once.",
    .options = watch_options,
    .parse = parse_watch,
    .example = "doyen watch --reconnect",
    .run = run_watch,
};

/* Ends as the next write would have: by SIGPIPE, like everything at the head of a pipeline; or,
 * where that is ignored, with a line. */
static enum exit_code end_unread(void)
{
    struct failure failure;

    (void)raise(SIGPIPE);
    failure_set(&failure, EXIT_REFUSED, "whoever read the output went away");
    return failure_report(&failure);
}

/* One run of watch, over as many streams as it takes. */
struct watching {
    const struct cli *cli;
    struct printer printer;
};

/* Says once that the daemon is away. */
static void say_away(const char *why)
{
    struct failure failure;

    failure_set(&failure, EXIT_UNREACHABLE, "%s; trying again until it is back", why);
    (void)failure_report(&failure);
}

/* Returns EXIT_REFUSED, which ends the watch, when the event could not be printed. */
static int on_event(void *user, const struct doyen_event *event)
{
    const struct watching *watching = user;

    if (event->kind == DOYEN_AWAY) {
        say_away(event->text);
        return 0;
    }
    return event->json == NULL ? 0
                               : (int)event_print(event, &watching->printer, watching->cli->json);
}

/* Sleeps until the client has something to do. False when nobody reads the output any more. */
static bool sleep_until_due(const struct doyen *client)
{
    /* An end that nobody reads shows as an error or as hung up, which are always polled for. */
    struct pollfd ends[] = {{.fd = doyen_fd(client), .events = POLLIN}, {.fd = STDOUT_FILENO}};

    if (poll(ends, sizeof ends / sizeof ends[0], doyen_timeout_ms(client)) <= 0) {
        return true;
    }
    return (ends[1].revents & (POLLERR | POLLHUP)) == 0;
}

static enum exit_code run_watch(struct cli *cli, int argc, char **argv)
{
    struct watch_options options = {.since = NULL};
    struct watching watching = {.cli = cli};
    struct failure failure;

    cli_parse(cli, &verb_watch, argc, argv, &options);
    printer_init(&watching.printer);
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    int result = doyen_watch_start(cli->client, options.since,
                                   options.reconnect ? DOYEN_WATCH_PLAIN
                                                     : DOYEN_WATCH_PLAIN | DOYEN_WATCH_ONCE,
                                   on_event, &watching);
    while (result == 0) {
        if (!sleep_until_due(cli->client)) {
            return end_unread();
        }
        result = doyen_step(cli->client);
    }
    if (result > 0) {
        return EXIT_REFUSED; /* That was said. */
    }
    (void)client_failure(cli->client, result, &failure);
    return failure_report(&failure);
}

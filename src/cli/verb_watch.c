/* doyen watch: what happens, one line per event, beginning with how things are. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/event_print.h"
#include "cli/reader.h"

enum {
    ID_MAX = 64, /* bytes of a cursor; the daemon's have less than half of it */
    RECONNECT_MS_MIN = 100,
    RECONNECT_MS_MAX = 2000,
};

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
        "5 when it does not answer. When whoever reads the output goes away, it ends at once.",
    .options = watch_options,
    .parse = parse_watch,
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
    char last_id[ID_MAX]; /* where to go on; empty: begin with a snapshot */
    uint64_t pause_ms;    /* before the next try to reconnect */
    bool told;            /* that the daemon is away */
    struct failure failure;
};

static bool keep_id(struct watching *watching, const char *id)
{
    return text_set(watching->last_id, sizeof watching->last_id, id, strlen(id));
}

static enum exit_code handle_event(struct watching *watching, const struct sse_event *event)
{
    watching->pause_ms = RECONNECT_MS_MIN;
    watching->told = false;
    if (event->id[0] != '\0' && !keep_id(watching, event->id)) {
        watching->last_id[0] = '\0'; /* Nothing that could be given back. */
    }
    return event_print(event, &watching->printer, watching->cli->json);
}

/* Why a stream is over. */
enum ending {
    ENDING_LOST,   /* the daemon is away, `failure` says how */
    ENDING_UNREAD, /* nobody reads the output */
    ENDING_FAILED, /* an event could not be printed, and that was said */
};

static enum ending follow(struct watching *watching, struct feed *feed)
{
    const uint64_t answer_by_ms = clock_now_ms() + REQUEST_TIMEOUT_MS;
    struct sse_event event;

    for (;;) {
        const bool answered = feed_is_answered(feed);
        switch (feed_next(feed, answered ? UINT64_MAX : answer_by_ms, &event)) {
        case FEED_EVENT:
            if (handle_event(watching, &event) != EXIT_DONE) {
                return ENDING_FAILED;
            }
            break;
        case FEED_ENDED:
            watching->failure = *feed_failure(feed);
            return ENDING_LOST;
        case FEED_UNREAD:
            return ENDING_UNREAD;
        case FEED_WAITING:
            if (!feed_is_answered(feed)) {
                failure_set(&watching->failure, EXIT_TIMED_OUT,
                            "the daemon did not answer within %d ms: it may be stopped or "
                            "overloaded",
                            REQUEST_TIMEOUT_MS);
                return ENDING_LOST;
            }
            break;
        }
    }
}

static enum ending connect_and_follow(struct watching *watching, struct cli *cli)
{
    if (cli_connect(cli, &watching->failure) != EXIT_DONE) {
        return ENDING_LOST;
    }
    struct feed *feed = feed_open(cli->client,
                                  watching->last_id[0] == '\0' ? NULL : watching->last_id);
    if (feed == NULL) {
        failure_set(&watching->failure, EXIT_REFUSED, "out of memory");
        return ENDING_LOST;
    }
    feed_watch_reader(feed, STDOUT_FILENO);
    const enum ending ending = follow(watching, feed);
    feed_close(feed);
    return ending;
}

/* Nobody there is worth another try; a refusal is not. Says once that the daemon is away. False
 * when there is no sense in going on; then the failure has been reported. */
static bool may_come_back(struct watching *watching)
{
    const enum exit_code code = watching->failure.code;

    if (code != EXIT_UNREACHABLE && code != EXIT_TIMED_OUT) {
        (void)failure_report(&watching->failure);
        return false;
    }
    if (!watching->told) {
        const size_t length = strlen(watching->failure.text);
        snprintf(watching->failure.text + length, sizeof watching->failure.text - length,
                 "; trying again until it is back");
        (void)failure_report(&watching->failure);
        watching->told = true;
    }
    return true;
}

/* False when nobody reads the output any more. */
static bool pause_longer(struct watching *watching)
{
    const uint64_t pause_ms = watching->pause_ms;

    watching->pause_ms = 2 * pause_ms < RECONNECT_MS_MAX ? 2 * pause_ms : RECONNECT_MS_MAX;
    return reader_stays(STDOUT_FILENO, pause_ms);
}

static enum exit_code run_watch(struct cli *cli, int argc, char **argv)
{
    struct watch_options options = {.since = NULL};
    struct watching watching = {.cli = cli, .pause_ms = RECONNECT_MS_MIN};

    cli_parse(cli, &verb_watch, argc, argv, &options);
    printer_init(&watching.printer);
    if (options.since != NULL) {
        (void)keep_id(&watching, options.since); /* It fits: it was looked at. */
    }
    for (;;) {
        switch (connect_and_follow(&watching, cli)) {
        case ENDING_UNREAD:
            return end_unread();
        case ENDING_FAILED:
            return EXIT_REFUSED;
        case ENDING_LOST:
            if (!options.reconnect) {
                return failure_report(&watching.failure);
            }
            if (!may_come_back(&watching)) {
                return watching.failure.code;
            }
            if (!pause_longer(&watching)) {
                return end_unread();
            }
            break;
        }
    }
}

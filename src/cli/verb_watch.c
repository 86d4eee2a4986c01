/* doyen watch: what happens, one line per event, beginning with how things are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/document.h"
#include "cli/printer.h"

enum { TIME_OF_DAY_MAX = 16 }; /* "07:08:09.123Z" */

struct watch_options {
    const char *since;
};

static enum exit_code run_watch(struct cli *cli, int argc, char **argv);

static error_t parse_watch(int key, char *argument, struct argp_state *state)
{
    struct watch_options *options = state->input;

    if (key != 's') {
        return ARGP_ERR_UNKNOWN;
    }
    if (argument[0] == '\0' || strlen(argument) > 20 ||
        strspn(argument, "0123456789") != strlen(argument)) {
        cli_usage_error(state, "--since %s: give a cursor, the number after # in an earlier line",
                        argument);
    }
    options->since = argument;
    return 0;
}

static const struct argp_option watch_options[] = {
    {.name = "since",
     .key = 's',
     .arg = "CURSOR",
     .doc = "Go on after this event instead of beginning with a snapshot"},
    {.name = NULL},
};

const struct verb verb_watch = {
    .name = "watch",
    .summary = "Events, one line each, after a snapshot of how things are",
    .details = "Each line has the time, the cursor, the kind and a sentence; with --json it is one "
               "object. A daemon that no longer has the events after CURSOR says \"gap\" and goes "
               "on from a new snapshot.\n\n"
               "Exit: 4 when the daemon goes away, 5 when it does not answer.",
    .options = watch_options,
    .parse = parse_watch,
    .run = run_watch,
};

/* The time of day in "2031-05-06T07:08:09.123Z"; now, where the event has none. UTC, like the
 * daemon's log. */
static void time_of_day(const char *time_text, char text[TIME_OF_DAY_MAX])
{
    const char *separator = strchr(time_text, 'T');
    struct timespec now;
    struct tm parts;

    if (separator != NULL) {
        snprintf(text, TIME_OF_DAY_MAX, "%s", separator + 1);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    const size_t length = strftime(text, TIME_OF_DAY_MAX, "%H:%M:%S", &parts);
    snprintf(text + length, TIME_OF_DAY_MAX - length, ".%03uZ",
             (unsigned)(now.tv_nsec / 1000000) % 1000);
}

static void print_snapshot(const struct printer *printer, const json_t *document)
{
    const json_t *members = json_object_get(document, "members");
    const json_t *view = json_object_get(document, "view");

    if (json_array_size(members) == 0) {
        printf("%s is in phase ", document_text(document, "self", "this node"));
        printer_text(printer, TONE_PLAIN, document_text(document, "phase", "?"));
        return;
    }
    printf("view %" PRIu64 ".%" PRIu64 ", %zu member%s:", document_number(view, "epoch"),
           document_number(view, "version"), json_array_size(members),
           json_array_size(members) == 1 ? "" : "s");
    for (size_t i = 0; i < json_array_size(members); i++) {
        putchar(' ');
        printer_text(printer, TONE_PLAIN, document_text(json_array_get(members, i), "name", "?"));
    }
    fputs("; coordinator ", stdout);
    printer_text(printer, TONE_PLAIN, document_text(document, "coordinator", "not known"));
}

static enum tone tone_of(const char *kind)
{
    if (strcmp(kind, "gone") == 0 || strcmp(kind, "mismatch") == 0 || strcmp(kind, "split") == 0 ||
        strcmp(kind, "gap") == 0) {
        return TONE_BAD;
    }
    if (strcmp(kind, "suspect") == 0 || strcmp(kind, "claim") == 0 ||
        strcmp(kind, "merging") == 0 || strcmp(kind, "vouched") == 0 || strcmp(kind, "late") == 0) {
        return TONE_DOUBTFUL;
    }
    if (strcmp(kind, "joined") == 0 || strcmp(kind, "coordinator") == 0 ||
        strcmp(kind, "merge") == 0) {
        return TONE_GOOD;
    }
    return TONE_PLAIN;
}

static void print_event(const struct printer *printer, const struct sse_event *event,
                        const json_t *data)
{
    char time_text[TIME_OF_DAY_MAX];

    time_of_day(document_text(data, "time", ""), time_text);
    printf("%s  #%-5s ", time_text, document_text(data, "cursor", event->id));
    printer_text(printer, tone_of(event->name), event->name);
    printf("%*s", (int)(strlen(event->name) < 12 ? 12 - strlen(event->name) : 0) + 1, "");
    if (strcmp(event->name, "snapshot") == 0) {
        print_snapshot(printer, data);
    } else {
        printer_text(printer, TONE_PLAIN, document_text(data, "text", ""));
    }
    putchar('\n');
}

/* One object on one line; a snapshot, which is the members document, is given its kind, so that a
 * reader can tell the lines apart. */
static bool print_event_json(const struct sse_event *event, json_t *data)
{
    if (!document_has(data, "kind") &&
        json_object_set_new(data, "kind", json_string(event->name)) != 0) {
        return false;
    }
    if (json_dumpf(data, stdout, JSON_COMPACT) != 0) {
        return false;
    }
    putchar('\n');
    return true;
}

static enum exit_code take_event(const struct cli *cli, const struct printer *printer,
                                 const struct sse_event *event)
{
    json_t *data = json_loads(event->data, 0, NULL);
    struct failure failure;

    if (!json_is_object(data)) {
        json_decref(data);
        failure_set(&failure, EXIT_REFUSED, "an event \"%s\" makes no sense: is it doyend?",
                    event->name);
        return failure_report(&failure);
    }
    bool printed = true;
    if (cli->json) {
        printed = print_event_json(event, data);
    } else {
        print_event(printer, event, data);
    }
    json_decref(data);
    /* Whoever reads this wants it now. main says what a failed write means. */
    return fflush(stdout) == 0 && !ferror(stdout) && printed ? EXIT_DONE : EXIT_REFUSED;
}

static enum exit_code follow(const struct cli *cli, struct feed *feed)
{
    const uint64_t answer_by_ms = clock_now_ms() + REQUEST_TIMEOUT_MS;
    struct printer printer;
    struct sse_event event;
    struct failure failure;

    printer_init(&printer);
    for (;;) {
        const bool answered = feed_is_answered(feed);
        switch (feed_next(feed, answered ? UINT64_MAX : answer_by_ms, &event)) {
        case FEED_EVENT:
            if (take_event(cli, &printer, &event) != EXIT_DONE) {
                return EXIT_REFUSED;
            }
            break;
        case FEED_ENDED:
            return failure_report(feed_failure(feed));
        case FEED_WAITING:
            if (!feed_is_answered(feed)) {
                failure_set(&failure, EXIT_TIMED_OUT,
                            "the daemon did not answer within %d ms: it may be stopped or "
                            "overloaded",
                            REQUEST_TIMEOUT_MS);
                return failure_report(&failure);
            }
            break;
        }
    }
}

static enum exit_code run_watch(struct cli *cli, int argc, char **argv)
{
    struct watch_options options = {.since = NULL};
    struct failure failure;

    cli_parse(cli, &verb_watch, argc, argv, &options);
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    struct feed *feed = feed_open(cli->client, options.since);
    if (feed == NULL) {
        fputs("doyen: out of memory\n", stderr);
        return EXIT_REFUSED;
    }
    const enum exit_code code = follow(cli, feed);
    feed_close(feed);
    return code;
}

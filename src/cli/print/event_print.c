#include "cli/print/event_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/request/document.h"

enum { TIME_OF_DAY_MAX = 16 }; /* "07:08:09.123Z" */

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
        strcmp(kind, "merging") == 0 || strcmp(kind, "vouched") == 0 || strcmp(kind, "late") == 0 ||
        strcmp(kind, "address") == 0) {
        return TONE_DOUBTFUL;
    }
    if (strcmp(kind, "joined") == 0 || strcmp(kind, "coordinator") == 0 ||
        strcmp(kind, "merge") == 0) {
        return TONE_GOOD;
    }
    return TONE_PLAIN;
}

static void print_event(const struct printer *printer, const struct doyen_event *event,
                        const json_t *data)
{
    char time_text[TIME_OF_DAY_MAX];

    time_of_day(document_text(data, "time", ""), time_text);
    printf("%s  %-12s ", time_text, document_text(data, "cursor", ""));
    printer_text(printer, tone_of(event->name), event->name);
    printf("%*s", (int)(strlen(event->name) < 12 ? 12 - strlen(event->name) : 0) + 1, "");
    if (strcmp(event->name, "snapshot") == 0) {
        print_snapshot(printer, data);
    } else {
        printer_text(printer, TONE_PLAIN, document_text(data, "text", ""));
    }
    putchar('\n');
}

/* One object on one line. */
static bool print_event_json(const json_t *data)
{
    if (json_dumpf(data, stdout, JSON_COMPACT) != 0) {
        return false;
    }
    putchar('\n');
    return true;
}

enum exit_code event_print(const struct doyen_event *event, const struct printer *printer,
                           bool as_json)
{
    json_t *data = json_loads(event->json, 0, NULL);
    struct failure failure;

    if (!json_is_object(data)) {
        json_decref(data);
        failure_set(&failure, EXIT_REFUSED, "an event \"%s\" makes no sense: is it doyend?",
                    event->name);
        return failure_report(&failure);
    }
    bool printed = true;
    if (as_json) {
        printed = print_event_json(data);
    } else {
        print_event(printer, event, data);
    }
    json_decref(data);
    /* Whoever reads this wants it now. main says what a failed write means. */
    return fflush(stdout) == 0 && !ferror(stdout) && printed ? EXIT_DONE : EXIT_REFUSED;
}

/* doyen status: how this node sees the cluster, on one screen, and what to do next; with --all what
 * each member says of itself. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/request/voters_ask.h"
#include "cli/verbs/status_all.h"
#include "cli/verbs/verbs.h"

enum { NAMES_TEXT_MAX = 512 };

struct status_options {
    bool all;
};

static enum exit_code run_status(struct cli *cli, int argc, char **argv);

static error_t parse_status(int key, char *argument, struct argp_state *state)
{
    struct status_options *options = state->input;

    (void)argument;
    if (key != 'a') {
        return ARGP_ERR_UNKNOWN;
    }
    options->all = true;
    return 0;
}

static const struct argp_option status_options[] = {
    {.name = "all",
     .key = 'a',
     .doc = "Ask every member: versions, views, terms and clocks side by side"},
    {.name = NULL},
};

const struct verb verb_status = {
    .name = "status",
    .summary = "One screen: view, coordinator, guard, links, what to do next",
    .details = "Exit: 6 when the cluster is not healthy, as the first line says it; the screen is "
               "printed all the same, and a warning is 0. With --all: 5 when a member did not "
               "answer within a second.",
    .options = status_options,
    .parse = parse_status,
    .example = "doyen status --all",
    .run = run_status,
};

/* "cyrene, delphi"; "..." stands for what does not fit. */
static void names_text(const json_t *names, char text[NAMES_TEXT_MAX])
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name == NULL || length + strlen(name) + sizeof ", ..." > NAMES_TEXT_MAX) {
            snprintf(text + length, NAMES_TEXT_MAX - length, "...");
            return;
        }
        length += (size_t)snprintf(text + length, NAMES_TEXT_MAX - length, "%s%s",
                                   i == 0 ? "" : ", ", name);
    }
}

static void print_node(const struct printer *printer, const json_t *status)
{
    const char *phase = document_text(status, "phase", "?");
    char uptime[DURATION_TEXT_MAX];

    duration_text(uptime, document_number(status, "uptime_ms"));
    printer_fact(printer, "cluster", TONE_PLAIN, "%s", document_text(status, "cluster", "?"));
    printer_fact(printer, "node", TONE_PLAIN, "%s at %s, up %s, profile %s",
                 document_text(status, "self", "?"), document_text(status, "address", "?"), uptime,
                 document_text(status, "profile", "?"));
    if (document_is_true(status, "merging")) {
        printer_fact(printer, "phase", TONE_DOUBTFUL,
                     "%s; its part is being absorbed by another, and nobody in it acts meanwhile",
                     phase);
    } else {
        printer_fact(printer, "phase", strcmp(phase, "member") == 0 ? TONE_GOOD : TONE_DOUBTFUL,
                     "%s", phase);
    }
}

static void print_view(const struct printer *printer, const json_t *status)
{
    const json_t *view = json_object_get(status, "view");
    const json_t *counts = json_object_get(status, "counts");
    const uint64_t members = document_number(view, "members");
    const uint64_t suspects = document_number(counts, "suspect");
    const uint64_t acked = document_number(view, "acked");

    if (members == 0) {
        printer_fact(printer, "view", TONE_DOUBTFUL, "none yet");
        return;
    }
    printer_fact(printer, "view", TONE_PLAIN,
                 acked < members ? "%" PRIu64 ".%" PRIu64 ", held by %" PRIu64 " of %" PRIu64
                                   " so far"
                                 : "%" PRIu64 ".%" PRIu64 ", held by all %" PRIu64,
                 document_number(view, "epoch"), document_number(view, "version"), acked, members);
    if (suspects == 0) {
        printer_fact(printer, "members", TONE_GOOD, "%" PRIu64 ", none suspect", members);
    } else {
        printer_fact(printer, "members", TONE_DOUBTFUL, "%" PRIu64 ", %" PRIu64 " of them suspect",
                     members, suspects);
    }
    printer_fact(printer, "gone", TONE_PLAIN, "%" PRIu64 " failed, %" PRIu64 " left",
                 document_number(counts, "failed"), document_number(counts, "left"));
}

static void print_self_coordinates(const struct printer *printer, const json_t *status,
                                   const char *coordinator)
{
    char left[DURATION_TEXT_MAX];

    if (!document_is_true(status, "acting")) {
        printer_fact(printer, "coordinator", TONE_DOUBTFUL, "%s, this node, not acting",
                     coordinator);
        return;
    }
    duration_text(left, document_number(status, "acting_ms"));
    printer_fact(printer, "coordinator", TONE_GOOD,
                 "%s, this node, acting under epoch %" PRIu64 " (%s, %s left)", coordinator,
                 document_number(status, "epoch"), document_text(status, "acting_is", "advisory"),
                 left);
}

static void print_coordinator(const struct printer *printer, const json_t *status)
{
    const char *coordinator = document_coordinator(status);
    char ago[DURATION_TEXT_MAX];

    if (coordinator == NULL) {
        printer_fact(printer, "coordinator", TONE_DOUBTFUL, "none to be named");
    } else if (strcmp(coordinator, document_text(status, "self", "")) == 0) {
        print_self_coordinates(printer, status, coordinator);
    } else if (document_has(status, "coordinator_unheard_ms")) {
        duration_text(ago, document_number(status, "coordinator_unheard_ms"));
        printer_fact(printer, "coordinator", TONE_BAD, "%s, not heard for %s", coordinator, ago);
    } else if (document_has(status, "acting_said_ms")) {
        duration_text(ago, document_number(status, "acting_said_ms"));
        printer_fact(printer, "coordinator", TONE_GOOD, "%s, acting as it said %s ago", coordinator,
                     ago);
    } else {
        printer_fact(printer, "coordinator", TONE_DOUBTFUL, "%s; whether it acts is not known here",
                     coordinator);
    }
}

/* Of the voters those that vote, and no more than those that lease. */
static void print_strict(const struct printer *printer, const json_t *status)
{
    const json_t *guard = json_object_get(status, "guard");
    const json_t *voters = json_object_get(status, "voters");
    const bool met = document_guard_is_met(status);
    const uint64_t voting = document_number(voters, "heard") - document_number(voters, "lacking");
    const uint64_t fresh = document_number(guard, "fresh");
    const uint64_t needed = document_number(guard, "needed");
    const uint64_t count = voting < fresh ? voting : fresh;
    const char *more = met && count < needed    ? ", until the lease ends"
                       : met && count == needed ? ": none can be spared"
                       : met || count < needed  ? ""
                                                : ", and none of them has said that it acts";

    printer_fact(printer, "guard", met ? TONE_GOOD : TONE_BAD,
                 "strict, %s: %" PRIu64 " of %" PRIu64 " voters, %" PRIu64 " needed%s",
                 met ? "met" : "not met", count, document_number(voters, "count"), needed, more);
}

static void print_guard(const struct printer *printer, const json_t *status)
{
    const json_t *guard = json_object_get(status, "guard");
    const bool met = document_guard_is_met(status);

    const char *policy = document_text(guard, "policy", "");
    const bool tight = met && document_number(guard, "fresh") == document_number(guard, "needed");
    const char *spare = tight ? ": none can be spared" : "";

    if (strcmp(policy, "none") == 0) {
        printer_fact(printer, "guard", TONE_PLAIN, "none");
        return;
    }
    if (document_has(status, "voters")) {
        print_strict(printer, status);
        return;
    }
    if (document_has(guard, "size")) {
        printer_fact(printer, "guard", met ? TONE_GOOD : TONE_BAD,
                     "%s of %" PRIu64 ", %s: %" PRIu64 " fresh, %" PRIu64 " needed%s", policy,
                     document_number(guard, "size"), met ? "met" : "not met",
                     document_number(guard, "fresh"), document_number(guard, "needed"), spare);
        return;
    }
    printer_fact(printer, "guard", met ? TONE_GOOD : TONE_BAD,
                 "%s: %" PRIu64 " fresh, %" PRIu64 " needed%s", met ? "met" : "not met",
                 document_number(guard, "fresh"), document_number(guard, "needed"), spare);
}

/* Nothing where this node is no voter. */
static void print_voter(const struct printer *printer, const json_t *status)
{
    const char *voter = document_text(status, "voter", "");

    if (strcmp(voter, "votes") == 0) {
        printer_fact(printer, "voter", TONE_GOOD, "%s", voter);
    } else if (strcmp(voter, "retired") == 0) {
        printer_fact(printer, "voter", TONE_PLAIN, "%s: others vote now", voter);
    } else if (document_has(status, "record_of")) {
        const json_t *whose = json_object_get(status, "record_of");
        printer_fact(printer, "voter", TONE_BAD,
                     "does not vote: the record in its state directory is of %s, cluster %s: start "
                     "it under that name, or choose another --state-dir",
                     document_text(whose, "name", "?"), document_text(whose, "cluster", "?"));
    } else if (strcmp(voter, "") != 0) {
        printer_fact(printer, "voter", TONE_BAD, "does not vote: %s", voter);
    }
}

/* Bad links anywhere in the cluster, as far as this node knows. */
static void print_bad_links(const struct printer *printer, const json_t *bad)
{
    const size_t count = json_array_size(bad);

    if (count == 1) {
        printer_fact(printer, "bad link", TONE_BAD, "%s",
                     document_text(json_array_get(bad, 0), "detail", "?"));
    } else if (count > 1) {
        printer_fact(printer, "bad links", TONE_BAD, "%zu: doyen matrix names them", count);
    }
}

/* The limit is that of the process, so what it lacked once it lacks until it is started anew. */
static void print_starved(const struct printer *printer, const json_t *counters)
{
    const uint64_t count = document_number(counters, "starved");

    if (count > 0) {
        printer_fact(printer, "starved", TONE_BAD,
                     "%" PRIu64 " connections given up: no file descriptors left for them", count);
    }
}

static void print_links(const struct printer *printer, const json_t *status)
{
    const json_t *links = json_object_get(status, "links");
    const json_t *down = json_object_get(links, "down");
    char names[NAMES_TEXT_MAX];

    print_bad_links(printer, json_object_get(links, "bad"));
    print_starved(printer, json_object_get(status, "counters"));
    if (json_array_size(down) == 0) {
        printer_fact(printer, "links", TONE_PLAIN, "%" PRIu64 " up", document_number(links, "up"));
        return;
    }
    names_text(down, names);
    printer_fact(printer, "links", TONE_DOUBTFUL, "%" PRIu64 " up; down to %s",
                 document_number(links, "up"), names);
}

/* What --faults injects: easily forgotten, and then a riddle. */
static void print_faults(const struct printer *printer, const json_t *status)
{
    const json_t *faults = json_object_get(status, "faults");
    char text[NAMES_TEXT_MAX] = "";
    size_t length = 0;

    for (size_t i = 0; i < json_array_size(faults); i++) {
        const json_t *fault = json_array_get(faults, i);
        const char *name = document_text(fault, "name", "?");
        const char *comma = i == 0 ? "" : ", ";
        int more = document_is_true(fault, "drop")
                       ? snprintf(text + length, sizeof text - length, "%sdrops %s", comma, name)
                       : snprintf(text + length, sizeof text - length,
                                  "%sdelays %s by %" PRIu64 " ms", comma, name,
                                  document_number(fault, "delay_ms"));
        if (more < 0 || (size_t)more >= sizeof text - length) {
            break; /* Cut, which still says that there are faults. */
        }
        length += (size_t)more;
    }
    if (length > 0) {
        printer_fact(printer, "faults", TONE_DOUBTFUL, "on purpose: %s", text);
    }
}

enum { REASONS_SHOWN = 3 };

/* The reason met most often below `ceiling`, or of those met as often the next after `after`. */
static const json_t *next_reason(const json_t *refusals, const json_t *after)
{
    const uint64_t ceiling = after == NULL ? UINT64_MAX : document_number(after, "count");
    const json_t *best = NULL;
    bool passed = after == NULL;

    for (size_t i = 0; i < json_array_size(refusals); i++) {
        const json_t *reason = json_array_get(refusals, i);
        const uint64_t count = document_number(reason, "count");
        const bool eligible = count < ceiling || (count == ceiling && passed);

        if (eligible && (best == NULL || count > document_number(best, "count"))) {
            best = reason;
        }
        passed = passed || reason == after;
    }
    return best;
}

/* What it did not act on; some of that is as it should be, such as what comes twice. */
static void print_refused(const struct printer *printer, const json_t *status)
{
    const json_t *refusals = json_object_get(status, "refusals");
    const json_t *reason = NULL;
    char text[NAMES_TEXT_MAX] = "";
    size_t length = 0;

    for (int i = 0; i < REASONS_SHOWN && (reason = next_reason(refusals, reason)) != NULL; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIu64 " %.64s",
                                   i == 0 ? "" : ", ", document_number(reason, "count"),
                                   document_text(reason, "reason", "?"));
    }
    if (length > 0) {
        printer_fact(printer, "refused", TONE_PLAIN, "%s%s", text,
                     json_array_size(refusals) > REASONS_SHOWN ? ", ..." : "");
    }
}

static void print_key(const struct printer *printer, const json_t *status)
{
    const json_t *security = json_object_get(status, "security");
    const json_t *keys = json_object_get(security, "keys");
    const size_t count = json_array_size(keys);

    if (strcmp(document_text(security, "auth", ""), "accept") == 0) {
        printer_fact(printer, "key", TONE_BAD,
                     "%s, but frames without one are taken: leave --auth accept out once all nodes "
                     "have it",
                     json_string_value(json_array_get(keys, 0)));
    } else if (document_is_true(security, "insecure")) {
        printer_fact(printer, "key", TONE_BAD,
                     "none: whoever can send to it rules this cluster; give all nodes the same "
                     "--key");
    } else if (count > 0) {
        printer_fact(printer, "key", TONE_PLAIN, "%s%s", json_string_value(json_array_get(keys, 0)),
                     count == 1 ? "" : ", and others that open");
    }
}

/* Worth a line only where an upgrade is not over. */
static void print_protocol(const struct printer *printer, const json_t *status)
{
    const json_t *protocol = json_object_get(status, "protocol");
    const json_t *names = json_object_get(protocol, "held_back_by");
    const size_t count = json_array_size(names);
    const char *first = json_string_value(json_array_get(names, 0));

    if (count == 0 || first == NULL) {
        return;
    }
    printer_fact(printer, "protocol", TONE_DOUBTFUL,
                 "version %" PRIu64 ", and this node speaks %s: %s%s to be upgraded yet",
                 document_number(protocol, "version"), document_text(protocol, "speaks", "?"),
                 first, count == 1 ? " is" : " and others are");
}

/* Nothing where nobody has changed them. */
static void print_terms(const struct printer *printer, const json_t *status)
{
    const json_t *terms = json_object_get(status, "terms");

    if (document_has(terms, "settled") && !document_is_true(terms, "settled")) {
        printer_fact(printer, "terms", TONE_DOUBTFUL,
                     "being changed: those of before and the new ones both hold");
    } else if (document_is_true(terms, "drift")) {
        printer_fact(printer, "terms", TONE_DOUBTFUL,
                     "others than this node was started with: doyen change shows both");
    }
}

static void print_last_change(const struct printer *printer, const json_t *status)
{
    const json_t *change = json_object_get(status, "last_change");
    const char *text = document_text(change, "change", "");
    char since[DURATION_TEXT_MAX];

    if (!document_has(status, "last_change")) {
        return;
    }
    duration_text(since, document_number(change, "since_ms"));
    printer_fact(printer, "last change", TONE_PLAIN, "%s ago: %s%s(cause: %s)", since, text,
                 text[0] == '\0' ? "" : " ", document_text(change, "cause", "?"));
}

/* What the daemon says of the whole comes first, and what to do about it last. */
static void print_whole(const struct printer *printer, const json_t *status, const char *label,
                        const char *key)
{
    const json_t *whole = json_object_get(status, "whole");

    printer_fact(printer, label, printer_severity_tone(document_text(whole, "severity", "bad")),
                 "%s", document_text(whole, key, "?"));
}

static enum exit_code print_status(const json_t *status)
{
    struct printer printer;

    printer_init(&printer);
    print_whole(&printer, status, "state", "sentence");
    print_node(&printer, status);
    print_view(&printer, status);
    print_coordinator(&printer, status);
    print_guard(&printer, status);
    print_voter(&printer, status);
    print_links(&printer, status);
    print_key(&printer, status);
    print_protocol(&printer, status);
    print_terms(&printer, status);
    print_faults(&printer, status);
    print_refused(&printer, status);
    print_last_change(&printer, status);
    print_whole(&printer, status, "next", "next");
    return document_whole_exit_code(status);
}

static enum exit_code run_status(struct cli *cli, int argc, char **argv)
{
    struct status_options options = {.all = false};
    struct answer answer = {.json = NULL};

    cli_parse(cli, &verb_status, argc, argv, &options);
    if (options.all) {
        return status_all(cli);
    }
    enum exit_code code = voters_ask(cli, "/v1/status", &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
        code = document_whole_exit_code(answer.json);
    } else {
        code = print_status(answer.json);
    }
    answer_deinit(&answer);
    return code;
}

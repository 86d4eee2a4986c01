/* doyen doctor: is the time within which a lost host is to be found kept here? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/duration.h"
#include "cli/print/duration_option.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum {
    SPAN_MS = 5000,
    SPAN_MS_MIN = 1000,
    SPAN_MS_MAX = 600 * 1000,
    ASK_AGAIN_MS = 200,
    US_PER_MS = 1000,
    PATH_BYTES = 48,
    CELL_MAX = 64,
};

struct doctor_options {
    uint64_t span_ms;
};

static enum exit_code run_doctor(struct cli *cli, int argc, char **argv);

static const struct argp_option doctor_options[] = {
    {"for", 'f', "DUR", 0, "Measure for so long, 1s to 10m (default: 5s)", 0}, {0}};

static error_t parse_doctor(int key, char *argument, struct argp_state *state)
{
    struct doctor_options *options = state->input;

    if (key != 'f') {
        return ARGP_ERR_UNKNOWN;
    }
    options->span_ms = duration_option(state, "--for", argument, SPAN_MS_MIN, SPAN_MS_MAX);
    return 0;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "Whether the network here lets the timings keep what they promise",
    .details =
        "The daemon measures the way to every other member for five seconds: round trips, "
        "jitter, loss, whether long datagrams and streams pass and packets of which size do, the others' clocks, how late it "
        "runs itself, and whether all have the same terms and keys. Below the table: which "
        "outage removes nobody, what that costs, and a line for each thing that has to hold. "
        "Exit status 0 when all of it holds, 1 when not, 6 when the cluster is not healthy, as "
        "doyen status says it. What is measured is the way from "
        "and to this node: ask on others as well.",
    .options = doctor_options,
    .parse = parse_doctor,
    .example = "doyen doctor --for 30s",
    .run = run_doctor,
};

/* --- Asking --- */

static void say_progress(const json_t *report, bool terminal)
{
    if (terminal) {
        fprintf(stderr, "\rdoyen: measuring, %" PRIu64 " s left ",
                (document_number(report, "left_ms") + US_PER_MS - 1) / US_PER_MS);
    }
}

static bool runs(const json_t *report)
{
    return strcmp(document_text(report, "state", ""), "running") == 0;
}

/* On EXIT_DONE the caller has to deinit `answer`, the report of a measurement that is done. */
static enum exit_code measure(struct cli *cli, uint64_t span_ms, struct answer *answer)
{
    const bool terminal = isatty(STDERR_FILENO) == 1;
    char path[PATH_BYTES];
    char span[DURATION_TEXT_MAX];

    snprintf(path, sizeof path, "/v1/doctor?begin=%" PRIu64, span_ms);
    enum exit_code code = cli_get(cli, path, answer);
    if (code == EXIT_DONE && !terminal) {
        duration_text(span, span_ms);
        fprintf(stderr, "doyen: measuring for %s\n", span);
    }
    while (code == EXIT_DONE && runs(answer->json)) {
        say_progress(answer->json, terminal);
        answer_deinit(answer);
        clock_sleep_ms(ASK_AGAIN_MS);
        code = cli_get(cli, "/v1/doctor", answer);
    }
    if (terminal) {
        fputs("\r\033[K", stderr);
    }
    return code;
}

/* --- The table --- */

static void add_trip(struct table *table, const json_t *member, const char *key)
{
    const uint64_t us = document_number(member, key);
    char text[CELL_MAX] = "-";

    if (document_has(member, key)) {
        snprintf(text, sizeof text, "%" PRIu64 ".%02" PRIu64 " ms", us / US_PER_MS,
                 us % US_PER_MS / 10);
    }
    table_cell(table, TONE_PLAIN, text);
}

static void add_lost(struct table *table, const json_t *member)
{
    const uint64_t sent = document_number(member, "sent");
    const uint64_t answered = document_number(member, "answered");
    const uint64_t lost = sent > answered ? sent - answered : 0;
    char text[CELL_MAX];

    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, lost, sent);
    table_cell(table, lost == 0 ? TONE_PLAIN : lost == sent ? TONE_BAD : TONE_DOUBTFUL, text);
}

/* What the kernel knows of the path. */
static void add_mtu(struct table *table, const json_t *member)
{
    char text[CELL_MAX] = "?";

    if (document_has(member, "path_mtu")) {
        snprintf(text, sizeof text, "%" PRIu64, document_number(member, "path_mtu"));
    }
    table_cell(table, TONE_PLAIN, text);
}

/* The longest packet that was seen to pass, and what did not, though it has to. */
static void add_passes(struct table *table, const json_t *member)
{
    const bool no_datagram = document_number(member, "large_sent") > 0 &&
                             document_number(member, "large_answered") == 0;
    const bool no_stream = document_number(member, "stream_sent") > 0 &&
                           document_number(member, "stream_answered") == 0;
    char text[CELL_MAX] = "?";

    if (no_datagram || no_stream) {
        snprintf(text, sizeof text, "%s",
                 no_datagram && no_stream ? "none"
                 : no_stream              ? "no TCP"
                                          : "no UDP");
    } else if (document_has(member, "packet_bytes")) {
        snprintf(text, sizeof text, "%" PRIu64, document_number(member, "packet_bytes"));
    }
    table_cell(table, no_datagram || no_stream ? TONE_BAD : TONE_PLAIN, text);
}

static void add_clock(struct table *table, const json_t *member)
{
    char text[CELL_MAX] = "-";

    if (document_has(member, "clock_ppm")) {
        snprintf(text, sizeof text, "%+" PRId64 " +-%" PRIu64,
                 (int64_t)json_integer_value(json_object_get(member, "clock_ppm")),
                 document_number(member, "clock_ppm_unsure"));
    }
    table_cell(table, TONE_PLAIN, text);
}

static void add_member(struct table *table, const json_t *member)
{
    const json_t *said = json_object_get(member, "answer");

    table_row(table);
    table_cell(table, TONE_PLAIN, document_text(member, "name", "?"));
    add_lost(table, member);
    add_trip(table, member, "trip_us_min");
    add_trip(table, member, "trip_us_mean");
    add_trip(table, member, "trip_us_max");
    add_trip(table, member, "jitter_us");
    add_mtu(table, member);
    add_passes(table, member);
    add_clock(table, member);
    table_cell(table, TONE_PLAIN, document_text(said, "version", "?"));
    table_cell(table, TONE_PLAIN, document_text(said, "key", "-"));
}

static bool print_members(const struct printer *printer, const json_t *members)
{
    static const struct column columns[] = {{"MEMBER", false},  {"LOST", true},   {"BEST", true},
                                            {"MEAN", true},     {"WORST", true},  {"JITTER", true},
                                            {"MTU", true},      {"PASSES", true}, {"CLOCK", true},
                                            {"VERSION", false}, {"KEY", false}};
    struct table *table = table_new(printer, columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0; i < json_array_size(members); i++) {
        add_member(table, json_array_get(members, i));
    }
    return table_print(table);
}

/* --- Below it --- */

static void print_budget(const struct printer *printer, const json_t *report)
{
    const json_t *budget = json_object_get(report, "budget");
    const json_t *promise = json_object_get(report, "promise");
    const json_t *cost = json_object_get(report, "cost");

    printer_fact(printer, "budget", TONE_PLAIN,
                 "profile %s: a lost host is out %" PRIu64 " to %" PRIu64
                 " ms after it was lost; heartbeat %" PRIu64 " ms, doubt %" PRIu64
                 " ms, lost %" PRIu64 " ms, last questions %" PRIu64 " ms",
                 document_text(budget, "profile", "?"), document_number(promise, "removed_ms_min"),
                 document_number(promise, "removed_ms_max"),
                 document_number(budget, "heartbeat_ms"), document_number(budget, "silent_ms"),
                 document_number(budget, "fail_after_ms"), document_number(budget, "verify_ms"));
    printer_fact(printer, "survives", TONE_PLAIN,
                 "an outage of one member's network below %" PRIu64
                 " ms removes nobody and replaces no coordinator (D2b)",
                 document_number(promise, "survived_ms"));
    printer_fact(printer, "costs", TONE_PLAIN,
                 "%" PRIu64 " heartbeats/s by the rules; sent meanwhile %" PRIu64
                 " packets/s, %" PRIu64 " bytes/s with headers",
                 document_number(cost, "heartbeats_per_s"), document_number(cost, "packets_per_s"),
                 document_number(cost, "bytes_per_s"));
}

/* How the cluster is, as doyen status says it. */
static void print_whole(const struct printer *printer, const json_t *report)
{
    const json_t *whole = json_object_get(report, "whole");
    const char *severity = document_text(whole, "severity", "bad");

    printer_fact(printer, "whole", printer_severity_tone(severity), "%s: %s",
                 strcmp(severity, "good") == 0 ? "ok" : severity,
                 document_text(whole, "sentence", "?"));
}

static void print_checks(const struct printer *printer, const json_t *checks)
{
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *check = json_array_get(checks, i);
        const bool holds = document_is_true(check, "holds");
        const char *rule = document_text(check, "rule", "");

        printer_fact(printer, document_text(check, "check", "?"), holds ? TONE_GOOD : TONE_BAD,
                     "%s: %s%s%s%s", holds ? "ok" : "bad", document_text(check, "text", ""),
                     rule[0] == '\0' ? "" : " (", rule, rule[0] == '\0' ? "" : ")");
    }
}

static enum exit_code judge(const json_t *report)
{
    const enum exit_code whole = document_whole_exit_code(report);

    return whole != EXIT_DONE                  ? whole
           : document_is_true(report, "holds") ? EXIT_DONE
                                               : EXIT_REFUSED;
}

/* Who knows no other member has nothing to measure, but knows how it is itself. */
static enum exit_code print_alone(const struct printer *printer, const json_t *report)
{
    const enum exit_code whole = document_whole_exit_code(report);

    print_whole(printer, report);
    print_checks(printer, json_object_get(report, "checks"));
    fprintf(stderr, "doyen: %s knows no other member: there is nothing to measure\n",
            document_text(report, "self", "this node"));
    return whole != EXIT_DONE ? whole : EXIT_REFUSED;
}

static enum exit_code print_report(const json_t *report)
{
    const json_t *members = json_object_get(report, "members");
    struct printer printer;

    printer_init(&printer);
    if (json_array_size(members) == 0) {
        return print_alone(&printer, report);
    }
    if (!print_members(&printer, members)) {
        return EXIT_REFUSED;
    }
    putchar('\n');
    print_budget(&printer, report);
    print_whole(&printer, report);
    print_checks(&printer, json_object_get(report, "checks"));
    printer_fact(&printer, "verdict", judge(report) == EXIT_DONE ? TONE_GOOD : TONE_BAD, "%s",
                 judge(report) == EXIT_DONE ? "kept, as seen from here"
                                            : "not kept here: what is marked bad does not hold");
    return judge(report);
}

static enum exit_code run_doctor(struct cli *cli, int argc, char **argv)
{
    struct doctor_options options = {.span_ms = SPAN_MS};
    struct answer answer = {.json = NULL};

    cli_parse(cli, &verb_doctor, argc, argv, &options);
    enum exit_code code = measure(cli, options.span_ms, &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
        code = judge(answer.json);
    } else {
        code = print_report(answer.json);
    }
    answer_deinit(&answer);
    return code;
}

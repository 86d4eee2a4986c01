/* doyen report FILE: all that the daemon can say of itself and of the last minutes, in one file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/request/roles_ask.h"
#include "cli/verbs/report_archive.h"
#include "cli/verbs/status_all.h"
#include "cli/verbs/verbs.h"

struct report_options {
    const char *path;
};

static enum exit_code run_report(struct cli *cli, int argc, char **argv);

static error_t parse_report(int key, char *argument, struct argp_state *state)
{
    struct report_options *options = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (options->path != NULL) {
            return ARGP_ERR_UNKNOWN;
        }
        if (!report_archive_can_write(argument)) {
            cli_usage_error(state, "\"%s\": give FILE a name that ends in .tar.gz, .tgz or .tar",
                            argument);
        }
        options->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->path == NULL) {
            cli_usage_error(state, "say where to, as in doyen report doyen.tar.gz");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct verb verb_report = {
    .name = "report",
    .arguments = "FILE",
    .summary = "Packs what is known of the last minutes into FILE, for a bug report",
    .details =
        "FILE ends in .tar.gz, .tgz or .tar. In it are status, also of the other members, "
        "members, history, events, evidence, links, lease, voters, keys by their fingerprints, the "
        "elected leader, roles, partitions, configuration, metrics, and a recording of the last "
        "minutes for doyen-replay. It has names, addresses and tags, and the random numbers of "
        "this life, but no key. The recording is for the accounts alone that may change something; "
        "for others the rest is packed.",
    .parse = parse_report,
    .example = "doyen report athens.tar.gz",
    .run = run_report,
};

/* What is packed as it comes. The first one has to be there. */
static const struct source {
    const char *file;
    const char *path;
} sources[] = {
    {"status.json", "/v1/status"},         {"version.json", "/v1/version"},
    {"members.json", "/v1/members"},       {"history.json", "/v1/history"},
    {"events.json", "/v1/journal"},        {"why.json", "/v1/why"},
    {"links.json", "/v1/links"},           {"lease.json", "/v1/lease"},
    {"voters.json", "/v1/voters"},         {"keys.json", "/v1/keys"},
    {"leader.json", "/v1/leader"},         {"config.json", "/v1/config"},
    {"partitions.json", "/v1/partitions"}, {"metrics.txt", "/metrics"},
};

struct report {
    struct cli *cli;
    struct report_archive *archive;
    size_t file_count;
    char missing[4096]; /* a line for each file that is not there, and why */
};

static void add(struct report *report, const char *name, const void *bytes, size_t length)
{
    report_archive_add(report->archive, name, bytes, length);
    report->file_count++;
}

static void note_missing(struct report *report, const char *file, const char *why)
{
    const size_t used = strlen(report->missing);

    fprintf(stderr, "doyen: without %s: %s\n", file, why);
    snprintf(report->missing + used, sizeof report->missing - used, "%s: %s\n", file, why);
}

/* Asks for one resource. On EXIT_DONE its text is to be freed with doyen_free. */
static enum exit_code ask(struct cli *cli, const char *path, char **text, struct failure *failure)
{
    const int error = doyen_request(cli->client, "GET", path, NULL, REQUEST_TIMEOUT_MS, text);

    return error == 0 ? EXIT_DONE : client_failure(cli->client, error, failure);
}

static void add_source(struct report *report, const struct source *source)
{
    struct failure failure;
    char *text = NULL;

    if (ask(report->cli, source->path, &text, &failure) != EXIT_DONE) {
        note_missing(report, source->file, failure.text);
        return;
    }
    add(report, source->file, text, strlen(text));
    doyen_free(report->cli->client, text);
}

static void add_peers(struct report *report)
{
    struct answer answer = {.json = NULL};
    struct failure failure;

    if (status_all_ask(report->cli, &answer, &failure) != EXIT_DONE) {
        note_missing(report, "peers.json", failure.text);
        return;
    }
    add(report, "peers.json", answer.text, strlen(answer.text));
    answer_deinit(&answer);
}

static void add_roles(struct report *report)
{
    struct answer answer = {.json = NULL};
    struct failure failure;

    if (roles_ask(report->cli, &answer, &failure) != EXIT_DONE) {
        note_missing(report, "roles.json", failure.text);
        return;
    }
    add(report, "roles.json", answer.text, strlen(answer.text));
    answer_deinit(&answer);
}

/* --- The recording --- */

static int digit_of(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit == '\0' ? NULL : strchr(digits, digit);

    return at == NULL ? -1 : (int)(at - digits);
}

/* Returns the bytes, to be freed; NULL when the text is none, or memory ran out. */
static unsigned char *bytes_of_hex(const char *hex, size_t *length)
{
    const size_t digits = strlen(hex);
    unsigned char *bytes = malloc(digits / 2 + 1);

    *length = digits / 2;
    for (size_t i = 0; bytes != NULL && i < *length; i++) {
        const int high = digit_of(hex[2 * i]);
        const int low = digit_of(hex[2 * i + 1]);
        if (high < 0 || low < 0) {
            free(bytes);
            return NULL;
        }
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    return bytes;
}

static void add_recording(struct report *report)
{
    struct answer answer = {.json = NULL};
    struct failure failure;
    size_t length = 0;

    if (client_get(report->cli->client, "/v1/recording", REQUEST_TIMEOUT_MS, &answer, &failure) !=
        EXIT_DONE) {
        note_missing(report, "recording.rec", failure.text);
        return;
    }
    unsigned char *bytes = bytes_of_hex(document_text(answer.json, "recording", "-"), &length);
    if (bytes == NULL || length == 0) {
        note_missing(report, "recording.rec", "the daemon has none");
    } else {
        add(report, "recording.rec", bytes, length);
    }
    free(bytes);
    answer_deinit(&answer);
}

/* --- All of it --- */

static void add_readme(struct report *report)
{
    char text[sizeof report->missing + 1024];

    snprintf(text, sizeof text,
             "What a doyend said of itself; made by doyen report, doyen " DOYEN_VERSION ".\n"
             "The documents are those of proto/control.md, peers.json is GET /v1/peers.\n"
             "doyen-replay recording.rec runs the recording, or lists it where it begins with a "
             "gap.\n"
             "%s%s",
             report->missing[0] == '\0' ? "" : "\nNot in it:\n", report->missing);
    add(report, "README", text, strlen(text));
}

static enum exit_code pack(struct report *report, const char *path, const char *status)
{
    struct failure failure;

    add(report, sources[0].file, status, strlen(status));
    for (size_t i = 1; i < sizeof sources / sizeof sources[0]; i++) {
        add_source(report, &sources[i]);
    }
    add_peers(report);
    add_roles(report);
    add_recording(report);
    add_readme(report);
    if (!report_archive_close(report->archive, &failure)) {
        return failure_report(&failure);
    }
    printf("%s: %zu files; it has names, addresses and tags of the members, and no key\n", path,
           report->file_count);
    return EXIT_DONE;
}

/* "doyen-report-athens" */
static void folder_name(const json_t *status, char *folder, size_t size)
{
    snprintf(folder, size, "doyen-report-%.63s", document_text(status, "self", "node"));
}

static enum exit_code run_report(struct cli *cli, int argc, char **argv)
{
    struct report_options options = {.path = NULL};
    struct report report = {.cli = cli};
    struct answer status = {.json = NULL};
    struct failure failure;
    char folder[96];

    cli_parse(cli, &verb_report, argc, argv, &options);
    enum exit_code code = cli_get(cli, sources[0].path, &status);
    if (code != EXIT_DONE) {
        return code;
    }
    folder_name(status.json, folder, sizeof folder);
    report.archive = report_archive_open(options.path, folder, &failure);
    code = report.archive == NULL ? failure_report(&failure)
                                  : pack(&report, options.path, status.text);
    answer_deinit(&status);
    return code;
}

/* doyen lease: may this node act, for how long, under which epoch? Asked of the daemon, or read
 * from the page that doyen run has left to the command that it started. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"
#include "doyen/lease.h"

enum { NS_PER_MS = 1000000 };

static enum exit_code run_lease(struct cli *cli, int argc, char **argv);

const struct verb verb_lease = {
    .name = "lease",
    .summary = "May this node act, for how long, under which epoch?",
    .details = "Below doyen run, that is with DOYEN_LEASE_FD in the environment and neither "
               "--control nor --url, it reads the page that the command was given, asks no daemon, "
               "and answers for DOYEN_EPOCH: a command asks so whether it may still act. Below "
               "doyen campaign it answers for DOYEN_TOKEN.\n\n"
               "Exit: 0 it may act, 3 it may not, 1 refused, as where DOYEN_EPOCH is no epoch.",
    .run = run_lease,
};

/* Reads under which epoch whoever asks acts; below doyen campaign the page has the role's token in
 * its place. 0: none is named, so it may be any. What is no epoch is refused: taken for none, it
 * would permit to act under any. */
static enum exit_code read_asked_epoch(uint64_t *epoch, struct failure *failure)
{
    const bool has_role = getenv("DOYEN_ROLE") != NULL;
    const char *name = has_role ? "DOYEN_TOKEN" : "DOYEN_EPOCH";
    const char *text = getenv(name);
    char *end = NULL;

    *epoch = 0;
    if (text == NULL) {
        return EXIT_DONE;
    }
    errno = 0;
    *epoch = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *epoch == 0) {
        return failure_set(failure, EXIT_REFUSED, "%s is '%s', and no %s: doyen %s sets it", name,
                           text, has_role ? "token" : "epoch", has_role ? "campaign" : "run");
    }
    return EXIT_DONE;
}

static bool is_held(const json_t *lease, uint64_t epoch)
{
    return document_is_true(lease, "acting") &&
           (epoch == 0 || document_number(lease, "epoch") == epoch);
}

static void print_lease(const json_t *lease, uint64_t epoch)
{
    const char *self = document_text(lease, "self", "this node");
    const uint64_t present = document_number(lease, "epoch");
    char left[DURATION_TEXT_MAX];

    duration_text(left, document_number(lease, "acting_ms"));
    if (is_held(lease, epoch)) {
        printf("%s acts under epoch %" PRIu64 ", %s left (%s)\n", self, present, left,
               document_text(lease, "acting_is", "advisory"));
    } else if (document_is_true(lease, "acting")) {
        printf("%s acts under epoch %" PRIu64 ", and not under %" PRIu64 " any more\n", self,
               present, epoch);
    } else if (document_is_true(lease, "withdrawn")) {
        printf("%s does not act: it has given up its right, to hand over\n", self);
    } else {
        printf("%s does not act\n", self);
    }
}

/* --- The page -------------------------------------------------------------------------------- */

static json_t *hexadecimal(const unsigned char *bytes, size_t count)
{
    char text[2 * sizeof((struct doyen_lease_content){0}.id) + 1] = "";

    for (size_t i = 0; i < count && 2 * i + 2 < sizeof text; i++) {
        snprintf(text + 2 * i, sizeof text - 2 * i, "%02x", bytes[i]);
    }
    return json_string(text);
}

/* The same document as that of the daemon. */
static json_t *document_of(const struct doyen_lease_content *content)
{
    const uint64_t left_ns = doyen_lease_left_ns(content, doyen_lease_now_ns());
    const bool advisory = (content->flags & DOYEN_LEASE_ADVISORY) != 0;
    const bool acting = left_ns >= NS_PER_MS;
    json_t *document = json_pack(
        "{s:i s:s s:o s:o s:o s:b s:I s:s s:o s:s s:I s:I s:b}", "schema", 1, "self", content->name,
        "id", hexadecimal(content->id, sizeof content->id), "lineage",
        json_sprintf("%016" PRIx64, content->lineage), "epoch",
        json_sprintf("%" PRIu64, content->epoch), "acting", acting, "acting_ms",
        (json_int_t)(left_ns / NS_PER_MS), "acting_is", advisory ? "advisory" : "exclusive",
        "deadline_ns", acting ? json_sprintf("%" PRIu64, content->deadline_ns) : json_null(),
        "clock", "CLOCK_BOOTTIME", "span_ms", (json_int_t)(content->span_ns / NS_PER_MS),
        "renewal_ms", (json_int_t)(content->renewal_ns / NS_PER_MS), "withdrawn",
        (content->flags & DOYEN_LEASE_WITHDRAWN) != 0);

    if (!advisory) {
        json_object_set_new(document, "lease_ms", json_integer((json_int_t)(left_ns / NS_PER_MS)));
    }
    return document;
}

static bool is_wished_for(const struct cli *cli)
{
    return cli->control != NULL || cli->url != NULL;
}

/* Reads the page that this process was left. */
static enum exit_code read_page(const char *descriptor, struct answer *answer,
                                struct failure *failure)
{
    struct doyen_lease lease;
    struct doyen_lease_content content;
    char *end = NULL;
    const long fd = strtol(descriptor, &end, 10);

    const int error = end == descriptor || *end != '\0' || fd < 0
                          ? -EPROTO
                          : doyen_lease_map(&lease, (int)fd);
    if (error == -EXDEV) {
        return failure_of_clock(failure, "DOYEN_LEASE_FD");
    }
    if (error != 0) {
        return failure_set(failure, EXIT_REFUSED,
                           "DOYEN_LEASE_FD is %s, and that is no lease page: doyen run leaves it "
                           "open to the command that it starts; give --control to ask the daemon",
                           descriptor);
    }
    if (doyen_lease_read(&lease, &content) != 0) {
        content = (struct doyen_lease_content){.name = "this node"}; /* It changed all the time. */
    }
    doyen_lease_unmap(&lease);
    answer->json = document_of(&content);
    return answer->json == NULL ? failure_set(failure, EXIT_REFUSED, "out of memory") : EXIT_DONE;
}

/* --- The verb -------------------------------------------------------------------------------- */

static enum exit_code run_lease(struct cli *cli, int argc, char **argv)
{
    struct answer answer = {.json = NULL};
    struct failure failure;

    cli_parse(cli, &verb_lease, argc, argv, NULL);
    const char *descriptor = is_wished_for(cli) ? NULL : getenv("DOYEN_LEASE_FD");
    uint64_t epoch = 0;
    enum exit_code code = EXIT_DONE;
    if (descriptor == NULL) {
        code = cli_get(cli, "/v1/lease", &answer);
    } else if (read_asked_epoch(&epoch, &failure) != EXIT_DONE ||
               read_page(descriptor, &answer, &failure) != EXIT_DONE) {
        code = failure_report(&failure);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        json_dumpf(answer.json, stdout, JSON_COMPACT);
        putchar('\n');
    } else {
        print_lease(answer.json, epoch);
    }
    code = is_held(answer.json, epoch) ? EXIT_DONE : EXIT_NO_COORDINATOR;
    answer_deinit(&answer);
    return code;
}

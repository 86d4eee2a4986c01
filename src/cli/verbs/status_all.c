#include "cli/verbs/status_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"

enum {
    PATIENCE_MS = 1000, /* after the last member was asked */
    ASK_AGAIN_MS = 20,
    ASK_MANY_AGAIN_MS = 200, /* where the answer is long */
    MANY = 256,
    CLOCK_GOOD_MS = 500, /* clocks further apart than this are named */
    US_PER_MS = 1000,
    CELL_MAX = 64,
};

/* --- Asking --- */

/* Until all have answered, or nobody has for some time after the last one was asked. */
enum exit_code status_all_ask(struct cli *cli, struct answer *answer, struct failure *failure)
{
    uint64_t deadline_ms = clock_now_ms() + PATIENCE_MS;
    enum exit_code code = cli_connect(cli, failure);

    if (code == EXIT_DONE) {
        code = client_get(cli->client, "/v1/peers?begin", REQUEST_TIMEOUT_MS, answer, failure);
    }

    while (code == EXIT_DONE && document_number(answer->json, "waiting") > 0 &&
           clock_left_ms(deadline_ms) > 0) {
        const bool unasked = document_number(answer->json, "unasked") > 0;
        const bool many = json_array_size(json_object_get(answer->json, "members")) > MANY;
        answer_deinit(answer);
        clock_sleep_ms(many ? ASK_MANY_AGAIN_MS : ASK_AGAIN_MS);
        deadline_ms = unasked ? clock_now_ms() + PATIENCE_MS : deadline_ms;
        code = client_get(cli->client, "/v1/peers", REQUEST_TIMEOUT_MS, answer, failure);
    }
    return code;
}

/* --- The table --- */

static void add_view(struct table *table, const json_t *said)
{
    char text[CELL_MAX];

    snprintf(text, sizeof text, "%s.%s", document_text(said, "epoch", "?"),
             document_text(said, "view", "?"));
    table_cell(table, TONE_PLAIN, text);
}

/* As the options have it: what differs keeps two nodes out of one cluster. */
static void add_terms(struct table *table, const json_t *said)
{
    char text[CELL_MAX];

    snprintf(text, sizeof text, "%s %s %" PRIu64 "/%" PRIu64 "ms %" PRIu64,
             document_text(said, "guard", "?"), document_text(said, "profile", "?"),
             document_number(said, "heartbeat_ms"), document_number(said, "fail_after_ms"),
             document_number(said, "capacity"));
    table_cell(table, TONE_PLAIN, text);
}

static int64_t clock_of(const json_t *member)
{
    return (int64_t)json_integer_value(json_object_get(member, "clock_ms"));
}

static bool clock_is_good(const json_t *member)
{
    return clock_of(member) >= -CLOCK_GOOD_MS && clock_of(member) <= CLOCK_GOOD_MS;
}

/* "+3 ms": ahead of the asked daemon's. */
static void add_clock(struct table *table, const json_t *member)
{
    char text[CELL_MAX] = "?";

    if (document_has(member, "clock_ms")) {
        snprintf(text, sizeof text, "%+" PRId64 " ms", clock_of(member));
    }
    table_cell(table, clock_is_good(member) ? TONE_PLAIN : TONE_BAD, text);
}

static void add_took(struct table *table, const json_t *member)
{
    const uint64_t took_us = document_number(member, "took_us");
    char text[CELL_MAX];

    snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64 " ms", took_us / US_PER_MS,
             took_us % US_PER_MS / 100);
    table_cell(table, TONE_PLAIN, document_is_true(member, "self") ? "-" : text);
}

static void add_member(struct table *table, const json_t *member)
{
    const json_t *said = json_object_get(member, "answer");
    const char *phase = document_text(said, "phase", "?");
    char uptime[DURATION_TEXT_MAX];

    table_row(table);
    table_cell(table, TONE_PLAIN, document_text(member, "name", "?"));
    if (!document_has(member, "answer")) {
        table_cell(table, TONE_BAD, "no answer");
        return;
    }
    duration_text(uptime, document_number(said, "uptime_ms"));
    table_cell(table, TONE_PLAIN, document_text(said, "version", "?"));
    table_cell(table, strcmp(phase, "member") == 0 ? TONE_GOOD : TONE_DOUBTFUL, phase);
    add_view(table, said);
    table_cell(table, TONE_PLAIN, document_text(said, "coordinator", "-"));
    table_cell(table, TONE_PLAIN, document_is_true(said, "acting") ? "yes" : "-");
    add_terms(table, said);
    add_clock(table, member);
    add_took(table, member);
    table_cell(table, TONE_PLAIN, uptime);
}

/* --- Below it --- */

/* Do two of those who answered say something else? */
static bool differs(const json_t *members, const char *key)
{
    const json_t *first = NULL;

    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *said = json_object_get(json_array_get(members, i), "answer");
        if (!json_is_object(said)) {
            continue;
        }
        if (first != NULL && !json_equal(json_object_get(first, key), json_object_get(said, key))) {
            return true;
        }
        first = said;
    }
    return false;
}

static void print_remarks(const json_t *members)
{
    if (differs(members, "version")) {
        puts("the versions differ: upgrade the rest, one member after the other");
    }
    if (differs(members, "epoch") || differs(members, "view")) {
        puts("the views differ: a change is under way, or the members are split; ask again");
    }
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *member = json_array_get(members, i);
        const char *name = document_text(member, "name", "?");
        if (!document_has(member, "answer")) {
            printf("%s did not answer: it is stopped, cut off, overloaded, or of a version before "
                   "0.2\n",
                   name);
        } else if (!clock_is_good(member)) {
            printf("the clock of %s is %+" PRId64 " ms off: nothing is decided by it, but times in "
                   "logs do not compare\n",
                   name, clock_of(member));
        }
    }
}

enum exit_code status_all_judge(const json_t *peers)
{
    const json_t *members = json_object_get(peers, "members");
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(members); i++) {
        count += !document_has(json_array_get(members, i), "answer");
    }
    return count == 0 ? EXIT_DONE : EXIT_TIMED_OUT;
}

static enum exit_code print_all(const json_t *peers)
{
    static const struct column columns[] = {
        {"MEMBER", false},      {"VERSION", false}, {"PHASE", false}, {"VIEW", true},
        {"COORDINATOR", false}, {"ACTING", false},  {"TERMS", false}, {"CLOCK", true},
        {"ANSWER", true},       {"UP", true}};
    const json_t *members = json_object_get(peers, "members");
    struct printer printer;

    if (json_array_size(members) == 0) {
        fprintf(stderr, "doyen: %s is no member of a view: doyen status shows what it waits for\n",
                document_text(peers, "self", "this node"));
        return EXIT_REFUSED;
    }
    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(members); i++) {
        add_member(table, json_array_get(members, i));
    }
    if (!table_print(table)) {
        return EXIT_REFUSED;
    }
    print_remarks(members);
    return status_all_judge(peers);
}

enum exit_code status_all(struct cli *cli)
{
    struct answer answer = {.json = NULL};
    struct failure failure;
    enum exit_code code = status_all_ask(cli, &answer, &failure);

    if (code != EXIT_DONE) {
        return failure_report(&failure);
    }
    if (cli->json) {
        cli_print_document(&answer);
        code = status_all_judge(answer.json);
    } else {
        code = print_all(answer.json);
    }
    answer_deinit(&answer);
    return code;
}

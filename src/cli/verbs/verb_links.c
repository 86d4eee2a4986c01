/* doyen links: who watches whom, what is in doubt, and whether everybody is asked (D9). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum {
    PATIENCE_MS = 1000, /* after the last member was asked */
    ASK_AGAIN_MS = 20,
    ASK_MANY_AGAIN_MS = 200, /* where the answer is long */
    MANY = 256,
    TIMEOUT_MS = 10000,
    RING_COLUMNS = 96, /* where the drawing of a ring is wrapped */
};

struct links_options {
    bool all;
    uint64_t timeout_ms;
};

static enum exit_code run_links(struct cli *cli, int argc, char **argv);

static error_t parse_links(int key, char *argument, struct argp_state *state)
{
    struct links_options *options = state->input;

    switch (key) {
    case 'a':
        options->all = true;
        return 0;
    case 't':
        if (!duration_parse(argument, &options->timeout_ms) || options->timeout_ms == 0) {
            cli_usage_error(state,
                            "--timeout %s: give a number above 0 and its unit, as in 500ms or 5s",
                            argument);
        }
        return 0;
    case ARGP_KEY_END:
        if (options->timeout_ms != 0 && !options->all) {
            cli_usage_error(state, "--timeout is for --all: what this node knows takes no time");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option links_options[] = {
    {.name = "all", .key = 'a', .doc = "Ask all members now, and show the rings whole"},
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "With --all: give up after this (500ms, 5s); 10s unless given"},
    {0}};

const struct verb verb_links = {
    .name = "links",
    .summary = "Who watches whom on the rings, which doubts are open, and who is asked",
    .details =
        "Whom this node watches, and why (ring 1, ring 2, oldest, "
        "guard, or doubt for as long as there is one); when each gave its last sign; then "
        "each open case: who is in doubt, since when, who told of it, what was asked, and what "
        "comes of it, when; and whether this node asks everybody. With --all every member is asked "
        "now, 64 at a time, and both rings are drawn: a = b, they hear each other; a -x> b, b does "
        "not hear a; a ? b, one end did not say.\n\n"
        "Exit: 1 when there is no view yet, 5 when some members did not answer in time.",
    .options = links_options,
    .parse = parse_links,
    .run = run_links,
};

/* --- What this node knows --- */

static enum tone state_tone(const char *state)
{
    if (strcmp(state, "heard") == 0) {
        return TONE_GOOD;
    }
    return strcmp(state, "asked") == 0 || strcmp(state, "silent") == 0 ? TONE_DOUBTFUL : TONE_BAD;
}

static void add_ms(struct table *table, const json_t *object, const char *key)
{
    char text[DURATION_TEXT_MAX];

    duration_text(text, document_number(object, key));
    table_cell(table, TONE_PLAIN, document_has(object, key) ? text : "-");
}

static bool print_watches(const struct printer *printer, const json_t *watches)
{
    static const struct column columns[] = {{"WATCHES", false},  {"ON", false},
                                            {"LAST SIGN", true}, {"STATE", false},
                                            {"LIFELINE", false}, {"FOR", true}};
    struct table *table = table_new(printer, columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0; i < json_array_size(watches); i++) {
        const json_t *watch = json_array_get(watches, i);
        const char *state = document_text(watch, "state", "?");
        table_row(table);
        table_cell(table, TONE_PLAIN, document_text(watch, "name", "?"));
        table_cell(table, TONE_PLAIN, document_text(watch, "on", "?"));
        add_ms(table, watch, "heard_ms");
        table_cell(table, state_tone(state), state);
        table_cell(table, TONE_PLAIN, document_is_true(watch, "linked") ? "up" : "down");
        add_ms(table, watch, "left_ms");
    }
    return table_print(table);
}

static void print_cases(const struct printer *printer, const json_t *document)
{
    const json_t *cases = json_object_get(document, "cases");
    const uint64_t count = document_number(document, "case_count");

    if (count == 0) {
        printer_text(printer, TONE_GOOD, "nobody is in doubt");
        putchar('\n');
    }
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        printer_text(printer, TONE_DOUBTFUL, document_text(one, "about", "?"));
        fputs(": ", stdout);
        printer_text(printer, TONE_PLAIN, document_text(one, "text", "?"));
        putchar('\n');
    }
    if (count > json_array_size(cases)) {
        printf("and %" PRIu64 " more cases\n", count - json_array_size(cases));
    }
}

static void print_names(const struct printer *printer, const char *lead, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        fputs(i == 0 ? lead : ", ", stdout);
        printer_text(printer, TONE_DOUBTFUL, name == NULL ? "?" : name);
    }
}

static void print_roll_call(const struct printer *printer, const json_t *document)
{
    const json_t *call = json_object_get(document, "roll_call");
    char began[DURATION_TEXT_MAX];
    char left[DURATION_TEXT_MAX];

    if (!json_is_object(call)) {
        return;
    }
    duration_text(began, document_number(call, "began_ms"));
    duration_text(left, document_number(call, "left_ms"));
    printf("roll call: everybody has been asked for %s, and is for %s more; %" PRIu64 " of %" PRIu64
           " have answered",
           began, left, document_number(call, "answered"), document_number(call, "asked"));
    print_names(printer, "; not yet ", json_object_get(call, "unanswered"));
    putchar('\n');
}

static bool has_view(const json_t *document)
{
    if (document_number(document, "members") > 0) {
        return true;
    }
    fprintf(stderr, "doyen: %s has no view yet, so there are no links to show\n",
            document_text(document, "self", "this node"));
    return false;
}

static enum exit_code print_own(const json_t *document)
{
    const json_t *watches = json_object_get(document, "watches");
    struct printer printer;

    if (!has_view(document)) {
        return EXIT_REFUSED;
    }
    printer_init(&printer);
    printer_text(&printer, TONE_PLAIN, document_text(document, "self", "?"));
    printf(" watches %zu of the %" PRIu64 " other members\n", json_array_size(watches),
           document_number(document, "members") - 1);
    if (json_array_size(watches) > 0 && !print_watches(&printer, watches)) {
        return EXIT_REFUSED;
    }
    putchar('\n');
    print_cases(&printer, document);
    print_roll_call(&printer, document);
    return EXIT_DONE;
}

/* --- What all say --- */

static void show_progress(const json_t *document)
{
    const uint64_t others = document_number(document, "members") - 1;

    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " members asked, %" PRIu64 " have answered ",
                others - document_number(document, "unasked"), others,
                others - document_number(document, "waiting"));
    }
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
}

/* Until all have answered, or nobody has for some time after the last one was asked. */
static enum exit_code ask_all(struct cli *cli, uint64_t timeout_ms, struct answer *answer)
{
    const uint64_t end_ms = clock_now_ms() + timeout_ms;
    uint64_t deadline_ms = clock_now_ms() + PATIENCE_MS;
    enum exit_code code = cli_get(cli, "/v1/edges?begin", answer);

    while (code == EXIT_DONE && document_number(answer->json, "waiting") > 0 &&
           clock_left_ms(deadline_ms) > 0 && clock_left_ms(end_ms) > 0) {
        const bool unasked = document_number(answer->json, "unasked") > 0;
        const bool many = !unasked && document_number(answer->json, "members") > MANY;
        show_progress(answer->json);
        answer_deinit(answer);
        clock_sleep_ms(many ? ASK_MANY_AGAIN_MS : ASK_AGAIN_MS);
        deadline_ms = unasked ? clock_now_ms() + PATIENCE_MS : deadline_ms;
        code = cli_get(cli, "/v1/edges", answer);
    }
    end_progress();
    return code;
}

static const char *sign_state(const json_t *edge, size_t end)
{
    return document_text(json_array_get(json_object_get(edge, "signs"), end), "state", "unknown");
}

static bool is_heard(const char *state)
{
    return strcmp(state, "heard") == 0 || strcmp(state, "asked") == 0;
}

static bool is_known(const char *state)
{
    return strcmp(state, "unknown") != 0;
}

/* The first end's sign is what it has of the second. */
static const char *edge_mark(const json_t *edge)
{
    const char *first = sign_state(edge, 0);
    const char *second = sign_state(edge, 1);

    if (is_heard(first) && is_heard(second)) {
        return "=";
    }
    if (is_known(first) && is_known(second) && !is_heard(first) && !is_heard(second)) {
        return "x";
    }
    if (is_known(first) && !is_heard(first)) {
        return "<x-";
    }
    return is_known(second) && !is_heard(second) ? "-x>" : "?";
}

static const char *edge_end(const json_t *edge, size_t end)
{
    const char *name = json_string_value(json_array_get(json_object_get(edge, "members"), end));

    return name == NULL ? "?" : name;
}

static void draw(const struct printer *printer, const char *mark, const char *name, size_t *column)
{
    const size_t wide = strlen(mark) + strlen(name) + 2;

    if (*column + wide > RING_COLUMNS) {
        fputs("\n        ", stdout);
        *column = 8;
    }
    putchar(' ');
    printer_text(printer, strcmp(mark, "=") == 0 ? TONE_FAINT : TONE_BAD, mark);
    putchar(' ');
    printer_text(printer, TONE_PLAIN, name);
    *column += wide;
}

/* "ring 1  athens = delphi -x> cyrene = athens": what does not begin where the last one ended is
 * drawn anew. */
static void draw_edges(const struct printer *printer, const json_t *edges, const char *on)
{
    const char *last = NULL;
    size_t column = 0;

    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *edge = json_array_get(edges, i);
        if (strcmp(document_text(edge, "on", "?"), on) != 0) {
            continue;
        }
        const char *from = edge_end(edge, 0);
        if (last == NULL) {
            printf("%-8s", on);
            column = 8;
        }
        if (last == NULL || strcmp(last, from) != 0) {
            if (last != NULL) {
                putchar(',');
                putchar(' ');
                column += 2;
            }
            printer_text(printer, TONE_PLAIN, from);
            column += strlen(from);
        }
        last = edge_end(edge, 1);
        draw(printer, edge_mark(edge), last, &column);
    }
    if (last != NULL) {
        putchar('\n');
    }
}

static void print_doubts(const struct printer *printer, const json_t *doubts)
{
    char heard[DURATION_TEXT_MAX];

    for (size_t i = 0; i < json_array_size(doubts); i++) {
        const json_t *doubt = json_array_get(doubts, i);
        duration_text(heard, document_number(doubt, "heard_ms"));
        printer_text(printer, TONE_DOUBTFUL, document_text(doubt, "about", "?"));
        const char *state = document_text(doubt, "state", "?");
        printf(" is %s %s ", state, strcmp(state, "asked") == 0 ? "by" : "to");
        printer_text(printer, TONE_PLAIN, document_text(doubt, "by", "?"));
        printf("; its last sign there: %s%s\n", document_has(doubt, "heard_ms") ? heard : "none",
               document_has(doubt, "heard_ms") ? " ago" : "");
    }
    if (json_array_size(doubts) == 0) {
        printer_text(printer, TONE_GOOD, "nobody who answered doubts anybody");
        putchar('\n');
    }
}

static enum exit_code judge_all(const json_t *document)
{
    const bool complete = document_number(document, "unasked") == 0 &&
                          json_array_size(json_object_get(document, "unanswered")) == 0;

    return complete ? EXIT_DONE : EXIT_TIMED_OUT;
}

static enum exit_code print_all(const json_t *document)
{
    static const char *const kinds[] = {"ring 1", "ring 2", "oldest", "guard"};
    const json_t *edges = json_object_get(document, "edges");
    const json_t *unanswered = json_object_get(document, "unanswered");
    struct printer printer;

    if (!has_view(document)) {
        return EXIT_REFUSED;
    }
    printer_init(&printer);
    if (document_number(document, "unasked") > 0) {
        fprintf(stderr, "doyen: %" PRIu64 " members were not asked in time; see --timeout\n",
                document_number(document, "unasked"));
        return EXIT_TIMED_OUT;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        draw_edges(&printer, edges, kinds[i]);
    }
    printf("\n%zu edges of %" PRIu64 " members\n", json_array_size(edges),
           document_number(document, "members"));
    print_doubts(&printer, json_object_get(document, "doubts"));
    print_names(&printer, "no answer: ", unanswered);
    fputs(json_array_size(unanswered) > 0 ? "\n" : "", stdout);
    print_roll_call(&printer, document);
    return judge_all(document);
}

/* --- The verb --- */

static enum exit_code show(struct cli *cli, const struct links_options *options,
                           const struct answer *answer)
{
    if (cli->json) {
        cli_print_document(answer);
        return options->all ? judge_all(answer->json) : EXIT_DONE;
    }
    return options->all ? print_all(answer->json) : print_own(answer->json);
}

static enum exit_code run_links(struct cli *cli, int argc, char **argv)
{
    struct links_options options = {.all = false};
    struct answer answer = {.json = NULL};

    cli_parse(cli, &verb_links, argc, argv, &options);
    const uint64_t timeout_ms = options.timeout_ms != 0 ? options.timeout_ms : TIMEOUT_MS;
    enum exit_code code = cli_get(cli, "/v1/watches", &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (options.all) {
        answer_deinit(&answer);
        code = ask_all(cli, timeout_ms, &answer);
        if (code != EXIT_DONE) {
            return code;
        }
    }
    code = show(cli, &options, &answer);
    answer_deinit(&answer);
    return code;
}

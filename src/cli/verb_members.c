/* doyen members: who is in, oldest first, and who is gone. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/document.h"
#include "cli/duration.h"
#include "cli/printer.h"

static enum exit_code run_members(struct cli *cli, int argc, char **argv);

const struct verb verb_members = {
    .name = "members",
    .summary = "The members, oldest first: the first one coordinates",
    .details = "STATE is alive, silent (for longer than the profile allows, without a verdict), "
               "suspect (a verdict is held against it, it is still a member), or below the line "
               "failed or left. HEARD is how long ago this node last heard it. Whether another "
               "coordinator acts, this node cannot know.\n\n"
               "Exit: 2 when the guard is not met, 3 when there is no coordinator; the table is "
               "printed all the same.",
    .run = run_members,
};

static void add_heard(struct table *table, const json_t *member, bool is_self)
{
    char text[DURATION_TEXT_MAX];

    if (is_self || !document_has(member, "heard_ms")) {
        table_cell(table, TONE_FAINT, is_self ? "-" : "not yet");
        return;
    }
    duration_text(text, document_number(member, "heard_ms"));
    table_cell(table, TONE_PLAIN, text);
}

/* What a member is to this node. Whether another coordinator acts only that one knows. */
static void add_role(struct table *table, const json_t *document, const json_t *member,
                     bool is_self)
{
    const json_t *guard = json_object_get(document, "guard");
    const char *drained = document_is_true(member, "drained") ? "drained" : "";
    const char *comma = drained[0] != '\0' ? ", " : "";
    const char *self = is_self ? ", this node" : "";
    char role[128];

    if (!document_is_true(member, "coordinator")) {
        snprintf(role, sizeof role, "%s%s%s", drained, is_self ? comma : "",
                 is_self ? "this node" : "");
        table_cell(table, TONE_PLAIN, role);
    } else if (!is_self || document_is_true(document, "acting")) {
        snprintf(role, sizeof role, "coordinator%s%s%s", comma, drained, self);
        table_cell(table, TONE_PLAIN, role);
    } else if (document_guard_is_met(document)) {
        snprintf(role, sizeof role, "coordinator, not acting%s%s%s", comma, drained, self);
        table_cell(table, TONE_DOUBTFUL, role);
    } else {
        snprintf(role, sizeof role,
                 "coordinator, not acting (%" PRIu64 " of %" PRIu64 ")%s%s, this node",
                 document_number(guard, "fresh"), document_number(guard, "needed"), comma, drained);
        table_cell(table, TONE_DOUBTFUL, role);
    }
}

/* "rack=a zone=b"; empty without tags. */
static void add_tags(struct table *table, const json_t *member)
{
    json_t *tags = json_object_get(member, "tags");
    char text[1024] = "";
    size_t length = 0;
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach(tags, key, value)
    {
        const int more = snprintf(text + length, sizeof text - length, "%s%s=%s",
                                  length == 0 ? "" : " ", key, json_string_value(value));
        if (more < 0 || (size_t)more >= sizeof text - length) {
            break;
        }
        length += (size_t)more;
    }
    table_cell(table, TONE_PLAIN, text);
}

static const char *state_of(const json_t *member)
{
    const char *state = document_text(member, "state", "?");
    const bool is_silent = document_is_true(member, "silent");

    return is_silent && strcmp(state, "alive") == 0 ? "silent" : state;
}

static void add_member(struct table *table, const json_t *document, const json_t *member,
                       bool with_tags)
{
    const char *name = document_text(member, "name", "?");
    const char *state = state_of(member);
    const bool is_self = strcmp(name, document_text(document, "self", "")) == 0;

    table_row(table);
    table_cell_number(table, document_number(member, "age"));
    table_cell(table, TONE_PLAIN, name);
    table_cell(table, strcmp(state, "alive") == 0 ? TONE_GOOD : TONE_DOUBTFUL, state);
    add_heard(table, member, is_self);
    table_cell(table, TONE_PLAIN, document_text(member, "address", "?"));
    add_role(table, document, member, is_self);
    if (with_tags) {
        add_tags(table, member);
    }
}

static bool print_members(const struct printer *printer, const json_t *document)
{
    static const struct column columns[] = {{"AGE", true},   {"NAME", false},    {"STATE", false},
                                            {"HEARD", true}, {"ADDRESS", false}, {"ROLE", false},
                                            {"TAGS", false}};
    const json_t *members = json_object_get(document, "members");
    bool any_tags = false;

    for (size_t i = 0; i < json_array_size(members); i++) {
        any_tags |= json_object_size(json_object_get(json_array_get(members, i), "tags")) > 0;
    }

    /* Most clusters have no tags: the last column is for those that do. */
    const size_t column_count = sizeof columns / sizeof columns[0] - (any_tags ? 0 : 1);
    struct table *table = table_new(printer, columns, column_count);
    for (size_t i = 0; i < json_array_size(members); i++) {
        add_member(table, document, json_array_get(members, i), any_tags);
    }
    return table_print(table);
}

static bool print_gone(const struct printer *printer, const json_t *gone)
{
    static const struct column columns[] = {
        {"AGE", true}, {"NAME", false}, {"GONE", false}, {"SINCE", true}, {"ADDRESS", false}};
    struct table *table = table_new(printer, columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0; i < json_array_size(gone); i++) {
        const json_t *former = json_array_get(gone, i);
        const char *state = document_text(former, "reason", document_text(former, "state", "?"));
        char since[DURATION_TEXT_MAX];

        duration_text(since, document_number(former, "since_ms"));
        table_row(table);
        table_cell_number(table, document_number(former, "age"));
        table_cell(table, TONE_PLAIN, document_text(former, "name", "?"));
        table_cell(table, strcmp(state, "left") == 0 ? TONE_FAINT : TONE_BAD, state);
        table_cell(table, TONE_PLAIN, since);
        table_cell(table, TONE_PLAIN, document_text(former, "address", "?"));
    }
    return table_print(table);
}

/* Why the exit status is 2, for people; in JSON it is the document's `guard`. */
static void print_guard(const struct printer *printer, const json_t *document)
{
    const json_t *guard = json_object_get(document, "guard");
    char text[160];

    snprintf(text, sizeof text,
             "the guard is not met: %" PRIu64 " heard lately, %" PRIu64
             " needed; doyen status says what to do",
             document_number(guard, "fresh"), document_number(guard, "needed"));
    putchar('\n');
    printer_text(printer, TONE_BAD, text);
    putchar('\n');
}

static enum exit_code print_document(const json_t *document)
{
    const json_t *gone = json_object_get(document, "gone");
    struct printer printer;

    printer_init(&printer);
    if (json_array_size(json_object_get(document, "members")) == 0) {
        fprintf(stderr, "doyen: %s is in phase %s and has no view yet\n",
                document_text(document, "self", "this node"),
                document_text(document, "phase", "?"));
    } else if (!print_members(&printer, document)) {
        return EXIT_REFUSED;
    }
    if (json_array_size(gone) > 0) {
        putchar('\n');
        if (!print_gone(&printer, gone)) {
            return EXIT_REFUSED;
        }
    }
    const enum exit_code code = document_exit_code(document);
    if (code == EXIT_GUARD) {
        print_guard(&printer, document);
    }
    return code;
}

static enum exit_code run_members(struct cli *cli, int argc, char **argv)
{
    cli_parse(cli, &verb_members, argc, argv, NULL);
    return cli_show(cli, "/v1/members", print_document, document_exit_code);
}

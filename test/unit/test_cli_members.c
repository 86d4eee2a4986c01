/* What doyen members chooses and prints: filters, fields, formats and columns. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/member_filter.h"
#include "cli/print/member_format.h"
#include "cli/print/member_table.h"

static const char document_text_of_three[] =
    "{\"self\":\"athens\",\"coordinator\":\"athens\",\"acting\":true,\"members\":["
    "{\"name\":\"athens\",\"id\":\"a0\",\"incarnation\":\"18446744073709551615\","
    "\"address\":\"127.0.0.1:7420\",\"age\":1,\"state\":\"alive\",\"silent\":false,"
    "\"coordinator\":true,\"heard_ms\":0,\"tags\":{\"rack\":\"a\",\"spare\":\"\"}},"
    "{\"name\":\"byzantium\",\"address\":\"[::1]:7421\",\"age\":2,\"state\":\"alive\","
    "\"silent\":true,\"heard_ms\":98,\"tags\":{\"rack\":\"b\",\"note\":\"x\\ny\\u007f\"}},"
    "{\"name\":\"cyrene\",\"address\":\"127.0.0.1:7422\",\"age\":3,\"state\":\"suspect\","
    "\"silent\":true,\"heard_ms\":null,\"tags\":{}}],\"gone\":["
    "{\"name\":\"delphi\",\"id\":\"d0\",\"address\":\"127.0.0.1:7423\",\"age\":4,"
    "\"state\":\"failed\",\"reason\":\"moved\",\"since_ms\":1207}]}";

static json_t *three(void)
{
    json_t *document = json_loads(document_text_of_three, 0, NULL);
    cr_assert_not_null(document);
    return document;
}

/* --- Filters --- */

/* The names that pass, "athens byzantium | delphi"; those behind the bar are gone. */
static void assert_chosen(const struct member_filter *filter, const char *expected)
{
    static const char *const lists[] = {"members", "gone"};
    json_t *document = three();
    char names[256] = "";

    member_filter_apply(filter, document);
    for (size_t list = 0; list < 2; list++) {
        const json_t *entries = json_object_get(document, lists[list]);
        strcat(names, list == 0 ? "" : "|");
        for (size_t i = 0; i < json_array_size(entries); i++) {
            const json_t *entry = json_array_get(entries, i);
            strcat(strcat(names, " "), json_string_value(json_object_get(entry, "name")));
        }
    }
    cr_expect_str_eq(names, expected);
    json_decref(document);
}

Test(cli_members, a_pattern_that_no_name_can_have_is_found)
{
    static const char *const some[] = {
        "web-*", "a?c", "[ab]*", "[!a,b]", "a\\*", "A_1.b-", "web-[[:digit:]]*", "[]a]", "*"};
    static const char *const none[] = {"a,b", "{a,b}", "a b", "-a", "a/b", "[ab],c", "caf\xc3\xa9"};

    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        cr_expect(member_filter_may_match(some[i]), "%s", some[i]);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        cr_expect_not(member_filter_may_match(none[i]), "%s", none[i]);
    }
}

static void assert_states(const char *text, const char *expected)
{
    struct member_filter filter = {.states = 0};
    size_t length = 0;

    cr_assert_null(member_filter_add_states(&filter, text, &length), "%s", text);
    cr_expect(member_filter_is_set(&filter));
    assert_chosen(&filter, expected);
}

Test(cli_members, no_filter_lets_all_pass)
{
    const struct member_filter filter = {.states = 0};

    cr_expect_not(member_filter_is_set(&filter));
    assert_chosen(&filter, " athens byzantium cyrene| delphi");
}

Test(cli_members, a_state_is_the_one_that_the_table_shows)
{
    assert_states("alive", " athens|");
    assert_states("silent", " byzantium|");
    assert_states("suspect", " cyrene|");
    assert_states("moved", "| delphi");
    assert_states("failed", "|");
    assert_states("moved,alive,alive", " athens| delphi");
}

/* L5: who is silent or suspected is that before it is behind; who is gone was removed for it. */
Test(cli_members, who_is_behind_is_shown_while_heard)
{
    static const char *const entries[][2] = {
        {"{\"state\":\"alive\",\"silent\":false,\"behind\":true}", "behind"},
        {"{\"state\":\"alive\",\"silent\":true,\"behind\":true}", "silent"},
        {"{\"state\":\"suspect\",\"silent\":true,\"behind\":true}", "suspect"},
        {"{\"state\":\"alive\",\"silent\":false,\"behind\":false}", "alive"},
        {"{\"state\":\"failed\",\"reason\":\"behind\"}", "behind"}};

    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        json_t *entry = json_loads(entries[i][0], 0, NULL);
        cr_expect_str_eq(member_state(entry), entries[i][1], "%s", entries[i][0]);
        json_decref(entry);
    }
}

Test(cli_members, a_state_that_is_none_is_pointed_at)
{
    static const char *const wrong[][2] = {
        {"", ""},           {"alive,", ""},       {",alive", ""},       {"live", "live"},
        {"Alive", "Alive"}, {"alive,go,x", "go"}, {"alivex", "alivex"}, {"ali", "ali"}};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct member_filter filter = {.states = 0};
        size_t length = 99;
        const char *word = member_filter_add_states(&filter, wrong[i][0], &length);
        cr_assert_not_null(word, "%s", wrong[i][0]);
        cr_expect_eq(length, strlen(wrong[i][1]), "%s", wrong[i][0]);
        cr_expect_eq(strncmp(word, wrong[i][1], length), 0, "%s", wrong[i][0]);
    }
}

Test(cli_members, only_states_of_the_gone_ask_for_them)
{
    static const char *const members[] = {"alive", "silent", "suspect"};
    static const char *const gone[] = {"behind", "failed", "left", "moved", "replaced"};
    size_t length = 0;

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        struct member_filter filter = {.states = 0};
        (void)member_filter_add_states(&filter, members[i], &length);
        cr_expect_not(member_filter_asks_for_gone(&filter), "%s", members[i]);
    }
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        struct member_filter filter = {.states = 0};
        (void)member_filter_add_states(&filter, gone[i], &length);
        cr_expect(member_filter_asks_for_gone(&filter), "%s", gone[i]);
        cr_expect_not_null(strstr(MEMBER_FILTER_STATES, gone[i]));
    }
}

Test(cli_members, any_of_the_names_is_enough_and_a_name_is_meant_whole)
{
    struct member_filter filter = {.states = 0};

    cr_assert(member_filter_add_name(&filter, "?yrene"));
    assert_chosen(&filter, " cyrene|");
    cr_assert(member_filter_add_name(&filter, "athen"));
    assert_chosen(&filter, " cyrene|");
    cr_assert(member_filter_add_name(&filter, "[ad]*"));
    assert_chosen(&filter, " athens cyrene| delphi");
}

Test(cli_members, all_of_the_tags_are_needed)
{
    struct member_filter filter = {.states = 0};

    cr_assert(member_filter_add_tag(&filter, "rack"));
    assert_chosen(&filter, " athens byzantium|");
    cr_assert(member_filter_add_tag(&filter, "spare="));
    assert_chosen(&filter, " athens|");
    cr_assert(member_filter_add_tag(&filter, "rack=b"));
    assert_chosen(&filter, "|");

    filter = (struct member_filter){.states = 0};
    cr_assert(member_filter_add_tag(&filter, "rac"));
    assert_chosen(&filter, "|");
    filter = (struct member_filter){.states = 0};
    cr_assert(member_filter_add_tag(&filter, "rack="));
    assert_chosen(&filter, "|");
}

Test(cli_members, different_filters_all_hold)
{
    struct member_filter filter = {.states = 0};
    size_t length = 0;

    cr_assert(member_filter_add_name(&filter, "*n*"));
    cr_assert(member_filter_add_tag(&filter, "rack"));
    assert_chosen(&filter, " athens byzantium|");
    cr_assert_null(member_filter_add_states(&filter, "silent,suspect", &length));
    assert_chosen(&filter, " byzantium|");
}

Test(cli_members, a_filter_that_is_full_says_so)
{
    struct member_filter filter = {.states = 0};

    for (size_t i = 0; i < MEMBER_FILTER_MAX; i++) {
        cr_assert(member_filter_add_name(&filter, "a"));
        cr_assert(member_filter_add_tag(&filter, "a"));
    }
    cr_expect_not(member_filter_add_name(&filter, "a"));
    cr_expect_not(member_filter_add_tag(&filter, "a"));
}

/* --- Fields and formats --- */

/* What the format prints for the entry of that place. */
static void assert_printed(const char *format, const char *list, size_t place, const char *expected)
{
    json_t *document = three();
    const struct member_row row = {document, json_array_get(json_object_get(document, list), place),
                                   strcmp(list, "gone") == 0};
    char fault[MEMBER_FORMAT_FAULT_MAX] = "";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    cr_assert(member_format_is_sound(format, fault), "%s: %s", format, fault);
    member_format_write(out, format, &row);
    fclose(out);
    cr_expect_str_eq(text, expected, "%s: %s", format, text);
    free(text);
    json_decref(document);
}

Test(cli_members, each_field_has_its_value)
{
    assert_printed("{name} {address} {host} {port} {age} {id} {incarnation}", "members", 0,
                   "athens 127.0.0.1:7420 127.0.0.1 7420 1 a0 18446744073709551615\n");
    assert_printed("{state} {heard} {heard_ms}", "members", 0, "alive - 0\n");
    assert_printed("{role}|{tags}|{tag.rack}", "members", 0,
                   "coordinator, this node|rack=a spare=|a\n");
    assert_printed("{host} {port} {state} {heard} {heard_ms}", "members", 1,
                   "::1 7421 silent 98 ms 98\n");
    assert_printed("{state} {heard}", "members", 2, "suspect not yet\n");
    assert_printed("{name} {state} {since} {since_ms}", "gone", 0, "delphi moved 1.2 s 1207\n");
}

Test(cli_members, what_a_row_does_not_have_is_empty)
{
    assert_printed("<{since}{since_ms}{tag.zone}>", "members", 0, "<>\n");
    assert_printed("<{id}{heard_ms}{role}{tags}>", "members", 2, "<>\n");
    assert_printed("<{heard}{heard_ms}{role}{tags}{tag.rack}{incarnation}>", "gone", 0, "<>\n");
}

Test(cli_members, a_line_ends_once_whether_the_format_says_so_or_not)
{
    assert_printed("{age}", "members", 0, "1\n");
    assert_printed("{age}\\n", "members", 0, "1\n");
    assert_printed("{age}\\n\\n", "members", 0, "1\n\n");
    assert_printed("{age}\\n.", "members", 0, "1\n.\n");
    assert_printed("{tag.spare}", "members", 0, "\n");
}

Test(cli_members, escapes_and_braces_stand_for_themselves)
{
    assert_printed("a\\tb\\\\n\\{name}} %s", "members", 0, "a\tb\\n{name}} %s\n");
}

/* Else a member could forge a line of the script that reads them. */
Test(cli_members, control_characters_of_a_value_are_not_printed)
{
    assert_printed("{tag.note}", "members", 1, "x?y?\n");
}

struct fault {
    const char *format;
    const char *words;
};

static const struct fault faults[] = {
    {"{nmae}", "{nmae} is not known: the fields are name, address"},
    {"{}", "{} is not known"},
    {"{tag.}", "{tag.} is not known"},
    {"{name }", "{name } is not known"},
    {"{name} {address", "{address has no closing brace"},
    {"{", "{ has no closing brace"},
    {"{name}\\r", "\\r means nothing"},
    {"{name}\\", "\\ means nothing"},
};

Test(cli_members, a_wrong_format_is_told_what_is_wrong)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char fault[MEMBER_FORMAT_FAULT_MAX] = "";
        cr_expect_not(member_format_is_sound(faults[i].format, fault), "%s", faults[i].format);
        cr_expect_not_null(strstr(fault, faults[i].words), "%s: %s", faults[i].format, fault);
    }
}

/* The list that people are shown is the list that there is. */
Test(cli_members, each_field_that_is_named_exists)
{
    char names[] = MEMBER_FIELD_NAMES;
    size_t count = 0;

    for (char *name = strtok(names, ", "); name != NULL; name = strtok(NULL, ", "), count++) {
        struct member_field field;
        cr_expect(member_field_parse(&field, name, strlen(name)), "%s", name);
    }
    cr_expect_eq(count, 16);
}

Test(cli_members, a_field_with_an_endless_name_is_none)
{
    char name[MEMBER_FIELD_NAME_MAX + 1] = "tag.";
    struct member_field field;

    memset(name + 4, 'x', sizeof name - 5);
    name[sizeof name - 1] = '\0';
    cr_expect_not(member_field_parse(&field, name, MEMBER_FIELD_NAME_MAX));
    cr_expect(member_field_parse(&field, name, MEMBER_FIELD_NAME_MAX - 1));
}

/* --- Columns --- */

Test(cli_members, columns_are_fields_in_the_order_given)
{
    struct member_columns columns;
    size_t length = 0;

    cr_assert_null(member_columns_parse(&columns, "age,tag.rack,name", &length));
    cr_assert_eq(columns.count, 3);
    cr_expect_str_eq(columns.fields[0].name, "age");
    cr_expect(member_field_is_number(&columns.fields[0]));
    cr_expect_str_eq(columns.fields[1].name, "tag.rack");
    cr_expect_str_eq(columns.fields[2].name, "name");
    cr_expect_not(member_field_is_number(&columns.fields[2]));
}

Test(cli_members, a_column_that_is_none_is_pointed_at)
{
    static const char *const wrong[][2] = {
        {"", ""}, {"name,", ""}, {"name,adress,age", "adress"}, {"NAME", "NAME"}};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct member_columns columns;
        size_t length = 99;
        const char *word = member_columns_parse(&columns, wrong[i][0], &length);
        cr_assert_not_null(word, "%s", wrong[i][0]);
        cr_expect_eq(length, strlen(wrong[i][1]), "%s", wrong[i][0]);
        cr_expect_eq(strncmp(word, wrong[i][1], length), 0, "%s", wrong[i][0]);
    }
}

Test(cli_members, more_columns_than_there_is_room_for_are_refused)
{
    char text[MEMBER_COLUMNS_MAX * 4 + 4] = "age";
    struct member_columns columns;
    size_t length = 0;

    for (size_t i = 1; i < MEMBER_COLUMNS_MAX; i++) {
        strcat(text, ",age");
    }
    cr_expect_null(member_columns_parse(&columns, text, &length));
    cr_expect_eq(columns.count, MEMBER_COLUMNS_MAX);
    strcat(text, ",age");
    cr_expect_not_null(member_columns_parse(&columns, text, &length));
    cr_expect_eq(columns.count, MEMBER_COLUMNS_MAX);
}

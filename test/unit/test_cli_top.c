/* doyen top: what it shows of the daemon's documents, what keys do, and whole screens as text. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top/top_layout.h"

static const char members_text[] =
    "{\"cluster\":\"doyen\",\"self\":\"athens\",\"phase\":\"member\",\"epoch\":\"2\","
    "\"view\":{\"epoch\":\"2\",\"version\":\"4\",\"acked\":3},\"coordinator\":\"athens\","
    "\"acting\":true,\"acting_ms\":899,\"acting_is\":\"advisory\",\"guard\":{\"policy\":\"2\","
    "\"needed\":2,\"fresh\":3,\"met\":true},\"members\":["
    "{\"name\":\"athens\",\"id\":\"a0\",\"address\":\"127.0.0.1:7420\",\"age\":1,"
    "\"state\":\"alive\",\"silent\":false,\"coordinator\":true,\"heard_ms\":0,\"tags\":{}},"
    "{\"name\":\"byzantium\",\"id\":\"b0\",\"address\":\"127.0.0.1:7421\",\"age\":2,"
    "\"state\":\"alive\",\"silent\":true,\"heard_ms\":1398,\"tags\":{\"rack\":\"b\"}},"
    "{\"name\":\"cyrene\",\"id\":\"c0\",\"address\":\"127.0.0.1:7422\",\"age\":3,"
    "\"state\":\"suspect\",\"silent\":true,\"heard_ms\":null,"
    "\"tags\":{\"note\":\"x\\u001b[2J\\u00e9\"}}],\"gone\":["
    "{\"name\":\"delphi\",\"id\":\"d0\",\"address\":\"127.0.0.1:7423\",\"age\":4,"
    "\"state\":\"failed\",\"reason\":\"failed\",\"verdict\":\"lost\",\"since_ms\":1207}]}";

static const char links_text[] =
    "{\"members\": 3, \"watches\": ["
    "{\"name\": \"byzantium\", \"on\": \"ring 1\", \"heard_ms\": 880, \"state\": \"silent\", "
    "\"linked\": true},"
    "{\"name\": \"cyrene\", \"on\": \"oldest\", \"heard_ms\": null, \"state\": \"lost\", "
    "\"linked\": false}],"
    "\"silent\": [], \"failed\": [\"delphi\"], \"bad\": [{\"from\": \"byzantium\", \"to\": "
    "\"athens\", \"kind\": \"one-way\", \"detail\": \"athens does not hear byzantium\"}]}";

static const char history_text[] =
    "{\"views\":[{\"time\":\"2026-11-20T18:29:00.000Z\",\"members\":1,\"cause\":\"found\","
    "\"parents\":[],\"split\":null},"
    "{\"time\":\"2026-11-20T18:30:00.000Z\",\"members\":4,\"cause\":\"merge\","
    "\"parents\":[{},{}],\"split\":null},"
    "{\"time\":\"2026-11-20T18:31:00.000Z\",\"members\":2,\"cause\":\"claim\",\"parents\":[{}],"
    "\"split\":{\"lost\":2,\"of\":4}}]}";

static const char journal_text[] =
    "{\"events\":[{\"kind\":\"joined\",\"cursor\":\"5f-1\",\"time\":\"2026-11-20T18:29:34.729Z\","
    "\"text\":\"cyrene joined with age 3\"},"
    "{\"kind\":\"gone\",\"cursor\":\"5f-2\",\"time\":\"2026-11-20T18:31:00.000Z\","
    "\"text\":\"delphi was removed: lost\"}]}";

enum { ASKED_MS = 5000 };

static json_t *document(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);

    cr_assert_not_null(json, "%s at %d", error.text, error.position);
    return json;
}

static void take(struct top_model *model, enum top_document which, const char *text,
                 uint64_t asked_ms)
{
    top_model_take(model, which, document(text), asked_ms);
}

static struct top_model model_of_three(void)
{
    struct top_model model = {.away = false};
    json_t *journal = document(journal_text);

    take(&model, TOP_MEMBERS, members_text, ASKED_MS);
    take(
        &model, TOP_STATUS,
        "{\"whole\":{\"state\":\"suspect\",\"severity\":\"warning\",\"sentence\":\"cyrene is suspected\"},"
        "\"counts\":{\"suspect\":1,\"failed\":1},\"counters\":{\"datagrams_in\":100,"
        "\"refused\":{\"old\":3}}}",
        ASKED_MS - 1000);
    take(
        &model, TOP_STATUS,
        "{\"whole\":{\"state\":\"suspect\",\"severity\":\"warning\",\"sentence\":\"cyrene is suspected\"},"
        "\"counts\":{\"suspect\":1,\"failed\":1},\"counters\":{\"datagrams_in\":150,"
        "\"refused\":{\"old\":3,\"new\":2}}}",
        ASKED_MS);
    take(&model, TOP_LINKS, links_text, ASKED_MS);
    take(&model, TOP_HISTORY, history_text, ASKED_MS);
    take(&model, TOP_ROLES,
         "{\"roles\":[{\"role\":\"backup\",\"holders\":[{\"member\":\"cyrene\"}]},"
         "{\"role\":\"leader\",\"holders\":[{\"member\":\"cyrene\"}]}]}",
         ASKED_MS);
    top_model_add_journal(&model, journal);
    json_decref(journal);
    return model;
}

/* 2026-11-20T18:31:30Z. */
static const struct top_now now = {.clock_ms = ASKED_MS + 100, .wall_ms = 1795199490000};

/* --- The model --- */

Test(cli_top, the_right_to_act_runs_out_between_two_answers)
{
    struct top_model model = model_of_three();

    cr_expect_eq(top_model_acting_left_ms(&model, ASKED_MS), 899);
    cr_expect_eq(top_model_acting_left_ms(&model, ASKED_MS + 100), 799);
    cr_expect_eq(top_model_acting_left_ms(&model, ASKED_MS + 899), 0);
    cr_expect_eq(top_model_acting_left_ms(&model, ASKED_MS - 1), 899);
    take(&model, TOP_MEMBERS, "{\"acting\":false,\"acting_ms\":899}", ASKED_MS);
    cr_expect_eq(top_model_acting_left_ms(&model, ASKED_MS), 0);
    top_model_deinit(&model);
}

static void assert_rows(const char *filter, const char *expected)
{
    struct top_model model = model_of_three();
    struct member_row rows[8];
    char ids[64] = "";
    const size_t count = top_model_rows(&model, filter, rows, 8);

    for (size_t i = 0; i < count; i++) {
        strcat(ids, top_row_id(&rows[i]));
    }
    cr_expect_str_eq(ids, expected, "\"%s\": %s", filter, ids);
    top_model_deinit(&model);
}

Test(cli_top, a_filter_is_in_name_address_state_or_tags)
{
    assert_rows("", "a0b0c0d0");
    assert_rows("BYZ", "b0");
    assert_rows(":742", "a0b0c0d0");
    assert_rows("7422", "c0");
    assert_rows("silent", "b0");
    assert_rows("failed", "d0");
    assert_rows("rack=b", "b0");
    assert_rows("nowhere", "");
}

Test(cli_top, no_more_rows_are_written_than_there_is_room_for)
{
    struct top_model model = model_of_three();
    struct member_row rows[2] = {{.is_gone = true}, {.is_gone = true}};

    cr_expect_eq(top_model_rows(&model, "", rows, 1), 4);
    cr_expect_not(rows[0].is_gone);
    cr_expect(rows[1].is_gone, "was written to");
    top_model_deinit(&model);
}

Test(cli_top, a_role_is_held_by_whom_the_daemon_names)
{
    struct top_model model = model_of_three();
    char text[TOP_HELD_MAX];

    top_model_held(&model, "cyrene", text);
    cr_expect_str_eq(text, "backup, leader");
    top_model_held(&model, "athens", text);
    cr_expect_str_empty(text);
    top_model_deinit(&model);
}

Test(cli_top, counters_are_rates_until_the_daemon_is_restarted)
{
    struct top_model model = model_of_three();
    double rate = 0;

    cr_expect(top_model_rate(&model, "datagrams_in", NULL, &rate));
    cr_expect_eq((int)rate, 50);
    cr_expect(top_model_rate(&model, "refused", NULL, &rate));
    cr_expect_eq((int)rate, 2, "the sum of its parts");
    cr_expect(top_model_rate(&model, "refused", "new", &rate));
    cr_expect_eq((int)rate, 2);
    cr_expect_eq(top_model_counter(&model, "refused", "old"), 3);
    take(&model, TOP_STATUS, "{\"counters\":{\"datagrams_in\":4}}", ASKED_MS + 1000);
    cr_expect_not(top_model_rate(&model, "datagrams_in", NULL, &rate), "it counts from 0 again");
    top_model_deinit(&model);
}

Test(cli_top, an_event_is_kept_once_and_a_snapshot_is_none)
{
    struct top_model model = model_of_three();
    json_t *journal = document(journal_text);
    json_t *snapshot = document("{\"kind\":\"snapshot\",\"cursor\":\"5f-3\"}");

    top_model_add_journal(&model, journal);
    top_model_add_event(&model, snapshot);
    top_model_add_event(&model, NULL);
    cr_expect_eq(json_array_size(model.events), 2);
    for (int i = 0; i < TOP_EVENTS_MAX + 5; i++) {
        json_t *event = json_pack("{s:s, s:o}", "time", "2026-11-20T18:31:00Z", "cursor",
                                  json_sprintf("6a-%d", i));
        top_model_add_event(&model, event);
        json_decref(event);
    }
    cr_expect_eq(json_array_size(model.events), TOP_EVENTS_MAX);
    json_decref(journal);
    json_decref(snapshot);
    top_model_deinit(&model);
}

Test(cli_top, who_answers_is_not_away)
{
    struct top_model model = model_of_three();

    top_model_set_away(&model, "gone");
    cr_expect(model.away);
    take(&model, TOP_LINKS, links_text, ASKED_MS);
    cr_expect(model.away, "links may have been asked for before");
    take(&model, TOP_MEMBERS, members_text, ASKED_MS + 1000);
    cr_expect_not(model.away);
    cr_expect_eq(model.seen_ms, ASKED_MS + 1000);
    top_model_deinit(&model);
}

/* --- Keys --- */

static const char *chosen_after(const int *keys)
{
    static char id[TOP_ID_MAX];
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS, .page = 3};
    struct member_row row;
    size_t index = 0;

    for (; *keys != 0; keys++) {
        (void)top_ui_key(&ui, &model, *keys);
    }
    snprintf(id, sizeof id, "%s",
             top_ui_chosen(&ui, &model, &index, &row) ? top_row_id(&row) : "nobody");
    top_model_deinit(&model);
    return id;
}

#define CHOSEN_AFTER(...) chosen_after((const int[]){__VA_ARGS__, 0})

Test(cli_top, keys_choose_a_member)
{
    cr_expect_str_eq(CHOSEN_AFTER('k'), "a0");
    cr_expect_str_eq(CHOSEN_AFTER('j'), "b0");
    cr_expect_str_eq(CHOSEN_AFTER(TOP_KEY_DOWN, TOP_KEY_DOWN, TOP_KEY_UP), "b0");
    cr_expect_str_eq(CHOSEN_AFTER('G'), "d0");
    cr_expect_str_eq(CHOSEN_AFTER('G', 'j', 'g'), "a0");
    cr_expect_str_eq(CHOSEN_AFTER(TOP_KEY_PAGE_DOWN), "c0");
    cr_expect_str_eq(CHOSEN_AFTER('j', '/', 'c', 'y', 'r'), "c0");
    cr_expect_str_eq(CHOSEN_AFTER('/', 'x', 'x', 'x'), "nobody");
    cr_expect_str_eq(CHOSEN_AFTER('j', '/', 'x', TOP_KEY_ESCAPE), "b0", "it is found again");
    cr_expect_str_eq(CHOSEN_AFTER('/', 'c', 'y', TOP_KEY_ERASE, TOP_KEY_ERASE, TOP_KEY_ERASE),
                     "a0");
}

Test(cli_top, keys_go_from_pane_to_pane)
{
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS};

    (void)top_ui_key(&ui, &model, TOP_KEY_BACK_TAB);
    cr_expect_eq(ui.pane, TOP_PANE_COUNTERS);
    (void)top_ui_key(&ui, &model, TOP_KEY_TAB);
    cr_expect_eq(ui.pane, TOP_PANE_MEMBERS);
    (void)top_ui_key(&ui, &model, '3');
    cr_expect_eq(ui.pane, TOP_PANE_EVENTS);
    cr_expect_not(top_ui_key(&ui, &model, '5'), "there is none");
    (void)top_ui_key(&ui, &model, '/');
    cr_expect_eq(ui.pane, TOP_PANE_MEMBERS);
    (void)top_ui_key(&ui, &model, 'q');
    cr_expect_not(ui.quit, "it is typed into the filter");
    cr_expect_str_eq(ui.filter, "q");
    (void)top_ui_key(&ui, &model, TOP_KEY_ESCAPE);
    (void)top_ui_key(&ui, &model, TOP_KEY_ENTER);
    cr_expect(ui.why);
    (void)top_ui_key(&ui, &model, TOP_KEY_ESCAPE);
    cr_expect_not(ui.why);
    (void)top_ui_key(&ui, &model, '?');
    (void)top_ui_key(&ui, &model, 'j');
    cr_expect_not(ui.help);
    (void)top_ui_key(&ui, &model, 'q');
    cr_expect(ui.quit);
    top_model_deinit(&model);
}

Test(cli_top, a_filter_that_is_too_long_is_cut)
{
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS, .typing = true};

    for (int i = 0; i < 2 * TOP_FILTER_MAX; i++) {
        (void)top_ui_key(&ui, &model, 'x');
    }
    cr_expect_eq(strlen(ui.filter), TOP_FILTER_MAX - 1);
    top_model_deinit(&model);
}

/* --- Screens --- */

static char *text_of(const struct top_canvas *canvas)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    top_canvas_print(canvas, top_canvas_used_rows(canvas), out);
    cr_assert_eq(fclose(out), 0);
    return text;
}

static char *screen_of(const struct top_model *model, struct top_ui *ui, size_t rows,
                       size_t columns)
{
    struct top_canvas canvas;

    cr_assert(top_canvas_init(&canvas, rows, columns, false));
    top_layout_screen(&canvas, model, ui, &now);
    char *text = text_of(&canvas);
    top_canvas_deinit(&canvas);
    return text;
}

static void assert_screen(struct top_ui ui, size_t rows, size_t columns, const char *expected)
{
    struct top_model model = model_of_three();
    char *text = screen_of(&model, &ui, rows, columns);

    cr_expect_str_eq(text, expected, "\n%s", text);
    free(text);
    top_model_deinit(&model);
}

/* The daemon's part of each of these is in the documents above. */
Test(cli_top, members_are_drawn_at_80_by_24)
{
    assert_screen(
        (struct top_ui){.pane = TOP_PANE_MEMBERS}, 24, 80,
        "cyrene is suspected\n"
        "cluster doyen  |  athens: member  |  view 2.4  |  guard 2, 3 heard of 2 needed\n"
        "coordinator athens, this node: acts, 799 ms left (advisory)  |  3 members, 1 sus\n"
        "[1 Members] 2 Links  3 Events  4 Counters\n"
        "AGE  NAME       STATE              HEARD  ROLE                    ADDRESS\n"
        "  1  athens     alive                  -  coordinator, this node  127.0.0.1:7420\n"
        "  2  byzantium  silent             1.3 s                          127.0.0.1:7421\n"
        "  3  cyrene     suspect          not yet                          127.0.0.1:7422\n"
        "  4  delphi     failed: lost  gone 1.2 s                          127.0.0.1:7423\n"
        "\n"
        "EVENTS (UTC), the newest first\n"
        "18:31:00  gone         delphi was removed: lost\n"
        "18:29:34  joined       cyrene joined with age 3\n"
        "\n"
        "\n"
        "\n"
        "\n"
        "\n"
        "\n"
        "\n"
        "\n"
        "\n"
        "\n"
        "1-4 Tab panes  j k choose  Enter why  / filter  ? help  q end\n");
}

Test(cli_top, a_narrow_and_low_screen_has_what_matters_most)
{
    assert_screen((struct top_ui){.pane = TOP_PANE_MEMBERS}, 6, 40,
                  "cyrene is suspected\n"
                  "[1 Members] 2 Links  3 Events  4 Counter\n"
                  "AGE  NAME       STATE      HEARD  ROLE\n"
                  "  1  athens     alive          -  coordi\n"
                  "  2  byzantium  silent     1.3 s\n"
                  "  3  cyrene     suspect  not yet\n");
}

Test(cli_top, a_way_that_is_cut_is_drawn)
{
    assert_screen(
        (struct top_ui){.pane = TOP_PANE_LINKS}, 14, 80,
        "cyrene is suspected\n"
        "cluster doyen  |  athens: member  |  view 2.4  |  guard 2, 3 heard of 2 needed\n"
        "coordinator athens, this node: acts, 799 ms left (advisory)  |  3 members, 1 sus\n"
        " 1 Members [2 Links] 3 Events  4 Counters\n"
        "WATCHES               ON      LAST SIGN  STATE    LIFELINE\n"
        "byzantium             ring 1     880 ms  silent   up\n"
        "cyrene                oldest          -  lost     down\n"
        "\n"
        "byzantium --x-> athens  athens does not hear byzantium\n"
        "1 failed and not shown here: pane 1 names them\n"
        "\n"
        "\n"
        "\n"
        "1-4 Tab panes  j k choose  Enter why  / filter  ? help  q end\n");
}

Test(cli_top, splits_and_merges_are_marked_in_the_course_of_time)
{
    assert_screen((struct top_ui){.pane = TOP_PANE_EVENTS}, 18, 60,
                  "cyrene is suspected\n"
                  "cluster doyen  |  athens: member  |  view 2.4  |  guard 2, 3\n"
                  "coordinator athens, this node: acts, 799 ms left (advisory)\n"
                  " 1 Members  2 Links [3 Events] 4 Counters\n"
                  "MEMBERS OVER TIME  S split  M merge  C take-over\n"
                  "   4                                       ###########\n"
                  "                                           ###########......\n"
                  "   0                            ############################\n"
                  "                                           M          S\n"
                  "     5 min ago                                           now\n"
                  "EVENTS (UTC), the newest first\n"
                  "18:31:00  gone         delphi was removed: lost\n"
                  "18:29:34  joined       cyrene joined with age 3\n"
                  "\n"
                  "\n"
                  "\n"
                  "\n"
                  "1-4 Tab panes  j k choose  Enter why  / filter  ? help  q en\n");
}

Test(cli_top, counters_are_drawn_with_their_rates)
{
    assert_screen((struct top_ui){.pane = TOP_PANE_COUNTERS}, 16, 60,
                  "cyrene is suspected\n"
                  "cluster doyen  |  athens: member  |  view 2.4  |  guard 2, 3\n"
                  "coordinator athens, this node: acts, 799 ms left (advisory)\n"
                  " 1 Members  2 Links  3 Events [4 Counters]\n"
                  "OF THIS NODE                   A SECOND    SINCE START\n"
                  "datagrams in                       50.0            150\n"
                  "datagrams out                       0.0              0\n"
                  "bytes in                            0.0              0\n"
                  "bytes out                           0.0              0\n"
                  "frames in                           0.0              0\n"
                  "frames out                          0.0              0\n"
                  "views installed                     0.0              0\n"
                  "messages refused                    2.0              5\n"
                  "  refused old                       0.0              3\n"
                  "  refused new                       2.0              2\n"
                  "1-4 Tab panes  j k choose  Enter why  / filter  ? help  q en\n");
}

Test(cli_top, a_daemon_that_is_away_is_said_first_and_why_is_shown_below)
{
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS, .why = true, .chosen = "d0"};

    top_model_set_away(&model, "nobody answers");
    take(&model, TOP_WHY,
         "{\"node\":\"delphi\",\"text\":\"delphi was removed: lost\",\"evidence\":[{"
         "\"time\":\"2026-11-20T18:30:59.000Z\",\"text\":\"this node suspects delphi: lost, "
         "nothing came from it and nothing from its host for longer than is usual\"}]}",
         ASKED_MS);
    char *text = screen_of(&model, &ui, 20, 70);
    cr_expect_str_eq(text,
                     "AWAY: the daemon does not answer; this is from 100 ms ago. nobody answ\n"
                     "cyrene is suspected\n"
                     "cluster doyen  |  athens: member  |  view 2.4  |  guard 2, 3 heard of\n"
                     "coordinator athens, this node: acts, 799 ms left (advisory)  |  3 memb\n"
                     "[1 Members] 2 Links  3 Events  4 Counters\n"
                     "AGE  NAME       STATE              HEARD  ROLE                    ADDR\n"
                     "  1  athens     alive                  -  coordinator, this node  127.\n"
                     "  2  byzantium  silent             1.3 s                          127.\n"
                     "  3  cyrene     suspect          not yet                          127.\n"
                     "  4  delphi     failed: lost  gone 1.2 s                          127.\n"
                     "\n"
                     "WHY delphi  (the newest first; Esc closes)\n"
                     "delphi was removed: lost\n"
                     "18:30:59  this node suspects delphi: lost, nothing came from\n"
                     "          it and nothing from its host for longer than is usual\n"
                     "\n"
                     "\n"
                     "\n"
                     "\n"
                     "1-4 Tab panes  j k choose  Enter why  / filter  ? help  q end\n",
                     "\n%s", text);
    free(text);
    top_model_deinit(&model);
}

/* Where there is room: who holds which role, tags, and how many are in trouble. */
Test(cli_top, a_wide_screen_has_roles_and_tags)
{
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS};
    char *text = screen_of(&model, &ui, 12, 130);

    cr_expect_not_null(strstr(text, "|  3 members, 1 suspect, 1 failed, 1 bad links\n"), "%s",
                       text);
    cr_expect_not_null(strstr(text, "ADDRESS         HOLDS           TAGS\n"), "%s", text);
    cr_expect_not_null(strstr(text, "127.0.0.1:7421                  rack=b\n"), "%s", text);
    cr_expect_not_null(strstr(text, "127.0.0.1:7422  backup, leader  note="), "%s", text);
    free(text);
    top_model_deinit(&model);
}

Test(cli_top, what_is_well_is_not_counted)
{
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS};

    take(&model, TOP_STATUS, "{\"counts\":{\"suspect\":0,\"failed\":0}}", ASKED_MS);
    take(&model, TOP_LINKS, "{\"members\":[],\"bad\":[]}", ASKED_MS);
    char *text = screen_of(&model, &ui, 12, 80);
    cr_expect_not_null(strstr(text, "(advisory)  |  3 members\n"), "%s", text);
    free(text);
    top_model_deinit(&model);
}

/* Who coordinates is not all: what it said of its right to act, and how old that is. */
Test(cli_top, whether_another_coordinator_acts_is_told)
{
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_LINKS};

    take(&model, TOP_MEMBERS,
         "{\"self\":\"athens\",\"coordinator\":\"cyrene\",\"acting_said_ms\":37,\"members\":[]}",
         ASKED_MS);
    take(&model, TOP_LINKS,
         "{\"members\":3,\"watches\":[{\"name\":\"cyrene\",\"linked\":false}],\"silent\":[],"
         "\"failed\":[],\"bad\":[]}",
         ASKED_MS);
    char *text = screen_of(&model, &ui, 12, 80);
    cr_expect_not_null(strstr(text, "\ncoordinator cyrene: acts, said "), "%s", text);
    cr_expect_null(strstr(text, "links is good"), "a lifeline is down:\n%s", text);
    free(text);
    take(&model, TOP_MEMBERS,
         "{\"self\":\"athens\",\"coordinator\":\"cyrene\",\"acting_said_ms\":null,\"members\":[]}",
         ASKED_MS);
    text = screen_of(&model, &ui, 12, 80);
    cr_expect_not_null(strstr(text, "\ncoordinator cyrene: whether it acts is not known here"),
                       "%s", text);
    free(text);
    top_model_deinit(&model);
}

/* Whether another one votes may not be known, but whether it is in the view and heard is. */
Test(cli_top, under_guard_strict_a_line_names_the_voters)
{
    struct top_model model = model_of_three();
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS};

    take(
        &model, TOP_VOTERS,
        "{\"needed\":2,\"voters\":[{\"name\":\"athens\",\"member\":true,\"voter\":\"votes\"},"
        "{\"name\":\"byzantium\",\"member\":true,\"heard\":true},{\"name\":\"milet\",\"member\":false}]}",
        ASKED_MS);
    char *text = screen_of(&model, &ui, 24, 80);
    cr_expect_not_null(
        strstr(text,
               "\nvoters (2 needed): athens votes, byzantium is in, milet is not in\n[1 Members]"),
        "%s", text);
    free(text);
    top_model_deinit(&model);
}

/* Whatever the size, nothing is written outside the screen: sanitizers and malloc would say so. */
Test(cli_top, every_size_is_borne)
{
    struct top_model model = model_of_three();

    top_model_set_away(&model, "nobody answers");
    for (size_t size = 0; size < 40; size++) {
        for (int pane = 0; pane < TOP_PANE_COUNT; pane++) {
            struct top_ui ui = {.pane = (enum top_pane)pane, .why = true, .scroll = 1000};
            free(screen_of(&model, &ui, size, 40 - size));
            ui.help = true;
            free(screen_of(&model, &ui, size, 3 * size));
        }
    }
    top_model_deinit(&model);
}

Test(cli_top, without_documents_it_says_that_there_is_nothing)
{
    struct top_model model = {.away = false};
    struct top_ui ui = {.pane = TOP_PANE_MEMBERS};
    char *text = screen_of(&model, &ui, 24, 80);

    cr_expect_not_null(strstr(text, "no view yet"), "%s", text);
    free(text);
    top_model_deinit(&model);
}

Test(cli_top, what_could_steer_a_terminal_is_a_question_mark)
{
    struct top_canvas canvas;

    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
    cr_assert(top_canvas_init(&canvas, 1, 12, true));
    cr_expect_eq(top_canvas_text(&canvas, 0, 0, 12, (struct top_look){.bold = true},
                                 "\x1b[\xc2\x9b\x80\xc3\xa9\xe6\xbc\xa2z"),
                 8);
    cr_expect_str_eq(top_canvas_cell(&canvas, 0, 0)->text, "?");
    cr_expect_str_eq(top_canvas_cell(&canvas, 0, 2)->text, "?", "a control character of two bytes");
    cr_expect_str_eq(top_canvas_cell(&canvas, 0, 3)->text, "?", "no UTF-8");
    cr_expect_str_eq(top_canvas_cell(&canvas, 0, 4)->text, "\xc3\xa9");
    cr_expect_str_eq(top_canvas_cell(&canvas, 0, 5)->text, "\xe6\xbc\xa2");
    cr_expect_str_empty(top_canvas_cell(&canvas, 0, 6)->text, "its right half");
    cr_expect_eq(
        top_canvas_text(&canvas, 0, 11, 9, (struct top_look){.bold = true}, "\xe6\xbc\xa2"), 0,
        "half of it is outside");
    canvas.utf8 = false;
    cr_expect_eq(top_canvas_width(&canvas, "\xe6\xbc\xa2"), 1, "a question mark");
    top_canvas_deinit(&canvas);
}

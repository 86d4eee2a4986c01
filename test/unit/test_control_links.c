/* The links that are bad, and which way, by who says what of whom. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "control/documents/hears_survey.h"
#include "control/facts/links.h"
#include "view_builder.h"

/* Rows of observers, one letter per subject: o hears, s silent, x suspects, ? not known. Seen by
 * the member at position 0. */
struct scene {
    struct built_view built;
    struct facts facts;
    struct links links;
};

static enum hearing hearing_of(char letter)
{
    switch (letter) {
    case 'o':
        return HEARING_YES;
    case 's':
        return HEARING_SILENT;
    case 'x':
        return HEARING_SUSPECT;
    default:
        return HEARING_UNKNOWN;
    }
}

static enum hearing row_hearing(const void *context, uint32_t observer, uint32_t subject)
{
    const char *const *rows = context;

    return hearing_of(rows[observer][subject]);
}

static uint32_t row_doubts(const void *context, uint32_t observer, uint32_t out[LINKS_DOUBTS_MAX])
{
    const char *const *rows = context;
    uint32_t count = 0;

    for (uint32_t i = 0; rows[observer][i] != '\0'; i++) {
        if (strchr("sx", rows[observer][i]) != NULL) {
            out[count++] = i;
        }
    }
    return count;
}

static void scene_open(struct scene *scene, const char *letters, const char *const *rows)
{
    memset(scene, 0, sizeof *scene);
    scene->built = view_of(letters);
    scene->facts.view = &scene->built.view;
    scene->facts.self = &scene->built.view.members[0];
    scene->facts.peers = calloc(scene->built.view.member_count, sizeof *scene->facts.peers);
    scene->links = (struct links){.hearing = row_hearing, .doubts = row_doubts, .context = rows};
}

static void scene_close(struct scene *scene)
{
    facts_deinit(&scene->facts);
    view_built_free(&scene->built);
}

static void assert_pair(const json_t *bad, size_t index, const char *from, const char *to,
                        const char *kind, const char *detail)
{
    const json_t *pair = json_array_get(bad, index);

    cr_assert_str_eq(json_string_value(json_object_get(pair, "from")), from);
    cr_assert_str_eq(json_string_value(json_object_get(pair, "to")), to);
    cr_assert_str_eq(json_string_value(json_object_get(pair, "kind")), kind);
    cr_assert_str_eq(json_string_value(json_object_get(pair, "detail")), detail);
}

Test(control_links, where_all_hear_all_nothing_is_bad)
{
    static const char *const rows[] = {"ooo", "ooo", "???"};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0, "not knowing is no evidence");
    json_decref(bad);
    scene_close(&scene);
}

/* C does not hear B while B hears C: what is lost is what B says to C. */
Test(control_links, a_one_way_cut_is_named_by_what_is_lost)
{
    static const char *const rows[] = {"ooo", "ooo", "oso"};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1);
    assert_pair(bad, 0, "B", "C", "one-way",
                "messages from B to C are lost: C does not hear B, B hears C");
    json_decref(bad);
    scene_close(&scene);
}

Test(control_links, a_pair_that_hears_neither_way_is_one_entry)
{
    static const char *const rows[] = {"ooo", "oox", "oso"};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1);
    assert_pair(bad, 0, "B", "C", "both",
                "no messages pass between B and C: neither hears the other");
    json_decref(bad);
    scene_close(&scene);
}

/* Whom one member hears and this node does not lives; what it hears itself cannot be known here. */
Test(control_links, the_unknown_way_is_said_to_be_unknown)
{
    static const char *const rows[] = {"oos", "ooo", "???"};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1);
    assert_pair(bad, 0, "C", "A", "one-way",
                "messages from C to A are lost: A does not hear C; whether the other way works is "
                "not known");
    json_decref(bad);
    scene_close(&scene);
}

/* A member that died or paused is nobody's bad link (R3). */
Test(control_links, a_member_whom_nobody_hears_is_silent_itself)
{
    static const char *const rows[] = {"oox", "oos", "ooo"};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    cr_assert(links_is_silent(&scene.links, &scene.facts, 2));
    cr_assert_not(links_is_silent(&scene.links, &scene.facts, 1));
    json_t *document = json_object();
    cr_assert(links_put(document, &scene.links, &scene.facts));
    cr_assert_eq(json_array_size(json_object_get(document, "bad")), 0);
    const json_t *silent = json_object_get(document, "silent");
    cr_assert_eq(json_array_size(silent), 1);
    cr_assert_str_eq(json_string_value(json_array_get(silent, 0)), "C");
    json_decref(document);
    scene_close(&scene);
}

/* This node knows that it speaks: when the other of two does not hear it, the link is bad. */
Test(control_links, this_node_is_never_silent_to_itself)
{
    static const char *const rows[] = {"oo", "so"};
    struct scene scene;

    scene_open(&scene, "A B", rows);
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1);
    assert_pair(bad, 0, "A", "B", "one-way",
                "messages from A to B are lost: B does not hear A, A hears B");
    json_decref(bad);
    scene_close(&scene);
}

/* Who names itself, or a pair that others speak of, too, adds nothing. */
Test(control_links, nobody_is_deaf_to_itself_and_each_pair_is_there_once)
{
    static const char *const rows[] = {"sso", "sso", "ooo"};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    json_t *document = json_object();
    cr_assert(links_put(document, &scene.links, &scene.facts));
    char *text = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);
    cr_assert_str_eq(text,
                     "{\"bad\":[{\"detail\":\"no messages pass between A and B: neither hears the "
                     "other\",\"from\":\"A\",\"kind\":\"both\",\"to\":\"B\"}],\"failed\":[],"
                     "\"silent\":[]}");
    free(text);
    json_decref(document);
    scene_close(&scene);
}

Test(control_links, the_sentence_names_both_ends)
{
    static const char *const rows[] = {"ooso", "oooo", "xooo", "oosx"};
    struct scene scene;
    struct text_builder sentence = {0};

    scene_open(&scene, "A B C D", rows);
    links_sentence(&scene.links, &scene.facts, 2, &sentence);
    links_sentence(&scene.links, &scene.facts, 1, &sentence);
    text_builder_add_bytes(&sentence, "", 1);
    cr_assert_str_eq(sentence.bytes, "; not heard by A and D; does not hear A");
    text_builder_deinit(&sentence);
    scene_close(&scene);
}

/* B was stopped, and is heard by A again; C's last heartbeat is older than that. */
Test(control_links, a_process_that_woke_up_is_no_bad_link)
{
    static const char *const rows[] = {"ooo", "ooo", "oso"};
    struct heard_member members[] = {
        {.age = 1, .heard = true},
        {.age = 2, .since_ms = 9900, .heard = true, .doubted_ms = 9000},
        {.age = 3, .heard = true}};
    const struct hearing_stability stability = {
        .members = members, .count = 3, .heartbeat_ms = 250, .silent_ms = 625};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    scene.links.stability = &stability;
    scene.facts.now_ms = 10000;
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0);
    json_decref(bad);

    members[1].since_ms = 8000; /* By now C would have said that it hears B. */
    bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1);
    json_decref(bad);

    scene.facts.peers[1].heard_ms_ago = 400; /* Or has B just been stopped, and C knows before A? */
    bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0);
    json_decref(bad);
    scene_close(&scene);
}

/* Where heartbeats are few, A has missed none of B's yet when C finds it silent: a B that runs is
 * heard again. */
Test(control_links, a_process_that_stops_is_no_bad_link)
{
    static const char *const rows[] = {"ooo", "ooo", "oso"};
    struct heard_member members[] = {
        {.age = 1, .heard = true}, {.age = 2, .heard = true}, {.age = 3, .heard = true}};
    const struct hearing_stability stability = {
        .members = members, .count = 3, .heartbeat_ms = 680, .silent_ms = 924};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    scene.links.stability = &stability;
    scene.facts.now_ms = 10000;
    scene.facts.peers[1].heard_ms_ago = 600;
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0, "A has not looked yet who doubts B");
    json_decref(bad);

    members[1].doubted_ms = 9800;
    bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0, "B may have stopped before C doubted it");
    json_decref(bad);

    scene.facts.peers[1].heard_ms_ago = 100;
    bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0, "B may have gone on, and C says so with its next one");
    json_decref(bad);

    members[1].doubted_ms = 9200;
    bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1, "B lives, and C does not hear it");
    json_decref(bad);
    scene_close(&scene);
}

/* A link that has been cut for long: A does not hear C, B does. */
Test(control_links, a_member_that_was_not_heard_for_long_is_stable_too)
{
    static const char *const rows[] = {"oos", "ooo", "ooo"};
    struct heard_member members[] = {
        {.age = 1, .heard = true}, {.age = 2, .heard = true}, {.age = 3, .since_ms = 8000}};
    const struct hearing_stability stability = {
        .members = members, .count = 3, .heartbeat_ms = 250, .silent_ms = 625};
    struct scene scene;

    scene_open(&scene, "A B C", rows);
    scene.links.stability = &stability;
    scene.facts.now_ms = 10000;
    scene.facts.peers[2].heard_ms_ago = 2600;
    json_t *bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1);
    json_decref(bad);

    scene.facts.peers[2].heard_ms_ago = 100; /* A hears C again, since it was last asked. */
    bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0);
    json_decref(bad);

    scene.facts.peers[2].heard_ms_ago = 2600;
    members[2].since_ms = 9900; /* B may notice with its next heartbeat. */
    bad = links_bad_json(&scene.links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0);
    json_decref(bad);
    scene_close(&scene);
}

/* Whom each hears as it said when it was asked, which may be anything at all: A does not hear C, C
 * hears A, and B answers with what is no list of members and states. */
Test(control_links, what_members_answer_is_read_with_care)
{
    static const char *const answers[] = {
        "[[3,2],[2,0],[3,0],[1,2]]",
        "[3,[],[9,2],[3],[3,-1],[3,6],[\"3\",2],[3,\"lost\"],[-9223372036854775807,2],{},null]",
        "[[1,1]]"};
    const struct member outside = {.name = "Z"};
    struct hears_survey survey = {.said = calloc(3, sizeof *survey.said)};
    struct scene scene;

    scene_open(&scene, "A B C", NULL);
    scene.facts.self = &outside;
    survey.facts = &scene.facts;
    for (uint32_t i = 0; i < 3; i++) {
        survey.said[i] = json_loads(answers[i], 0, NULL);
    }
    const struct links links = hears_survey_links(&survey, NULL);
    json_t *bad = links_bad_json(&links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 0, "B may hear C or not, and nobody says that C lives");
    json_decref(bad);
    json_decref(survey.said[1]);
    survey.said[1] = json_loads("[[3,0]]", 0, NULL);
    bad = links_bad_json(&links, &scene.facts);
    cr_assert_eq(json_array_size(bad), 1);
    assert_pair(bad, 0, "C", "A", "one-way",
                "messages from C to A are lost: A does not hear C, C hears A");
    json_decref(bad);
    json_t *said = hears_survey_json(&survey, 0);
    char *text = json_dumps(said, JSON_COMPACT | JSON_SORT_KEYS);
    cr_assert_str_eq(text, "{\"A\":\"silent\",\"B\":\"heard\",\"C\":\"silent\"}");
    free(text);
    json_decref(said);
    hears_survey_close(&survey);
    scene_close(&scene);
}

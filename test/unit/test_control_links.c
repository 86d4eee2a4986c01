/* Who hears whom: the matrix, the links that are bad, and which way. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "control/facts/links.h"
#include "view_builder.h"

/* A matrix written as rows of observers, one letter per subject: o hears, s silent, x suspects,
 * ? not known. Seen by the member at position 0. */
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

static void scene_open(struct scene *scene, const char *letters, const char *const *rows)
{
    memset(scene, 0, sizeof *scene);
    scene->built = view_of(letters);
    scene->facts.view = &scene->built.view;
    scene->facts.self = &scene->built.view.members[0];
    scene->facts.peers = calloc(scene->built.view.member_count, sizeof *scene->facts.peers);
    scene->links.count = scene->built.view.member_count;
    scene->links.cells = calloc(scene->links.count, scene->links.count);
    for (uint32_t i = 0; i < scene->links.count; i++) {
        for (uint32_t k = 0; k < scene->links.count; k++) {
            scene->links.cells[i * scene->links.count + k] = (uint8_t)hearing_of(rows[i][k]);
        }
    }
}

static void scene_close(struct scene *scene)
{
    links_deinit(&scene->links);
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
    cr_assert(links_is_silent(&scene.links, 2, 0));
    cr_assert_not(links_is_silent(&scene.links, 1, 0));
    json_t *document = links_json(&scene.links, &scene.facts);
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

Test(control_links, the_document_has_the_matrix_in_order_of_age)
{
    static const char *const rows[] = {"os", "?o"};
    struct scene scene;

    scene_open(&scene, "A B", rows);
    scene.links.left_out = 7;
    json_t *document = links_json(&scene.links, &scene.facts);
    char *text = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);
    cr_assert_str_eq(
        text, "{\"bad\":[],\"failed\":[],\"hears\":[[true,false],[null,true]],\"left_out\":7,"
              "\"members\":[\"A\",\"B\"],\"schema\":1,\"self\":\"A\","
              "\"silent\":[\"B\"],\"states\":[[\"ok\",\"silent\"],"
              "[\"unknown\",\"ok\"]]}");
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
    struct heard_member members[] = {{1, 0, true}, {2, 9900, true}, {3, 0, true}};
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

/* A link that has been cut for long: A does not hear C, B does. */
Test(control_links, a_member_that_was_not_heard_for_long_is_stable_too)
{
    static const char *const rows[] = {"oos", "ooo", "ooo"};
    struct heard_member members[] = {{1, 0, true}, {2, 0, true}, {3, 8000, false}};
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

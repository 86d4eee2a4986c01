/* The document of the voters: this node's own record, and that it does not know the others'. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "control/documents/report_voters.h"
#include "control/documents/voter_count.h"
#include "view_builder.h"

/* A of the voters A, B and C; C is no member. */
struct scene {
    struct config config;
    struct built_view built;
    struct member self;
    struct facts facts;
    struct voter_survey survey;
    struct voter_lists lists;
    struct peer_state peers[2];
    bool silent[2];
};

static void scene_open(struct scene *scene)
{
    *scene = (struct scene){.built = view_of("A B"), .self = member_of('A')};
    strcpy(scene->config.cluster, "doyen");
    voter_lists_from_names(&scene->lists, &(struct voters){.count = 3, .names = {"A", "B", "C"}});
    scene->facts.voters = &scene->lists;
    scene->facts.peers = scene->peers;
    scene->facts.config = &scene->config;
    scene->facts.self = &scene->self;
    scene->facts.view = &scene->built.view;
    scene->facts.silent = scene->silent;
    scene->facts.guard = (struct guard_state){.guard = {.policy = GUARD_STRICT, .count = 3},
                                              .needed = 2};
    scene->facts.voter = (struct voter_state){.status = VOTER_NO_RECORD, .sync_ms_ago = NEVER_MS};
}

static const json_t *voter_at(const json_t *document, size_t index)
{
    return json_array_get(json_object_get(document, "voters"), index);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    cr_assert_not_null(text, "%s is no text", key);
    return text;
}

static json_int_t number_of(const json_t *object, const char *key)
{
    cr_assert(json_is_integer(json_object_get(object, key)), "%s is no number", key);
    return json_integer_value(json_object_get(object, key));
}

static void check_unknown(const json_t *voter, bool votes_too)
{
    static const char *const keys[] = {"record_id", "lineage", "promise", "accepted",
                                       "until_ms",  "synced",  "sync_ms"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        cr_expect(json_is_null(json_object_get(voter, keys[i])), "%s", keys[i]);
    }
    cr_expect_eq(json_is_null(json_object_get(voter, "voter")), votes_too);
}

Test(control_voters, one_that_votes_shows_its_record)
{
    struct scene scene;

    scene_open(&scene);
    scene.facts.voter = (struct voter_state){
        .status = VOTER_FOUNDED,
        .record_id = member_of('r').id,
        .lineage = 255,
        .promise = {.epoch = UINT64_MAX, .life = member_of('B').id},
        .accepted = view_id_of(&scene.built.view),
        .until_ms = 640,
        .syncs = 3,
        .sync_ms_ago = 1200,
        .synced = true,
    };
    scene.facts.voter_times = (struct voter_store_times){.last_us = 350, .slowest_us = 23000};
    json_t *document = report_voters(&scene.facts, &scene.survey);

    cr_assert_eq(number_of(document, "schema"), 1);
    cr_assert_str_eq(text_of(document, "policy"), "strict");
    cr_assert_eq(number_of(document, "needed"), 2);
    cr_assert_eq(json_array_size(json_object_get(document, "voters")), 3);
    const json_t *voter = voter_at(document, 0);
    cr_assert_str_eq(text_of(voter, "name"), "A");
    cr_assert(json_is_true(json_object_get(voter, "self")));
    cr_assert(json_is_true(json_object_get(voter, "member")));
    cr_assert_str_eq(text_of(voter, "voter"), "votes");
    cr_assert_eq(strlen(text_of(voter, "record_id")), 32);
    cr_assert_str_eq(text_of(voter, "lineage"), "00000000000000ff");
    const json_t *promise = json_object_get(voter, "promise");
    cr_assert_str_eq(text_of(promise, "epoch"), "18446744073709551615");
    cr_assert_str_eq(text_of(promise, "name"), "B");
    cr_assert_str_eq(text_of(json_object_get(voter, "accepted"), "version"), "2");
    cr_assert_eq(number_of(voter, "until_ms"), 640);
    cr_assert_eq(number_of(voter, "sync_ms"), 1200);
    const json_t *disk = json_object_get(document, "disk");
    cr_assert_eq(number_of(disk, "syncs"), 3);
    cr_assert_eq(number_of(disk, "failures"), 0);
    cr_assert_eq(number_of(disk, "last_us"), 350);
    cr_assert_eq(number_of(disk, "slowest_us"), 23000);
    json_decref(document);
    view_built_free(&scene.built);
}

Test(control_voters, what_is_not_known_is_null)
{
    struct scene scene;

    scene_open(&scene);
    json_t *document = report_voters(&scene.facts, &scene.survey);

    check_unknown(voter_at(document, 0), false);
    cr_assert_str_eq(text_of(voter_at(document, 0), "voter"), "no record");
    check_unknown(voter_at(document, 1), true);
    cr_assert(json_is_true(json_object_get(voter_at(document, 1), "member")));
    cr_assert_str_eq(text_of(voter_at(document, 1), "address"), "10.0.0.66:7420");
    check_unknown(voter_at(document, 2), true);
    cr_assert(json_is_false(json_object_get(voter_at(document, 2), "member")));
    cr_assert(json_is_null(json_object_get(voter_at(document, 2), "address")));
    json_decref(document);
    view_built_free(&scene.built);
}

/* Z1b: C is no member, and leases to this coordinator all the same. */
Test(control_voters, one_that_is_out_and_answers_is_heard)
{
    struct scene scene;

    scene_open(&scene);
    voter_lists_copy(&scene.built.view.voters, &scene.lists);
    scene.facts.voter.status = VOTER_FOUNDED;
    for (int answers = 0; answers < 2; answers++) {
        scene.facts.contacts[2].answers = answers == 1;
        json_t *document = report_voters(&scene.facts, &scene.survey);
        cr_assert_eq(number_of(document, "voting"), 2 + answers);
        cr_assert_eq(json_is_true(json_object_get(voter_at(document, 2), "heard")), answers == 1);
        json_decref(document);
    }
    view_built_free(&scene.built);
}

/* What a voter said of itself is shown until it is old, or its life is another. */
Test(control_voters, what_another_voter_said_is_shown)
{
    struct scene scene;

    scene_open(&scene);
    scene.facts.now_ms = 100000;
    scene.survey.voters[1] = (struct voter_said){
        .life = member_of('B').id,
        .said_ms = 99000,
        .answer = json_pack("{s:s}", "voter", "no record")};
    cr_assert_eq(voter_survey_waiting(&scene.survey, &scene.facts), 0);
    json_t *document = report_voters(&scene.facts, &scene.survey);
    cr_assert_str_eq(text_of(voter_at(document, 1), "voter"), "no record");
    cr_assert_eq(number_of(document, "waiting"), 0);
    json_decref(document);

    scene.facts.now_ms += VOTER_SAID_MS;
    cr_assert_eq(voter_survey_waiting(&scene.survey, &scene.facts), 1);
    scene.silent[1] = true; /* It will not answer. */
    cr_assert_eq(voter_survey_waiting(&scene.survey, &scene.facts), 0);
    scene.facts.now_ms = 100000;
    scene.survey.voters[1].life = member_of('X').id;
    cr_assert_null(voter_survey_said(&scene.survey, &scene.facts, 1));
    voter_survey_deinit(&scene.survey);
    view_built_free(&scene.built);
}

/* A promise may be to a life that is in no view any more. */
Test(control_voters, a_life_without_a_name_is_told_by_its_id)
{
    struct scene scene;

    scene_open(&scene);
    scene.facts.voter.status = VOTER_FOUNDED;
    scene.facts.voter.promise = (struct ballot){.epoch = 4, .life = member_of('X').id};
    json_t *document = report_voters(&scene.facts, &scene.survey);
    const json_t *promise = json_object_get(voter_at(document, 0), "promise");

    cr_assert(json_is_null(json_object_get(promise, "name")));
    cr_assert_str_eq(text_of(promise, "life"), "58585858585858585858585858585858");
    json_decref(document);
    view_built_free(&scene.built);
}

Test(control_voters, under_another_guard_there_are_none)
{
    struct scene scene;

    scene_open(&scene);
    scene.lists.count = 0;
    scene.facts.guard.guard = (struct guard){.policy = GUARD_NONE};
    scene.facts.voter.status = VOTER_NOT;
    json_t *document = report_voters(&scene.facts, &scene.survey);

    cr_assert_str_eq(text_of(document, "policy"), "none");
    cr_assert(json_is_null(json_object_get(document, "needed")));
    cr_assert_eq(json_array_size(json_object_get(document, "voters")), 0);
    cr_assert(json_is_null(json_object_get(document, "disk")));
    json_decref(document);
    view_built_free(&scene.built);
}

static void list_voter(struct scene *scene, char name, char record, bool before, bool now)
{
    struct listed_voter *voter = &scene->lists.voters[scene->lists.count++];

    *voter = (struct listed_voter){.name = {name}, .before = before, .now = now};
    voter->record = member_of(record).id;
}

/* C gives way to B: two are needed of A and C, and of A and B. */
Test(control_voters, a_change_shows_both_lists)
{
    struct scene scene;

    scene_open(&scene);
    scene.lists = (struct voter_lists){.number = 7};
    list_voter(&scene, 'A', 'r', true, true);
    list_voter(&scene, 'C', 's', true, false);
    list_voter(&scene, 'B', 't', false, true);
    scene.facts.voter = (struct voter_state){
        .status = VOTER_FOUNDED, .record_id = member_of('r').id, .sync_ms_ago = NEVER_MS};
    json_t *document = report_voters(&scene.facts, &scene.survey);
    const json_t *change = json_object_get(document, "change");

    cr_assert_str_eq(text_of(document, "number"), "7");
    cr_assert_str_eq(text_of(voter_at(document, 0), "list"), "both");
    cr_assert_str_eq(text_of(voter_at(document, 1), "list"), "old");
    cr_assert_str_eq(text_of(voter_at(document, 2), "list"), "new");
    cr_assert_eq(strlen(text_of(voter_at(document, 2), "record_id")), 32);
    cr_assert_eq(json_array_size(json_object_get(change, "from")), 2);
    cr_assert_str_eq(json_string_value(json_array_get(json_object_get(change, "to"), 1)), "B");
    cr_assert_eq(number_of(document, "count"), 2);
    cr_assert_eq(number_of(document, "voting"), 1); /* Of A and C, which lack more. */
    cr_assert_eq(number_of(document, "needed"), 2);
    cr_assert_eq(number_of(document, "spare"), 0);
    json_decref(document);
    view_built_free(&scene.built);
}

/* Its disk was replaced, and the view names the record that was on the former one. */
Test(control_voters, one_with_another_record_than_the_view_names_does_not_vote)
{
    struct scene scene;

    scene_open(&scene);
    scene.lists = (struct voter_lists){.number = 1};
    list_voter(&scene, 'A', 'r', false, true);
    scene.facts.voter = (struct voter_state){
        .status = VOTER_FOUNDED, .record_id = member_of('s').id, .sync_ms_ago = NEVER_MS};
    json_t *document = report_voters(&scene.facts, &scene.survey);

    cr_assert_str_eq(text_of(voter_at(document, 0), "voter"), "another record");
    cr_assert_eq(number_of(document, "voting"), 0);
    cr_assert(json_is_null(json_object_get(document, "change")));
    json_decref(document);
    view_built_free(&scene.built);
}

/* Z16: the coordinator asks it, and nobody else: where that is heard it says so, and where it is
 * not nobody has asked. */
Test(control_voters, a_witness_is_not_heard_while_nobody_asks_it)
{
    struct scene scene;

    scene_open(&scene);
    scene.self = member_of('B');
    scene.lists.voters[2].witness = true;
    cr_assert_eq(voter_count(&scene.facts, &scene.survey).heard, 3);
    scene.silent[0] = true;
    cr_assert_eq(voter_count(&scene.facts, &scene.survey).heard, 1, "A is silent, and C unknown");
    scene.silent[0] = false;
    scene.peers[0].verdict = VERDICT_DEAD;
    cr_assert_eq(voter_count(&scene.facts, &scene.survey).heard, 1);
    view_built_free(&scene.built);
}

/* The members document: its fields, its template, and what cannot be said in JSON. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "control/documents/members.h"
#include "view_builder.h"

/* The facts of A in a view of letters; peers heard (10 + position) ms ago. */
struct scene {
    struct config config;
    struct built_view built;
    struct member self;
    struct facts facts;
    struct members members;
    struct document_pool pool;
};

static void scene_open(struct scene *scene, const char *letters)
{
    memset(scene, 0, sizeof *scene);
    scene->built = view_of(letters);
    strcpy(scene->config.cluster, "doyen");
    scene->self = member_of('A');

    struct facts *facts = &scene->facts;
    facts->config = &scene->config;
    facts->self = &scene->self;
    facts->view = &scene->built.view;
    facts->coordinator = view_is_empty(facts->view) ? NULL : view_coordinator(&scene->built.view);
    facts->phase = PHASE_MEMBER;
    facts->guard = (struct guard_state){.guard = {.policy = GUARD_NONE}, .fresh = 3, .met = true};
    facts->acked = 3;
    facts->cursor = 17;
    facts->life = 0xa1b2c3d;
    facts->acting = true;
    facts->acting_ms = 640;
    facts->advisory = true;
    facts->peers = calloc(facts->view->member_count + 1, sizeof *facts->peers);
    facts->silent = calloc(facts->view->member_count + 1, sizeof *facts->silent);
    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        facts->peers[i].heard_ms_ago = 10 + i;
    }
}

static void scene_close(struct scene *scene)
{
    members_deinit(&scene->members);
    facts_deinit(&scene->facts);
    view_built_free(&scene->built);
    cr_assert_eq(scene->pool.bytes, 0);
}

/* Renders and reads back; fails when it is not JSON. */
static json_t *scene_read(struct scene *scene)
{
    struct document *document = members_render(&scene->members, &scene->facts, &scene->pool);
    json_error_t error;

    cr_assert_not_null(document);
    json_t *read = json_loadb(document->text, document->length, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(read, "%s", error.text);
    document_release(document);
    return read;
}

static const json_t *at(const json_t *document, const char *list, size_t index)
{
    return json_array_get(json_object_get(document, list), index);
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

Test(control_members, the_document_says_who_is_in_and_who_coordinates)
{
    struct scene scene;
    scene_open(&scene, "A B C");

    json_t *document = scene_read(&scene);
    cr_assert_eq(number_of(document, "schema"), 1);
    cr_assert_str_eq(text_of(document, "cluster"), "doyen");
    cr_assert_str_eq(text_of(document, "self"), "A");
    cr_assert_str_eq(text_of(document, "phase"), "member");
    cr_assert_str_eq(text_of(document, "cursor"), "0a1b2c3d-17");
    cr_assert_str_eq(text_of(document, "coordinator"), "A");
    cr_assert(json_is_true(json_object_get(document, "acting")));
    cr_assert_eq(json_array_size(json_object_get(document, "members")), 3);
    cr_assert_str_eq(text_of(json_object_get(document, "view"), "epoch"), "1");
    cr_assert_eq(number_of(json_object_get(document, "view"), "acked"), 3);
    cr_assert_str_eq(text_of(json_object_get(document, "guard"), "policy"), "none");

    const json_t *b = at(document, "members", 1);
    cr_assert_str_eq(text_of(b, "name"), "B");
    cr_assert_str_eq(text_of(b, "address"), "10.0.0.66:7420");
    cr_assert_str_eq(text_of(b, "incarnation"), "1");
    cr_assert_eq(strlen(text_of(b, "id")), 32);
    cr_assert_eq(number_of(b, "age"), 2);
    cr_assert_eq(number_of(b, "heard_ms"), 11);
    cr_assert_str_eq(text_of(b, "state"), "alive");
    cr_assert(json_is_false(json_object_get(b, "coordinator")));
    cr_assert_eq(json_object_size(json_object_get(b, "tags")), 0);
    cr_assert_eq(number_of(at(document, "members", 0), "heard_ms"), 0, "the node hears itself");

    json_decref(document);
    scene_close(&scene);
}

Test(control_members, a_majority_has_its_stated_size)
{
    struct scene scene;
    scene_open(&scene, "A B C");
    scene.facts.guard.guard = (struct guard){.policy = GUARD_MAJORITY, .count = 5};
    scene.facts.guard.needed = 3;

    json_t *document = scene_read(&scene);
    const json_t *guard = json_object_get(document, "guard");
    cr_assert_str_eq(text_of(guard, "policy"), "majority");
    cr_assert_eq(number_of(guard, "size"), 5);
    cr_assert_eq(number_of(guard, "needed"), 3);
    json_decref(document);
    scene_close(&scene);

    scene_open(&scene, "A B C");
    document = scene_read(&scene);
    cr_assert(json_is_null(json_object_get(json_object_get(document, "guard"), "size")));
    json_decref(document);
    scene_close(&scene);
}

/* Z3b: whoever relies on a voter sees in every answer that it does not vote. */
Test(control_members, a_voter_says_whether_it_votes)
{
    static const struct {
        enum voter_status status;
        const char *text; /* NULL: null */
    } cases[] = {
        {VOTER_NOT, NULL},        {VOTER_NO_RECORD, "no record"},    {VOTER_FOUNDING, "founding"},
        {VOTER_FOUNDED, "votes"}, {VOTER_DAMAGED, "damaged record"}, {VOTER_MUTE, "cannot write"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        scene_open(&scene, "A B C");
        scene.facts.voter.status = cases[i].status;
        json_t *document = scene_read(&scene);
        if (cases[i].text == NULL) {
            cr_expect(json_is_null(json_object_get(document, "voter")));
        } else {
            cr_expect_str_eq(text_of(document, "voter"), cases[i].text);
        }
        json_decref(document);
        scene_close(&scene);
    }
}

/* A reader whose numbers are doubles must not round an epoch. */
Test(control_members, numbers_of_64_bits_are_strings)
{
    struct scene scene;
    scene_open(&scene, "A");
    scene.built.view.epoch = UINT64_MAX;
    scene.built.view.members[0].incarnation = UINT64_MAX - 1;

    json_t *document = scene_read(&scene);
    cr_assert_str_eq(text_of(json_object_get(document, "view"), "epoch"), "18446744073709551615");
    cr_assert_str_eq(text_of(at(document, "members", 0), "incarnation"), "18446744073709551614");

    json_decref(document);
    scene_close(&scene);
}

Test(control_members, a_member_never_heard_has_null_and_a_suspected_one_says_so)
{
    struct scene scene;
    scene_open(&scene, "A B C");
    scene.facts.peers[1].heard_ms_ago = NEVER_MS;
    scene.facts.peers[2].verdict = VERDICT_STALLED;
    scene.facts.silent[1] = true;

    json_t *document = scene_read(&scene);
    cr_assert(json_is_null(json_object_get(at(document, "members", 1), "heard_ms")));
    cr_assert_str_eq(text_of(at(document, "members", 2), "state"), "suspect");
    cr_assert(json_is_false(json_object_get(at(document, "members", 0), "silent")));
    cr_assert(json_is_true(json_object_get(at(document, "members", 1), "silent")));
    cr_assert(json_is_false(json_object_get(at(document, "members", 2), "silent")));

    json_decref(document);
    scene_close(&scene);
}

Test(control_members, who_is_behind_says_so_this_node_too)
{
    struct scene scene;
    scene_open(&scene, "A B C");
    scene.facts.peers[0].behind = true; /* This node. */
    scene.facts.peers[2].behind = true;

    json_t *document = scene_read(&scene);
    cr_assert(json_is_true(json_object_get(at(document, "members", 0), "behind")));
    cr_assert(json_is_false(json_object_get(at(document, "members", 1), "behind")));
    cr_assert(json_is_true(json_object_get(at(document, "members", 2), "behind")));

    json_decref(document);
    scene_close(&scene);
}

Test(control_members, the_gone_carry_reason_and_verdict)
{
    struct scene scene;
    scene_open(&scene, "A B C D");
    view_remove(&scene.built.view, 3,
                &(struct gone){.reason = GONE_FAILED, .verdict = VERDICT_DEAD, .silent_ms = 3});
    view_remove(&scene.built.view, 2, &(struct gone){.reason = GONE_LEFT});
    view_remove(&scene.built.view, 1, &(struct gone){.reason = GONE_MOVED});
    scene.facts.gone_ms[0] = 4120;

    json_t *document = scene_read(&scene);
    const json_t *d = at(document, "gone", 0);
    cr_assert_str_eq(text_of(d, "name"), "D");
    cr_assert_str_eq(text_of(d, "state"), "failed");
    cr_assert_str_eq(text_of(d, "reason"), "failed");
    cr_assert_str_eq(text_of(d, "verdict"), "dead");
    cr_assert_eq(number_of(d, "since_ms"), 4120);
    cr_assert_eq(number_of(d, "age"), 4);
    cr_assert_str_eq(text_of(at(document, "gone", 1), "state"), "left");
    cr_assert(json_is_null(json_object_get(at(document, "gone", 1), "verdict")));
    cr_assert_str_eq(text_of(at(document, "gone", 2), "state"), "failed");
    cr_assert_str_eq(text_of(at(document, "gone", 2), "reason"), "moved");

    json_decref(document);
    scene_close(&scene);
}

Test(control_members, whoever_is_joining_names_no_coordinator)
{
    struct scene scene;
    scene_open(&scene, "");
    scene.facts.phase = PHASE_JOINING;

    json_t *document = scene_read(&scene);
    cr_assert(json_is_null(json_object_get(document, "coordinator")));
    cr_assert_str_eq(text_of(document, "phase"), "joining");
    cr_assert_eq(json_array_size(json_object_get(document, "members")), 0);

    json_decref(document);
    scene_close(&scene);
}

/* Tags are any bytes another node cares to send. */
Test(control_members, odd_tags_and_names_still_make_json)
{
    static const char tags[] =
        "quote=\"\\\0line=a\nb\t\x01\0=\0bare\0twice=1\0twice=2\0bad=\xff\xc3\0"
        "good=\xc3\xa9";
    struct scene scene;
    scene_open(&scene, "A B");
    struct member *b = &scene.built.view.members[1];
    struct tags odd = {.length = sizeof tags};
    memcpy(odd.text, tags, sizeof tags);
    b->tags = &odd;
    strcpy(b->name, "a\"\\\xfe");

    json_t *document = scene_read(&scene);
    const json_t *read = json_object_get(at(document, "members", 1), "tags");
    cr_assert_str_eq(text_of(at(document, "members", 1), "name"), "a\"\\?");
    cr_assert_str_eq(text_of(read, "quote"), "\"\\");
    cr_assert_str_eq(text_of(read, "line"), "a\nb\t\x01");
    cr_assert_str_eq(text_of(read, ""), "");
    cr_assert_str_eq(text_of(read, "bare"), "");
    cr_assert_str_eq(text_of(read, "twice"), "2");
    cr_assert_str_eq(text_of(read, "bad"), "??");
    cr_assert_str_eq(text_of(read, "good"), "\xc3\xa9");

    json_decref(document);
    scene_close(&scene);
}

/* Whoever asks learns the epoch to act under, for how long, and what that is worth. */
Test(control_members, the_right_to_act_has_an_epoch_and_an_end)
{
    struct scene scene;
    scene_open(&scene, "A B");

    json_t *document = scene_read(&scene);
    cr_assert_str_eq(text_of(document, "epoch"), "1");
    cr_assert_eq(number_of(document, "acting_ms"), 640);
    cr_assert_str_eq(text_of(document, "acting_is"), "advisory");
    cr_assert_null(json_object_get(document, "lease_ms"), "nothing is promised");
    cr_assert_eq(number_of(document, "acting_said_ms"), 0);
    json_decref(document);

    scene.facts.acting = false;
    scene.facts.acting_ms = 0;
    scene.facts.acting_said_ms = NEVER_MS;
    document = scene_read(&scene);
    cr_assert_eq(number_of(document, "acting_ms"), 0);
    cr_assert(json_is_null(json_object_get(document, "acting_said_ms")));
    json_decref(document);
    scene_close(&scene);
}

Test(control_members, an_exclusive_right_is_a_lease)
{
    struct scene scene;
    scene_open(&scene, "A B");
    scene.facts.advisory = false;

    json_t *document = scene_read(&scene);
    cr_assert_str_eq(text_of(document, "acting_is"), "exclusive");
    cr_assert_eq(number_of(document, "lease_ms"), 640);
    json_decref(document);
    scene_close(&scene);
}

/* Between two changes the template stays and the numbers move; a new cursor makes a new one. */
Test(control_members, what_is_static_is_rendered_once_per_change)
{
    struct scene scene;
    scene_open(&scene, "A B");
    json_decref(scene_read(&scene));

    strcpy(scene.built.view.members[1].name, "Z");
    scene.facts.peers[1].heard_ms_ago = 250;
    scene.facts.acting = false;
    json_t *document = scene_read(&scene);
    cr_assert_str_eq(text_of(at(document, "members", 1), "name"), "B", "from the template");
    cr_assert_eq(number_of(at(document, "members", 1), "heard_ms"), 250);
    cr_assert(json_is_false(json_object_get(document, "acting")));
    json_decref(document);

    scene.facts.cursor++;
    document = scene_read(&scene);
    cr_assert_str_eq(text_of(at(document, "members", 1), "name"), "Z");
    json_decref(document);
    scene_close(&scene);
}

/* Z9: under guard strict a coordinator that begins to act is named without any event. */
Test(control_members, a_coordinator_is_named_as_soon_as_it_acts)
{
    struct scene scene;
    scene_open(&scene, "A B");
    const struct member *coordinator = scene.facts.coordinator;

    scene.facts.coordinator = NULL;
    json_t *document = scene_read(&scene);
    cr_assert(json_is_null(json_object_get(document, "coordinator")));
    json_decref(document);

    scene.facts.coordinator = coordinator;
    document = scene_read(&scene);
    cr_assert_str_eq(text_of(document, "coordinator"), "A");
    cr_assert(json_is_true(json_object_get(at(document, "members", 0), "coordinator")));
    json_decref(document);
    scene_close(&scene);
}

Test(control_members, a_guard_by_count_shows_its_numbers)
{
    struct scene scene;
    scene_open(&scene, "A B");
    scene.facts.guard = (struct guard_state){
        .guard = {.policy = GUARD_COUNT, .count = 3}, .needed = 3, .fresh = 2, .met = false};

    json_t *document = scene_read(&scene);
    const json_t *guard = json_object_get(document, "guard");
    cr_assert_str_eq(text_of(guard, "policy"), "3");
    cr_assert_eq(number_of(guard, "needed"), 3);
    cr_assert_eq(number_of(guard, "fresh"), 2);
    cr_assert(json_is_false(json_object_get(guard, "met")));

    json_decref(document);
    scene_close(&scene);
}

/* Slow readers hold documents; what they hold together is bounded. */
Test(control_members, a_full_shelf_makes_no_more_documents)
{
    struct scene scene;
    scene_open(&scene, "A");
    struct document *large = document_new(&scene.pool, DOCUMENT_BYTES_MAX);
    cr_assert_not_null(large);

    cr_assert_null(members_render(&scene.members, &scene.facts, &scene.pool));

    document_release(document_share(large));
    document_release(large);
    json_decref(scene_read(&scene));
    scene_close(&scene);
}

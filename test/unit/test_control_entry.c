/* Journal entries for the outside: every kind is JSON with a sentence. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "control/events/entry.h"
#include "control/events/sentence.h"
#include "view_builder.h"

enum { NOTICE_TYPES = NOTICE_TAGS + 1, LIFE = 0x0a1b2c3d };

static struct journal_entry entry_of(struct notice notice)
{
    return (struct journal_entry){.cursor = 17,
                                  .wall_ms = INT64_C(1769860800123),
                                  .epoch = 2,
                                  .version = UINT64_MAX,
                                  .member_count = 4,
                                  .notice = notice};
}

static struct subject subject_of(char letter)
{
    const struct member member = member_of(letter);
    struct subject subject = {.id = member.id, .address = member.address, .age = 2};

    memcpy(subject.name, member.name, sizeof subject.name);
    return subject;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    cr_assert_not_null(text, "%s is no text", key);
    return text;
}

static void assert_sentence(const struct journal_entry *entry, const char *expected)
{
    json_t *object = entry_json(entry, LIFE);

    cr_assert_not_null(object);
    cr_assert_str_eq(text_of(object, "text"), expected);
    json_decref(object);
}

Test(control_entry, every_kind_is_json_with_a_sentence)
{
    for (int type = 0; type < NOTICE_TYPES; type++) {
        struct journal_entry entry = entry_of(
            (struct notice){.type = (enum notice_type)type, .subject = subject_of('B')});
        json_t *object = entry_json(&entry, LIFE);
        cr_assert_not_null(object, "notice type %d", type);

        cr_assert_str_neq(text_of(object, "kind"), "unknown");
        cr_assert_str_eq(text_of(object, "cursor"), "0a1b2c3d-17");
        cr_assert_str_eq(text_of(object, "time"), "2026-01-31T12:00:00.123Z");
        cr_assert_str_eq(text_of(object, "epoch"), "2");
        cr_assert_str_eq(text_of(object, "version"), "18446744073709551615");
        cr_assert(json_is_integer(json_object_get(object, "member_count")));
        cr_assert(strlen(text_of(object, "text")) > 5, "%s", text_of(object, "kind"));
        json_decref(object);
    }
}

/* R5: the evidence names who, how silent, which verdict. */
Test(control_entry, a_removal_tells_its_evidence)
{
    struct notice notice = {.type = NOTICE_GONE,
                            .gone = {.age = 4,
                                     .name = "athens",
                                     .reason = GONE_FAILED,
                                     .verdict = VERDICT_DEAD,
                                     .silent_ms = 3,
                                     .accuser_count = 3,
                                     .accusers = {1, 2, 9}}};
    struct journal_entry entry = entry_of(notice);

    strcpy(entry.names[0], "A");
    strcpy(entry.names[1], "B");
    assert_sentence(&entry,
                    "athens was removed: dead (connection closed, new one refused), silent 3 ms, "
                    "accused by A, B and the member of age 9");
    json_t *object = entry_json(&entry, LIFE);
    cr_assert_str_eq(text_of(object, "kind"), "gone");
    cr_assert_str_eq(text_of(object, "state"), "failed");
    cr_assert_str_eq(text_of(object, "verdict"), "dead");
    cr_assert_eq(json_array_size(json_object_get(object, "accusers")), 3);
    cr_assert(json_is_null(json_array_get(json_object_get(object, "accusers"), 2)));
    json_decref(object);

    entry.notice.gone.accuser_count = 1;
    assert_sentence(&entry,
                    "athens was removed: dead (connection closed, new one refused), silent 3 ms, "
                    "accused by A");
    entry.notice.gone.reason = GONE_LEFT;
    assert_sentence(&entry, "athens left in good order");
}

Test(control_entry, without_a_coordinator_the_name_is_null)
{
    struct journal_entry entry = entry_of((struct notice){.type = NOTICE_COORDINATOR});

    json_t *object = entry_json(&entry, LIFE);
    cr_assert(json_is_null(json_object_get(object, "name")));
    cr_assert_str_eq(text_of(object, "text"), "there is no coordinator now");
    json_decref(object);
}

Test(control_entry, a_refusal_quotes_the_clusters_terms)
{
    struct notice notice = {.type = NOTICE_JOIN_REFUSED,
                            .subject = {.address = member_of('B').address},
                            .refused = {.reason = JOIN_REFUSED_TERMS,
                                        .terms = {.guard = {.policy = GUARD_COUNT, .count = 3},
                                                  .profile = PROFILE_WAN,
                                                  .watchers = WATCHERS_DEFAULT,
                                                  .heartbeat_ms = 1000,
                                                  .lost_ms = 8000,
                                                  .capacity = 64}}};
    struct journal_entry entry = entry_of(notice);

    strcpy(entry.difference, "--guard 3 (here none)");
    json_t *object = entry_json(&entry, LIFE);
    cr_assert_str_eq(text_of(object, "guard"), "3");
    cr_assert_str_eq(text_of(object, "profile"), "wan");
    cr_assert_not_null(strstr(text_of(object, "text"), "guard 3, profile wan"));
    cr_assert_not_null(
        strstr(text_of(object, "text"), "start with the cluster's --guard 3 (here none)"));
    json_decref(object);
}

Test(control_entry, an_entry_is_about_its_subject_alone)
{
    struct journal_entry suspicion = entry_of(
        (struct notice){.type = NOTICE_SUSPECT, .subject = subject_of('B')});
    struct journal_entry removal = entry_of(
        (struct notice){.type = NOTICE_GONE, .gone = {.name = "C"}});
    struct journal_entry guard = entry_of((struct notice){.type = NOTICE_GUARD});

    cr_assert(entry_is_about(&suspicion, "B"));
    cr_assert_not(entry_is_about(&suspicion, "C"));
    cr_assert(entry_is_about(&removal, "C"));
    cr_assert_not(entry_is_about(&guard, ""));
}

static struct journal_entry merge_of(bool lost, uint64_t apart_ms)
{
    struct journal_entry entry = entry_of(
        (struct notice){.type = NOTICE_MERGE,
                        .subject = subject_of('A'),
                        .parents = {{.lineage = 7, .epoch = 4, .version = 9},
                                    {.lineage = 7, .epoch = 3, .version = 7}},
                        .apart_ms = apart_ms,
                        .lost = lost});

    strcpy(entry.names[0], "athens");
    strcpy(entry.names[1], "delphi");
    return entry;
}

/* M8: both parents, and for how long the parts were apart. */
Test(control_entry, a_merge_names_both_parts_and_this_nodes_side)
{
    const struct journal_entry lost = merge_of(true, 30240);
    const struct journal_entry won = merge_of(false, 0);

    assert_sentence(&lost, "this node's part (delphi, view 3.7) was absorbed by another (athens, "
                           "view 4.9), apart for 30.2 s");
    assert_sentence(&won,
                    "this node's part (athens, view 4.9) absorbed another (delphi, view 3.7)");

    json_t *object = entry_json(&lost, LIFE);
    cr_assert_str_eq(text_of(json_object_get(object, "parent"), "coordinator"), "athens");
    cr_assert_str_eq(text_of(json_object_get(object, "merged"), "version"), "7");
    cr_assert_str_eq(text_of(json_object_get(object, "merged"), "lineage"), "0000000000000007");
    cr_assert(json_is_true(json_object_get(object, "taken_up")));
    cr_assert_eq(json_integer_value(json_object_get(object, "apart_ms")), 30240);
    json_decref(object);

    object = entry_json(&won, LIFE);
    cr_assert(json_is_null(json_object_get(object, "apart_ms")), "they never met before");
    json_decref(object);
    cr_assert(entry_is_about(&won, "delphi"));
    cr_assert_not(entry_is_about(&won, "cyrene"));
}

Test(control_entry, a_split_and_a_merge_under_way_are_told)
{
    struct journal_entry split = entry_of(
        (struct notice){.type = NOTICE_SPLIT, .count = 3, .needed = 5});
    struct journal_entry merging = entry_of(
        (struct notice){.type = NOTICE_MERGING, .subject = subject_of('B'), .on = true});

    assert_sentence(&split, "3 of 5 members were lost at once, as when a cluster splits");
    assert_sentence(&merging, "this node's part asks the coordinator at 10.0.0.66:7420 to absorb "
                              "it, and does not act meanwhile");
    merging.notice.on = false;
    assert_sentence(&merging,
                    "the merge came to nothing, for no answer came: this node's part goes "
                    "on as it was");
    merging.notice.refusal = MERGE_REFUSED_FULL;
    assert_sentence(&merging,
                    "the merge came to nothing, for there is no room for both: this node's "
                    "part goes on as it was");
}

/* C3: nobody was there to grant it. */
Test(control_entry, a_lone_claimant_is_not_said_to_have_been_granted)
{
    struct journal_entry won = entry_of((struct notice){
        .type = NOTICE_CLAIM, .subject = subject_of('B'), .claim = CLAIM_WON, .epoch = 3});

    assert_sentence(&won, "B took over: the others granted its claim (epoch 3)");
    won.alone = true;
    assert_sentence(&won, "B took over alone: it suspects every other member (epoch 3)");
}

Test(control_entry, without_a_view_there_is_no_number_of_one)
{
    struct journal_entry entry = entry_of((struct notice){.type = NOTICE_COORDINATOR});

    entry.epoch = entry.version = entry.member_count = 0;
    json_t *object = entry_json(&entry, LIFE);
    cr_assert(json_is_null(json_object_get(object, "epoch")));
    cr_assert(json_is_null(json_object_get(object, "version")));
    json_decref(object);
}

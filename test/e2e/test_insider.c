/* Single frames of an insider: who holds the key of the cluster says one thing in the name of
 * another member, sealed. What such a frame does is over soon after it: nobody is locked out, the
 * terms are as they were, and they can be changed (docs/security.md lists what is an operator's
 * wish). */
#include <stdlib.h>
#include <string.h>

#include "forging.h"

enum {
    ATHENS = 0, /* places in the view: the coordinator is first */
    BYZANTIUM,
    CYRENE,
    EPHESUS = 4,
    MEMBERS,
    HEARTBEATS_ENOUGH = 40, /* of all others: more than come in T_stall */
};

#define EVERYBODY "athens byzantium cyrene delphi ephesus"
#define LAST_NUMBER ((UINT64_C(1) << 62) - 2)

static const char *const five[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static const struct forged_terms no_number_is_left = {.number = LAST_NUMBER, .capacity = 5};
static const struct forged_terms room_for_five = {.number = 1, .capacity = 5};
static const struct forged_terms other_capacity = {.number = 7, .capacity = 200};
static const struct forged_terms an_hour_of_silence = {
    .number = 1, .heartbeat_ms = 60000, .lost_ms = 3600000};

static struct cluster *cluster_with_key(void)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "key");
    cluster_form(cluster, EVERYBODY);
    return cluster;
}

static uint64_t received(struct cluster *cluster, const char *name, const char *type)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    const json_t *counters = json_object_get(status, "counters");

    return (uint64_t)json_integer_value(
        json_object_get(json_object_get(counters, "received"), type));
}

/* Do the daemons from the place `first` on hold one view, with all of them in it and nobody else?
 */
static bool are_together(struct cluster *cluster, size_t first)
{
    const char *view = cluster_view(cluster, five[first]);

    for (size_t i = 0; i < MEMBERS; i++) {
        const bool is_in = strstr(view, text_kept("%s/", five[i])) != NULL;
        if (is_in != (i >= first) ||
            (i >= first && strcmp(cluster_view(cluster, five[i]), view) != 0)) {
            return false;
        }
    }
    return true;
}

/* By what everybody was started with. */
static bool goes_by_the_usual_terms(struct cluster *cluster, const char *name)
{
    const json_t *terms = json_object_get(cluster_document(cluster, name, "/v1/terms"), "agreed");

    return number_of(terms, "capacity") == 256 && number_of(terms, "heartbeat_ms") == 680 &&
           number_of(terms, "fail_after_ms") == 1088;
}

/* All are together again, by the terms of before, which can be changed; and whoever starts anew is
 * let in. */
static void assert_is_over(struct cluster *cluster, size_t first)
{
    const char *const last = five[MEMBERS - 1];
    const uint64_t since_ms = clock_now_ms();

    assert_soon(are_together(cluster, first));
    cr_log_info("together again after %llu ms", (unsigned long long)(clock_now_ms() - since_ms));
    assert_soon(goes_by_the_usual_terms(cluster, five[first]));
    const struct outcome changed = doyen(cluster, five[first], ARGS("change", "capacity=250"));
    cr_assert_eq(changed.code, 0, "%s%s", changed.out, changed.err);
    assert_text_has(changed.out, "guard=none profile=lan heartbeat=680ms fail-after=1088ms "
                                 "capacity=250");
    cluster_kill(cluster, last);
    cluster_restart(cluster, last);
    assert_soon(are_together(cluster, first));
}

/* A successor left out everybody but itself, and the two parts stayed apart for good. */
Story(insider, a_hand_over_of_a_view_that_leaves_members_out_parts_nobody)
{
    struct cluster *cluster = cluster_with_key();
    struct forger *forger = forging_begin(cluster);

    forger_hand_over(
        forger, ATHENS, EPHESUS,
        &(struct forged_view){
            .version_above = 1, .alone = true, .beside = EPHESUS, .terms = &other_capacity});
    assert_soon(received(cluster, "ephesus", "handover") > 0);
    assert_is_over(cluster, ATHENS);
    forger_free(forger);
}

/* No terms could be changed any more, restarts or not. */
Story(insider, terms_whose_numbers_are_used_up_come_in_by_no_hand_over)
{
    struct cluster *cluster = cluster_with_key();
    struct forger *forger = forging_begin(cluster);

    forger_hand_over(
        forger, ATHENS, EPHESUS,
        &(struct forged_view){
            .version_above = 1, .alone = true, .beside = EPHESUS, .terms = &no_number_is_left});
    assert_soon(received(cluster, "ephesus", "handover") > 0);
    assert_is_over(cluster, ATHENS);
    forger_free(forger);
}

static void commit_to_all(struct forger *forger, const struct forged_view *view)
{
    for (int to = BYZANTIUM; to < MEMBERS; to++) {
        forger_prepare(forger, ATHENS, to, view);
        forger_commit(forger, ATHENS, to, view);
    }
}

/* In the name of a coordinator that dies then: it cannot put right what was said in its name. */
static void assert_dies_with_its_coordinator(const struct forged_terms *terms)
{
    struct cluster *cluster = cluster_with_key();
    struct forger *forger = forging_begin(cluster);

    commit_to_all(forger, &(struct forged_view){.version_above = 1, .terms = terms});
    cluster_kill(cluster, "athens");
    assert_is_over(cluster, BYZANTIUM);
    forger_free(forger);
}

Story(insider, a_capacity_that_a_dead_coordinator_is_said_to_want_dies_with_it)
{
    assert_dies_with_its_coordinator(&room_for_five);
}

Story(insider, numbers_that_a_dead_coordinator_is_said_to_use_up_die_with_it)
{
    assert_dies_with_its_coordinator(&no_number_is_left);
}

/* Two lies at once: the first uses up the coordinator's quick repair, and by the durations of the
 * second everybody would have waited with the next one. */
Story(insider, two_lies_at_once_about_durations_are_put_right_by_the_old_ones)
{
    struct cluster *cluster = cluster_with_key();
    struct forger *forger = forging_begin(cluster);
    const uint64_t before = received(cluster, "ephesus", "commit");

    commit_to_all(forger, &(struct forged_view){.version_above = 1});
    commit_to_all(forger, &(struct forged_view){.version_above = 2, .terms = &an_hour_of_silence});
    assert_soon(received(cluster, "ephesus", "commit") >= before + 2);
    assert_is_over(cluster, ATHENS);
    forger_free(forger);
}

/* Under guard strict no view is followed on one frame, whoever of the voters founded the cluster.
 */
Story(insider, a_hand_over_to_a_voter_moves_nothing)
{
    struct cluster *cluster = cluster_new(
        ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"));

    cluster_make_key(cluster, "key");
    for (size_t i = 0; i < MEMBERS; i++) {
        cluster_start(cluster, five[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(cluster, five[i])));
    }
    assert_soon(are_together(cluster, ATHENS));
    struct forger *forger = forging_begin(cluster);
    const char *view = cluster_view(cluster, "athens");
    const json_t *members = json_object_get(cluster_members(cluster, "athens"), "members");
    const char *next = text_of(json_array_get(members, 1), "name");

    forger_hand_over(forger, 0, 1,
                     &(struct forged_view){.version_above = 1, .alone = true, .beside = 1});
    assert_soon(received(cluster, next, "handover") > 0);
    const uint64_t heartbeats = received(cluster, next, "heartbeat");
    assert_soon(received(cluster, next, "heartbeat") > heartbeats + HEARTBEATS_ENOUGH);
    for (size_t i = 0; i < MEMBERS; i++) {
        cr_assert_str_eq(cluster_view(cluster, five[i]), view, "%s", five[i]);
    }
    forger_free(forger);
}

static bool sees_tag(struct cluster *cluster, const char *tag)
{
    const struct outcome members = doyen(cluster, "athens",
                                         ARGS("members", "--tag", tag, "--format", "{name}"));

    return members.code == 0 && strstr(members.out, "cyrene") != NULL;
}

/* A member knows which tags it wants. */
Story(insider, tags_that_a_member_does_not_want_do_not_stay)
{
    struct cluster *cluster = cluster_with_key();

    cr_assert_eq(doyen(cluster, "cyrene", ARGS("tag", "set", "zone=eu")).code, 0);
    assert_soon(sees_tag(cluster, "zone=eu"));
    struct forger *forger = forging_begin(cluster);
    forger_tags(forger, CYRENE, ATHENS, "zone=us");
    assert_soon(doyen(cluster, "athens", ARGS("history")).code == 0 &&
                strstr(doyen(cluster, "athens", ARGS("history")).out, "~cyrene(tags)") != NULL);
    assert_soon(sees_tag(cluster, "zone=eu"));
    forger_free(forger);
}

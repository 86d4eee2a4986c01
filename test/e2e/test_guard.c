/* The guard: rules G1, G2, J2. */
#include <string.h>

#include "fixture.h"

static bool is_acting(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

static int status_of(struct cluster *cluster, const char *name, const char *path)
{
    struct http_answer answer;

    cr_assert(http_get(cluster_daemon(cluster, name)->control, path, LIMIT_MS, &answer));
    const int status = answer.status;
    http_answer_deinit(&answer);
    return status;
}

/* G1, G2: three of five are enough, two are not: they stay members, and nobody acts. */
Story(guard, a_coordinator_acts_only_while_enough_members_are_heard)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "3"));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    assert_soon(is_acting(cluster, "athens"));
    cr_assert_eq(status_of(cluster, "athens", "/v1/is-coordinator"), 200);
    cr_assert_eq(status_of(cluster, "byzantium", "/v1/is-coordinator"), 503);
    cr_assert_eq(doyen(cluster, "athens", ARGS("coordinator", "--is-self")).code, 0);

    cluster_kill(cluster, "ephesus");
    cluster_kill(cluster, "delphi");
    assert_agreement(cluster, "athens byzantium cyrene");
    assert_soon(is_acting(cluster, "athens"));

    cluster_kill(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium");
    assert_soon(!is_acting(cluster, "athens"));
    cr_assert_eq(status_of(cluster, "athens", "/v1/is-coordinator"), 503);
    cr_assert_eq(doyen(cluster, "athens", ARGS("members")).code, 6);
    cr_assert_eq(doyen(cluster, "athens", ARGS("coordinator")).code, 2);
    cr_assert_eq(doyen(cluster, "athens", ARGS("coordinator", "--is-self")).code, 2);
    cr_assert_eq(doyen(cluster, "byzantium", ARGS("coordinator", "--is-self")).code, 3);
    cr_assert_eq(doyen(cluster, "athens", ARGS("wait", "--guard-met", "--timeout", "200ms")).code,
                 5);

    cluster_restart(cluster, "cyrene");
    cr_assert_eq(
        doyen(cluster, "athens", ARGS("wait", "--guard-met", "--acting", "--timeout", "20s")).code,
        0);
    assert_agreement(cluster, "athens byzantium cyrene");
}

/* G1: what counts is who was heard lately, not who is in the list. */
Story(guard, a_coordinator_stops_acting_before_the_silent_are_removed)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "3"));

    cluster_form(cluster, "athens byzantium cyrene");
    assert_soon(is_acting(cluster, "athens"));
    const char *before = cluster_view(cluster, "athens");
    cluster_pause(cluster, "cyrene");
    assert_soon(!is_acting(cluster, "athens"));
    cr_assert_str_eq(cluster_view(cluster, "athens"), before, "it is still a member");

    cluster_resume(cluster, "cyrene");
    assert_soon(is_acting(cluster, "athens"));
}

/* G1: the survivor of three cannot know whether the others are dead. */
Story(guard, the_last_one_left_coordinates_and_does_not_act)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "2"));

    cluster_form(cluster, "athens byzantium cyrene");
    cluster_kill(cluster, "athens");
    cluster_kill(cluster, "byzantium");

    assert_agreement(cluster, "cyrene");
    assert_soon(!is_acting(cluster, "cyrene"));
    const json_t *guard = json_object_get(cluster_members(cluster, "cyrene"), "guard");
    cr_assert_eq(number_of(guard, "needed"), 2);
    cr_assert_eq(number_of(guard, "fresh"), 1);
    cr_assert(json_is_false(json_object_get(guard, "met")));

    const struct outcome outcome = doyen(cluster, "cyrene", ARGS("members"));
    cr_assert_eq(outcome.code, 6);
    assert_text_has(outcome.out, "coordinator, not acting (1 of 2), this node");
    assert_text_has(outcome.out,
                    "\nnobody acts here: 1 of 3 members is heard, 2 needed\nnext: start 1 more");
    const struct outcome json = doyen(cluster, "cyrene", ARGS("--json", "members"));
    cr_assert_eq(json.code, 6);
    cr_assert_eq(line_count(json.out), 1, "the document alone: %s", json.out);
}

/* J2: what must be the same everywhere is compared, and the cluster's value told. */
Story(guard, a_joiner_with_another_guard_is_refused_and_told_why)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", "athens", ARGS("--guard", "3"));
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", ARGS("--guard", "2", "--join-timeout", "2s"));

    cr_assert_eq(cluster_await_end(cluster, "byzantium"), 1);
    cr_assert(cluster_log_has(cluster, "byzantium", "guard=2"));
    cr_assert(cluster_log_has(cluster, "byzantium", "guard=3"));
    cr_assert(cluster_log_has(cluster, "byzantium", "--join-timeout"));
    cr_assert_eq(cluster_log_count(cluster, "byzantium", "join_refused"), 1, "news only once");
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

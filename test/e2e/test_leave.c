/* Going in good order: rules E1, E2, S13. */
#include <signal.h>
#include <string.h>

#include "fixture.h"

static size_t suspicions(struct cluster *cluster)
{
    size_t count = 0;

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        count += cluster_log_count(cluster, cluster->daemons[i].name, "suspect");
    }
    return count;
}

/* E1: nobody ever suspects it. */
Story(leave, a_member_leaves_on_sigterm_without_any_suspicion)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);

    assert_agreement(cluster, "athens byzantium delphi ephesus");
    const json_t *cyrene = entry_of(cluster_members(cluster, "ephesus"), "gone", "cyrene");
    cr_assert_str_eq(text_of(cyrene, "state"), "left");
    cr_assert(json_is_null(json_object_get(cyrene, "verdict")));
    cr_assert_eq(suspicions(cluster), 0);
}

/* E2: the next oldest has the view before the coordinator goes. */
Story(leave, a_coordinator_hands_over_on_sigterm_without_any_suspicion)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);

    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    const json_t *athens = entry_of(cluster_members(cluster, "ephesus"), "gone", "athens");
    cr_assert_str_eq(text_of(athens, "state"), "left");
    cr_assert_eq(suspicions(cluster), 0);
    assert_text_has(doyen(cluster, "cyrene", ARGS("history")).out, "handover");
}

Story(leave, sigint_is_as_good_as_sigterm)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    cr_assert_eq(kill(cluster_daemon(cluster, "byzantium")->process.pid, SIGINT), 0);
    cr_assert_eq(cluster_await_end(cluster, "byzantium"), 0);

    assert_agreement(cluster, "athens");
}

/* E2, one after the other, down to the last one, who has nobody to hand over to. */
Story(leave, a_whole_cluster_leaves_one_by_one)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    assert_agreement(cluster, "byzantium cyrene");
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    assert_agreement(cluster, "cyrene");
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);
    cr_assert_eq(suspicions(cluster), 0);
}

/* E1: T_leave is the bound when nobody lets it out. All go at the same time. */
Story(leave, a_whole_cluster_leaves_at_once)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(kill(cluster_daemon(cluster, names[i])->process.pid, SIGTERM), 0);
    }
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(cluster_await_end(cluster, names[i]), 0, "%s", names[i]);
    }
}

Story(leave, who_is_not_in_yet_leaves_at_once)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(strcmp(cluster_view(cluster, "byzantium"), "joining") == 0);

    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
}

/* S13: who left stays left, and may come back as somebody new. */
Story(leave, who_left_comes_back_as_the_youngest)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    assert_agreement(cluster, "athens cyrene");
    cluster_restart(cluster, "byzantium");

    assert_agreement(cluster, "athens cyrene byzantium");
    assert_text_has(cluster_view(cluster, "athens"), "byzantium/4");
}

/* E1: the bound was reached, which is no good order; the wish was fulfilled all the same. */
Story(leave, who_is_let_out_by_nobody_does_not_call_it_good_order)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    cluster_pause(cluster, "athens");
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    cr_assert(cluster_log_has(cluster, "byzantium", "nobody confirmed in time"));
    cr_assert_not(cluster_log_has(cluster, "byzantium", "in good order"));
    cluster_resume(cluster, "athens");
}

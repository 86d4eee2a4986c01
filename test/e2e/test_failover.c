/* Processes die without a word, and come back: rules D2, D7, R5, C1 to C4, I1, J4, L3, S6. */
#include <string.h>

#include "fixture.h"

static struct cluster *five(void)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    return cluster;
}

/* D2, D7, R5: its connections are closed, new ones refused; one witness confirms it. */
Story(failover, when_a_member_is_killed_the_others_agree_that_it_is_dead)
{
    struct cluster *cluster = five();

    cluster_kill(cluster, "cyrene");

    assert_agreement(cluster, "athens byzantium delphi ephesus");
    const json_t *cyrene = entry_of(cluster_members(cluster, "ephesus"), "gone", "cyrene");
    cr_assert_str_eq(text_of(cyrene, "state"), "failed");
    cr_assert_str_eq(text_of(cyrene, "verdict"), "dead");
    cr_assert_eq(number_of(cyrene, "age"), 3);
    cr_assert_eq(cluster_epoch(cluster, "athens"), 1, "no take-over was called for");
}

/* C1 to C4: the next oldest takes over, at a higher epoch. */
Story(failover, when_the_coordinator_is_killed_the_next_oldest_coordinates)
{
    struct cluster *cluster = five();
    const uint64_t epoch = cluster_epoch(cluster, "byzantium");

    cluster_kill(cluster, "athens");

    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    cr_assert_gt(cluster_epoch(cluster, "ephesus"), epoch);
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "byzantium"), "acting")));
    const json_t *athens = entry_of(cluster_members(cluster, "cyrene"), "gone", "athens");
    cr_assert_str_eq(text_of(athens, "verdict"), "dead");
}

/* C1, C4: the third oldest suspects both before it, and one view removes both. */
Story(failover, when_both_oldest_are_killed_the_third_coordinates)
{
    struct cluster *cluster = five();

    cluster_kill(cluster, "athens");
    cluster_kill(cluster, "byzantium");

    assert_agreement(cluster, "cyrene delphi ephesus");
    const json_t *members = cluster_members(cluster, "ephesus");
    cr_assert_str_eq(text_of(entry_of(members, "gone", "athens"), "state"), "failed");
    cr_assert_str_eq(text_of(entry_of(members, "gone", "byzantium"), "state"), "failed");
}

/* C3: with everyone else gone the last one wins alone. */
Story(failover, the_last_one_left_coordinates_alone)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    cluster_kill(cluster, "athens");
    cluster_kill(cluster, "byzantium");

    assert_agreement(cluster, "cyrene");
}

/* L3, M1, S6: it knows of nobody and founds a cluster of one; the others find it at its old
 * address, and it joins them as the youngest. Its old age is nobody's any more. */
Story(failover, the_former_coordinator_comes_back_as_the_youngest)
{
    struct cluster *cluster = five();

    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    cluster_restart(cluster, "athens");

    assert_agreement(cluster, "byzantium cyrene delphi ephesus athens");
    const json_t *members = cluster_members(cluster, "ephesus");
    cr_assert_eq(number_of(entry_of(members, "members", "athens"), "age"), 6);
    cr_assert_eq(number_of(entry_of(members, "members", "byzantium"), "age"), 2);
    cr_assert_null(entry_of(members, "gone", "athens"));
}

/* I1: whoever answers at its address is not the one who died. */
Story(failover, a_coordinator_that_restarts_at_once_is_not_taken_for_its_former_life)
{
    struct cluster *cluster = five();
    const char *id = text_of(entry_of(cluster_members(cluster, "cyrene"), "members", "athens"),
                             "id");

    cluster_kill(cluster, "athens");
    cluster_restart(cluster, "athens");

    assert_agreement(cluster, "byzantium cyrene delphi ephesus athens");
    const json_t *athens = entry_of(cluster_members(cluster, "cyrene"), "members", "athens");
    cr_assert_str_neq(text_of(athens, "id"), id);
    cr_assert_eq(number_of(athens, "age"), 6);
}

/* J4: the new life ends the old one. */
Story(failover, a_member_that_restarts_at_once_becomes_the_youngest)
{
    struct cluster *cluster = five();

    cluster_kill(cluster, "byzantium");
    cluster_restart(cluster, "byzantium");

    assert_agreement(cluster, "athens cyrene delphi ephesus byzantium");
    const json_t *members = cluster_members(cluster, "athens");
    cr_assert_eq(number_of(entry_of(members, "members", "byzantium"), "age"), 6);
}

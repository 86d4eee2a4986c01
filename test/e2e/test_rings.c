/* Nine daemons whose members are watched by neighbours on two rings (D9, J2a). */
#include <string.h>

#include "fixture.h"

#define RINGS "--watchers", "rings"

/* D9b, D9e: processes die, the coordinator's too, and one hangs; all others find out. */
Story(rings, nine_lose_a_member_the_coordinator_and_one_that_hangs)
{
    struct cluster *cluster = cluster_new(ARGS(RINGS));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    cr_assert_str_eq(text_of(cluster_document(cluster, "i", "/v1/status"), "watchers"), "rings");

    cluster_kill(cluster, "g");
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus f h i");
    const json_t *g = entry_of(cluster_members(cluster, "i"), "gone", "g");
    cr_assert_str_eq(text_of(g, "verdict"), "dead");

    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus f h i");

    cluster_pause(cluster, "ephesus");
    assert_soon(entry_of(cluster_members(cluster, "byzantium"), "gone", "ephesus") != NULL);
    cluster_resume(cluster, "ephesus");
    cluster_restart(cluster, "athens");
    assert_soon(entry_of(cluster_members(cluster, "byzantium"), "members", "athens") != NULL &&
                entry_of(cluster_members(cluster, "byzantium"), "members", "ephesus") != NULL);
}

/* D9b: with a guard the coordinator is everybody's neighbour, and so whoever takes over can act. */
Story(rings, under_a_majority_the_next_oldest_takes_over)
{
    struct cluster *cluster = cluster_new(ARGS(RINGS, "--guard", "majority", "--size", "7"));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g");
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus f g");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "byzantium"), "acting")));
}

/* J2a: who watches whom is one of the terms. */
Story(rings, who_watches_all_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    (void)cluster_start(cluster, "athens", NULL, ARGS(RINGS));
    assert_agreement(cluster, "athens");
    (void)cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(cluster_log_has(cluster, "byzantium", "watchers=rings"));
}

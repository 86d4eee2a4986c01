/* A node that nobody lets in says why, as far as its seeds' hosts tell: a refused port, another
 * cluster, a process that stands still. */
#include "fixture.h"

/* byzantium gives up on its seed athens; its log then has the words. */
static void assert_gives_up(struct cluster *cluster, const char *words)
{
    cluster_start(cluster, "byzantium", "athens", ARGS("--join-timeout", "4s"));
    cr_assert_eq(cluster_await_end(cluster, "byzantium"), 1);
    cr_assert(
        cluster_log_has(cluster, "byzantium",
                        text_kept("not let in within --join-timeout: 1 of 1 seeds %s", words)),
        "no \"%s\"", words);
}

Story(outside, a_seed_where_nobody_listens_is_told_as_such)
{
    assert_gives_up(cluster_new(NO_ARGS), "refused the connection: start doyend there");
}

Story(outside, a_seed_of_another_cluster_is_told_as_such)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, ARGS("--cluster", "another"));
    assert_agreement(cluster, "athens");
    assert_gives_up(cluster, "hung up: it is of another --cluster, or no doyend");
}

Story(outside, a_seed_that_stands_still_is_told_as_such)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_pause(cluster, "athens");
    assert_gives_up(cluster, "connected and said nothing: that process is stopped or overloaded, "
                             "or that is no doyend's --listen port");
    cluster_resume(cluster, "athens");
}

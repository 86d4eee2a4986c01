/* Founding in company, and what a node that waits says: rule F3. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static const char *const names[] = {"athens", "byzantium", "cyrene"};

static const json_t *waiting(struct cluster *cluster, const char *name)
{
    return json_object_get(cluster_document(cluster, name, "/v1/status"), "waiting");
}

static size_t member_count(struct cluster *cluster, const char *name)
{
    return json_array_size(json_object_get(cluster_members(cluster, name), "members"));
}

/* Has it written down whom to ask after a restart? That is not waited for by anybody. */
static bool has_stored_both_others(struct cluster *cluster, const char *name)
{
    char *state = file_read(text_kept("%s/state", cluster_path(cluster, name)), NULL);
    const char *first = state == NULL ? NULL : strstr(state, "\npeer=");
    const bool both = first != NULL && strstr(first + 1, "\npeer=") != NULL;

    free(state);
    return both;
}

/* Three with a state, all with athens as their only seed, that became one cluster and then all
 * died; byzantium and cyrene come back. */
static void lose_the_founder(struct cluster *cluster)
{
    for (size_t i = 0; i < 3; i++) {
        cluster_start(cluster, names[i], "athens",
                      ARGS("--state-dir", cluster_path(cluster, names[i])));
    }
    for (size_t i = 0; i < 3; i++) {
        assert_soon(member_count(cluster, names[i]) == 3);
        assert_soon(has_stored_both_others(cluster, names[i]));
    }
    for (size_t i = 0; i < 3; i++) {
        cluster_kill(cluster, names[i]);
    }
    cluster_restart(cluster, "byzantium");
    cluster_restart(cluster, "cyrene");
}

Story(bootstrap, nodes_wait_until_as_many_as_expected_have_met_and_found_together)
{
    struct cluster *cluster = cluster_new(ARGS("--bootstrap-expect", "3"));
    const char *seeds = "athens byzantium cyrene";

    cluster_start(cluster, "athens", seeds, NO_ARGS);
    cluster_start(cluster, "byzantium", seeds, NO_ARGS);
    assert_soon(number_of(waiting(cluster, "athens"), "met") == 2);
    assert_soon(number_of(waiting(cluster, "byzantium"), "met") == 2);
    cr_assert_eq(number_of(waiting(cluster, "athens"), "expect"), 3);
    cr_assert(json_is_false(json_object_get(waiting(cluster, "athens"), "may_found")));
    assert_text_has(doyen(cluster, "athens", ARGS("status")).out,
                    "it waits for 3 nodes to found together, and has met 2");

    cluster_start(cluster, "cyrene", seeds, NO_ARGS);
    assert_soon(member_count(cluster, "cyrene") == 3);
    assert_soon(json_is_null(waiting(cluster, "cyrene")));
    cr_assert_eq(cluster_epoch(cluster, "cyrene"), 1);
}

/* They have a state, and expect each other. The epoch does not fall (J8). */
Story(bootstrap, the_rest_found_again_when_the_founder_is_lost)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local", "--bootstrap-expect", "2"));

    lose_the_founder(cluster);
    assert_soon(member_count(cluster, "cyrene") == 2);
    cr_assert_gt(cluster_epoch(cluster, "cyrene"), 1);
}

/* Without that nobody may found; the command and the log say what would help. */
Story(bootstrap, the_rest_of_a_lost_founder_are_told_the_way_back)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));

    lose_the_founder(cluster);
    assert_soon(number_of(waiting(cluster, "byzantium"), "met") == 2);
    assert_text_has(doyen(cluster, "byzantium", ARGS("status")).out,
                    "start these with --bootstrap-expect 2, or one of them with its own address");
    assert_soon(cluster_log_has(cluster, "byzantium", "2 nodes wait for a member"));
}

/* Guard strict with real processes and disks: rules Z1 to Z9. */
#include <string.h>

#include "fixture.h"

static const char *const names[] = {"athens", "byzantium", "cyrene"};
enum { NODES = sizeof names / sizeof names[0] };

static bool is_acting(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

/* Who acts, or NULL; two at one look would be one too many. */
static const char *acting(struct cluster *cluster)
{
    const char *found = NULL;

    for (size_t i = 0; i < NODES; i++) {
        if (is_acting(cluster, names[i])) {
            cr_assert_null(found, "%s and %s act", found, names[i]);
            found = names[i];
        }
    }
    return found;
}

/* It is asked once: a moment later its lease may have lapsed, on a busy machine. */
static const char *who_acts_soon(struct cluster *cluster)
{
    const char *name = NULL;

    assert_soon((name = acting(cluster)) != NULL);
    return name;
}

/* All of them are members of the coordinator's view; one that acts may still be alone with its
 * majority. */
static bool all_are_in(struct cluster *cluster)
{
    for (size_t i = 0; i < NODES; i++) {
        const json_t *members = cluster_members(cluster, names[i]);

        if (json_is_null(json_object_get(members, "coordinator")) ||
            json_array_size(json_object_get(members, "members")) != NODES) {
            return false;
        }
    }
    return true;
}

static struct cluster *three_voters(void)
{
    struct cluster *cluster = cluster_new(
        ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"));

    for (size_t i = 0; i < NODES; i++) {
        cluster_start(cluster, names[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(cluster, names[i])));
    }
    assert_soon(all_are_in(cluster));
    (void)who_acts_soon(cluster);
    return cluster;
}

Story(strict, a_killed_coordinator_is_succeeded_under_a_higher_epoch)
{
    struct cluster *cluster = three_voters();
    const char *first = who_acts_soon(cluster);
    const uint64_t epoch = cluster_epoch(cluster, first);

    cluster_kill(cluster, first);
    const char *second = who_acts_soon(cluster);
    cr_assert_str_neq(second, first);
    cr_assert_gt(cluster_epoch(cluster, second), epoch);
    cluster_restart(cluster, first);
    assert_soon(json_array_size(json_object_get(cluster_members(cluster, second), "members")) ==
                NODES);
}

/* Z4d, Z8d: the records say where they were; the epochs go on from there. */
Story(strict, after_all_were_killed_epochs_go_on)
{
    struct cluster *cluster = three_voters();
    const uint64_t epoch = cluster_epoch(cluster, who_acts_soon(cluster));

    for (size_t i = 0; i < NODES; i++) {
        cluster_kill(cluster, names[i]);
    }
    for (size_t i = 0; i < NODES; i++) {
        cluster_restart(cluster, names[i]);
    }
    cr_assert_gt(cluster_epoch(cluster, who_acts_soon(cluster)), epoch);
}

/* One that starts alone says it, too: it waits for voters, not for a member. */
Story(strict, a_voter_that_starts_alone_says_whom_it_waits_for)
{
    struct cluster *cluster = cluster_new(
        ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"));

    cluster_start(cluster, "cyrene", "athens byzantium",
                  ARGS("--state-dir", cluster_path(cluster, "cyrene")));
    assert_soon(strstr(doyen(cluster, "cyrene", ARGS("status")).out,
                       "start the voters that are down, or mend the network") != NULL);
}

/* Z9b: one of three is too few. */
Story(strict, too_few_voters_have_no_coordinator)
{
    struct cluster *cluster = three_voters();
    const char *last = strcmp(who_acts_soon(cluster), "cyrene") == 0 ? "athens" : "cyrene";

    for (size_t i = 0; i < NODES; i++) {
        if (strcmp(names[i], last) != 0) {
            cluster_kill(cluster, names[i]);
        }
    }
    assert_soon(json_is_null(json_object_get(cluster_members(cluster, last), "coordinator")));
    cr_assert_not(is_acting(cluster, last));
    assert_text_has(doyen(cluster, last, ARGS("status")).out,
                    "start the voters that are down, or mend the network: 2 have to be there");
}

/* Guard strict with real processes and disks: rules Z1 to Z9. */
#include <string.h>
#include <unistd.h>

#include "doyen/lease.h"
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

static void start(struct cluster *cluster, const char *name, const char *option, const char *value)
{
    cluster_start(cluster, name, "athens byzantium cyrene",
                  ARGS("--state-dir", cluster_path(cluster, name), option, value));
}

static struct cluster *three_voters_with(const char *option, const char *value)
{
    static const char *const arguments[] = {"--guard", "strict", "--voters",
                                            "athens,byzantium,cyrene", NULL};
    struct cluster *cluster = cluster_new(arguments);

    for (size_t i = 0; i < NODES; i++) {
        start(cluster, names[i], option, value);
    }
    assert_soon(all_are_in(cluster));
    (void)who_acts_soon(cluster);
    return cluster;
}

static struct cluster *three_voters(void)
{
    return three_voters_with("--profile", "lan");
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

static const char *other_than(const char *first, const char *second)
{
    for (size_t i = 0; i < NODES; i++) {
        if (strcmp(names[i], first) != 0 && strcmp(names[i], second) != 0) {
            return names[i];
        }
    }
    return NULL;
}

/* Z1d: the one that is left asks a voter for whole views, since that has not said that it holds the
 * latest: under the life that it had, and under whichever it has. Both go by stream, sealed. */
Story(strict, a_voter_hears_a_long_question_beside_one_for_its_former_life)
{
    static const char *const arguments[] = {"--guard", "strict", "--voters",
                                            "athens,byzantium,cyrene", NULL};
    struct cluster *cluster = cluster_new(arguments);
    char tag[5 + 200 + 1] = "note=";

    memset(tag + 5, 'x', 200); /* Two of these, and no view goes by datagram. */
    cluster_make_key(cluster, "key");
    for (size_t i = 0; i < NODES; i++) {
        start(cluster, names[i], "--tag", tag);
    }
    assert_soon(all_are_in(cluster));
    const char *first = who_acts_soon(cluster);
    const char *left = other_than(first, "");
    const char *back = other_than(first, left);

    cluster_pause(cluster, back);
    cr_assert_eq(doyen(cluster, left, ARGS("tag", "set", "later=yes")).code, 0);
    cluster_kill(cluster, first);
    cluster_kill(cluster, back);
    cluster_restart(cluster, back);
    (void)who_acts_soon(cluster);
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

/* --- Started again with other options --- */

/* The lease page of a daemon, which stays when that is stopped. */
static struct doyen_lease page_of(struct cluster *cluster, const char *name)
{
    struct doyen_lease lease;
    int page = -1;
    const int connection = doyen_lease_connect(cluster_daemon(cluster, name)->control, LIMIT_MS,
                                               &page);

    cr_assert_geq(connection, 0, "%s", strerror(-connection));
    cr_assert_eq(doyen_lease_map(&lease, page), 0);
    (void)close(page);
    (void)close(connection);
    return lease;
}

static uint64_t deadline_ns(const struct doyen_lease *lease)
{
    struct doyen_lease_content content = {.epoch = 0};

    cr_assert_eq(doyen_lease_read(lease, &content), 0);
    return content.deadline_ns;
}

static void start_others(struct cluster *cluster, const char *first, const char *option,
                         const char *value)
{
    for (size_t i = 0; i < NODES; i++) {
        if (strcmp(names[i], first) != 0) {
            cluster_kill(cluster, names[i]);
            start(cluster, names[i], option, value);
        }
    }
}

/* Acts one of the others, and did the lease of the first end before? */
static bool another_acts(struct cluster *cluster, const char *first,
                         const struct doyen_lease *lease)
{
    for (size_t i = 0; i < NODES; i++) {
        if (strcmp(names[i], first) != 0 && is_acting(cluster, names[i])) {
            cr_assert_geq(doyen_lease_now_ns(), deadline_ns(lease), "%s acts beside %s", names[i],
                          first);
            return true;
        }
    }
    return false;
}

/* Z15b: a lease of seconds was given before, and one of 80 ms is what the new processes go by. */
Story(strict, voters_started_again_with_shorter_leases_wait_out_the_longer_one)
{
    struct cluster *cluster = three_voters_with("--heartbeat", "1s");
    const char *first = who_acts_soon(cluster);
    struct doyen_lease lease = page_of(cluster, first);

    cluster_pause(cluster, first);
    start_others(cluster, first, "--profile", "local");
    assert_soon(another_acts(cluster, first, &lease));

    cluster_resume(cluster, first);
    start_others(cluster, first, "--heartbeat", "1s");
    assert_soon(all_are_in(cluster));
    (void)who_acts_soon(cluster);
    doyen_lease_unmap(&lease);
}

/* Z3d */
Story(strict, under_another_guard_a_voter_does_not_start)
{
    enum { EXIT_CONFIGURATION = 78 };
    struct cluster *cluster = three_voters();
    const struct daemon *daemon = cluster_daemon(cluster, "cyrene");

    cluster_kill(cluster, "cyrene");
    const struct outcome refused = doyend(
        cluster, ARGS("--name", "cyrene", "--listen", daemon->address, "--control", daemon->control,
                      "--state-dir", cluster_path(cluster, "cyrene"), "--guard", "none"));
    cr_assert_eq(refused.code, EXIT_CONFIGURATION, "%s", refused.err);
    cr_assert_eq(line_count(refused.err), 1, "%s", refused.err);
    assert_text_has(refused.err,
                    "is the record of a voter, by whose word others may act: start with "
                    "--guard strict");
    cluster_restart(cluster, "cyrene");
    assert_soon(all_are_in(cluster));
}

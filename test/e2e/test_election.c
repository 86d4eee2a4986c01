/* Elections of real daemons: rules W1 to W7 of docs/elections.md. */
#include <stdio.h>
#include <string.h>

#include "forging.h"
#include "netns_story.h"

enum {
    DONE = 0,
    REFUSED = 1,
    NO_LEADER = 3,
    TIMED_OUT = 5,
    USAGE = 64,
    ATHENS = 0, /* places in the view that the forger learned */
    BYZANTIUM = 1,
    EPHESUS = 4,
    WILD_FRAMES = 2000,
};

#define FIVE "athens byzantium cyrene delphi ephesus"

static const char *const names[] = {"athens", "byzantium", "cyrene",
                                    "delphi", "ephesus",   "farsala"};

static bool runs(const struct cluster *cluster, const char *name)
{
    for (size_t i = 0; i < cluster->daemon_count; i++) {
        if (strcmp(cluster->daemons[i].name, name) == 0) {
            return cluster->daemons[i].process.pid > 0;
        }
    }
    return false;
}

/* Do all that run, and there are so many, follow that leader, and know of each other that they do?
 */
static bool all_follow(struct cluster *cluster, size_t count, const char *leader)
{
    size_t found = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const json_t *document = runs(cluster, names[i])
                                     ? cluster_document(cluster, names[i], "/v1/leader")
                                     : NULL;
        const json_t *members = json_object_get(document, "members");
        size_t place;
        const json_t *member;

        if (document == NULL) {
            continue;
        }
        found++;
        if (strcmp(text_of(document, "leader"), leader) != 0 || json_array_size(members) != count) {
            return false;
        }
        json_array_foreach(members, place, member)
        {
            if (strcmp(text_of(member, "leader"), leader) != 0) {
                return false;
            }
        }
    }
    return found == count;
}

static const char *leaders_text(struct cluster *cluster)
{
    const char *text = "";

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (runs(cluster, names[i])) {
            text = text_kept("%s%s follows %s; ", text, names[i],
                             text_of(cluster_document(cluster, names[i], "/v1/leader"), "leader"));
        }
    }
    return text;
}

#define assert_follow(cluster, count, leader)                                                      \
    do {                                                                                           \
        const uint64_t end_ms__ = clock_now_ms() + LIMIT_MS;                                       \
        bool follow__ = false;                                                                     \
        while (!follow__ && clock_now_ms() < end_ms__) {                                           \
            clock_nap_ms(LOOK_AGAIN_MS);                                                           \
            follow__ = all_follow((cluster), (count), (leader));                                   \
        }                                                                                          \
        cr_assert(follow__, "not all %d follow %s: %s", (int)(count), (leader),                    \
                  leaders_text(cluster));                                                          \
    } while (0)

static struct outcome elect(struct cluster *cluster, const char *name, const char *how)
{
    const struct outcome outcome = how == NULL ? doyen(cluster, name, ARGS("elect"))
                                               : doyen(cluster, name, ARGS("elect", how));

    cr_assert_eq(outcome.code, DONE, "%s%s", outcome.out, outcome.err);
    assert_text_has(outcome.out, "advisory");
    return outcome;
}

/* W4: all of them at once. */
static void elect_at_once(struct cluster *cluster)
{
    struct process processes[4];

    for (size_t i = 0; i < 4; i++) {
        doyen_start(cluster, &processes[i], names[i + 1], ARGS("elect"),
                    cluster_path(cluster, names[i + 1]));
    }
    for (size_t i = 0; i < 4; i++) {
        cr_assert(process_wait(&processes[i], LIMIT_MS));
        cr_assert_eq(process_exit_code(&processes[i]), DONE);
    }
}

/* What all algorithms have in common: a leader that is killed, all that begin at once, a better one
 * that comes, and the same leader for all of them. */
static void tell_the_story(const char *algorithm, bool resigns)
{
    struct cluster *cluster = cluster_new(ARGS("--election", algorithm, "--profile", "local"));

    cluster_form(cluster, FIVE);
    assert_follow(cluster, 5, "athens");

    cluster_kill(cluster, "athens");
    assert_follow(cluster, 4, "byzantium");
    assert_soon(cluster_log_has(cluster, "ephesus", "byzantium"));
    cr_assert_geq(cluster_log_count(cluster, "ephesus", "leader"), 2);

    elect_at_once(cluster);
    assert_follow(cluster, 4, "byzantium");

    if (resigns) {
        (void)elect(cluster, "byzantium", "--resign");
        assert_follow(cluster, 4, "cyrene");
        cr_assert(json_is_false(
            json_object_get(cluster_document(cluster, "byzantium", "/v1/leader"), "stands")));
        (void)elect(cluster, "byzantium", "--stand");
        assert_follow(cluster, 4, "byzantium");
    }

    cluster_start(cluster, "farsala", "byzantium", ARGS("--priority", "5"));
    assert_follow(cluster, 5, "farsala");
}

Story(election, bully)
{
    tell_the_story("bully", true);
}

Story(election, ring)
{
    tell_the_story("ring", true);
}

Story(election, token_ring)
{
    tell_the_story("token-ring", true);
}

/* The order alone decides, so nobody can resign. */
Story(election, sequential)
{
    tell_the_story("sequential", false);
}

Story(election, in_order_nobody_resigns)
{
    struct cluster *cluster = cluster_new(ARGS("--election", "sequential-newest"));

    cluster_form(cluster, "athens byzantium");
    assert_follow(cluster, 2, "byzantium");

    const struct outcome outcome = doyen(cluster, "byzantium", ARGS("elect", "--resign"));
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "with --election sequential the first in order leads");
}

/* Without --election: read off the view, and not a message. */
Story(election, by_default_nothing_is_elected)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    const struct outcome leader = doyen(cluster, "byzantium", ARGS("leader"));
    cr_assert_eq(leader.code, DONE);
    assert_text_has(leader.out, "athens leads (oldest, advisory)\n");
    const json_t *document = cluster_document(cluster, "byzantium", "/v1/leader");
    cr_assert(json_is_null(json_object_get(entry_of(document, "members", "athens"), "heard_ms")));
    cr_assert_eq(cluster_log_count(cluster, "byzantium", "leader"), 0);

    const struct outcome outcome = doyen(cluster, "athens", ARGS("elect"));
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "start doyend on all members with --election");
    const struct outcome both = doyen(cluster, "athens", ARGS("elect", "--resign", "--stand"));
    cr_assert_eq(both.code, USAGE);
}

/* Who elects by another rule is told apart, once, and both go on. */
Story(election, members_of_two_rules_ignore_each_other)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, ARGS("--election", "bully"));
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", ARGS("--election", "ring"));
    assert_agreement(cluster, "athens byzantium");

    assert_soon(
        cluster_log_has(cluster, "athens", "byzantium elects by ring, and this node by bully"));
    assert_soon(cluster_log_count(cluster, "byzantium", "election") == 1);

    cluster_start(cluster, "cyrene", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium cyrene");
    assert_soon(cluster_log_has(cluster, "cyrene", "and this node by oldest"));
    cr_assert_eq(cluster_log_count(cluster, "athens", "election"), 1);
}

/* All have resigned: there is no leader, and it is said. */
Story(election, without_anybody_who_stands_there_is_no_leader)
{
    struct cluster *cluster = cluster_new(ARGS("--election", "bully", "--profile", "local"));

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    assert_follow(cluster, 1, "athens");

    const struct outcome outcome = doyen(cluster, "athens",
                                         ARGS("elect", "--resign", "--timeout", "100ms"));
    cr_assert_eq(outcome.code, TIMED_OUT);
    assert_text_has(outcome.err, "there was no leader in time");
    const struct outcome leader = doyen(cluster, "athens", ARGS("leader", "--json"));
    cr_assert_eq(leader.code, NO_LEADER);
    cr_assert(json_is_null(json_object_get(document_kept(leader.out), "leader")));
}

/* One packet in ten is lost, each way: rounds without an end are tried again, and heartbeats tell
 * who missed the result (W5, W6). */
static void lose_one_in_ten(const char *algorithm)
{
    struct cluster *cluster = cluster_formed_apart(FIVE, ARGS("--election", algorithm));

    network_set(cluster, NULL, NULL, (struct link_faults){.drop_percent = 10});
    assert_follow(cluster, 5, "athens");
    cluster_kill(cluster, "athens");
    assert_follow(cluster, 4, "byzantium");
    elect_at_once(cluster);
    assert_follow(cluster, 4, "byzantium");
}

Story(election, bully_where_one_packet_in_ten_is_lost)
{
    lose_one_in_ten("bully");
}

Story(election, ring_where_one_packet_in_ten_is_lost)
{
    lose_one_in_ten("ring");
}

Story(election, token_ring_where_one_packet_in_ten_is_lost)
{
    lose_one_in_ten("token-ring");
}

Story(election, sequential_where_one_packet_in_ten_is_lost)
{
    lose_one_in_ten("sequential");
}

/* Who lies in the name of a member makes a worse one lead for a moment, never for good: rounds are
 * bounded (W2), and the better one begins another (W4). */
Story(election, a_liar_does_not_make_a_leader_that_stays)
{
    struct cluster *cluster = cluster_new(ARGS("--election", "bully", "--profile", "local"));
    const uint64_t attempts[] = {0, 900, UINT64_MAX};

    cluster_form(cluster, FIVE);
    assert_follow(cluster, 5, "athens");
    struct forger *forger = forging_begin(cluster);

    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        for (int to = ATHENS; to < EPHESUS; to++) {
            forger_leader(forger, EPHESUS, to, EPHESUS, attempts[i]);
        }
        assert_follow(cluster, 5, "athens");
    }
    for (unsigned i = 0; i < WILD_FRAMES; i++) {
        forger_wild_election(forger, EPHESUS, (int)(i % EPHESUS));
    }
    (void)elect(cluster, "byzantium", NULL);
    assert_follow(cluster, 5, "athens");
    forger_free(forger);
}

/* Beside the daemons of the build that was landed before this one (J2c, J2d):
 * test/scripts/former.sh builds one, and FORMER_DOYEND names it. What both speak is one protocol,
 * so they are one cluster; where they speak no version in common, who comes later is turned away by
 * name. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum { HOSTS = 5, ELDERS = 3 };

static const char *const hosts[HOSTS] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
static const char *const formed[HOSTS] = {"athens", "athens byzantium", "athens byzantium cyrene",
                                          "athens byzantium cyrene delphi",
                                          "athens byzantium cyrene delphi ephesus"};

static const char *former(void)
{
    const char *program = getenv("FORMER_DOYEND");

    if (program == NULL) {
        cr_skip_test("FORMER_DOYEND is not set: test/scripts/former.sh builds what it names");
    }
    return program;
}

static const json_t *protocol_of(struct cluster *cluster, const char *name)
{
    return json_object_get(cluster_document(cluster, name, "/v1/status"), "protocol");
}

/* The versions that it speaks, from "1" or "1-2". */
static void read_versions(struct cluster *cluster, const char *name, long *low, long *high)
{
    char *end;

    assert_soon(text_of(protocol_of(cluster, name), "speaks")[0] != '\0');
    *low = strtol(text_of(protocol_of(cluster, name), "speaks"), &end, 10);
    *high = *end == '-' ? strtol(end + 1, NULL, 10) : *low;
}

static bool have_a_version_in_common(struct cluster *cluster, const char *one, const char *other)
{
    long low, high, other_low, other_high;

    read_versions(cluster, one, &low, &high);
    read_versions(cluster, other, &other_low, &other_high);
    return low <= other_high && other_low <= high;
}

/* What one build writes the other one reads: not a frame is malformed. */
static void assert_all_is_read(struct cluster *cluster, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *counters = json_object_get(cluster_document(cluster, names[i], "/v1/status"),
                                                 "counters");
        cr_assert(json_is_object(counters), "%s does not answer", names[i]);
        cr_assert_eq(json_object_size(json_object_get(counters, "malformed")), 0, "%s: %s",
                     names[i], json_dumps(json_object_get(counters, "malformed"), 0));
    }
}

static bool is_acting(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

/* --- Some of each --- */

static bool tells_whom_it_turned_away(struct cluster *cluster, const char *teller, const char *name)
{
    const json_t *events = json_object_get(cluster_document(cluster, teller, "/v1/journal"),
                                           "events");

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (strcmp(text_of(event, "kind"), "turned_away") == 0 &&
            strcmp(text_of(event, "name"), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Who is turned away has a line with both ranges in its log, and the coordinator an event. */
static void assert_stays_out(struct cluster *cluster, const char *name, const char *others)
{
    assert_soon(cluster_log_has(cluster, name, "joiner_speaks"));
    assert_soon(tells_whom_it_turned_away(cluster, "athens", name));
    assert_agreement(cluster, others);
}

/* Returns false where the younger ones have to stay out. */
static bool mix(struct cluster *cluster, const char *elder, const char *younger)
{
    for (size_t i = 0; i < HOSTS; i++) {
        (void)cluster_daemon(cluster, hosts[i]);
        cluster_replace(cluster, hosts[i], i < ELDERS ? elder : younger);
        cluster_start(cluster, hosts[i], "athens byzantium", NO_ARGS);
        if (i >= ELDERS && !have_a_version_in_common(cluster, "athens", hosts[i])) {
            assert_stays_out(cluster, hosts[i], formed[ELDERS - 1]);
            return false;
        }
        assert_agreement(cluster, formed[i]);
    }
    return true;
}

/* The oldest dies, and the next one takes over, until one of the other build coordinates. */
static void kill_the_oldest(struct cluster *cluster, const char *elder, const char *younger)
{
    if (!mix(cluster, elder, younger)) {
        return;
    }
    assert_all_is_read(cluster, hosts, HOSTS);
    assert_soon(is_acting(cluster, "athens"));
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    assert_soon(is_acting(cluster, "byzantium"));
    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus athens");
    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "cyrene delphi ephesus athens");
    cluster_kill(cluster, "cyrene");
    assert_agreement(cluster, "delphi ephesus athens");
    assert_soon(is_acting(cluster, "delphi"));
    cluster_restart(cluster, "cyrene");
    assert_agreement(cluster, "delphi ephesus athens cyrene");
    assert_all_is_read(cluster, hosts + 2, HOSTS - 2);
}

Story(former, two_former_ones_join_three_and_one_of_them_takes_over)
{
    const char *program = former();
    struct cluster *cluster = cluster_new(ARGS("--guard", "majority", "--size", "5"));

    kill_the_oldest(cluster, DOYEND_PATH, program);
}

Story(former, two_join_three_former_ones_and_one_of_them_takes_over)
{
    const char *program = former();
    struct cluster *cluster = cluster_new(ARGS("--guard", "majority", "--size", "5"));

    cluster_make_key(cluster, "cluster.key");
    kill_the_oldest(cluster, program, DOYEND_PATH);
}

/* --- From one to the other --- */

/* Nobody has waited for the silence of one who left: whoever coordinated handed over (E2), so that
 * there was no longer gap than a hand-over takes, which is less than a fail-over. */
static void assert_nobody_claimed(struct cluster *cluster, const char *name)
{
    const json_t *views = json_object_get(cluster_document(cluster, name, "/v1/history"), "views");

    cr_assert_gt(json_array_size(views), 0);
    for (size_t i = 0; i < json_array_size(views); i++) {
        cr_assert_str_neq(text_of(json_array_get(views, i), "cause"), "claim", "%s",
                          json_dumps(views, 0));
    }
}

static void replace(struct cluster *cluster, const char *name, const char *program)
{
    cr_assert_eq(cluster_terminate(cluster, name), 0);
    cluster_replace(cluster, name, program);
    cluster_restart(cluster, name);
}

/* Each host in turn, the youngest first, so that the coordinator changes once. */
static void roll(struct cluster *cluster, const char *from, const char *to)
{
    static const char *const then[HOSTS] = {
        "athens byzantium cyrene delphi ephesus", "athens byzantium cyrene ephesus delphi",
        "athens byzantium ephesus delphi cyrene", "athens ephesus delphi cyrene byzantium",
        "ephesus delphi cyrene byzantium athens"};

    for (size_t i = 0; i < HOSTS; i++) {
        (void)cluster_daemon(cluster, hosts[i]);
        cluster_replace(cluster, hosts[i], from);
        cluster_start(cluster, hosts[i], "athens byzantium", NO_ARGS);
        assert_agreement(cluster, formed[i]);
    }
    assert_soon(is_acting(cluster, "athens"));
    for (size_t i = 0; i < HOSTS; i++) {
        const char *name = hosts[HOSTS - 1 - i];
        const char *rest = i == 0 ? "delphi" : "ephesus";
        replace(cluster, name, to);
        if (i == 0 && !have_a_version_in_common(cluster, "athens", name)) {
            assert_stays_out(cluster, name, formed[HOSTS - 2]);
            return;
        }
        assert_agreement(cluster, then[i]);
        assert_soon(is_acting(cluster, i < HOSTS - 1 ? "athens" : "ephesus"));
        assert_nobody_claimed(cluster, rest);
    }
    assert_all_is_read(cluster, hosts, HOSTS);
}

Story(former, all_go_on_one_at_a_time_and_each_coordinator_hands_over)
{
    const char *program = former();
    struct cluster *cluster = cluster_new(ARGS("--guard", "majority", "--size", "5"));

    cluster_make_key(cluster, "cluster.key");
    roll(cluster, program, DOYEND_PATH);
}

Story(former, all_go_back_one_at_a_time_and_each_coordinator_hands_over)
{
    const char *program = former();
    struct cluster *cluster = cluster_new(NO_ARGS);

    roll(cluster, DOYEND_PATH, program);
}

/* --- Voters --- */

enum { VOTERS = 3 };

/* Who acts, or NULL; two at one look would be one too many. */
static const char *who_acts(struct cluster *cluster)
{
    const char *found = NULL;

    for (size_t i = 0; i < VOTERS; i++) {
        if (is_acting(cluster, hosts[i])) {
            cr_assert_null(found, "%s and %s act", found, hosts[i]);
            found = hosts[i];
        }
    }
    return found;
}

static bool all_voters_are_in(struct cluster *cluster)
{
    for (size_t i = 0; i < VOTERS; i++) {
        if (json_array_size(json_object_get(cluster_members(cluster, hosts[i]), "members")) !=
            VOTERS) {
            return false;
        }
    }
    return who_acts(cluster) != NULL;
}

/* Another build of the same voter: whether it goes on with its record. If not, because it cannot
 * read that, or speaks no version in common, a line says so, and the other two act. */
static bool goes_on(struct cluster *cluster, const char *name, const char *program)
{
    struct daemon *daemon = cluster_daemon(cluster, name);
    const char *other = strcmp(name, "athens") == 0 ? "cyrene" : "athens";

    replace(cluster, name, program);
    assert_soon(!process_is_running(&daemon->process) ||
                text_of(protocol_of(cluster, name), "speaks")[0] != '\0');
    if (!process_is_running(&daemon->process)) {
        cr_assert_neq(cluster_await_end(cluster, name), 0);
        cr_assert(cluster_log_has(cluster, name, "record"));
    } else if (!have_a_version_in_common(cluster, other, name)) {
        assert_soon(cluster_log_has(cluster, name, "joiner_speaks"));
    } else {
        assert_soon(all_voters_are_in(cluster));
        return true;
    }
    assert_soon(who_acts(cluster) != NULL);
    return false;
}

/* Their votes, leases and records: two of one build and one of the other. Whoever acts is killed,
 * again and again. Then each goes on as the other build. */
Story(former, voters_of_both_lease_to_one_and_go_on_with_each_others_records)
{
    const char *program = former();
    struct cluster *cluster = cluster_new(
        ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"));

    for (size_t i = 0; i < VOTERS; i++) {
        cluster_start(cluster, hosts[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(cluster, hosts[i])));
    }
    assert_soon(all_voters_are_in(cluster));
    if (!goes_on(cluster, "byzantium", program)) {
        return;
    }
    for (size_t i = 0; i < VOTERS; i++) {
        const char *name = NULL;
        assert_soon((name = who_acts(cluster)) != NULL);
        cluster_kill(cluster, name);
        assert_soon(who_acts(cluster) != NULL);
        cluster_restart(cluster, name);
        assert_soon(all_voters_are_in(cluster));
    }
    if (goes_on(cluster, "athens", program) && goes_on(cluster, "cyrene", program) &&
        goes_on(cluster, "byzantium", DOYEND_PATH)) {
        assert_all_is_read(cluster, hosts, VOTERS);
    }
}

/* Narrow paths: a host whose packets vanish without a word where they are longer than a size (a
 * tunnel whose ICMP messages are lost). It is a member like any other: rules U3a, U3d. */
#include <stdio.h>
#include <string.h>

#include "netns_story.h"

/* As a tunnel, or a DSL line, may have it; and less than IPv6 asks for, a little more than is
 * promised to be enough. */
enum { TUNNEL_BYTES = 1280, NARROW_BYTES = 600 };

/* Less than that: heartbeats pass, and nothing long does, a stream's segments neither. */
enum { TOO_NARROW_BYTES = 400 };

enum { NOT_HEALTHY = 6 }; /* the status of doyen status */

enum { SETTLED_MS = 1500 }; /* that everything stays so for: many times what a claim takes */

static const char *const names[] = {"athens",  "byzantium", "cyrene",       "delphi",
                                    "ephesus", "gortyn",    "halicarnassus"};
enum { NODES = sizeof names / sizeof names[0], VOTERS = 3 };

static const char all[] = "athens byzantium cyrene delphi ephesus gortyn halicarnassus";

static const char *const none[] = {NULL};
static const char *const majority[] = {"--guard", "majority", "--size", "7", NULL};
static const char *const strict[] = {"--guard", "strict", "--voters", "athens,byzantium,cyrene",
                                     NULL};

static void narrow(struct cluster *cluster, const char *name, size_t bytes)
{
    const struct link_faults faults = {.packet_bytes_max = bytes};

    network_set(cluster, name, NULL, faults);
    network_set(cluster, NULL, name, faults);
}

/* With tags that make of a change by two members more than any datagram, of all a long view. */
static void start(struct cluster *cluster, const char *name)
{
    static char text[] = "a=_______________________________________________________________________"
                         "________________________________________________________________________"
                         "________________________________________________________________________"
                         "________________________________________________________________________"
                         "________________________________________________________________________"
                         "________________________________________________________________________";

    cluster_start(cluster, name, "athens byzantium",
                  ARGS("--tag", text, "--state-dir", cluster_path(cluster, name)));
}

static bool is_acting(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

/* How many act, by one look at each that runs; one of them is in `*who`. */
static size_t acting(struct cluster *cluster, const char **who)
{
    size_t count = 0;

    for (size_t i = 0; i < NODES; i++) {
        if (cluster_daemon(cluster, names[i])->process.pid != 0 && is_acting(cluster, names[i])) {
            *who = names[i];
            count++;
        }
    }
    return count;
}

/* The first alone, then the second; under guard strict all the voters together. Then the others. */
static void start_all(struct cluster *cluster, const char *const *guard)
{
    static const size_t waits_for[] = {1, 2};
    const bool alone = guard != strict;

    for (size_t i = 0; i < NODES; i++) {
        start(cluster, names[i]);
        if (alone && i < sizeof waits_for / sizeof waits_for[0]) {
            cr_assert(network_agrees_on_count(cluster, waits_for[i], LIMIT_MS), "%s",
                      cluster_text(cluster));
        } else if (i == VOTERS - 1) {
            cr_assert(network_agrees_on_count(cluster, VOTERS, LIMIT_MS), "%s",
                      cluster_text(cluster));
        }
    }
    cr_assert(network_agrees_on_count(cluster, NODES, LIMIT_MS), "%s", cluster_text(cluster));
}

/* The second by age is badly connected, and perhaps the youngest, too. Then the coordinator's
 * process dies, and all the others are as they are without such a path. */
static void a_takeover(size_t bytes, const char *also, const char *const *guard)
{
    struct cluster *cluster = cluster_apart(all, guard);
    const char *first = NULL;
    const char *next = NULL;

    narrow(cluster, "byzantium", bytes);
    if (also != NULL) {
        narrow(cluster, also, bytes);
    }
    start_all(cluster, guard);
    assert_soon(acting(cluster, &first) == 1);

    const uint64_t killed_ms = clock_now_ms();
    cluster_kill(cluster, first);
    assert_soon(acting(cluster, &next) > 0);
    cr_log_info("%s acts after %llu ms", next, (unsigned long long)(clock_now_ms() - killed_ms));
    cr_assert(network_agrees_on_count(cluster, NODES - 1, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, SETTLED_MS);
    cr_assert_eq(acting(cluster, &next), 1, "%s", cluster_text(cluster));
    cr_assert(guard == strict || strcmp(next, "byzantium") == 0,
              "%s acts; its path is no hindrance to the oldest", next);
}

Story(narrow, a_tunnel_to_the_next_coordinator_is_no_trouble)
{
    a_takeover(TUNNEL_BYTES, NULL, none);
}

Story(narrow, a_tunnel_to_the_next_coordinator_is_no_trouble_under_a_majority)
{
    a_takeover(TUNNEL_BYTES, NULL, majority);
}

Story(narrow, a_tunnel_to_the_next_coordinator_is_no_trouble_under_strict)
{
    a_takeover(TUNNEL_BYTES, NULL, strict);
}

Story(narrow, two_tunnels_are_no_trouble)
{
    a_takeover(TUNNEL_BYTES, "halicarnassus", none);
}

Story(narrow, two_tunnels_are_no_trouble_under_a_majority)
{
    a_takeover(TUNNEL_BYTES, "halicarnassus", majority);
}

Story(narrow, two_tunnels_are_no_trouble_under_strict)
{
    a_takeover(TUNNEL_BYTES, "halicarnassus", strict);
}

Story(narrow, a_narrow_path_to_the_next_coordinator_is_no_trouble)
{
    a_takeover(NARROW_BYTES, NULL, none);
}

Story(narrow, a_narrow_path_to_the_next_coordinator_is_no_trouble_under_a_majority)
{
    a_takeover(NARROW_BYTES, NULL, majority);
}

Story(narrow, a_narrow_path_to_the_next_coordinator_is_no_trouble_under_strict)
{
    a_takeover(NARROW_BYTES, NULL, strict);
}

Story(narrow, two_narrow_paths_are_no_trouble)
{
    a_takeover(NARROW_BYTES, "halicarnassus", none);
}

Story(narrow, two_narrow_paths_are_no_trouble_under_a_majority)
{
    a_takeover(NARROW_BYTES, "halicarnassus", majority);
}

Story(narrow, two_narrow_paths_are_no_trouble_under_strict)
{
    a_takeover(NARROW_BYTES, "halicarnassus", strict);
}

/* --- Too narrow ------------------------------------------------------------------------------- */

static bool runs(struct cluster *cluster, size_t node)
{
    return cluster_daemon(cluster, names[node])->process.pid != 0;
}

/* Does each that runs say what is the case: with one that acts that it is so, else that nobody is
 * known to act, or that it is not in, by its words and by its exit status? */
static bool all_say_so(struct cluster *cluster)
{
    const char *who = NULL;
    const bool led = acting(cluster, &who) == 1;

    for (size_t i = 0; i < NODES; i++) {
        if (!runs(cluster, i)) {
            continue;
        }
        const struct outcome status = doyen(cluster, names[i], ARGS("status"));
        if (led ? strstr(status.out, "nobody acts") != NULL : status.code != NOT_HEALTHY) {
            return false;
        }
    }
    return true;
}

static void narrow_all(struct cluster *cluster)
{
    network_set(cluster, NULL, NULL, (struct link_faults){.packet_bytes_max = TOO_NARROW_BYTES});
}

/* All hold one view with long tags when nothing long passes any more, to anybody. What a take-over
 * needs is short. */
static void a_takeover_where_nothing_long_passes(const char *const *guard)
{
    struct cluster *cluster = cluster_apart(all, guard);
    const char *first = NULL;
    const char *next = NULL;

    start_all(cluster, guard);
    assert_soon(acting(cluster, &first) == 1);
    narrow_all(cluster);
    const uint64_t killed_ms = clock_now_ms();
    cluster_kill(cluster, first);
    assert_soon(acting(cluster, &next) > 0);
    cr_log_info("%s acts after %llu ms", next, (unsigned long long)(clock_now_ms() - killed_ms));
    cr_assert(network_agrees_on_count(cluster, NODES - 1, LIMIT_MS), "%s", cluster_text(cluster));
    assert_soon(acting(cluster, &next) == 1 && all_say_so(cluster));
    cluster_restart(cluster, first); /* Its request has long tags: nobody hears of it. */
    assert_soon(doyen(cluster, first, ARGS("status")).code == NOT_HEALTHY);
    assert_soon(acting(cluster, &next) == 1 && all_say_so(cluster));
    network_heal(cluster);
    cr_assert(network_agrees_on_count(cluster, NODES, LIMIT_MS), "%s", cluster_text(cluster));
    cr_assert_eq(acting(cluster, &next), 1, "%s", cluster_text(cluster));
}

Story(narrow, where_nothing_long_passes_another_acts)
{
    a_takeover_where_nothing_long_passes(none);
}

Story(narrow, where_nothing_long_passes_another_acts_under_a_majority)
{
    a_takeover_where_nothing_long_passes(majority);
}

Story(narrow, where_nothing_long_passes_another_acts_under_strict)
{
    a_takeover_where_nothing_long_passes(strict);
}

static bool shows_behind(struct cluster *cluster, const char *observer, const char *name)
{
    const json_t *member = entry_of(cluster_members(cluster, observer), "members", name);

    return member != NULL && json_is_true(json_object_get(member, "behind"));
}

static bool is_gone_as_behind(struct cluster *cluster, const char *observer, const char *name)
{
    const json_t *gone = entry_of(cluster_members(cluster, observer), "gone", name);

    return gone != NULL && strcmp(text_of(gone, "reason"), "behind") == 0;
}

/* Nothing long leaves the coordinator, whose view is to change by more than a datagram holds. Under
 * guard strict it is accepted by nobody, so that all keep the one that they hold. */
Story(narrow, a_coordinator_that_nobody_can_follow_gives_way_under_strict)
{
    struct cluster *cluster = cluster_apart(all, strict);
    const struct link_faults hole = {.packet_bytes_max = TOO_NARROW_BYTES};
    const char *first = NULL;
    const char *next = NULL;

    start_all(cluster, strict);
    assert_soon(acting(cluster, &first) == 1);
    network_set(cluster, first, NULL, hole);
    cluster_kill(cluster, "halicarnassus");
    cluster_restart(cluster, "halicarnassus");
    assert_soon(acting(cluster, &next) == 1 && strcmp(next, first) != 0);
    network_heal(cluster);
    cr_assert(network_agrees_on_count(cluster, NODES, LIMIT_MS), "%s", cluster_text(cluster));
    cr_assert_eq(acting(cluster, &next), 1, "%s", cluster_text(cluster));
}

/* L5: nothing long reaches the youngest, and the view changes by more than a datagram holds. */
Story(narrow, who_is_behind_is_shown_and_left_out)
{
    struct cluster *cluster = cluster_apart("athens byzantium cyrene delphi", none);
    const struct link_faults hole = {.packet_bytes_max = TOO_NARROW_BYTES};

    for (size_t i = 0; i < 3; i++) {
        start(cluster, names[i]);
        cr_assert(network_agrees_on_count(cluster, i + 1, LIMIT_MS), "%s", cluster_text(cluster));
    }
    network_set(cluster, NULL, "cyrene", hole);
    start(cluster, "delphi");
    assert_soon(shows_behind(cluster, "athens", "cyrene"));
    assert_text_has(doyen(cluster, "athens", ARGS("members")).out, "behind");
    assert_soon(doyen(cluster, "cyrene", ARGS("status")).code == NOT_HEALTHY);
    assert_soon(is_gone_as_behind(cluster, "athens", "cyrene"));
    assert_text_has(doyen(cluster, "athens", ARGS("why", "cyrene")).out,
                    "did not take up the view");
    assert_text_has(doyen(cluster, "athens", ARGS("status")).out, "it is behind");
}

/* Split brain: parts that each carry on, and become one again: rules C1 to C4, M1 to M8, G1, G2. */
#include <string.h>

#include "netns_story.h"

static const char five[] = "athens byzantium cyrene delphi ephesus";

static const char *ages(struct cluster *cluster, const char *name)
{
    const char *view = cluster_view(cluster, name);

    return view + strcspn(view, " ") + 1;
}

static bool is_acting(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

/* The newest merge in a daemon's history. */
static const json_t *last_merge(struct cluster *cluster, const char *name)
{
    const json_t *views = json_object_get(cluster_document(cluster, name, "/v1/history"), "views");

    for (size_t i = json_array_size(views); i-- > 0;) {
        const json_t *view = json_array_get(views, i);
        if (strcmp(text_of(view, "cause"), "merge") == 0) {
            return view;
        }
    }
    cr_assert_fail("%s has no merge in its history", name);
    return NULL;
}

/* M8: both parents by their coordinators, and how long they were apart. */
static void assert_merge(struct cluster *cluster, const char *name, const char *one,
                         const char *other)
{
    const json_t *merge = last_merge(cluster, name);
    const json_t *parents = json_object_get(merge, "parents");
    const char *first = text_of(json_array_get(parents, 0), "coordinator");
    const char *second = text_of(json_array_get(parents, 1), "coordinator");

    cr_assert_eq(json_array_size(parents), 2);
    cr_assert((strcmp(first, one) == 0 && strcmp(second, other) == 0) ||
                  (strcmp(first, other) == 0 && strcmp(second, one) == 0),
              "%s says that %s and %s met", name, first, second);
}

/* Parts a formed cluster of `names`, waits until each part agrees, heals it, and waits until all
 * hold the view of `healed`. */
static struct cluster *split_and_heal(const char *names, const char *parts, const char *healed)
{
    struct cluster *cluster = cluster_formed_apart(names, NO_ARGS);

    network_part(cluster, parts);
    assert_parts(cluster, parts);
    assert_steady(cluster, 300);
    assert_heals(cluster, healed);
    return cluster;
}

/* C1 to C4, M2, M4: two coordinators meanwhile; the part of three keeps its ages. */
Story(split, the_smaller_part_joins_the_larger_one_in_its_old_order)
{
    struct cluster *cluster = split_and_heal(five, "athens delphi ephesus | byzantium cyrene",
                                             "athens delphi ephesus byzantium cyrene");

    cr_assert_str_eq(ages(cluster, "cyrene"), "athens/1 delphi/4 ephesus/5 byzantium/6 cyrene/7");
    assert_merge(cluster, "athens", "athens", "byzantium");
    assert_merge(cluster, "cyrene", "athens", "byzantium");
    cr_assert_gt(cluster_epoch(cluster, "athens"), 2, "above both");
    assert_soon(is_acting(cluster, "athens"));
    cr_assert(!is_acting(cluster, "byzantium"));
}

/* M2: the larger part wins, whoever is the oldest. */
Story(split, the_oldest_in_the_smaller_part_follows_the_larger_one)
{
    struct cluster *cluster = split_and_heal(five, "athens byzantium | cyrene delphi ephesus",
                                             "cyrene delphi ephesus athens byzantium");

    cr_assert_str_eq(ages(cluster, "athens"), "cyrene/3 delphi/4 ephesus/5 athens/6 byzantium/7");
    assert_merge(cluster, "ephesus", "athens", "cyrene");
}

/* M2: of equal parts the one with the oldest member wins. */
Story(split, of_equal_halves_the_one_with_the_oldest_wins)
{
    struct cluster *cluster = split_and_heal("athens byzantium cyrene delphi",
                                             "athens cyrene | byzantium delphi",
                                             "athens cyrene byzantium delphi");

    cr_assert_str_eq(ages(cluster, "delphi"), "athens/1 cyrene/3 byzantium/5 delphi/6");
}

Story(split, a_member_alone_comes_back_as_the_youngest)
{
    struct cluster *cluster = split_and_heal(five, "athens byzantium delphi ephesus | cyrene",
                                             "athens byzantium delphi ephesus cyrene");

    cr_assert_str_eq(ages(cluster, "cyrene"), "athens/1 byzantium/2 delphi/4 ephesus/5 cyrene/6");
}

Story(split, a_coordinator_alone_comes_back_as_the_youngest)
{
    struct cluster *cluster = split_and_heal(five, "athens | byzantium cyrene delphi ephesus",
                                             "byzantium cyrene delphi ephesus athens");

    cr_assert_str_eq(ages(cluster, "athens"), "byzantium/2 cyrene/3 delphi/4 ephesus/5 athens/6");
}

/* Where is it in the list? */
static size_t position(struct cluster *cluster, const char *name)
{
    const json_t *members = cluster_members(cluster, "athens");
    const json_t *list = json_object_get(members, "members");
    size_t i = 0;

    while (json_array_get(list, i) != entry_of(members, "members", name)) {
        i++;
    }
    return i;
}

/* M5, M6: three parts need two merges. Which two meet first is chance: the larger of what meets
 * wins, and each part that is taken up stays together in its old order. */
Story(split, three_parts_become_one)
{
    static const char *const parts[3][2] = {
        {"athens", "byzantium"}, {"cyrene", "delphi"}, {"node6", "node7"}};
    const char *split = "athens byzantium | cyrene delphi | ephesus node6 node7";
    struct cluster *cluster = cluster_formed_apart(
        "athens byzantium cyrene delphi ephesus node6 node7", NO_ARGS);

    network_part(cluster, split);
    assert_parts(cluster, split);
    const uint64_t healed_ms = clock_now_ms();
    network_heal(cluster);
    cr_assert(network_agrees_on_count(cluster, 7, LIMIT_MS), "%s", cluster_text(cluster));
    cr_log_info("three parts healed in %llu ms", (unsigned long long)(clock_now_ms() - healed_ms));

    assert_steady(cluster, 400);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(position(cluster, parts[i][1]), position(cluster, parts[i][0]) + 1);
    }
    cr_assert_eq(position(cluster, "node6"), position(cluster, "ephesus") + 1);
    cr_assert(position(cluster, "athens") == 0 || position(cluster, "ephesus") == 0);
}

/* C3, M6: everybody carries on alone, and all find each other again. */
Story(split, a_cluster_in_single_pieces_becomes_one)
{
    const char *pieces = "athens | byzantium | cyrene | delphi | ephesus";
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_part(cluster, pieces);
    assert_parts(cluster, pieces);
    const uint64_t healed_ms = clock_now_ms();
    network_heal(cluster);
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    cr_log_info("five pieces healed in %llu ms", (unsigned long long)(clock_now_ms() - healed_ms));
    assert_steady(cluster, 400);
}

/* A second cut while the parts are still finding out about the first. */
Story(split, cuts_in_quick_succession_leave_one_cluster)
{
    static const char *const cuts[] = {"athens byzantium | cyrene delphi ephesus",
                                       "athens cyrene | byzantium delphi | ephesus",
                                       "athens delphi ephesus | byzantium cyrene"};
    struct cluster *cluster = cluster_formed_apart(five, ARGS("--profile", "local"));

    for (size_t round = 0; round < 8; round++) {
        network_part(cluster, cuts[round % 3]);
        (void)network_watch(cluster, 60 + 47 * round % 220);
        network_heal(cluster);
        (void)network_watch(cluster, 20 + 31 * round % 140);
    }
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

/* Joins on both sides: the ages that either side gave are not given again (S6). */
Story(split, who_joins_the_smaller_part_is_taken_along)
{
    struct cluster *cluster = cluster_apart("athens byzantium cyrene delphi ephesus node6 node7",
                                            NO_ARGS);

    cluster_form(cluster, five);
    network_part(cluster, "athens delphi ephesus node6 | byzantium cyrene node7");
    assert_parts(cluster, "athens delphi ephesus | byzantium cyrene");
    cluster_start(cluster, "node6", "athens", NO_ARGS);
    cluster_start(cluster, "node7", "cyrene", NO_ARGS);
    assert_parts(cluster, "athens delphi ephesus node6 | byzantium cyrene node7");

    assert_heals(cluster, "athens delphi ephesus node6 byzantium cyrene node7");
    cr_assert_str_eq(ages(cluster, "node7"),
                     "athens/1 delphi/4 ephesus/5 node6/6 byzantium/7 cyrene/8 node7/9");
}

/* G1, G2, S11: `acting` never shows up in the part of two. */
Story(split, under_guard_majority_only_the_larger_part_acts)
{
    struct cluster *cluster = cluster_formed_apart(five,
                                                   ARGS("--guard", "majority", "--size", "5"));

    assert_soon(is_acting(cluster, "athens"));
    network_part(cluster, "athens byzantium | cyrene delphi ephesus");
    assert_soon(!is_acting(cluster, "athens"));
    assert_soon(is_acting(cluster, "cyrene"));
    cr_assert(!is_acting(cluster, "athens") && !is_acting(cluster, "byzantium"));
    assert_parts(cluster, "athens byzantium | cyrene delphi ephesus");
    const json_t *guard = json_object_get(cluster_members(cluster, "athens"), "guard");
    cr_assert_eq(number_of(guard, "needed"), 3);
    cr_assert_eq(number_of(guard, "fresh"), 2);
    cr_assert_eq(doyen(cluster, "athens", ARGS("coordinator")).code, 2);

    assert_heals(cluster, "cyrene delphi ephesus athens byzantium");
    assert_soon(is_acting(cluster, "cyrene"));
    cr_assert(!is_acting(cluster, "athens"));
}

/* M4, Y5: each packet comes once more when the merge that it belonged to is over. */
Story(split, what_comes_twice_and_late_changes_nothing)
{
    const char *parts = "athens delphi ephesus | byzantium cyrene";
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_part(cluster, parts);
    assert_parts(cluster, parts);
    network_set(cluster, NULL, NULL, (struct link_faults){.repeat_percent = 100, .repeat_ms = 450});
    cr_assert(network_agrees(cluster, "athens delphi ephesus byzantium cyrene", LIMIT_MS), "%s",
              cluster_text(cluster));
    assert_steady(cluster, 1000);
    cr_assert_eq(cluster_log_count(cluster, "athens", "merge"), 1);
    assert_heals(cluster, "athens delphi ephesus byzantium cyrene");
}

/* --- Death in the middle of a merge ---------------------------------------------------------- */

/* Slow links, so that the merge takes a while; killed as soon as the loser's coordinator says that
 * it has begun. */
static struct cluster *killed_while_merging(const char *victim)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_part(cluster, "athens delphi ephesus | byzantium cyrene");
    assert_parts(cluster, "athens delphi ephesus | byzantium cyrene");
    network_set(cluster, NULL, NULL, (struct link_faults){.delay_ms_min = 40, .delay_ms_max = 60});
    assert_soon(cluster_log_count(cluster, "byzantium", "merging") > 0);
    cluster_kill(cluster, victim);
    return cluster;
}

/* M7. */
Story(split, when_the_larger_parts_coordinator_dies_while_merging_the_rest_becomes_one)
{
    struct cluster *cluster = killed_while_merging("athens");

    cr_assert(network_agrees_on_count(cluster, 4, LIMIT_MS), "%s", cluster_text(cluster));
    network_heal(cluster);
    cluster_restart(cluster, "athens");
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

/* M7: its only member falls back on C. */
Story(split, when_the_smaller_parts_coordinator_dies_while_merging_the_rest_becomes_one)
{
    struct cluster *cluster = killed_while_merging("byzantium");

    cr_assert(network_agrees_on_count(cluster, 4, LIMIT_MS), "%s", cluster_text(cluster));
    network_heal(cluster);
    cluster_restart(cluster, "byzantium");
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

/* M7: it wakes up when the others have long made up their minds. */
Story(split, when_the_larger_parts_coordinator_sleeps_while_merging_all_become_one)
{
    struct cluster *cluster = cluster_formed_apart(five, ARGS("--profile", "local"));

    network_part(cluster, "athens delphi ephesus | byzantium cyrene");
    assert_parts(cluster, "athens delphi ephesus | byzantium cyrene");
    network_set(cluster, NULL, NULL, (struct link_faults){.delay_ms_min = 5, .delay_ms_max = 10});
    assert_soon(cluster_log_count(cluster, "byzantium", "merging") > 0);
    cluster_pause(cluster, "athens");
    cr_assert(network_agrees_on_count(cluster, 4, LIMIT_MS), "%s", cluster_text(cluster));
    cluster_resume(cluster, "athens");
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

/* Links that fail in one direction or between two nodes only: rules D2, D5, D7, R1 to R3, L1, L2,
 * Y6. */
#include <string.h>

#include "netns_story.h"

enum { STEADY_MS = 2000 }; /* twice what it takes to remove somebody */

static const char five[] = "athens byzantium cyrene delphi ephesus";

/* Does this daemon's /v1/links say that messages from one to the other are lost? */
static bool names_bad_link(struct cluster *cluster, const char *teller, const char *kind,
                           const char *from, const char *to)
{
    const json_t *links = cluster_document(cluster, teller, "/v1/links");
    const json_t *bad = json_object_get(links, "bad");

    for (size_t i = 0; i < json_array_size(bad); i++) {
        const json_t *link = json_array_get(bad, i);
        if (strcmp(text_of(link, "kind"), kind) == 0 && strcmp(text_of(link, "from"), from) == 0 &&
            strcmp(text_of(link, "to"), to) == 0) {
            return true;
        }
    }
    return false;
}

static bool names_no_bad_link(struct cluster *cluster, const char *teller)
{
    const json_t *links = cluster_document(cluster, teller, "/v1/links");

    return json_is_array(json_object_get(links, "bad")) &&
           json_array_size(json_object_get(links, "bad")) == 0;
}

/* R1, R3: the others hear it, so nobody is removed; every member can say which way is bad. */
Story(links, a_link_that_works_one_way_is_nobodys_death)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, "cyrene", "delphi", link_cut);
    assert_steady(cluster, STEADY_MS);
    assert_soon(names_bad_link(cluster, "athens", "one-way", "cyrene", "delphi"));
    assert_soon(names_bad_link(cluster, "delphi", "one-way", "cyrene", "delphi"));
    assert_text_has(doyen(cluster, "ephesus", ARGS("matrix")).out, "delphi does not hear cyrene");

    network_heal(cluster);
    assert_soon(names_no_bad_link(cluster, "athens"));
    assert_heals(cluster, five);
}

/* D7, R1, R2: the coordinator alone does not hear it, or is not heard by it. */
Story(links, a_member_that_the_coordinator_does_not_hear_stays)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, "ephesus", "athens", link_cut);
    assert_steady(cluster, STEADY_MS);
    assert_soon(names_bad_link(cluster, "cyrene", "one-way", "ephesus", "athens"));
    assert_heals(cluster, five);
}

Story(links, a_member_that_does_not_hear_the_coordinator_stays)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, "athens", "ephesus", link_cut);
    assert_steady(cluster, STEADY_MS);
    assert_soon(names_bad_link(cluster, "cyrene", "one-way", "athens", "ephesus"));
    assert_heals(cluster, five);
}

/* C2, R3: the second oldest would be the heir, and the others refuse it what it cannot see. */
Story(links, a_bad_link_between_the_two_oldest_changes_nothing)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, "athens", "byzantium", link_cut);
    network_set(cluster, "byzantium", "athens", link_cut);
    assert_steady(cluster, STEADY_MS);
    cr_assert_eq(cluster_epoch(cluster, "byzantium"), 1, "nobody took over");
    assert_soon(names_bad_link(cluster, "ephesus", "both", "athens", "byzantium"));
    assert_heals(cluster, five);
}

/* R2: what concerns both goes by relay, changes of the view too. */
Story(links, views_change_although_the_two_oldest_do_not_hear_each_other)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, "athens", "byzantium", link_cut);
    network_set(cluster, "byzantium", "athens", link_cut);
    (void)network_watch(cluster, 1500);
    cluster_kill(cluster, "ephesus");
    assert_soon(
        json_array_size(json_object_get(cluster_members(cluster, "byzantium"), "members")) == 4);
    assert_heals(cluster, "athens byzantium cyrene delphi");
}

/* D7: only one of three is left to see; all the more no reason. */
Story(links, in_a_cluster_of_three_a_bad_link_changes_nothing)
{
    struct cluster *cluster = cluster_formed_apart("athens byzantium cyrene", NO_ARGS);

    network_set(cluster, "athens", "byzantium", link_cut);
    network_set(cluster, "byzantium", "athens", link_cut);
    assert_steady(cluster, STEADY_MS);
    assert_heals(cluster, "athens byzantium cyrene");
}

/* --- Nodes that hear nobody, or are heard by nobody ------------------------------------------ */

/* The deaf one crowns itself (C3); the others see that it follows somebody else and remove it as
 * moved (L2). It does not stop them (Y6). */
Story(links, a_deaf_member_does_not_stop_the_others)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, NULL, "cyrene", link_cut);
    cr_assert(network_agrees(cluster, "athens byzantium delphi ephesus", LIMIT_MS), "%s",
              cluster_text(cluster));
    const char *before = cluster_view(cluster, "athens");
    (void)network_watch(cluster, 800);
    cr_assert_str_eq(cluster_view(cluster, "athens"), before);
    assert_heals(cluster, "athens byzantium delphi ephesus cyrene");
}

Story(links, a_deaf_coordinator_is_followed_by_the_next_oldest)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, NULL, "athens", link_cut);
    cr_assert(network_agrees(cluster, "byzantium cyrene delphi ephesus", LIMIT_MS), "%s",
              cluster_text(cluster));
    const char *before = cluster_view(cluster, "byzantium");
    (void)network_watch(cluster, 800);
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), before);
    assert_heals(cluster, "byzantium cyrene delphi ephesus athens");
}

/* R1, L1: it hears that it is out, and asks in vain until it is heard. */
Story(links, a_mute_member_does_not_stop_the_others)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, "cyrene", NULL, link_cut);
    cr_assert(network_agrees(cluster, "athens byzantium delphi ephesus", LIMIT_MS), "%s",
              cluster_text(cluster));
    const char *before = cluster_view(cluster, "athens");
    (void)network_watch(cluster, 800);
    cr_assert_str_eq(cluster_view(cluster, "athens"), before);
    assert_heals(cluster, "athens byzantium delphi ephesus cyrene");
}

Story(links, a_mute_coordinator_is_followed_by_the_next_oldest)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, "athens", NULL, link_cut);
    cr_assert(network_agrees(cluster, "byzantium cyrene delphi ephesus", LIMIT_MS), "%s",
              cluster_text(cluster));
    const char *before = cluster_view(cluster, "byzantium");
    (void)network_watch(cluster, 800);
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), before);
    assert_heals(cluster, "byzantium cyrene delphi ephesus athens");
}

/* --- Overlapping parts ----------------------------------------------------------------------- */

/* One member hears both sides, which do not hear each other. Whatever they make of it, it ends. */
Story(links, a_bridge_between_two_parts_ends_in_one_cluster)
{
    struct cluster *cluster = cluster_formed_apart(five, ARGS("--profile", "local"));

    network_part(cluster, "athens byzantium cyrene | delphi ephesus");
    for (size_t i = 0; i < 5; i++) {
        const char *name = cluster->daemons[i].name;
        network_set(cluster, "cyrene", name, (struct link_faults){.drop_percent = 0});
        network_set(cluster, name, "cyrene", (struct link_faults){.drop_percent = 0});
    }
    (void)network_watch(cluster, 1500);
    network_heal(cluster);
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

/* Each hears its two neighbours alone. */
Story(links, a_ring_ends_in_one_cluster)
{
    struct cluster *cluster = cluster_formed_apart(five, ARGS("--profile", "local"));

    network_set(cluster, NULL, NULL, link_cut);
    for (size_t i = 0; i < 5; i++) {
        const char *name = cluster->daemons[i].name;
        const char *next = cluster->daemons[(i + 1) % 5].name;
        network_set(cluster, name, next, (struct link_faults){.drop_percent = 0});
        network_set(cluster, next, name, (struct link_faults){.drop_percent = 0});
    }
    (void)network_watch(cluster, 1500);
    network_heal(cluster);
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

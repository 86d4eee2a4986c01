/* Nodes that start find one another: rules F1, F2, J1, J6, V3, I3. */
#include <string.h>

#include "fixture.h"

static uint64_t age_of(struct cluster *cluster, const char *node, const char *member)
{
    return number_of(entry_of(cluster_members(cluster, node), "members", member), "age");
}

/* V3: the age is the order of joining, on every node the same; the youngest stands last. */
Story(formation, five_nodes_agree_on_one_view_with_ages_in_the_order_of_joining)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");

    for (size_t node = 0; node < 5; node++) {
        for (size_t member = 0; member < 5; member++) {
            cr_assert_eq(age_of(cluster, names[node], names[member]), member + 1);
        }
        cr_assert_str_eq(cluster_view(cluster, names[node]),
                         "1.5 athens/1 byzantium/2 cyrene/3 delphi/4 ephesus/5");
        cr_assert_eq(cluster_log_count(cluster, names[node], "suspect"), 0);
    }
}

/* J6: the view says how many are known to hold it; soon it is all of them, on all of them. */
Story(formation, every_node_learns_that_all_hold_the_view)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");

    assert_soon(number_of(json_object_get(cluster_members(cluster, "athens"), "view"), "acked") ==
                3);
    assert_soon(number_of(json_object_get(cluster_members(cluster, "cyrene"), "view"), "acked") ==
                3);
}

/* J5, F1: only the node that is its own seed may found, so there is one cluster, whatever the
 * order of the others in it. */
Story(formation, five_nodes_that_start_at_once_become_one_cluster)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < 5; i++) {
        cluster_start(cluster, names[i], "athens", NO_ARGS);
    }
    assert_soon(json_array_size(json_object_get(cluster_members(cluster, "athens"), "members")) ==
                5);
    const char *view = cluster_view(cluster, "athens");
    for (size_t i = 0; i < 5; i++) {
        assert_soon(strcmp(cluster_view(cluster, names[i]), view) == 0);
    }
    assert_text_has(view, " athens/1 ");
    assert_text_has(view, "/2 ");
    assert_text_has(view, "/5");
}

static uint64_t joins_sent(struct cluster *cluster, const char *name)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return number_of(json_object_get(json_object_get(status, "counters"), "sent"), "join");
}

/* F1: it may not found; it asks for ever, names no coordinator meanwhile, and says so. */
Story(formation, a_joiner_that_starts_before_its_seed_waits_and_then_joins)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(joins_sent(cluster, "byzantium") >= 5);
    const json_t *waiting = cluster_members(cluster, "byzantium");
    cr_assert_str_eq(text_of(waiting, "phase"), "joining");
    cr_assert(json_is_null(json_object_get(waiting, "coordinator")));
    cr_assert_eq(json_array_size(json_object_get(waiting, "members")), 0);
    cr_assert_eq(doyen(cluster, "byzantium", ARGS("coordinator")).code, 3);

    cluster_start(cluster, "athens", "athens", NO_ARGS);

    assert_agreement(cluster, "athens byzantium");
}

/* J1: a joiner needs the address of one live member, not of the coordinator. */
Story(formation, any_member_serves_as_the_seed)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    cluster_start(cluster, "cyrene", "byzantium", NO_ARGS);

    assert_agreement(cluster, "athens byzantium cyrene");
}

/* F2: both may found, and ask each other first; one of them does. */
Story(formation, two_nodes_that_may_both_found_become_one_cluster)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", "athens byzantium", NO_ARGS);
    cluster_start(cluster, "byzantium", "athens byzantium", NO_ARGS);

    assert_soon(cluster_agrees(cluster, "athens byzantium", 0) ||
                cluster_agrees(cluster, "byzantium athens", 0));
    assert_text_has(cluster_view(cluster, "athens"), "1.");
}

/* F1: without seeds there is nobody to ask. */
Story(formation, a_node_without_seeds_founds_a_cluster_alone)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);

    assert_agreement(cluster, "athens");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "athens"), "acting")));
}

/* I3: the other cluster's frames are counted and change nothing. */
Story(formation, clusters_of_different_names_never_mix)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", "athens", ARGS("--cluster", "red"));
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", ARGS("--cluster", "blue"));

    assert_soon(joins_sent(cluster, "byzantium") >= 3);
    assert_soon(cluster_document(cluster, "athens", "/v1/status") != NULL);
    const json_t *status = cluster_document(cluster, "athens", "/v1/status");
    const json_t *malformed = json_object_get(json_object_get(status, "counters"), "malformed");
    cr_assert_geq(json_object_size(malformed), 1);
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), "joining");
}

Story(formation, every_node_shows_the_tags_of_the_others)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", "athens", ARGS("--tag", "rack=a", "--tag", "note=zwölf"));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");

    const json_t *athens = entry_of(cluster_members(cluster, "byzantium"), "members", "athens");
    cr_assert_str_eq(text_of(json_object_get(athens, "tags"), "rack"), "a");
    cr_assert_str_eq(text_of(json_object_get(athens, "tags"), "note"), "zwölf");
    assert_text_has(doyen(cluster, "byzantium", ARGS("members")).out, "rack=a");
}

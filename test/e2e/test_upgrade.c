/* From one version of the protocol to the next and back, one node at a time (J2c, J2d). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static const char *const five[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static const json_t *protocol_of(struct cluster *cluster, const char *name)
{
    return json_object_get(cluster_document(cluster, name, "/v1/status"), "protocol");
}

static bool all_write(struct cluster *cluster, uint64_t version)
{
    for (size_t i = 0; i < 5; i++) {
        if (number_of(protocol_of(cluster, five[i]), "version") != version) {
            return false;
        }
    }
    return true;
}

static bool has_refused_a_frame(struct cluster *cluster, const char *name)
{
    const json_t *counters = json_object_get(cluster_document(cluster, name, "/v1/status"),
                                             "counters");

    return json_object_size(json_object_get(counters, "malformed")) > 0;
}

static void replace(struct cluster *cluster, const char *name, const char *program)
{
    cr_assert_eq(cluster_terminate(cluster, name), 0);
    cluster_replace(cluster, name, program);
    cluster_restart(cluster, name);
}

/* The youngest first, so that the coordinator changes once. */
Story(upgrade, five_go_to_the_next_version_and_back_one_at_a_time)
{
    static const char *const formed[] = {"athens", "athens byzantium", "athens byzantium cyrene",
                                         "athens byzantium cyrene delphi",
                                         "athens byzantium cyrene delphi ephesus"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "cluster.key");
    for (size_t i = 0; i < 5; i++) {
        cluster_start(cluster, five[i], "athens byzantium", NO_ARGS);
        assert_agreement(cluster, formed[i]);
    }
    const uint64_t now = number_of(protocol_of(cluster, "athens"), "version");
    const char *both = text_kept("%" PRIu64 "-%" PRIu64, now, now + 1);
    cr_assert(all_write(cluster, now));

    replace(cluster, "ephesus", DOYEND_NEXT_PATH);
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus");
    const json_t *counters = json_object_get(cluster_document(cluster, "athens", "/v1/status"),
                                             "counters");
    cr_assert_gt(number_of(counters, "skipped"), 0, "JOIN has a field more by now");
    cr_assert_str_eq(text_of(protocol_of(cluster, "ephesus"), "speaks"), both);
    cr_assert_eq(json_array_size(json_object_get(protocol_of(cluster, "ephesus"), "held_back_by")),
                 4);
    replace(cluster, "delphi", DOYEND_NEXT_PATH);
    assert_agreement(cluster, "athens byzantium cyrene ephesus delphi");
    replace(cluster, "cyrene", DOYEND_NEXT_PATH);
    assert_agreement(cluster, "athens byzantium ephesus delphi cyrene");
    replace(cluster, "byzantium", DOYEND_NEXT_PATH);
    assert_agreement(cluster, "athens ephesus delphi cyrene byzantium");
    cr_assert(all_write(cluster, now), "athens is an old one yet");
    for (size_t i = 0; i < 5; i++) {
        cr_assert_not(has_refused_a_frame(cluster, five[i]), "%s", five[i]);
    }
    replace(cluster, "athens", DOYEND_NEXT_PATH);
    assert_agreement(cluster, "ephesus delphi cyrene byzantium athens");
    assert_soon(all_write(cluster, now + 1));
    cr_assert(cluster_log_has(cluster, "ephesus",
                              text_kept("in version %" PRIu64 " of the protocol now", now + 1)));

    replace(cluster, "athens", DOYEND_PATH);
    assert_agreement(cluster, "ephesus delphi cyrene byzantium athens");
    assert_soon(all_write(cluster, now));
    cr_assert(cluster_log_has(cluster, "ephesus",
                              text_kept("in version %" PRIu64 " of the protocol now", now)));
    replace(cluster, "byzantium", DOYEND_PATH);
    assert_agreement(cluster, "ephesus delphi cyrene athens byzantium");
    replace(cluster, "cyrene", DOYEND_PATH);
    assert_agreement(cluster, "ephesus delphi athens byzantium cyrene");
    replace(cluster, "delphi", DOYEND_PATH);
    assert_agreement(cluster, "ephesus athens byzantium cyrene delphi");
    replace(cluster, "ephesus", DOYEND_PATH);
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus");
    cr_assert(all_write(cluster, now));
}

Story(upgrade, who_speaks_only_later_versions_is_told_both_and_comes_in_when_all_can)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", "athens byzantium", NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    cluster_start(cluster, "cyrene", "athens byzantium", NO_ARGS);
    assert_agreement(cluster, "athens byzantium cyrene");
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);
    cluster_replace(cluster, "cyrene", DOYEND_LATER_PATH);
    cluster_restart(cluster, "cyrene");
    const uint64_t now = number_of(protocol_of(cluster, "athens"), "version");
    assert_soon(cluster_log_has(cluster, "cyrene",
                                text_kept("\"cluster_speaks\":\"%" PRIu64
                                          "\",\"joiner_speaks\":\"%" PRIu64 "\"",
                                          now, now + 1)));
    assert_agreement(cluster, "athens byzantium");

    replace(cluster, "byzantium", DOYEND_NEXT_PATH);
    assert_agreement(cluster, "athens byzantium");
    replace(cluster, "athens", DOYEND_NEXT_PATH);
    assert_soon(
        json_array_size(json_object_get(cluster_members(cluster, "byzantium"), "members")) == 3);
}

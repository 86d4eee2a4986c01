/* Nine daemons whose coordinators send a change to four members, who hand it on (U4). */
#include <string.h>

#include "fixture.h"

/* What it handed on for others. */
static json_int_t relayed(struct cluster *cluster, const char *name)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return json_integer_value(json_object_get(json_object_get(status, "counters"), "relayed"));
}

/* U4a, U4b: who is told no number hands on as well. */
Story(gossip, nine_hand_on_what_the_first_of_them_sends)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    (void)cluster_start(cluster, "athens", NULL, ARGS("--fanout", "4"));
    assert_agreement(cluster, "athens");
    cr_assert_eq(number_of(cluster_document(cluster, "athens", "/v1/status"), "fanout"), 4);
    static const char *const others[] = {"byzantium", "cyrene", "delphi", "ephesus",
                                         "f",         "g",      "h",      "i"};
    char all[64] = "athens";
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const bool told = strcmp(others[i], "byzantium") != 0;
        (void)cluster_start(cluster, others[i], "athens", told ? ARGS("--fanout", "4") : NO_ARGS);
        (void)strcat(strcat(all, " "), others[i]);
        assert_agreement(cluster, all);
    }
    cr_assert_eq(number_of(cluster_document(cluster, "byzantium", "/v1/status"), "fanout"), 128);

    cluster_kill(cluster, "g");
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus f h i");
    cr_assert_gt(relayed(cluster, "byzantium"), 0);
    cr_assert_gt(relayed(cluster, "cyrene"), 0);
    cr_assert_eq(relayed(cluster, "athens"), 0);
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus f h i");
}

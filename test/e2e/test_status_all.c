/* doyen status --all: every member says how it does, beside the protocol (decision 21). */
#include <string.h>

#include "fixture.h"

static const json_t *answer_of(struct cluster *cluster, const json_t *peers, const char *name)
{
    (void)cluster;
    return json_object_get(entry_of(peers, "members", name), "answer");
}

static void assert_all_answer(struct cluster *cluster)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene"};

    const struct outcome outcome = doyen(cluster, "cyrene", ARGS("status", "--all", "--json"));
    cr_assert_eq(outcome.code, 0, "%d: %s%s", outcome.code, outcome.out, outcome.err);
    const json_t *peers = document_kept(outcome.out);
    cr_assert_eq(json_array_size(json_object_get(peers, "members")), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *said = answer_of(cluster, peers, names[i]);
        cr_assert_str_eq(text_of(said, "phase"), "member", "%s", outcome.out);
        cr_assert_str_eq(text_of(said, "coordinator"), "athens");
        cr_assert_eq(json_is_true(json_object_get(said, "acting")), i == 0);
        cr_assert_gt(strlen(text_of(said, "version")), 0);
    }
}

Story(status_all, every_member_answers)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    assert_all_answer(cluster);
    const struct outcome table = doyen(cluster, "byzantium", ARGS("status", "--all"));
    cr_assert_eq(table.code, 0, "%s", table.err);
    cr_assert_eq(line_count(table.out), 4, "%s", table.out);
}

Story(status_all, questions_and_answers_are_sealed_like_the_rest)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "the.key");
    cluster_form(cluster, "athens byzantium cyrene");
    assert_all_answer(cluster);
}

Story(status_all, who_does_not_answer_is_named)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    cluster_pause(cluster, "byzantium");
    const struct outcome outcome = doyen(cluster, "athens", ARGS("status", "--all"));
    cluster_resume(cluster, "byzantium");
    cr_assert_eq(outcome.code, 5, "%d: %s", outcome.code, outcome.out);
    assert_text_has(outcome.out, "byzantium did not answer");
    assert_text_has(outcome.out, "no answer");
}

/* A cut that is put in by hand holds for this, too. */
Story(status_all, a_fault_cuts_it)
{
    struct cluster *cluster = cluster_new(ARGS("--faults"));

    cluster_form(cluster, "athens byzantium cyrene");
    cr_assert_eq(doyen(cluster, "athens", ARGS("fault", "drop", "cyrene")).code, 0);
    const struct outcome outcome = doyen(cluster, "athens", ARGS("status", "--all"));
    cr_assert_eq(outcome.code, 5, "%d: %s", outcome.code, outcome.out);
    assert_text_has(outcome.out, "cyrene did not answer");
}

Story(status_all, a_node_that_is_no_member_says_so)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(strcmp(cluster_view(cluster, "byzantium"), "joining") == 0);
    const struct outcome outcome = doyen(cluster, "byzantium", ARGS("status", "--all"));
    cr_assert_eq(outcome.code, 1, "%d: %s", outcome.code, outcome.out);
    assert_text_has(outcome.err, "no member of a view");
}

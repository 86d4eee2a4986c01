/* Nine daemons whose members are watched by neighbours on two rings (D9, J2a). */
#include <string.h>

#include "fixture.h"

/* D9b, D9e: processes die, the coordinator's too, and one hangs; all others find out. */
Story(rings, nine_lose_a_member_the_coordinator_and_one_that_hangs)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    cr_assert_eq(number_of(cluster_document(cluster, "i", "/v1/status"), "watchers"), 4);

    cluster_kill(cluster, "g");
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus f h i");
    const json_t *g = entry_of(cluster_members(cluster, "i"), "gone", "g");
    cr_assert_str_eq(text_of(g, "verdict"), "dead");

    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus f h i");

    cluster_pause(cluster, "ephesus");
    assert_soon(entry_of(cluster_members(cluster, "byzantium"), "gone", "ephesus") != NULL);
    cluster_resume(cluster, "ephesus");
    cluster_restart(cluster, "athens");
    assert_soon(entry_of(cluster_members(cluster, "byzantium"), "members", "athens") != NULL &&
                entry_of(cluster_members(cluster, "byzantium"), "members", "ephesus") != NULL);
}

/* D9b: with a guard the coordinator is everybody's neighbour, and so whoever takes over can act. */
Story(rings, under_a_majority_the_next_oldest_takes_over)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "majority", "--size", "7"));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g");
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus f g");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "byzantium"), "acting")));
}

/* J2a: how many watch each member is one of the terms. */
Story(rings, who_is_to_be_watched_by_others_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    (void)cluster_start(cluster, "athens", NULL, ARGS("--watchers", "255"));
    assert_agreement(cluster, "athens");
    (void)cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(cluster_log_has(cluster, "byzantium", "watchers=255"));
}

/* --- doyen links --- */

static bool all_are_heard(const json_t *edges)
{
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *signs = json_object_get(json_array_get(edges, i), "signs");
        for (size_t end = 0; end < 2; end++) {
            if (strcmp(text_of(json_array_get(signs, end), "state"), "heard") != 0) {
                return false;
            }
        }
    }
    return json_array_size(edges) > 0;
}

/* D9a, D9b: each end of each edge hears the other, as both say. */
Story(rings, links_shows_who_watches_whom)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    const struct outcome own = doyen(cluster, "f", ARGS("links"));
    cr_assert_eq(own.code, 0, "%s", own.err);
    assert_text_has(own.out, "f watches ");
    assert_text_has(own.out, "ring 1");
    assert_text_has(own.out, "ring 2");
    assert_soon(strstr(doyen(cluster, "f", ARGS("links")).out, "nobody is in doubt") != NULL);

    const struct outcome whole = doyen(cluster, "i", ARGS("links", "--all"));
    cr_assert_eq(whole.code, 0, "%s%s", whole.out, whole.err);
    assert_text_has(whole.out, "ring 1  athens = ");
    assert_text_has(whole.out, " edges of 9 members");
    assert_soon(all_are_heard(json_object_get(
        document_kept(doyen(cluster, "i", ARGS("links", "--all", "--json")).out), "edges")));
}

static bool links_tell_of_g(struct cluster *cluster)
{
    const char *out = doyen(cluster, "athens", ARGS("links")).out;

    return strstr(out, "g: silent for ") != NULL && strstr(out, "; doubted by ") != NULL &&
           strstr(out, " without an answer; its host answers: stalled in ") != NULL &&
           strstr(out, "roll call: ") != NULL && strstr(out, "; not yet g\n") != NULL;
}

/* D9d, D9h: what the coordinator knows of a silence, and whom it asks. */
Story(rings, links_shows_a_doubt_and_the_roll_call)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    cluster_pause(cluster, "g");
    assert_soon(links_tell_of_g(cluster));
    const struct outcome whole = doyen(cluster, "athens", ARGS("links", "--all"));
    cluster_resume(cluster, "g");
    cr_assert_eq(whole.code, 5, "%d: %s", whole.code, whole.out);
    assert_text_has(whole.out, "g is silent to ");
    assert_text_has(whole.out, "no answer: g\n");
    assert_soon(strstr(doyen(cluster, "athens", ARGS("links")).out, "nobody is in doubt") != NULL);
}

/* With a guard the coordinator is a neighbour of all whom it asks, here of all others, of whom six
 * at the most are its neighbours on the rings. */
Story(rings, links_shows_the_neighbours_that_a_guard_makes)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "9"));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    const struct outcome whole = doyen(cluster, "g", ARGS("links", "--all"));
    cr_assert_eq(whole.code, 0, "%s%s", whole.out, whole.err);
    assert_text_has(whole.out, "\nguard   athens = ");
}

/* D9a: of fewer members than that each watches all others, and loses them as before. */
Story(rings, with_many_watchers_all_watch_all)
{
    struct cluster *cluster = cluster_new(ARGS("--watchers", "255"));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    assert_text_has(doyen(cluster, "f", ARGS("links", "--all")).out, "36 edges of 9 members");
    cluster_kill(cluster, "g");
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus f h i");
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus f h i");
}

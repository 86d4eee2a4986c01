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

/* In what all members say when they are asked; counts all that they say. */
static size_t count_heard(const json_t *members, bool *all)
{
    size_t count = 0;

    *all = true;
    for (size_t i = 0; i < json_array_size(members); i++) {
        json_t *hears = json_object_get(json_array_get(members, i), "hears");
        const char *name;
        json_t *state;
        json_object_foreach(hears, name, state)
        {
            *all &= strcmp(json_string_value(state), "heard") == 0;
            count++;
        }
    }
    return count;
}

/* Each of them hears all whom it watches, and they watch each other: `pairs` pairs, or any number
 * for 0. */
static bool all_are_heard(struct cluster *cluster, const char *name, size_t pairs)
{
    const struct outcome outcome = doyen(cluster, name, ARGS("matrix", "--json"));
    bool all = false;
    const size_t count = count_heard(json_object_get(document_kept(outcome.out), "members"), &all);

    return outcome.code == 0 && all && count > 0 && (pairs == 0 || count == 2 * pairs);
}

/* D9a, D9b: each hears those whom it watches, as all say. */
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

    const struct outcome whole = doyen(cluster, "i", ARGS("matrix"));
    cr_assert_eq(whole.code, 0, "%s%s", whole.out, whole.err);
    assert_text_has(whole.out, "HEARS");
    assert_text_has(whole.out, " . ");
    assert_soon(all_are_heard(cluster, "i", 0));
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
    const struct outcome whole = doyen(cluster, "athens", ARGS("matrix"));
    cluster_resume(cluster, "g");
    cr_assert_eq(whole.code, 5, "%d: %s", whole.code, whole.out);
    assert_text_has(whole.out, "g is heard by nobody: ");
    assert_text_has(whole.out, "no answer: g\n");
    assert_soon(strstr(doyen(cluster, "athens", ARGS("links")).out, "nobody is in doubt") != NULL);
}

/* With a guard the coordinator is a neighbour of all whom it asks, here of all others, of whom six
 * at the most are its neighbours on the rings. */
Story(rings, links_shows_the_neighbours_that_a_guard_makes)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "9"));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    assert_soon(strstr(doyen(cluster, "athens", ARGS("links")).out, "  guard  ") != NULL);
    assert_text_has(doyen(cluster, "athens", ARGS("links")).out,
                    "athens watches 8 of the 8 other members");
}

/* D9a: of fewer members than that each watches all others, and loses them as before. */
Story(rings, with_many_watchers_all_watch_all)
{
    struct cluster *cluster = cluster_new(ARGS("--watchers", "255"));

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    assert_soon(all_are_heard(cluster, "f", 36));
    cluster_kill(cluster, "g");
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus f h i");
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus f h i");
}

/* Processes that stop for a while: rules D2 (stalled), D4, R1, L1. */
#include <string.h>

#include "fixture.h"

enum {
    PAUSE_MS = 3000,
    AWAKE_MS = 1500, /* longer than the others take to hear it and to tell */
};

/* Stops the member for three seconds, and watches all the while that nobody gives it up. */
static void pause_changes_nothing(const char *paused)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    const char *before = cluster_view(cluster, "athens");
    cluster_pause(cluster, paused);
    for (const uint64_t until_ms = clock_now_ms() + PAUSE_MS; clock_now_ms() < until_ms;) {
        for (size_t i = 0; i < 5; i++) {
            if (strcmp(names[i], paused) != 0) {
                cr_assert_str_eq(cluster_view(cluster, names[i]), before);
            }
        }
        clock_nap_ms(50);
    }
    cluster_resume(cluster, paused);

    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus");
    for (size_t i = 0; i < 5; i++) {
        cr_assert_str_eq(cluster_view(cluster, names[i]), before);
    }
}

/* D2: its kernel answers, so its silence is forgiven for T_stall. */
Story(pause, a_member_stopped_for_three_seconds_is_nobodys_loss)
{
    pause_changes_nothing("cyrene");
}

static bool has_bad_links(struct cluster *cluster, const char *teller)
{
    const json_t *links = json_object_get(cluster_document(cluster, teller, "/v1/status"), "links");

    return json_array_size(json_object_get(links, "bad")) > 0;
}

static bool is_silent(struct cluster *cluster, const char *teller, const char *name)
{
    const json_t *member = entry_of(cluster_members(cluster, teller), "members", name);

    return json_is_true(json_object_get(member, "silent"));
}

/* Does this one not hear cyrene, one of four, and has each of the other two told the same? */
static bool all_have_told(struct cluster *cluster, const char *teller)
{
    const json_t *cases = json_object_get(cluster_document(cluster, teller, "/v1/links"), "cases");
    const json_t *one = json_array_get(cases, 0);

    return json_array_size(cases) == 1 && strcmp(text_of(one, "about"), "cyrene") == 0 &&
           strcmp(text_of(one, "state"), "asked") != 0 &&
           json_integer_value(json_object_get(one, "told_count")) == 2;
}

/* The silence is one process's own; no link is to blame, neither before the others have noticed nor
 * before they have told that it is over. */
Story(pause, a_stopped_process_is_silent_and_no_bad_link)
{
    static const char *const others[] = {"athens", "byzantium", "delphi"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi");
    cluster_pause(cluster, "cyrene");
    assert_soon(is_silent(cluster, "athens", "cyrene"));
    const struct outcome outcome = doyen(cluster, "athens", ARGS("members"));
    cr_assert(strstr(outcome.out, "silent") != NULL || strstr(outcome.out, "suspect") != NULL, "%s",
              outcome.out);
    for (size_t i = 0; i < 3; i++) {
        assert_soon(all_have_told(cluster, others[i]));
    }
    cluster_resume(cluster, "cyrene");
    for (const uint64_t until_ms = clock_now_ms() + AWAKE_MS; clock_now_ms() < until_ms;) {
        for (size_t i = 0; i < 3; i++) {
            cr_assert_not(has_bad_links(cluster, others[i]), "%s blames a link", others[i]);
        }
    }
    cr_assert_not(is_silent(cluster, "athens", "cyrene"));
}

/* D2, D4: nor does it accuse the others when it wakes up. */
Story(pause, a_coordinator_stopped_for_three_seconds_is_nobodys_loss)
{
    pause_changes_nothing("athens");
}

/* Stops it until the others have given it up, and wakes it again. */
static struct cluster *stalled(const char *names, const char *paused, const char *others)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));

    cluster_form(cluster, names);
    cluster_pause(cluster, paused);
    assert_agreement(cluster, others);
    const char *witness = text_kept("%.*s", (int)strcspn(others, " "), others);
    const json_t *gone = entry_of(cluster_members(cluster, witness), "gone", paused);
    cr_assert_str_eq(text_of(gone, "verdict"), "stalled");
    cluster_resume(cluster, paused);
    return cluster;
}

/* R1, L1: the same process, a new life. */
Story(pause, a_member_stopped_for_too_long_comes_back_by_itself_as_the_youngest)
{
    struct cluster *cluster = stalled("athens byzantium cyrene", "byzantium", "athens cyrene");

    assert_agreement(cluster, "athens cyrene byzantium");
    assert_text_has(cluster_view(cluster, "athens"), "byzantium/4");
}

/* C1, L1: it wakes up as the coordinator of a view that the others have left. */
Story(pause, a_coordinator_stopped_for_too_long_comes_back_by_itself_as_the_youngest)
{
    struct cluster *cluster = stalled("athens byzantium cyrene", "athens", "byzantium cyrene");

    assert_agreement(cluster, "byzantium cyrene athens");
    assert_text_has(cluster_view(cluster, "cyrene"), "athens/4");
}

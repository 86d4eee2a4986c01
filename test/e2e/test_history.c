/* What a node knows of its past after it was started again. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static void start_with_state(struct cluster *cluster, const char *name)
{
    cluster_start(cluster, name, "athens",
                  ARGS("--state-dir", cluster_path(cluster, text_kept("%s.state", name))));
}

static bool has_kept(struct cluster *cluster, const char *part)
{
    char *events = file_read(cluster_path(cluster, "athens.state/events"), NULL);
    const bool kept = events != NULL && strstr(events, part) != NULL;

    free(events);
    return kept;
}

/* athens, which remembers, sees byzantium come and go, and is killed. */
static struct cluster *killed_athens(void)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    start_with_state(cluster, "athens");
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "athens");
    assert_soon(has_kept(cluster, "-byzantium(dead)"));
    cluster_kill(cluster, "athens");
    return cluster;
}

Story(history, it_reaches_back_over_a_kill)
{
    struct cluster *cluster = killed_athens();

    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "athens");
    const struct outcome views = doyen(cluster, "athens", ARGS("history"));
    cr_assert_eq(views.code, 0, "%s", views.err);
    assert_text_has(views.out, "+byzantium");
    assert_text_has(views.out, "-byzantium(dead)");
    const char *restart = strstr(views.out, "this node was started again");
    cr_assert_not_null(restart, "%s", views.out);
    cr_assert_gt(restart, strstr(views.out, "-byzantium(dead)"));
    assert_text_has(restart, " now ");
    cr_assert_null(strstr(strstr(views.out, " now ") + 1, " now "), "one view holds");

    const struct outcome why = doyen(cluster, "athens", ARGS("why", "byzantium"));
    cr_assert_eq(why.code, 0, "%s", why.err);
    assert_text_has(why.out, "byzantium is not a member");
    assert_text_has(why.out, "byzantium was removed: dead");

    const struct outcome events = doyen(cluster, "athens", ARGS("history", "--events"));
    cr_assert_eq(events.code, 0, "%s", events.err);
    assert_text_has(events.out, "byzantium was removed: dead");
}

/* The numbers of events begin anew with each life, so each is told with its life. */
Story(history, events_of_several_lives_are_told_in_order)
{
    struct cluster *cluster = killed_athens();

    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "athens");
    const json_t *journal = cluster_document(cluster, "athens", "/v1/journal");
    const json_t *events = json_object_get(journal, "events");
    const char *life = text_of(journal, "life");
    size_t own = 0;
    cr_assert_gt(json_array_size(events), 8);
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const bool is_own = strncmp(text_of(event, "cursor"), life, strlen(life)) == 0;
        cr_assert(is_own || own == 0, "earlier events come first");
        own += is_own;
    }
    cr_assert_gt(own, 0);
    cr_assert_lt(own, json_array_size(events));
}

Story(history, a_damaged_file_is_put_aside_and_the_node_goes_on)
{
    struct cluster *cluster = killed_athens();
    const char *path = cluster_path(cluster, "athens.state/events");
    size_t length = 0;
    char *events = file_read(path, &length);

    cr_assert_not_null(events);
    events[40] = '\x7f';
    FILE *file = fopen(path, "w");
    cr_assert_eq(fwrite(events, 1, length, file), length);
    fclose(file);
    free(events);

    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "athens");
    cr_assert_eq(cluster_log_count(cluster, "athens", "events"), 1);
    cr_assert(cluster_log_has(cluster, "athens", "kept as events.bad"));
    const struct outcome views = doyen(cluster, "athens", ARGS("history"));
    cr_assert_eq(views.code, 0, "%s", views.err);
    cr_assert_null(strstr(views.out, "byzantium"), "%s", views.out);
}

/* Without a state directory there is nothing from before, and nothing is said of it. */
Story(history, a_volatile_node_begins_anew)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_kill(cluster, "athens");
    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "athens");
    const json_t *history = cluster_document(cluster, "athens", "/v1/history");
    cr_assert_eq(json_array_size(json_object_get(history, "views")), 1);
}

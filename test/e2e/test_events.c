/* The stream of events: a snapshot, then each change once and in order: rule S16. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

static void open_events(struct events *events, struct cluster *cluster, const char *name,
                        const char *last_event_id)
{
    cr_assert(events_open(events, cluster_daemon(cluster, name)->control, last_event_id));
}

/* The next event, its data kept to the end of the test. */
static struct http_event next_event(struct events *events)
{
    struct http_event event;

    cr_assert(events_next(events, LIMIT_MS, &event), "no event came");
    const char *data = text_kept("%s", event.data);
    free(event.data);
    event.data = NULL;
    cr_assert_not_null(data);
    return event;
}

/* Which event of its process this is. Clients have no business to look into an id; this test has.
 */
static uint64_t id_of(const struct http_event *event)
{
    const char *dash = strchr(event->id, '-');

    cr_assert_not_null(dash, "%s", event->id);
    return strtoull(dash + 1, NULL, 10);
}

/* Reads up to the event of that name, and asserts that no id is left out on the way; `id` is
 * that of the event before, and then of this one. */
static void read_until(struct events *events, const char *name, uint64_t *id)
{
    for (;;) {
        const struct http_event event = next_event(events);
        cr_assert_eq(id_of(&event), *id + 1, "%s came after %llu", event.id,
                     (unsigned long long)*id);
        *id = id_of(&event);
        if (strcmp(event.name, name) == 0) {
            return;
        }
    }
}

Story(events, a_snapshot_comes_first_and_then_each_change)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct events events;

    cluster_form(cluster, "athens byzantium cyrene");
    open_events(&events, cluster, "cyrene", NULL);
    const struct http_event snapshot = next_event(&events);
    cr_assert_str_eq(snapshot.name, "snapshot");
    uint64_t id = id_of(&snapshot);

    cluster_kill(cluster, "athens");
    read_until(&events, "gone", &id);
    read_until(&events, "view", &id);
    read_until(&events, "coordinator", &id);
    events_close(&events);
}

/* Last-Event-ID is what a browser sends when it comes back. */
Story(events, who_comes_back_gets_what_was_missed)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct events events;

    cluster_form(cluster, "athens byzantium cyrene");
    open_events(&events, cluster, "byzantium", NULL);
    const struct http_event snapshot = next_event(&events);
    events_close(&events);
    cluster_kill(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium");
    cluster_restart(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium cyrene");

    uint64_t id = id_of(&snapshot);
    open_events(&events, cluster, "byzantium", snapshot.id);
    read_until(&events, "gone", &id);
    read_until(&events, "view", &id);
    read_until(&events, "joined", &id);
    read_until(&events, "view", &id);
    events_close(&events);
}

/* The next event's data, as JSON. */
static const json_t *next_document(struct events *events, const char *name)
{
    struct http_event event;

    cr_assert(events_next(events, LIMIT_MS, &event), "no event came");
    cr_assert_str_eq(event.name, name);
    const json_t *document = document_kept(event.data);
    free(event.data);
    cr_assert_not_null(document);
    return document;
}

/* The new process counts from 1 again, and soon has passed the number of the old one. */
Story(events, a_cursor_of_another_life_is_answered_with_a_gap_and_a_snapshot)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct events events;

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    open_events(&events, cluster, "athens", NULL);
    const struct http_event before = next_event(&events);
    events_close(&events);
    cluster_kill(cluster, "athens");
    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "athens");

    open_events(&events, cluster, "athens", before.id);
    const json_t *gap = next_document(&events, "gap");
    cr_assert_str_eq(text_of(gap, "reason"), "restarted");
    cr_assert_str_eq(text_of(gap, "since"), before.id);
    const json_t *snapshot = next_document(&events, "snapshot");
    cr_assert_str_eq(text_of(snapshot, "kind"), "snapshot");
    cr_assert(json_is_array(json_object_get(snapshot, "members")));
    cr_assert_str_eq(text_of(snapshot, "cursor"), text_of(gap, "cursor"));
    events_close(&events);
}

Story(events, what_is_no_cursor_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct http_answer answer;

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert(http_get(cluster_daemon(cluster, "athens")->control, "/v1/events?since=1", LIMIT_MS,
                       &answer));
    cr_assert_eq(answer.status, 400);
    http_answer_deinit(&answer);
}

/* S16: both are told the same, in the same order. */
Story(events, two_watchers_are_told_the_same)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct events one;
    struct events two;

    cluster_form(cluster, "athens byzantium cyrene");
    open_events(&one, cluster, "cyrene", NULL);
    open_events(&two, cluster, "cyrene", NULL);
    cr_assert_str_eq(next_event(&one).name, "snapshot");
    cr_assert_str_eq(next_event(&two).name, "snapshot");
    cluster_kill(cluster, "athens");
    for (bool done = false; !done;) {
        const struct http_event first = next_event(&one);
        const struct http_event second = next_event(&two);
        cr_assert_str_eq(first.id, second.id);
        cr_assert_str_eq(first.name, second.name);
        done = strcmp(first.name, "coordinator") == 0;
    }
    events_close(&one);
    events_close(&two);
}

/* Watchers that never read must not keep the daemon from going. */
Story(events, a_daemon_leaves_although_it_is_watched)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct events idle[16];

    cluster_form(cluster, "athens byzantium");
    for (size_t i = 0; i < 16; i++) {
        open_events(&idle[i], cluster, "byzantium", NULL);
    }
    cr_assert_str_eq(next_event(&idle[15]).name, "snapshot");
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    for (size_t i = 0; i < 16; i++) {
        cr_assert(is_closed(idle[i].fd, LIMIT_MS));
        events_close(&idle[i]);
    }
    assert_agreement(cluster, "athens");
}

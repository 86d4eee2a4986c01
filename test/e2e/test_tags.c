/* Tags at run time with real processes: rule E8. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum { DONE = 0, REFUSED = 1, USAGE = 64 };

static void assert_failure(const struct outcome *outcome, int code, const char *words)
{
    cr_assert_eq(outcome->code, code, "expected %d, not %d: %s%s", code, outcome->code,
                 outcome->out, outcome->err);
    cr_assert_str_empty(outcome->out);
    assert_text_has(outcome->err, words);
}

/* Does that node see it? */
static bool sees(struct cluster *cluster, const char *observer, const char *tag, const char *who)
{
    const struct outcome members = doyen(cluster, observer,
                                         ARGS("members", "--tag", tag, "--format", "{name}"));

    return members.code == DONE && strncmp(members.out, who, strlen(who)) == 0;
}

/* E8a, E8b: all see them, also who comes later, and nobody is younger for it. */
Story(tags, are_set_and_removed_at_run_time)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", ARGS("--tag", "zone=eu"));
    assert_agreement(cluster, "athens byzantium");
    const struct outcome set = doyen(cluster, "byzantium",
                                     ARGS("tag", "set", "role=db", "zone=us"));
    cr_assert_eq(set.code, DONE, "%s", set.err);
    cr_assert_str_eq(set.out, "zone=us\nrole=db\n");
    assert_soon(sees(cluster, "athens", "role=db", "byzantium"));
    assert_agreement(cluster, "athens byzantium");
    const struct outcome history = doyen(cluster, "athens", ARGS("history"));
    assert_text_has(history.out, "~byzantium(tags)");

    const struct outcome unset = doyen(cluster, "byzantium", ARGS("tag", "unset", "zone"));
    cr_assert_eq(unset.code, DONE, "%s", unset.err);
    cr_assert_str_eq(doyen(cluster, "byzantium", ARGS("tag")).out, "role=db\n");
    cluster_start(cluster, "cyrene", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium cyrene");
    assert_soon(sees(cluster, "cyrene", "role=db", "byzantium"));
    const struct outcome own = doyen(cluster, "athens", ARGS("tag", "set", "role=web"));
    cr_assert_eq(own.code, DONE, "a coordinator gives itself tags: %s", own.err);
}

/* Reads up to the event of that name. */
static const json_t *next_of(struct events *events, const char *name)
{
    struct http_event event;

    do {
        cr_assert(events_next(events, LIMIT_MS, &event), "no event came");
        const json_t *document = document_kept(event.data);
        free(event.data);
        if (strcmp(event.name, name) == 0) {
            return document;
        }
    } while (true);
}

static const char *text_at(const json_t *document, const char *object, const char *key)
{
    return json_string_value(json_object_get(json_object_get(document, object), key));
}

/* Whoever watches learns what changed, not just that something did. */
Story(tags, an_event_has_those_before_and_after)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct events events;

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    cluster_start(cluster, "byzantium", "athens", ARGS("--tag", "zone=eu"));
    assert_agreement(cluster, "athens byzantium");
    cr_assert(events_open(&events, cluster_daemon(cluster, "athens")->control, NULL));
    (void)next_of(&events, "snapshot");
    cr_assert_eq(doyen(cluster, "byzantium", ARGS("tag", "set", "zone=us", "role=db")).code, DONE);
    const json_t *told = next_of(&events, "tags");
    cr_assert_str_eq(json_string_value(json_object_get(told, "name")), "byzantium");
    cr_assert_str_eq(text_at(told, "tags_before", "zone"), "eu");
    cr_assert_null(text_at(told, "tags_before", "role"));
    cr_assert_str_eq(text_at(told, "tags", "zone"), "us");
    cr_assert_str_eq(text_at(told, "tags", "role"), "db");
    cr_assert_str_eq(json_string_value(json_object_get(next_of(&events, "view"), "change")),
                     "~byzantium(tags)");
    events_close(&events);
    assert_soon(cluster_log_has(cluster, "athens", "tags=zone=us,role=db tags_before=zone=eu"));
}

/* A refusal names fault and remedy. */
Story(tags, say_why_not)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    char value[600];

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    const struct outcome word = doyen(cluster, "athens", ARGS("tag", "role=db"));
    assert_failure(&word, USAGE, "write set KEY=VALUE");
    const struct outcome none = doyen(cluster, "athens", ARGS("tag", "set"));
    assert_failure(&none, USAGE, "set wants KEY=VALUE");
    const struct outcome no_value = doyen(cluster, "athens", ARGS("tag", "set", "role"));
    assert_failure(&no_value, USAGE, "write KEY=VALUE");
    const struct outcome twice = doyen(cluster, "athens", ARGS("tag", "set", "a=1", "a=2"));
    assert_failure(&twice, USAGE, "given twice");
    const struct outcome key = doyen(cluster, "athens", ARGS("tag", "unset", "a=1"));
    assert_failure(&key, USAGE, "keys alone");
    memset(value, 'v', sizeof value - 1);
    memcpy(value, "k=", 2);
    value[sizeof value - 1] = '\0';
    const struct outcome own = doyen(cluster, "athens", ARGS("tag", "set", "partitions=32+0"));
    assert_failure(&own, USAGE, "the tag 'partitions' is what --partitions says");
    const struct outcome none_own = doyen(cluster, "athens", ARGS("tag", "unset", "partitions"));
    assert_failure(&none_own, USAGE, "start doyend with another, on all nodes");
    const struct outcome longer = doyen(cluster, "athens", ARGS("tag", "set", value));
    assert_failure(&longer, USAGE, "more than 512 bytes");
}

/* Terms that change while real processes run: rules A1 to A5. */
#include <string.h>

#include "fixture.h"

enum { DONE = 0, REFUSED = 1, USAGE = 64 };

static const char *const five[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static void assert_change(struct cluster *cluster, const char *from, const char *const *arguments,
                          const char *agreed)
{
    const struct outcome outcome = doyen(cluster, from, arguments);

    cr_assert_eq(outcome.code, DONE, "%d: %s%s", outcome.code, outcome.out, outcome.err);
    assert_text_has(outcome.out, agreed);
}

static void assert_refused(struct cluster *cluster, const char *const *arguments, int code,
                           const char *words)
{
    const struct outcome outcome = doyen(cluster, "athens", arguments);

    cr_assert_eq(outcome.code, code, "%d: %s%s", outcome.code, outcome.out, outcome.err);
    assert_text_has(outcome.err, words);
}

static size_t suspicions(struct cluster *cluster)
{
    size_t count = 0;

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        count += cluster_log_count(cluster, cluster->daemons[i].name, "suspect");
    }
    return count;
}

static bool has_settled(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_document(cluster, name, "/v1/terms"), "settled"));
}

static bool all_agree_on(struct cluster *cluster, uint64_t fail_after_ms)
{
    for (size_t i = 0; i < 5; i++) {
        const json_t *terms = cluster_document(cluster, five[i], "/v1/terms");
        if (!json_is_true(json_object_get(terms, "settled")) ||
            number_of(json_object_get(terms, "agreed"), "fail_after_ms") != fail_after_ms) {
            return false;
        }
    }
    return true;
}

Story(terms, five_change_guard_size_and_profile_while_they_run)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    assert_refused(cluster, ARGS("change", "guard=majority"), USAGE, "wants a size");
    assert_refused(cluster, ARGS("change", "guard=strict"), REFUSED, "stop all members");
    assert_refused(cluster, ARGS("change", "heartbeat=640ms", "fail-after=1000ms"), USAGE,
                   "too short for heartbeats every 640 ms: use 1024");
    assert_change(cluster, "delphi", ARGS("change", "guard=majority", "size=5"),
                  "guard=majority size=5");
    assert_change(cluster, "delphi", ARGS("change", "heartbeat=640ms", "fail-after=1050ms"),
                  "heartbeat=640ms fail-after=1050ms");
    assert_change(cluster, "athens", ARGS("change", "size=7"), "guard=majority size=7");
    assert_refused(cluster, ARGS("change", "size=3"), REFUSED, "have members leave first");
    assert_change(cluster, "ephesus", ARGS("change", "profile=lan"), "profile=lan");
    assert_soon(all_agree_on(cluster, 1088));
    assert_change(cluster, "byzantium", ARGS("change", "profile=local"), "profile=local");
    assert_soon(all_agree_on(cluster, 190));
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus");
    cr_assert_eq(suspicions(cluster), 0);
    cr_assert(
        cluster_log_has(cluster, "cyrene", "profile local, heartbeat 40ms, fail-after 190ms"));
    cr_assert_eq(cluster_log_count(cluster, "cyrene", "coordinator"), 1);

    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    assert_soon(has_settled(cluster, "byzantium") && has_settled(cluster, "cyrene"));
    assert_change(cluster, "cyrene", ARGS("change", "size=5"), "guard=majority size=5");
    cluster_restart(cluster, "athens"); /* By its command line of before. */
    assert_agreement(cluster, "byzantium cyrene delphi ephesus athens");
    assert_soon(all_agree_on(cluster, 190));
    const struct outcome listed = doyen(cluster, "athens", ARGS("change"));
    assert_text_has(listed.out, "agreed   guard=majority size=5");
    assert_text_has(listed.out, "started  guard=none");
}

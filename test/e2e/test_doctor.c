/* doyen doctor: the way to every other member is measured, and the timings judged by it. */
#include <string.h>

#include "netns_story.h"

/* Kept until the story ends. */
static const json_t *check_of(const json_t *report, const char *name)
{
    const json_t *checks = json_object_get(report, "checks");

    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *check = json_array_get(checks, i);
        if (strcmp(text_of(check, "check"), name) == 0) {
            return check;
        }
    }
    cr_assert_fail("no check %s", name);
    return NULL;
}

static bool holds(const json_t *report, const char *name)
{
    return json_is_true(json_object_get(check_of(report, name), "holds"));
}

static json_int_t number_in(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

Story(doctor, ways_without_a_fault_are_measured)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "the.key");
    cluster_form(cluster, "athens byzantium cyrene");
    const struct outcome outcome = doyen(cluster, "cyrene",
                                         ARGS("doctor", "--for", "1s", "--json"));
    const json_t *report = document_kept(outcome.out);
    cr_assert_eq(json_array_size(json_object_get(report, "members")), 2, "%s", outcome.out);
    const json_t *athens = entry_of(report, "members", "athens");
    cr_assert_gt(number_in(athens, "answered"), 0, "%s", outcome.out);
    cr_assert_gt(number_in(athens, "large_answered"), 0);
    cr_assert_gt(number_in(athens, "stream_answered"), 0);
    cr_assert_eq(number_in(athens, "packet_bytes"), 1500, "%s", outcome.out);
    cr_assert_leq(number_in(athens, "trip_us_min"), number_in(athens, "trip_us_mean"));
    cr_assert_gt(number_in(athens, "path_mtu"), 0);
    cr_assert(json_is_integer(json_object_get(athens, "clock_ppm")), "%s", outcome.out);
    static const char *const sure[] = {"answers", "terms",     "keys",
                                       "clocks",  "datagrams", "streams"};
    for (size_t i = 0; i < sizeof sure / sizeof sure[0]; i++) {
        cr_assert(holds(report, sure[i]), "%s: %s", sure[i], outcome.out);
    }
    /* A machine that is busy with other things may be as late as it likes. */
    const bool kept = json_is_true(json_object_get(report, "holds"));
    cr_assert_eq(outcome.code, kept ? 0 : 1, "%d: %s", outcome.code, outcome.out);
}

Story(doctor, one_time_sets_heartbeat_and_silence)
{
    struct cluster *cluster = cluster_new(ARGS("--detect", "2s"));

    cluster_form(cluster, "athens byzantium");
    const struct outcome outcome = doyen(cluster, "athens",
                                         ARGS("doctor", "--for", "1s", "--json"));
    const json_t *budget = json_object_get(document_kept(outcome.out), "budget");
    cr_assert_eq(number_in(budget, "detect_ms"), 2000, "%s", outcome.out);
    cr_assert_eq(number_in(budget, "heartbeat_ms"), 1237);
    cr_assert_eq(number_in(budget, "fail_after_ms"), 1980);
}

Story(doctor, who_does_not_answer_is_named)
{
    struct cluster *cluster = cluster_new(ARGS("--faults"));

    cluster_form(cluster, "athens byzantium cyrene");
    cr_assert_eq(doyen(cluster, "athens", ARGS("fault", "drop", "cyrene")).code, 0);
    const struct outcome outcome = doyen(cluster, "athens", ARGS("doctor", "--for", "1s"));
    cr_assert_eq(outcome.code, 1, "%d: %s", outcome.code, outcome.out);
    assert_text_has(outcome.out, "1 of 2 others answered nothing, cyrene among them");
    assert_text_has(outcome.out, "not kept here");
    assert_text_has(outcome.err, "measuring for 1.0 s");
}

Story(doctor, a_node_alone_has_nothing_to_measure)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens");
    const struct outcome outcome = doyen(cluster, "athens", ARGS("doctor", "--for", "1s"));
    cr_assert_eq(outcome.code, 1, "%d: %s", outcome.code, outcome.out);
    assert_text_has(outcome.err, "knows no other member");
    cr_assert_eq(doyen(cluster, "athens", ARGS("doctor", "--for", "1")).code, 64);
    cr_assert_eq(doyen(cluster, "athens", ARGS("doctor", "--for", "11m")).code, 64);
}

static void set_narrow(struct cluster *cluster, const char *name, size_t bytes)
{
    network_set(cluster, name, NULL, (struct link_faults){.packet_bytes_max = bytes});
    network_set(cluster, NULL, name, (struct link_faults){.packet_bytes_max = bytes});
}

/* H77: the kernel knows nothing of it. */
Story(doctor, the_size_that_passes_is_named)
{
    static const struct {
        size_t drops_above;
        json_int_t passes;
    } paths[] = {{1280, 1280}, {600, 576}};
    struct cluster *cluster = cluster_formed_apart("athens byzantium cyrene", NO_ARGS);

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        set_narrow(cluster, "cyrene", paths[i].drops_above);
        const struct outcome outcome = doyen(cluster, "athens",
                                             ARGS("doctor", "--for", "2s", "--json"));
        const json_t *report = document_kept(outcome.out);
        const json_t *cyrene = entry_of(report, "members", "cyrene");
        const json_t *byzantium = entry_of(report, "members", "byzantium");
        cr_assert_eq(number_in(cyrene, "packet_bytes"), paths[i].passes, "%s", outcome.out);
        cr_assert_eq(number_in(cyrene, "path_mtu"), 1500);
        cr_assert_eq(number_in(byzantium, "packet_bytes"), 1500, "%s", outcome.out);
        cr_assert(holds(report, "datagrams") && holds(report, "streams"), "%s", outcome.out);
        assert_text_has(text_of(check_of(report, "packets"), "text"), "to cyrene and back");
    }
}

/* Less than is promised to be enough: short heartbeats pass, and nobody is removed. */
Story(doctor, a_path_that_is_too_narrow_is_not_honest)
{
    struct cluster *cluster = cluster_formed_apart("athens byzantium cyrene", NO_ARGS);

    set_narrow(cluster, "cyrene", 400);
    const struct outcome outcome = doyen(cluster, "athens", ARGS("doctor", "--for", "1s"));
    cr_assert_eq(outcome.code, 1, "%d: %s", outcome.code, outcome.out);
    assert_text_has(outcome.out, "none of the longest datagrams passes to cyrene and back");
    assert_text_has(outcome.out, "nothing long by TCP passes to cyrene and back");
}

/* Half of the questions get no answer: that nobody is removed is luck. */
Story(doctor, loss_is_found)
{
    struct cluster *cluster = cluster_formed_apart("athens byzantium cyrene delphi ephesus",
                                                   NO_ARGS);

    network_set(cluster, NULL, NULL, (struct link_faults){.drop_percent = 30});
    const struct outcome outcome = doyen(cluster, "byzantium",
                                         ARGS("doctor", "--for", "5s", "--json"));
    network_heal(cluster);
    cr_assert_eq(outcome.code, 1, "%d: %s", outcome.code, outcome.out);
    cr_assert(!holds(document_kept(outcome.out), "loss"), "%s", outcome.out);
}

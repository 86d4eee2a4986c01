/* The text of /metrics against a small reader of the format of Prometheus, 0.0.4: families with
 * help and type, samples with labels, names that follow its conventions, and that are documented.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/documents/metrics.h"
#include "view_builder.h"

enum { SERIES_MAX = 1024, FAMILIES_MAX = 128, LINE_MAX_BYTES = 512 };

/* --- The reader --- */

struct series {
    char key[LINE_MAX_BYTES]; /* name and labels as they stand there */
    double value;
};

struct reading {
    char families[FAMILIES_MAX][96];
    size_t family_count;
    struct series series[SERIES_MAX];
    size_t series_count;
    char type[16]; /* of the newest family */
    bool helped;   /* its HELP has come, its TYPE not yet */
};

static size_t name_length(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == ':') {
        length++;
    }
    cr_assert(length > 0 && !isdigit((unsigned char)text[0]), "no name: %s", text);
    return length;
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void read_help(struct reading *reading, const char *rest)
{
    char *family = reading->families[reading->family_count];
    const size_t length = name_length(rest);

    cr_assert_lt(reading->family_count, FAMILIES_MAX);
    cr_assert_not(reading->helped, "two HELP, no TYPE: %s", rest);
    snprintf(family, sizeof reading->families[0], "%.*s", (int)length, rest);
    for (size_t i = 0; i < reading->family_count; i++) {
        cr_assert_str_neq(reading->families[i], family, "the family comes twice");
    }
    cr_assert_eq(rest[length], ' ', "%s has no help", family);
    cr_assert(isupper((unsigned char)rest[length + 1]) || isdigit((unsigned char)rest[length + 1]),
              "%s", rest);
    cr_assert(ends_with(rest, "."), "no sentence: %s", rest);
    reading->family_count++;
    reading->helped = true;
}

static void read_type(struct reading *reading, const char *rest)
{
    const char *family = reading->families[reading->family_count - 1];
    const size_t length = name_length(rest);

    cr_assert(reading->helped && strlen(family) == length && strncmp(family, rest, length) == 0,
              "TYPE without its HELP: %s", rest);
    snprintf(reading->type, sizeof reading->type, "%s", rest + length + 1);
    cr_assert(strcmp(reading->type, "gauge") == 0 || strcmp(reading->type, "counter") == 0 ||
                  strcmp(reading->type, "histogram") == 0,
              "%s", rest);
    cr_assert_eq(strcmp(reading->type, "counter") == 0, ends_with(family, "_total"),
                 "a counter, and nothing else, ends in _total: %s", family);
    reading->helped = false;
}

/* {label="value",...}, in which \, " and line feed are escaped; returns what follows. */
static const char *read_labels(const char *at)
{
    do {
        at++; /* { or , */
        at += name_length(at);
        cr_assert_eq(strncmp(at, "=\"", 2), 0, "%s", at);
        for (at += 2; *at != '"'; at++) {
            cr_assert_neq(*at, '\0', "the value does not end");
            if (*at == '\\') {
                at++;
                cr_assert(*at == '\\' || *at == '"' || *at == 'n', "%s", at);
            }
        }
        at++;
    } while (*at == ',');
    cr_assert_eq(*at, '}', "%s", at);
    return at + 1;
}

/* What follows the family's name in that of a sample. */
static bool is_ending(const char *text, size_t length, bool of_histogram)
{
    static const char *const endings[] = {"_bucket", "_sum", "_count"};

    for (size_t i = 0; of_histogram && i < sizeof endings / sizeof endings[0]; i++) {
        if (length == strlen(endings[i]) && strncmp(text, endings[i], length) == 0) {
            return true;
        }
    }
    return !of_histogram && length == 0;
}

static void read_sample(struct reading *reading, const char *line)
{
    struct series *series = &reading->series[reading->series_count];
    const size_t length = name_length(line);
    const char *at = line[length] == '{' ? read_labels(line + length) : line + length;
    char *end;

    cr_assert_lt(reading->series_count, SERIES_MAX);
    cr_assert(reading->family_count > 0 && !reading->helped, "no TYPE before %s", line);
    const char *family = reading->families[reading->family_count - 1];
    cr_assert(strlen(family) <= length && strncmp(family, line, strlen(family)) == 0,
              "%s among the samples of %s", line, family);
    cr_assert(is_ending(line + strlen(family), length - strlen(family),
                        strcmp(reading->type, "histogram") == 0),
              "%s among the samples of %s", line, family);
    snprintf(series->key, sizeof series->key, "%.*s", (int)(at - line), line);
    for (size_t i = 0; i < reading->series_count; i++) {
        cr_assert_str_neq(reading->series[i].key, series->key, "the series comes twice");
    }
    cr_assert_eq(*at, ' ', "no value: %s", line);
    series->value = strtod(at + 1, &end);
    cr_assert(end > at + 1 && *end == '\0', "no number: %s", line);
    cr_assert_geq(series->value, 0);
    reading->series_count++;
}

static struct reading *reading_of(const struct text_builder *text)
{
    struct reading *reading = calloc(1, sizeof *reading);
    char line[LINE_MAX_BYTES];

    cr_assert_not(text->failed);
    for (const char *at = text->bytes; at < text->bytes + text->length;) {
        const char *end = memchr(at, '\n', text->length - (size_t)(at - text->bytes));
        cr_assert_not_null(end, "the last line has no end");
        cr_assert_lt(end - at, LINE_MAX_BYTES);
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        if (strncmp(line, "# HELP ", 7) == 0) {
            read_help(reading, line + 7);
        } else if (strncmp(line, "# TYPE ", 7) == 0) {
            read_type(reading, line + 7);
        } else {
            read_sample(reading, line);
        }
        at = end + 1;
    }
    return reading;
}

/* The value of the series "name{label="value"}"; fails where there is none. */
static double value_of(const struct reading *reading, const char *key)
{
    for (size_t i = 0; i < reading->series_count; i++) {
        if (strcmp(reading->series[i].key, key) == 0) {
            return reading->series[i].value;
        }
    }
    cr_assert_fail("there is no %s", key);
    return 0;
}

static void expect_value(const struct reading *reading, const char *key, double value)
{
    cr_expect_float_eq(value_of(reading, key), value, 1e-7, "%s: %f", key, value_of(reading, key));
}

/* --- The scene --- */

struct scene {
    struct config config;
    struct terms terms;
    struct built_view built;
    struct member self;
    struct core_counters counters;
    struct node_traffic traffic;
    struct facts facts;
    struct log log;
    struct whole whole;
    struct metrics metrics;
};

/* A acts in a view of A, B and C; B is suspected and silent. */
static void scene_open(struct scene *scene)
{
    *scene = (struct scene){.built = view_of("A B C"), .self = member_of('A')};
    strcpy(scene->config.cluster, "doyen");
    scene->config.profile = PROFILE_LAN;
    scene->config.watchers = WATCHERS_DEFAULT;
    scene->terms.profile = PROFILE_LAN;
    scene->terms.watchers = WATCHERS_DEFAULT;
    scene->facts = (struct facts){
        .config = &scene->config,
        .terms = &scene->terms,
        .journal = journal_new(),
        .counters = &scene->counters,
        .traffic = &scene->traffic,
        .self = &scene->self,
        .view = &scene->built.view,
        .coordinator = view_coordinator(&scene->built.view),
        .phase = PHASE_MEMBER,
        .guard = {.guard = {.policy = GUARD_MAJORITY, .count = 3},
                  .needed = 2,
                  .fresh = 2,
                  .met = true},
        .acked = 3,
        .acting = true,
        .acting_ms = 40,
        .advisory = true,
        .peers = calloc(3, sizeof(struct peer_state)),
        .silent = calloc(3, sizeof(bool)),
    };
    scene->facts.voters = &scene->facts.founders;
    scene->facts.peers[1] = (struct peer_state){.heard_ms_ago = 1205, .verdict = VERDICT_LOST};
    scene->facts.peers[2] = (struct peer_state){.heard_ms_ago = 98, .linked = true};
    scene->facts.silent[1] = true;
    scene->whole = (struct whole){.state = WHOLE_SPLIT, .severity = WHOLE_BAD};
    scene->metrics = (struct metrics){
        .facts = &scene->facts, .whole = &scene->whole, .log = &scene->log};
}

static struct reading *scene_read(struct scene *scene)
{
    struct text_builder text = {0};

    metrics_write(&scene->metrics, &text);
    struct reading *reading = reading_of(&text);
    text_builder_deinit(&text);
    return reading;
}

static void scene_close(struct scene *scene)
{
    journal_free(scene->facts.journal);
    facts_deinit(&scene->facts);
    view_built_free(&scene->built);
}

struct expected {
    const char *key;
    double value;
};

static void expect_values(struct scene *scene, const struct expected *expected, size_t count)
{
    struct reading *reading = scene_read(scene);

    for (size_t i = 0; i < count; i++) {
        expect_value(reading, expected[i].key, expected[i].value);
    }
    free(reading);
}

Test(control_metrics, they_say_what_the_node_knows)
{
    static const struct expected expected[] = {
        {"doyen_members", 3},
        {"doyen_members_suspected", 1},
        {"doyen_members_silent", 1},
        {"doyen_lifelines_up", 1},
        {"doyen_heard_longest_seconds", 1.205},
        {"doyen_phase{phase=\"member\"}", 1},
        {"doyen_phase{phase=\"joining\"}", 0},
        {"doyen_ready", 1},
        {"doyen_whole{state=\"split\",severity=\"bad\"}", 1},
        {"doyen_whole{state=\"healthy\",severity=\"good\"}", 0},
        {"doyen_whole{state=\"bad link\",severity=\"warning\"}", 0},
        {"doyen_epoch", 1},
        {"doyen_view_version", 3},
        {"doyen_view_acked_members", 3},
        {"doyen_coordinator_known", 1},
        {"doyen_coordinator_is_self", 1},
        {"doyen_acting", 1},
        {"doyen_acting_left_seconds", 0.04},
        {"doyen_guard_met", 1},
        {"doyen_guard_fresh_members", 2},
        {"doyen_guard_needed_members", 2},
        {"doyen_events_total{event=\"suspect\"}", 0},
        {"doyen_keys", 0},
        {"doyen_leader_known", 1},
        {"doyen_partitions_owned", 0},
        {"doyen_partitions_settled", 0},
        {"doyen_leader_is_self", 0},
        {"doyen_voter{status=\"none\"}", 1},
    };
    struct scene scene;

    scene_open(&scene);
    scene.metrics.leader = &scene.built.view.members[1];
    expect_values(&scene, expected, sizeof expected / sizeof expected[0]);
    scene_close(&scene);
}

Test(control_metrics, they_say_what_the_node_has_counted)
{
    static const struct expected expected[] = {
        {"doyen_acting_left_ratio_bucket{le=\"0.00\"}", 1},
        {"doyen_acting_left_ratio_bucket{le=\"0.25\"}", 3},
        {"doyen_acting_left_ratio_bucket{le=\"+Inf\"}", 3},
        {"doyen_acting_left_ratio_sum", 0.5},
        {"doyen_acting_left_ratio_count", 3},
        {"doyen_messages_refused_total{reason=\"epoch_promised\",rule=\"C2b\"}", 7},
        {"doyen_messages_received_total{type=\"heartbeat\"}", 22},
        {"doyen_messages_sent_total{type=\"heartbeat\"}", 0},
        {"doyen_frames_malformed_total{reason=\"other cluster\"}", 4},
        {"doyen_changes_without_base_total", 6},
        {"doyen_user_messages_received_total", 3},
        {"doyen_user_messages_refused_total{reason=\"over budget\"}", 6},
        {"doyen_late_wakeups_total", 5},
        {"doyen_role_changes_total{change=\"granted\"}", 3},
        {"doyen_role_changes_total{change=\"lost\"}", 2},
        {"doyen_log_lines_lost_total{reason=\"unread\"}", 9},
        {"process_cpu_seconds_total", 2.000034},
        {"process_resident_memory_bytes", 8192},
        {"process_start_time_seconds", 1700000000.001},
    };
    struct scene scene;

    scene_open(&scene);
    scene.metrics.margin = (struct lease_margin){.counts = {[0] = 1, [5] = 2}, .sum = 0.5};
    scene.counters.refused[REFUSED_EPOCH_PROMISED] = 7;
    scene.counters.received[MESSAGE_HEARTBEAT] = 22;
    scene.counters.late_wakeups = 5;
    scene.traffic.malformed[WIRE_OTHER_CLUSTER] = 3;
    traffic_count_refused(&scene.traffic, WIRE_OTHER_CLUSTER);
    for (int i = 0; i < 6; i++) {
        traffic_count_refused(&scene.traffic, WIRE_BASE);
    }
    scene.traffic.user_in = 3;
    scene.traffic.user_refused[USER_FLOOD] = 6;
    scene.log.dropped_ever = 9;
    scene.metrics.roles_granted = 3;
    scene.metrics.roles_lost = 2;
    scene.metrics.process = (struct process_usage){
        .cpu_us = 2000034, .resident_bytes = 8192, .started_wall_ms = 1700000000001};

    expect_values(&scene, expected, sizeof expected / sizeof expected[0]);
    scene_close(&scene);
}

/* Nothing that happens later brings a new series, but a key, a role and a witness; nor does a
 * larger cluster. */
Test(control_metrics, the_series_are_the_same_before_anything_has_happened)
{
    struct scene scene;
    scene_open(&scene);
    struct reading *three = scene_read(&scene);
    view_built_free(&scene.built);
    scene.built = view_of("");
    scene.facts.coordinator = NULL;
    scene.facts.phase = PHASE_JOINING;
    scene.facts.acting = false;
    struct reading *none = scene_read(&scene);

    cr_assert_eq(three->series_count, none->series_count);
    for (size_t i = 0; i < three->series_count; i++) {
        cr_expect_str_eq(three->series[i].key, none->series[i].key);
    }
    expect_value(none, "doyen_ready", 0);
    expect_value(none, "doyen_coordinator_is_self", 0);
    free(none);

    scene.metrics.key_count = 2;
    scene.metrics.keys[0] = (struct key_state){.fingerprint = 0x3fa2, .seals = true, .held = 3};
    scene.metrics.keys[1] = (struct key_state){.fingerprint = 0x0017, .held = 1};
    struct reading *keys = scene_read(&scene);
    cr_assert_eq(keys->series_count, three->series_count + 4);
    expect_value(keys, "doyen_key_held_members{key=\"3fa2\"}", 3);
    expect_value(keys, "doyen_key_seals{key=\"0017\"}", 0);
    free(keys);

    scene.metrics.key_count = 0;
    scene.metrics.role_count = 2;
    scene.metrics.roles[0] = (struct metrics_role){.role = "backup", .candidates = 2, .held = 1};
    scene.metrics.roles[1] = (struct metrics_role){.role = "job", .candidates = 1};
    struct reading *roles = scene_read(&scene);
    cr_assert_eq(roles->series_count, three->series_count + 4);
    expect_value(roles, "doyen_role_candidates{role=\"backup\"}", 2);
    expect_value(roles, "doyen_role_held{role=\"backup\"}", 1);
    expect_value(roles, "doyen_role_held{role=\"job\"}", 0);
    free(roles);
    free(three);
    scene_close(&scene);
}

/* Z16b, Z17: a witness that has not answered yet has no age. */
Test(control_metrics, witnesses_and_replaced_voters_are_told)
{
    struct scene scene;
    scene_open(&scene);
    scene.facts.founders = (struct voter_lists){
        .count = 2,
        .voters = {{.name = "one", .now = true}, {.name = "third", .now = true, .witness = true}}};
    scene.facts.contacts[1].answered_ms_ago = NEVER_MS;
    scene.counters.voters_replaced[WISHER_OPERATOR] = 2;
    scene.counters.voters_replaced[WISHER_AUTOPILOT] = 5;
    struct reading *before = scene_read(&scene);
    scene.facts.contacts[1].answered_ms_ago = 40213;
    struct reading *reading = scene_read(&scene);
    cr_assert_eq(reading->series_count, before->series_count + 1);
    expect_value(reading, "doyen_witness_last_answer_seconds{voter=\"third\"}", 40.213);
    expect_value(reading, "doyen_voters_replaced_total{by=\"operator\"}", 2);
    expect_value(reading, "doyen_voters_replaced_total{by=\"autopilot\"}", 5);
    free(before);
    free(reading);
    scene_close(&scene);
}

Test(control_metrics, labels_are_escaped)
{
    struct scene scene;
    scene_open(&scene);
    strcpy(scene.config.cluster, "a\"b\\c\nd");

    struct reading *reading = scene_read(&scene);
    expect_value(reading,
                 "doyen_node_info{cluster=\"a\\\"b\\\\c\\nd\",name=\"A\","
                 "profile=\"lan\",guard=\"majority\",acting=\"advisory\"}",
                 1);
    free(reading);
    scene_close(&scene);
}

/* The page names each family; its names are what dashboards and alerts are written against. */
Test(control_metrics, each_family_is_in_the_contract)
{
    static char page[1 << 18];
    FILE *file = fopen(VECTORS_DIR "/../control.md", "r");
    struct scene scene;

    cr_assert_not_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    scene_open(&scene);
    scene.metrics.key_count = 1;
    scene.metrics.role_count = 1;
    scene.metrics.roles[0] = (struct metrics_role){.role = "job"};
    struct reading *reading = scene_read(&scene);
    for (size_t i = 0; i < reading->family_count; i++) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "`%s", reading->families[i]);
        cr_expect_not_null(strstr(page, quoted), "proto/control.md does not name %s",
                           reading->families[i]);
    }
    free(reading);
    scene_close(&scene);
}

Test(control_metrics, a_process_sees_what_it_uses)
{
    struct process_meter meter;
    process_meter_open(&meter);
    const struct process_usage before = process_meter_read(&meter);
    FILE *file = tmpfile();
    const struct process_usage after = process_meter_read(&meter);

    cr_expect_gt(before.resident_bytes, 100 * 1024);
    cr_expect_eq(after.descriptors, before.descriptors + 1);
    cr_expect_gt(before.descriptors_max, before.descriptors);
    cr_expect_geq(after.cpu_us, before.cpu_us);
    cr_expect_gt(before.started_wall_ms, 1600000000000);
    fclose(file);
    process_meter_close(&meter);

    const struct process_usage closed = process_meter_read(&meter);
    cr_expect_eq(closed.resident_bytes, 0);
    cr_expect_eq(closed.descriptors, 0);
}

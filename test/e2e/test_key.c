/* A cluster with a key: it keeps out who has none, and who has another; and what was recorded is
 * worth nothing. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "fixture.h"

static uint64_t counter(struct cluster *cluster, const char *name, const char *key)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return number_of(json_object_get(status, "counters"), key);
}

static uint64_t not_opened(struct cluster *cluster, const char *name, const char *reason)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return number_of(json_object_get(json_object_get(status, "counters"), "not_opened"), reason);
}

Story(key, nodes_with_the_same_key_form_a_cluster_and_carry_each_other)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium cyrene");
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene");
    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene athens");
    const json_t *status = cluster_document(cluster, "byzantium", "/v1/status");
    const json_t *keys = json_object_get(json_object_get(status, "security"), "keys");
    cr_assert_eq(json_array_size(keys), 1);
    const json_t *algorithms = json_object_get(json_object_get(status, "security"), "algorithms");
    cr_assert_str_eq(json_string_value(json_array_get(algorithms, 0)), "chacha20-poly1305");
    cr_assert(doyen(cluster, "byzantium", ARGS("status")).code == 0);
    cr_assert_eq(not_opened(cluster, "byzantium", "not authentic"), 0);
    cr_assert_eq(not_opened(cluster, "byzantium", "played back or too old"), 0);
}

/* D2b: athens was started again while byzantium did not see it, as behind a cut. The new process
 * says who it is, so byzantium need not wait for T_stall, which is 60 s here. */
Story(key, who_was_started_again_unseen_is_found_dead_by_who_answers_there)
{
    struct cluster *cluster = cluster_new(ARGS("--fail-after", "30s"));

    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium");
    cluster_pause(cluster, "byzantium");
    cluster_kill(cluster, "athens");
    cluster_restart(cluster, "athens");
    assert_soon(strcmp(cluster_view(cluster, "athens"), "silent") != 0);
    cluster_resume(cluster, "byzantium");
    assert_soon(cluster_log_has(cluster, "byzantium", "name=athens verdict=dead"));
}

Story(key, a_view_that_is_too_long_for_a_datagram_travels_sealed_by_stream)
{
    static char tag[400] = "note=";
    struct cluster *cluster = cluster_new(ARGS("--tag", tag));

    memset(tag + 5, 'x', sizeof tag - 6);
    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium cyrene delphi");
    cr_assert_gt(counter(cluster, "athens", "frames_out"), 3);
}

/* They found a cluster of their own, or none; ours does not change. */
static void assert_kept_out(struct cluster *cluster, const char *view)
{
    cr_assert_str_eq(cluster_view(cluster, "athens"), view);
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), view);
}

Story(key, who_has_no_key_or_another_is_kept_out)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium");
    const char *view = text_kept("%s", cluster_view(cluster, "athens"));

    cluster->key = NULL;
    cluster_start(cluster, "stranger", "athens", ARGS("--join-timeout", "2s"));
    cr_assert_eq(cluster_await_end(cluster, "stranger"), 1);
    assert_kept_out(cluster, view);
    cr_assert_gt(counter(cluster, "athens", "without_key"), 0);
    cr_assert(cluster_log_has(cluster, "athens", "sends without a key"));
    cr_assert(cluster_log_has(cluster, "stranger", "answers, but asks for a key"));

    cluster_make_key(cluster, "another");
    cluster_start(cluster, "thief", "athens byzantium", ARGS("--join-timeout", "2s"));
    cr_assert_eq(cluster_await_end(cluster, "thief"), 1);
    assert_kept_out(cluster, view);
    cr_assert_gt(not_opened(cluster, "athens", "other key"), 0);
    cr_assert(cluster_log_has(cluster, "athens", "sends with another key: ours"));
    cr_assert(cluster_log_has(cluster, "thief", "answers, but holds another key: ours"));
    cr_assert(cluster_log_has(cluster, "thief", "not let in within --join-timeout: 127."));
    cr_assert_leq(cluster_log_count(cluster, "athens", "other_key"), 2, "one line of each kind");
    cr_assert_eq(cluster_log_count(cluster, "athens", "suspect"), 0);
}

/* The other way round: the cluster has no key, who comes has one. */
Story(key, a_node_with_a_key_hears_that_the_others_have_none)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    cluster_make_key(cluster, "key");
    cluster_start(cluster, "cyrene", "athens", ARGS("--join-timeout", "2s"));
    cr_assert_eq(cluster_await_end(cluster, "cyrene"), 1);
    cr_assert(cluster_log_has(cluster, "athens", "sends with a key"));
    cr_assert(cluster_log_has(cluster, "cyrene", "answers, but has no key"));
    cr_assert_gt(not_opened(cluster, "athens", "other key"), 0);
    assert_text_has(doyen(cluster, "athens", ARGS("status")).out,
                    "sealed with a key that this node has not");
    cr_assert(cluster_agrees(cluster, "athens byzantium", 1000));
}

Story(key, keys_are_made_and_refused_on_the_command_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *file = cluster_path(cluster, "key");

    const struct outcome made = doyend(cluster, ARGS("--make-key", file));
    cr_assert_eq(made.code, 0, "%s", made.err);
    cr_assert_not_null(strstr(made.out, file));
    const struct outcome again = doyend(cluster, ARGS("--make-key", file));
    cr_assert_eq(again.code, 1);
    cr_assert_not_null(strstr(again.err, "never overwritten"));
    cr_assert_eq(line_count(again.err), 1);

    const struct outcome bare = doyend(
        cluster, ARGS("--name", "a", "--listen", "0.0.0.0:0", "--advertise", "192.0.2.1:7420"));
    cr_assert_neq(bare.code, 0);
    const struct outcome open = doyend(cluster,
                                       ARGS("--name", "a", "--listen", "0.0.0.0:7420",
                                            "--advertise", "192.0.2.1:7420", "--control", file));
    cr_assert_eq(open.code, 78, "%d: %s", open.code, open.err);
    cr_assert_not_null(strstr(open.err, "--key"));
    cr_assert_eq(line_count(open.err), 1);
    const struct outcome both = doyend(
        cluster, ARGS("--key", file, "--insecure", "--listen", "127.0.0.1:7420", "--check"));
    cr_assert_neq(both.code, 0);
    cr_assert_not_null(strstr(both.err, "contradicts"));
    const struct outcome missing = doyend(
        cluster, ARGS("--key", "/nowhere/key", "--listen", "127.0.0.1:7420", "--name", "a"));
    cr_assert_eq(missing.code, 78);
    cr_assert_not_null(strstr(missing.err, "--make-key"));
}

Story(key, a_node_that_strangers_can_rule_says_so)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct daemon *daemon = cluster_daemon(cluster, "athens");
    const uint16_t port = loopback_port("0.0.0.0");

    daemon->port = port;
    daemon->address = text_kept("%s:%u", cluster->host, port);
    cluster_start(cluster, "athens", "athens",
                  ARGS("--listen", text_kept("0.0.0.0:%u", port), "--advertise", daemon->address,
                       "--insecure"));
    assert_agreement(cluster, "athens");
    cr_assert_eq(cluster_log_count(cluster, "athens", "insecure"), 1);
    const json_t *status = cluster_document(cluster, "athens", "/v1/status");
    cr_assert(json_is_true(json_object_get(json_object_get(status, "security"), "insecure")));
    cr_assert_not_null(strstr(doyen(cluster, "athens", ARGS("status")).out, "whoever can send"));
}

/* --- Played back --- */

enum { RECORDS = 400, RECORD_MS = 20000, HEARTBEATS = 48 };

#define EVERYBODY "athens byzantium cyrene delphi ephesus"

/* With DOYEN_E2E_RECORD_S in the environment, all that passes in so many seconds is recorded. */
static uint64_t record_wanted_ms(void)
{
    const char *seconds = getenv("DOYEN_E2E_RECORD_S");

    return seconds == NULL ? 0 : strtoull(seconds, NULL, 10) * 1000;
}

/* Runs the cluster until so many datagrams were recorded. */
static void record(struct capture *capture, size_t count)
{
    const uint64_t since_ms = clock_now_ms();
    const uint64_t wanted_ms = record_wanted_ms();

    while ((capture->count < count && clock_now_ms() - since_ms < RECORD_MS) ||
           clock_now_ms() - since_ms < wanted_ms) {
        capture_more(capture);
    }
    cr_assert_geq(capture->count, count, "only %zu datagrams", capture->count);
}

/* Sends all that was recorded to each of the daemons, in order or not. */
static void play_back(struct capture *capture, struct cluster *cluster, bool shuffled)
{
    const size_t step = shuffled ? 1237 : 1; /* a prime: it comes by all of them */

    for (size_t i = 0; i < capture->count; i++) {
        const struct captured *one = &capture->items[i * step % capture->count];
        for (size_t d = 0; d < cluster->daemon_count; d++) {
            capture_send(capture, one, cluster->daemons[d].port);
        }
    }
    capture_answers(capture);
}

static uint64_t suspicions(struct cluster *cluster)
{
    uint64_t count = 0;

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        count += cluster_log_count(cluster, cluster->daemons[i].name, "suspect") +
                 cluster_log_count(cluster, cluster->daemons[i].name, "cleared");
    }
    return count;
}

/* Each in turn, so that in the end all are other lives than those that were recorded. */
static void restart_all(struct cluster *cluster)
{
    static const char *const after[][2] = {
        {"athens", "byzantium cyrene delphi ephesus athens"},
        {"byzantium", "cyrene delphi ephesus athens byzantium"},
        {"cyrene", "delphi ephesus athens byzantium cyrene"},
        {"delphi", "ephesus athens byzantium cyrene delphi"},
        {"ephesus", EVERYBODY},
    };

    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        cr_assert_eq(cluster_terminate(cluster, after[i][0]), 0);
        cluster_restart(cluster, after[i][0]);
        assert_agreement(cluster, after[i][1]);
    }
}

/* What was recorded, joins and a take-over among it, changes nothing when it comes again: not at
 * the nodes that it was for, not at others, not at one that was stopped, nor when all have started
 * anew. And whoever sends it gets no more back than it sent. */
Story(key, what_was_recorded_changes_nothing_when_it_is_played_back)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct capture capture;

    if (!capture_open(&capture, cluster->host)) {
        capture_close(&capture);
        cr_skip_test("only root sees what passes");
    }
    cluster_make_key(cluster, "key");
    cluster_form(cluster, EVERYBODY);
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus athens");
    record(&capture, RECORDS);
    const char *view = text_kept("%s", cluster_view(cluster, "byzantium"));
    const uint64_t suspected = suspicions(cluster);

    play_back(&capture, cluster, false);
    play_back(&capture, cluster, true);
    cr_assert_gt(not_opened(cluster, "byzantium", "played back or too old"), 0);
    cr_assert_gt(not_opened(cluster, "byzantium", "sender's address not proved"), 0);
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), view);
    cr_assert(cluster_agrees(cluster, "byzantium cyrene delphi ephesus athens", 1000));
    cluster_pause(cluster, "cyrene");
    play_back(&capture, cluster, false);
    play_back(&capture, cluster, true);
    cluster_resume(cluster, "cyrene");
    cr_assert(cluster_agrees(cluster, "byzantium cyrene delphi ephesus athens", 5000));
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), view);
    cr_assert_eq(suspicions(cluster), suspected);

    restart_all(cluster);
    const char *later = text_kept("%s", cluster_view(cluster, "byzantium"));
    const uint64_t suspected_later = suspicions(cluster);
    play_back(&capture, cluster, false);
    play_back(&capture, cluster, true);
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), later);
    cr_assert(cluster_agrees(cluster, EVERYBODY, 1000));
    cr_assert_eq(suspicions(cluster), suspected_later);

    cr_assert_leq(capture.bytes_in, capture.bytes_out, "%lu bytes for %lu",
                  (unsigned long)capture.bytes_in, (unsigned long)capture.bytes_out);
    cr_assert_gt(capture.bytes_in, 0, "challenges, at least");
    capture_close(&capture);
}

/* --- Rotation --- */

static bool held_by(struct cluster *cluster, const char *name, const char *key, uint64_t members)
{
    const json_t *document = cluster_document(cluster, name, "/v1/keys");
    const json_t *keys = json_object_get(document, "keys");

    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *entry = json_array_get(keys, i);
        if (strcmp(text_of(entry, "key"), key) == 0) {
            return number_of(entry, "held") == members && number_of(entry, "members") == members;
        }
    }
    return false;
}

/* The fingerprint of the first key. */
static const char *first_key(struct cluster *cluster, const char *name)
{
    const json_t *document = cluster_document(cluster, name, "/v1/keys");

    return text_kept("%s", text_of(json_array_get(json_object_get(document, "keys"), 0), "key"));
}

static void copy_lines(const char *to, const char *mode, const char *from)
{
    char line[128];
    FILE *in = fopen(from, "r");
    FILE *out = fopen(to, mode);

    cr_assert(in != NULL && out != NULL);
    while (fgets(line, sizeof line, in) != NULL) {
        fputs(line, out);
    }
    fclose(in);
    cr_assert_eq(fclose(out), 0);
    cr_assert_eq(chmod(to, 0600), 0);
}

static const char *const members[] = {"athens", "byzantium", "cyrene"};
enum { MEMBERS = 3 };

static const char *file_of(struct cluster *cluster, size_t i)
{
    return cluster_path(cluster, text_kept("key-%s", members[i]));
}

/* Starts the members one after the other, each with a copy of this key file as its own. */
static void form_with_copies(struct cluster *cluster, const char *key_file)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        copy_lines(file_of(cluster, i), "w", key_file);
        cluster->key = file_of(cluster, i);
        cluster_start(cluster, members[i], "athens", NO_ARGS);
        assert_soon(strstr(cluster_view(cluster, "athens"), members[i]) != NULL);
    }
    assert_agreement(cluster, "athens byzantium cyrene");
}

/* Runs doyen keys with these words on all members. */
static void on_all(struct cluster *cluster, const char *what, const char *key)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        const struct outcome outcome = key == NULL
                                           ? doyen(cluster, members[i], ARGS("keys", what))
                                           : doyen(cluster, members[i], ARGS("keys", what, key));
        cr_assert_eq(outcome.code, 0, "%s: %s", members[i], outcome.err);
    }
}

/* Three members, each with a file of its own, go from one key to another: nobody is suspected, and
 * each step that would leave somebody behind is refused. */
Story(key, a_cluster_goes_from_one_key_to_another)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "old");
    const char *old_file = cluster->key;
    cluster_make_key(cluster, "new");
    const char *new_file = cluster->key;
    form_with_copies(cluster, old_file);
    const char *old_key = first_key(cluster, "athens");

    /* Added in one file alone, it cannot be used; nor can another one be made the only one. */
    copy_lines(file_of(cluster, 0), "a", new_file);
    cr_assert_eq(doyen(cluster, "athens", ARGS("keys", "reload")).code, 0);
    const json_t *keys = json_object_get(cluster_document(cluster, "athens", "/v1/keys"), "keys");
    cr_assert_eq(json_array_size(keys), 2);
    const char *new_key = text_kept("%s", text_of(json_array_get(keys, 1), "key"));
    const struct outcome early = doyen(cluster, "athens", ARGS("keys", "use", new_key));
    cr_assert_eq(early.code, 1);
    cr_assert_not_null(strstr(early.err, "is not held by"), "%s", early.err);
    cluster_kill(cluster, "cyrene");
    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "athens");
    const struct outcome gone = doyen(cluster, "athens", ARGS("keys", "use", new_key));
    cr_assert_eq(gone.code, 1, "they may be back the next moment");
    cr_assert_not_null(strstr(gone.err, "which went a moment ago"), "%s", gone.err);
    cluster_restart(cluster, "byzantium");
    assert_agreement(cluster, "athens byzantium");
    cluster_restart(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium cyrene");
    const uint64_t suspected = suspicions(cluster);
    copy_lines(file_of(cluster, 1), "w", new_file);
    cr_assert_eq(doyen(cluster, "byzantium", ARGS("keys", "reload")).code, 1);
    cr_assert_str_eq(first_key(cluster, "byzantium"), old_key);

    copy_lines(file_of(cluster, 1), "w", old_file);
    copy_lines(file_of(cluster, 1), "a", new_file);
    copy_lines(file_of(cluster, 2), "a", new_file);
    cr_assert_eq(doyen(cluster, "byzantium", ARGS("keys", "reload")).code, 0);
    cr_assert_eq(kill(cluster_daemon(cluster, "cyrene")->process.pid, SIGHUP), 0);
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_soon(held_by(cluster, members[i], new_key, MEMBERS));
    }

    on_all(cluster, "use", new_key);
    cr_assert_str_eq(first_key(cluster, "cyrene"), new_key);
    cr_assert_eq(doyen(cluster, "athens", ARGS("keys", "remove", new_key)).code, 1);
    copy_lines(file_of(cluster, 1), "w", new_file); /* As by another node that shares the file. */
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_soon(doyen(cluster, members[i], ARGS("keys", "remove", old_key)).code == 0);
    }
    const struct outcome again = doyen(cluster, "byzantium", ARGS("keys", "remove", old_key));
    cr_assert_eq(again.code, 1);
    assert_text_has(again.err, "is gone already");
    cr_assert(cluster_agrees(cluster, "athens byzantium cyrene", 1000));
    cr_assert_eq(suspicions(cluster), suspected);

    cluster_kill(cluster, "cyrene"); /* What was changed is in the file, too. */
    cluster_restart(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium cyrene");
    cr_assert_str_eq(first_key(cluster, "cyrene"), new_key);
    const struct outcome shown = doyen(cluster, "cyrene", ARGS("keys"));
    cr_assert_eq(shown.code, 0);
    cr_assert_not_null(strstr(shown.out, "seals"));
}

/* --- Under load --- */

enum { BUSY = 2 }; /* processors */

/* Keeps so many processors busy until they are given up. */
static void begin_load(pid_t busy[BUSY])
{
    for (size_t i = 0; i < BUSY; i++) {
        const pid_t parent = getpid();
        busy[i] = fork();
        cr_assert_geq(busy[i], 0);
        if (busy[i] == 0) {
            volatile uint64_t turns = 0;
            if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
                _exit(1);
            }
            for (;;) {
                turns++;
            }
        }
    }
}

static void end_load(const pid_t busy[BUSY])
{
    for (size_t i = 0; i < BUSY; i++) {
        cr_assert_eq(kill(busy[i], SIGKILL), 0);
        cr_assert_eq(waitpid(busy[i], NULL, 0), busy[i]);
    }
}

/* Add, reload, held by all, use, used by nobody any more, remove: on two busy processors nobody is
 * suspected at any step, and the view stays. */
Story(key, a_cluster_changes_its_key_under_load_without_a_suspicion)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    pid_t busy[BUSY];

    cluster_make_key(cluster, "new");
    const char *new_file = cluster->key;
    cluster_make_key(cluster, "old");
    const char *old_file = cluster->key;
    form_with_copies(cluster, old_file);
    const char *old_key = first_key(cluster, "athens");
    const char *view = cluster_view(cluster, "athens");

    begin_load(busy);
    for (size_t i = 0; i < MEMBERS; i++) {
        copy_lines(file_of(cluster, i), "a", new_file);
    }
    on_all(cluster, "reload", NULL);
    const json_t *keys = json_object_get(cluster_document(cluster, "athens", "/v1/keys"), "keys");
    const char *new_key = text_kept("%s", text_of(json_array_get(keys, 1), "key"));
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_soon(held_by(cluster, members[i], new_key, MEMBERS));
    }
    on_all(cluster, "use", new_key);
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_soon(doyen(cluster, members[i], ARGS("keys", "remove", old_key)).code == 0);
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_soon(held_by(cluster, members[i], new_key, MEMBERS));
        cr_assert_str_eq(cluster_view(cluster, members[i]), view);
    }
    end_load(busy);
    cr_assert_eq(suspicions(cluster), 0);
}

/* --- Wall clocks --- */

#if defined __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

static bool is_sanitized(void)
{
#if defined __SANITIZE_ADDRESS__ || HAS_FEATURE(address_sanitizer)
    return true;
#else
    return false;
#endif
}

/* Writes by how much the wall clock of all daemons is off from now on. */
static void set_clocks(const char *path, int64_t off_s)
{
    FILE *file = fopen(path, "r+");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(&off_s, sizeof off_s, 1, file), 1);
    cr_assert_eq(fclose(file), 0);
}

/* What the daemon takes for the present year. */
static int year_at(struct cluster *cluster, const char *name)
{
    const struct outcome outcome = doyen(cluster, name, ARGS("status", "--json"));
    const json_t *status = document_kept(outcome.out);

    return atoi(text_of(json_object_get(status, "last_change"), "time"));
}

/* Nothing that a frame counts for is measured by the wall clock. */
Story(key, a_wall_clock_that_is_set_back_a_year_and_forward_ten_changes_nothing)
{
    static const int64_t year_s = 365 * 24 * 3600;
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "clock");
    FILE *file = fopen(path, "w");

    cr_assert(file != NULL && fclose(file) == 0);
    set_clocks(path, 0);
    if (is_sanitized()) {
        cr_skip_test("a sanitizer wants to be loaded first");
    }
    cr_assert_eq(setenv("DOYEN_TEST_CLOCK", path, 1), 0);
    cr_assert_eq(setenv("LD_PRELOAD", DOYEN_WALL_CLOCK_PATH, 1), 0);
    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium cyrene");
    const char *view = cluster_view(cluster, "athens");
    const int year = year_at(cluster, "athens");
    static const int years[] = {-1, 10, 0};

    for (size_t i = 0; i < sizeof years / sizeof years[0]; i++) {
        const uint64_t received = counter(cluster, "athens", "datagrams_in");
        set_clocks(path, years[i] * year_s);
        assert_soon(counter(cluster, "athens", "datagrams_in") > received + HEARTBEATS);
        cr_assert_str_eq(cluster_view(cluster, "athens"), view);
        cr_assert_eq(suspicions(cluster), 0);
        cr_assert_eq(not_opened(cluster, "athens", "played back or too old"), 0);
    }
    set_clocks(path, -year_s);
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);
    cluster_restart(cluster, "cyrene"); /* It starts a year ago, and is let in. */
    assert_agreement(cluster, "athens byzantium cyrene");
    const int then = year_at(cluster, "athens");
    cr_assert(then == year - 1 || then == year - 2, "the clock was never off: %d", then);
}

/* A cluster without a key gets one while it runs: each member is started again with --auth accept,
 * and then again without. They are members all the while, and nobody is suspected. */
Story(key, a_cluster_gets_its_first_key_one_member_after_the_other)
{
    static const char *const rounds[] = {"accept", "require"};
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *names = "athens byzantium cyrene";

    cluster_form(cluster, names);
    cluster_make_key(cluster, "key");
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < MEMBERS; i++) {
            cr_assert_eq(cluster_terminate(cluster, members[i]), 0);
            cluster_start(cluster, members[i], names, ARGS("--auth", rounds[round]));
            assert_agreement(cluster, i == 0   ? "byzantium cyrene athens"
                                      : i == 1 ? "cyrene athens byzantium"
                                               : "athens byzantium cyrene");
        }
        const json_t *status = cluster_document(cluster, "athens", "/v1/status");
        cr_assert_str_eq(text_of(json_object_get(status, "security"), "auth"), rounds[round]);
    }
    cr_assert_eq(suspicions(cluster), 0);
    cluster->key = NULL;
    cluster_start(cluster, "stranger", "athens", ARGS("--join-timeout", "2s"));
    cr_assert_eq(cluster_await_end(cluster, "stranger"), 1, "now the key is needed");
}

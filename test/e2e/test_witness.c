/* Two nodes and a witness, as real processes: rules Z16. A doyen-witness votes in clusters that it
 * is no member of, one process for many of them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

enum { DONE = 0, REFUSED = 1, FAILED = 1, TIMED_OUT = 5, USAGE = 64, CONFIGURATION = 78 };
enum { SANITIZED_KB = 1 << 30 }; /* more address space than this is a sanitizer's shadow */

/* Long enough that no view fits a datagram: it goes to the witness by stream. */
static const char long_tag[] =
    "note=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/* --- Nodes --- */

static bool acts(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

static bool has_members(struct cluster *cluster, const char *name, size_t count)
{
    return json_array_size(json_object_get(cluster_members(cluster, name), "members")) == count;
}

static const char *state_of(struct cluster *cluster, const char *name)
{
    return cluster_path(cluster, text_kept("%s.state", name));
}

/* Two nodes that are one cluster of that name, both of them voters; the first one acts. Their key
 * is in the directory of the witness. */
static void form(struct cluster *cluster, const char *name, const char *first, const char *second)
{
    const char *voters = text_kept("%s,%s", first, second);
    const char *nodes[] = {first, second};

    (void)mkdir(cluster_path(cluster, "keys"), 0700);
    cluster_make_key(cluster, text_kept("keys/%s.key", name));
    for (size_t i = 0; i < 2; i++) {
        cluster_start(cluster, nodes[i], first,
                      ARGS("--cluster", name, "--guard", "strict", "--voters", voters,
                           "--state-dir", state_of(cluster, nodes[i])));
    }
    assert_soon(has_members(cluster, first, 2) && has_members(cluster, second, 2));
    assert_soon(acts(cluster, first) || acts(cluster, second));
}

/* Of the two, the one that acts; and the other. */
static const char *who_acts(struct cluster *cluster, const char *first, const char *second)
{
    assert_soon(acts(cluster, first) || acts(cluster, second));
    return acts(cluster, first) ? first : second;
}

static const char *other_of(const char *name, const char *first, const char *second)
{
    return strcmp(name, first) == 0 ? second : first;
}

/* --- Voters --- */

static struct daemon *start_witness(struct cluster *cluster, const char *const *arguments)
{
    return cluster_start_witness(cluster, "witness", cluster_path(cluster, "keys"), arguments);
}

static const json_t *voter(struct cluster *cluster, const char *at, const char *name)
{
    return entry_of(cluster_document(cluster, at, "/v1/voters"), "voters", name);
}

static const char *record_of(struct cluster *cluster, const char *at, const char *name)
{
    return text_kept("%s", text_of(voter(cluster, at, name), "record_id"));
}

static void assert_done(struct cluster *cluster, const char *from, const char *const *arguments)
{
    const struct outcome outcome = doyen(cluster, from, arguments);

    cr_assert_eq(outcome.code, DONE, "%d: %s%s%s", outcome.code, outcome.out, outcome.err,
                 daemons_text());
}

static void add_witness(struct cluster *cluster, const char *from)
{
    const struct daemon *witness = cluster_daemon(cluster, "witness");

    assert_done(cluster, from, ARGS("voters", "add", "w", "--witness", witness->address));
}

/* Kills the one that acts; the other one has to. Returns its name. */
static const char *lose_the_acting(struct cluster *cluster, const char *first, const char *second)
{
    const char *lost = who_acts(cluster, first, second);
    const char *left = other_of(lost, first, second);

    cluster_kill(cluster, lost);
    assert_soon(acts(cluster, left));
    return left;
}

/* --- Files --- */

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "we");

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    cr_assert_eq(chmod(path, mode), 0);
}

/* --- Metrics --- */

static const char *metrics_of(const struct cluster *cluster, uint16_t port)
{
    struct http_answer answer;
    const int fd = dial_tcp(cluster->host, port);

    if (fd < 0 || !http_ask(fd, "GET", "/metrics", NULL, LIMIT_MS, &answer)) {
        return "";
    }
    const char *text = text_kept("%s", answer.body);
    http_answer_deinit(&answer);
    (void)close(fd);
    return text;
}

/* What the metrics say of a family; "" before they do. */
static const char *sample(const struct cluster *cluster, uint16_t port, const char *family)
{
    const char *text = metrics_of(cluster, port);
    const char *line = text_kept("\ndoyen_witness_%s ", family);
    const char *at = strstr(text, line);

    return at == NULL ? ""
                      : text_kept("%.*s", (int)strcspn(at + strlen(line), "\n"), at + strlen(line));
}

static bool counts_more(const struct cluster *cluster, uint16_t port, const char *family,
                        double than)
{
    return strtod(sample(cluster, port, family), NULL) > than;
}

/* --- The stories --- */

Story(witness, either_of_two_nodes_may_be_lost)
{
    struct cluster *cluster = cluster_new(ARGS("--tag", long_tag));

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    const json_t *listed = voter(cluster, "byzantium", "w");
    cr_assert(json_is_true(json_object_get(listed, "witness")));
    cr_assert(json_is_false(json_object_get(listed, "member")));
    cr_assert_str_eq(text_of(listed, "address"), cluster_daemon(cluster, "witness")->address);
    assert_soon(strcmp(text_of(voter(cluster, "athens", "w"), "voter"), "votes") == 0);
    assert_soon(strcmp(text_of(voter(cluster, "byzantium", "w"), "voter"), "votes") == 0);

    const char *left = lose_the_acting(cluster, "athens", "byzantium");
    const uint64_t epoch = cluster_epoch(cluster, left);
    cluster_restart(cluster, other_of(left, "athens", "byzantium"));
    assert_soon(has_members(cluster, "athens", 2) && has_members(cluster, "byzantium", 2));
    const char *last = lose_the_acting(cluster, "athens", "byzantium");
    cr_assert_gt(cluster_epoch(cluster, last), epoch);
}

Story(witness, one_node_grows_to_two_and_a_witness)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "strict", "--voters", "athens"));

    cr_assert_eq(mkdir(cluster_path(cluster, "keys"), 0700), 0);
    cluster_make_key(cluster, "keys/doyen.key");
    cluster_start(cluster, "athens", "athens", ARGS("--state-dir", state_of(cluster, "athens")));
    cluster_start(cluster, "byzantium", "athens",
                  ARGS("--state-dir", state_of(cluster, "byzantium")));
    assert_soon(has_members(cluster, "athens", 2) && acts(cluster, "athens"));
    const char *const *set = ARGS("voters", "set", "athens,byzantium,w", "--witness",
                                  start_witness(cluster, NO_ARGS)->address);
    assert_done(cluster, "byzantium", set);
    assert_soon(has_members(cluster, "byzantium", 2));
    cluster_kill(cluster, "athens");
    assert_soon(acts(cluster, "byzantium"));
}

Story(witness, while_both_nodes_are_there_the_witness_may_be_lost)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    const char *acting = who_acts(cluster, "athens", "byzantium");
    const uint64_t epoch = cluster_epoch(cluster, acting);
    cluster_kill(cluster, "witness");
    assert_done(cluster, acting, ARGS("tag", "set", "lost=witness")); /* A view more. */
    assert_done(cluster, "byzantium", ARGS("voters", "remove", "w"));
    cr_assert_eq(cluster_epoch(cluster, acting), epoch, "nobody took over");
    cr_assert(acts(cluster, acting));
}

/* H86: the record is gone with its disk, and one command gives the witness another one. */
Story(witness, that_has_lost_its_disk_is_replaced_by_one_command)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    const char *record = record_of(cluster, "athens", "w");
    cluster_kill(cluster, "witness");
    cr_assert_eq(unlink(text_kept("%s/doyen.voter", state_of(cluster, "witness"))), 0);
    cluster_restart(cluster, "witness");
    assert_done(cluster, "athens", ARGS("voters", "replace", "w"));
    cr_assert_str_neq(record_of(cluster, "athens", "w"), record);
    (void)lose_the_acting(cluster, "athens", "byzantium");
}

Story(witness, goes_on_with_its_record_after_a_restart)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    const char *record = record_of(cluster, "athens", "w");
    cr_assert_eq(cluster_terminate(cluster, "witness"), 0);
    cluster_restart(cluster, "witness");
    (void)lose_the_acting(cluster, "athens", "byzantium");
    cr_assert(cluster_log_has(cluster, "witness", text_kept("record=%s: votes", record)));
}

/* Z3b: what it has promised is not known, so it promises nothing else. */
Story(witness, that_finds_its_record_damaged_does_not_vote_until_it_is_replaced)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    cluster_kill(cluster, "witness");
    write_file(text_kept("%s/doyen.voter", state_of(cluster, "witness")), "a record?", 0600);
    cluster_restart(cluster, "witness");
    assert_soon(cluster_log_has(cluster, "witness", ": damaged record"));
    assert_done(cluster, "athens", ARGS("voters", "replace", "w"));
    (void)lose_the_acting(cluster, "athens", "byzantium");
}

/* Z1c: nothing is granted before it is on disk. A directory stands where the record is written. */
Story(witness, that_cannot_write_its_record_grants_nothing)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "doyen", "athens", "byzantium");
    const char *const *add = ARGS("voters", "add", "w", "--witness",
                                  start_witness(cluster, NO_ARGS)->address, "--timeout", "1s");
    const char *in_the_way = text_kept("%s/doyen.voter.new", state_of(cluster, "witness"));
    assert_soon(mkdir(in_the_way, 0700) == 0);
    cr_assert_eq(doyen(cluster, "athens", add).code, TIMED_OUT);
    assert_soon(cluster_log_has(cluster, "witness", "cannot write"));
    cr_assert_eq(rmdir(in_the_way), 0);
    add_witness(cluster, "athens");
    (void)lose_the_acting(cluster, "athens", "byzantium");
}

/* A witness that moves has another address, and another disk. */
Story(witness, moves_to_another_host)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    cluster_kill(cluster, "witness");
    const struct daemon *next = cluster_start_witness(cluster, "next",
                                                      cluster_path(cluster, "keys"), NO_ARGS);
    assert_done(cluster, "athens", ARGS("voters", "replace", "w", "--witness", next->address));
    cr_assert_str_eq(text_of(voter(cluster, "athens", "w"), "address"), next->address);
    (void)lose_the_acting(cluster, "athens", "byzantium");
}

/* H86: two clusters with one witness do not mix. */
Story(witness, two_clusters_with_one_witness_do_not_mix)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "red", "athens", "byzantium");
    form(cluster, "blue", "corinth", "delphi");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    add_witness(cluster, "corinth");
    cr_assert_str_neq(record_of(cluster, "athens", "w"), record_of(cluster, "corinth", "w"));
    const char *blue = who_acts(cluster, "corinth", "delphi");
    const uint64_t epoch = cluster_epoch(cluster, blue);
    (void)lose_the_acting(cluster, "athens", "byzantium");
    cr_assert_eq(cluster_epoch(cluster, blue), epoch,
                 "the other cluster has nothing to do with it");
    (void)lose_the_acting(cluster, "corinth", "delphi");
}

/* A key is put into the directory, or taken out, while the others go on. */
Story(witness, clusters_come_and_go_while_it_runs)
{
    struct cluster *cluster = cluster_new(ARGS("--tag", long_tag));

    form(cluster, "red", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    add_witness(cluster, "athens");
    form(cluster, "blue", "corinth", "delphi");
    cluster_signal(cluster, "witness", SIGHUP);
    assert_soon(cluster_log_has(cluster, "witness", "count=2"));
    add_witness(cluster, "corinth");
    cr_assert_eq(unlink(cluster_path(cluster, "keys/blue.key")), 0);
    cluster_signal(cluster, "witness", SIGHUP);
    assert_soon(cluster_log_has(cluster, "witness", "cluster=blue: its key is gone"));
    cluster_kill(cluster, who_acts(cluster, "corinth", "delphi")); /* The other one asks for it. */
    assert_soon(cluster_log_has(cluster, "witness", "has no NAME.key"));
    (void)lose_the_acting(cluster, "athens", "byzantium");
    cr_assert(cluster_log_has(cluster, "witness", "cluster=red epoch="));
}

/* H86: another cluster of that name has another key, and is refused by it. Once the witness has the
 * right one it votes. */
Story(witness, that_has_another_key_votes_when_it_gets_the_right_one)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = cluster_port(cluster);

    cr_assert_eq(mkdir(cluster_path(cluster, "other"), 0700), 0);
    cr_assert_eq(doyend(cluster, ARGS("--make-key", cluster_path(cluster, "other/doyen.key"))).code,
                 0);
    form(cluster, "doyen", "athens", "byzantium");
    const struct daemon *witness = cluster_start_witness(
        cluster, "witness", cluster_path(cluster, "other"),
        ARGS("--http", text_kept("%s:%u", cluster->host, port)));
    const struct outcome outcome = doyen(
        cluster, "athens",
        ARGS("voters", "add", "w", "--witness", witness->address, "--timeout", "1s"));
    cr_assert_eq(outcome.code, TIMED_OUT, "%d: %s", outcome.code, outcome.err);
    assert_text_has(outcome.err, "cluster's key");
    assert_text_has(outcome.err, "may still come about, which doyen voters shows");
    assert_soon(cluster_log_has(cluster, "witness", "another key"));
    cr_assert(counts_more(cluster, port, "unopened_frames_total", 0));
    cr_assert_eq(
        rename(cluster_path(cluster, "keys/doyen.key"), cluster_path(cluster, "other/doyen.key")),
        0);
    cluster_signal(cluster, "witness", SIGHUP);
    add_witness(cluster, "athens");
    (void)lose_the_acting(cluster, "athens", "byzantium");
}

Story(witness, of_a_cluster_that_it_does_not_know_is_counted_and_told)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = cluster_port(cluster);

    form(cluster, "doyen", "athens", "byzantium");
    cr_assert_eq(mkdir(cluster_path(cluster, "none"), 0700), 0);
    const struct daemon *witness = cluster_start_witness(
        cluster, "witness", cluster_path(cluster, "none"),
        ARGS("--http", text_kept("%s:%u", cluster->host, port)));
    const char *const *add = ARGS("voters", "add", "w", "--witness", witness->address, "--timeout",
                                  "1s");
    cr_assert_eq(doyen(cluster, "athens", add).code, TIMED_OUT);
    assert_soon(cluster_log_has(cluster, "witness", "has no NAME.key"));
    cr_assert(counts_more(cluster, port, "unknown_frames_total", 0));
    cr_assert(acts(cluster, who_acts(cluster, "athens", "byzantium")));
}

/* --- What it says --- */

static int http_status_of(const struct cluster *cluster, uint16_t port, const char *method,
                          const char *path)
{
    struct http_answer answer;
    const int fd = dial_tcp(cluster->host, port);

    cr_assert(fd >= 0 && http_ask(fd, method, path, NULL, LIMIT_MS, &answer));
    const int status = answer.status;
    http_answer_deinit(&answer);
    (void)close(fd);
    return status;
}

Story(witness, tells_prometheus_what_it_was_asked)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = cluster_port(cluster);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, ARGS("--http", text_kept("%s:%u", cluster->host, port)));
    assert_soon(strstr(metrics_of(cluster, port),
                       "doyen_witness_asked_total{cluster=\"doyen\"} 0\n") != NULL);
    assert_text_has(metrics_of(cluster, port), "doyen_witness_votes{cluster=\"doyen\"} 0\n");
    add_witness(cluster, "athens");
    assert_soon(strstr(metrics_of(cluster, port), "doyen_witness_votes{cluster=\"doyen\"} 1\n") !=
                NULL);
    cr_assert_null(
        strstr(metrics_of(cluster, port), "doyen_witness_granted_total{cluster=\"doyen\"} 0\n"));
    assert_text_has(metrics_of(cluster, port), "doyen_witness_clusters 1\n");
    cr_assert_eq(http_status_of(cluster, port, "GET", "/v1/members"), 404);
    cr_assert_eq(http_status_of(cluster, port, "POST", "/metrics"), 405);
    cluster_signal(cluster, "witness", SIGUSR1);
    assert_soon(cluster_log_has(cluster, "witness", "cluster=doyen record=\\\"votes\\\" epoch=1"));
}

/* Its memory is given back after ten seconds without a question, and what it has promised is not.
 */
Story(witness, that_was_not_asked_for_long_votes_as_before)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = cluster_port(cluster);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, ARGS("--http", text_kept("%s:%u", cluster->host, port)));
    add_witness(cluster, "athens");
    assert_soon(counts_more(cluster, port, "last_asked_seconds{cluster=\"doyen\"}", 11));
    const char *granted = "granted_total{cluster=\"doyen\"}";
    const double before = strtod(sample(cluster, port, granted), NULL);
    const char *left = lose_the_acting(cluster, "athens", "byzantium");
    cr_assert_str_eq(sample(cluster, port, "epoch{cluster=\"doyen\"}"),
                     text_kept("%llu", (unsigned long long)cluster_epoch(cluster, left)));
    assert_soon(counts_more(cluster, port, granted, before + 10)); /* Of leases, above all. */
}

/* Records that are read at the start leave no memory behind for the tables of the next cluster. */
Story(witness, takes_no_more_memory_after_a_restart)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const struct process *process = &cluster_daemon(cluster, "witness")->process;

    cr_assert_eq(mkdir(cluster_path(cluster, "keys"), 0700), 0);
    for (int i = 0; i < 8; i++) {
        const char *key = cluster_path(cluster, text_kept("keys/c%d.key", i));
        cr_assert_eq(doyend(cluster, ARGS("--make-key", key)).code, 0);
    }
    (void)start_witness(cluster, NO_ARGS);
    assert_soon(cluster_log_has(cluster, "witness", "count=8"));
    const uint64_t before_kb = process_kb(process, "RssAnon");
    const uint64_t reserved_kb = process_kb(process, "VmSize");
    cr_assert_eq(cluster_terminate(cluster, "witness"), 0);
    for (int i = 0; i < 8; i++) {
        write_file(text_kept("%s/c%d.voter", state_of(cluster, "witness"), i), "a record?", 0600);
    }
    cluster_restart(cluster, "witness");
    assert_soon(cluster_log_has(cluster, "witness", "cluster=c7 record="));
    cr_assert(process_kb(process, "RssAnon") < before_kb + 1000 || reserved_kb > SANITIZED_KB);
}

/* --- What is refused --- */

/* Each says in one line what is wrong and how to mend it, before it starts and when it checks. */
Story(witness, bad_options_are_refused_in_one_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *keys = cluster_path(cluster, "keys");
    const char *bad = cluster_path(cluster, "bad");
    const char *open_keys = cluster_path(cluster, "open");
    const char *state = cluster_path(cluster, "state");
    const char *unreadable = cluster_path(cluster, "unreadable");
    const char *listen = cluster_daemon(cluster, "witness")->address;

    cr_assert(mkdir(keys, 0700) == 0 && mkdir(bad, 0700) == 0 && mkdir(open_keys, 0700) == 0);
    cluster_make_key(cluster, "keys/doyen.key");
    write_file(text_kept("%s/doyen.pem", bad), "", 0600);
    cr_assert_eq(mkdir(unreadable, 0700), 0);
    cr_assert_eq(mkdir(text_kept("%s/doyen.voter", unreadable), 0700), 0);
    cr_assert_eq(doyend(cluster, ARGS("--make-key", text_kept("%s/doyen.key", open_keys))).code, 0);
    cr_assert_eq(chmod(text_kept("%s/doyen.key", open_keys), 0644), 0);
    const struct {
        const char *const *arguments;
        int code;
        const char *says;
    } rows[] = {
        {ARGS("--listen", listen, "--state-dir", state), CONFIGURATION,
         "--key: for which clusters"},
        {ARGS("--listen", listen, "--key", keys), CONFIGURATION,
         "--state-dir: a witness must find"},
        {ARGS("--listen", listen, "--key", cluster_path(cluster, "gone"), "--state-dir", state),
         CONFIGURATION, "is not there: make it"},
        {ARGS("--listen", listen, "--key", text_kept("%s/doyen.key", keys), "--state-dir", state),
         CONFIGURATION, "is no directory"},
        {ARGS("--listen", listen, "--key", bad, "--state-dir", state), CONFIGURATION,
         "name it CLUSTER.key"},
        {ARGS("--listen", listen, "--key", open_keys, "--state-dir", state), CONFIGURATION,
         "others may read or change it"},
        {ARGS("--listen", listen, "--key", keys, "--state-dir", keys), CONFIGURATION,
         "give the records a directory of their own"},
        {ARGS("--check", "--listen", listen, "--key", keys, "--state-dir", keys), CONFIGURATION,
         "give the records a directory of their own"},
        {ARGS("--check", "--listen", listen, "--key", keys, "--state-dir", unreadable), FAILED,
         "doyen.voter: it is no regular file: mend that"},
        {ARGS("--listen", "nowhere", "--key", keys, "--state-dir", state), USAGE, "--listen:"},
        {ARGS("--guard", "strict"), USAGE, "guard"},
        {ARGS("more"), USAGE, "doyen-witness takes options only"},
        {ARGS("--capacity", "0", "--key", keys, "--state-dir", state), USAGE, "--capacity:"},
        {ARGS("--config", cluster_path(cluster, "none")), CONFIGURATION, "none"},
        {ARGS("--listen", listen, "--http", listen, "--key", keys, "--state-dir", state),
         CONFIGURATION, "--http"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct outcome outcome = doyen_witness(cluster, rows[i].arguments);
        cr_expect_eq(outcome.code, rows[i].code, "row %zu: %d: %s", i, outcome.code, outcome.err);
        cr_expect(strstr(outcome.err, rows[i].says) != NULL, "row %zu: %s", i, outcome.err);
        cr_expect_eq(outcome.out[0], '\0', "row %zu: %s", i, outcome.out);
    }
}

Story(witness, check_says_what_stands_against_a_start_and_leaves_nothing)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *keys = cluster_path(cluster, "keys");
    const char *state = cluster_path(cluster, "state");
    const char *listen = cluster_daemon(cluster, "other")->address;

    cr_assert_eq(mkdir(keys, 0700), 0);
    cluster_make_key(cluster, "keys/doyen.key");
    const struct outcome sound = doyen_witness(
        cluster, ARGS("--check", "--listen", listen, "--key", keys, "--state-dir", state));
    cr_assert_eq(sound.code, 0, "%s", sound.err);
    assert_text_has(sound.out, "sound");
    cr_assert_neq(access(state, F_OK), 0, "it was made");

    const struct daemon *witness = start_witness(cluster, NO_ARGS);
    assert_soon(cluster_log_has(cluster, "witness", "count=1"));
    const struct outcome taken = doyen_witness(
        cluster, ARGS("--check", "--listen", witness->address, "--key", keys, "--state-dir",
                      state_of(cluster, "witness")));
    cr_assert_eq(taken.code, 1, "%s", taken.err);
    assert_text_has(taken.err, "--listen");
    assert_text_has(taken.err, "belongs to another daemon");
    const struct outcome second = doyen_witness(
        cluster,
        ARGS("--listen", listen, "--key", keys, "--state-dir", state_of(cluster, "witness")));
    cr_assert_eq(second.code, 1);
    assert_text_has(second.err, "belongs to another daemon");
}

Story(witness, a_wish_that_cannot_be_is_refused_in_one_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    form(cluster, "doyen", "athens", "byzantium");
    (void)start_witness(cluster, NO_ARGS);
    const char *node = cluster_daemon(cluster, "byzantium")->address;
    const char *witness = cluster_daemon(cluster, "witness")->address;
    const struct {
        const char *const *arguments;
        int code;
        const char *says;
    } rows[] = {
        {ARGS("voters", "add", "w"), REFUSED, "say where it is if it is a witness"},
        {ARGS("voters", "add", "w", "--witness", node), REFUSED, "is a member's"},
        {ARGS("voters", "add", "byzantium", "--witness", witness), REFUSED, "is a voter already"},
        {ARGS("voters", "add", "w", "--witness", "0.0.0.0:7420"), USAGE, "no address"},
        {ARGS("voters", "add", "w", "--witness", "[::]"), USAGE, "no address"},
        {ARGS("voters", "add", "w", "--witness", "fe80::1"), USAGE, "no address"},
        {ARGS("voters", "add", "w", "--witness", "224.0.0.1"), USAGE, "no address"},
        {ARGS("voters", "add", "w", "--witness", "255.255.255.255:7420"), USAGE, "no address"},
        {ARGS("voters", "add", "w", "--witness", "127.0.0.1:0"), USAGE, "give HOST:PORT"},
        {ARGS("voters", "add", "w", "--witness", "127.0.0.1:99999"), USAGE, "give HOST:PORT"},
        {ARGS("voters", "add", "w", "--witness", "::1:7420"), USAGE, "give HOST:PORT"},
        {ARGS("voters", "add", "a b", "--witness", witness), USAGE,
         "no member can be called 'a b'"},
        {ARGS("voters", "replace", "athens", "a/b", "--witness", witness), USAGE,
         "no member can be called 'a/b'"},
        {ARGS("voters", "set", "athens,a b", "--witness", witness), USAGE,
         "no member can be called"},
        {ARGS("voters", "set", "athens,v,w", "--witness", witness), REFUSED,
         "neither v nor w is a member"},
        {ARGS("voters", "set", "athens,byzantium", "--witness", witness), REFUSED,
         "none the witness"},
        {ARGS("voters", "add", "w", "--witness", "127.0.0.1:0x"), USAGE, "--witness"},
        {ARGS("voters", "add", "w", "--witness", ""), USAGE, "--witness"},
        {ARGS("voters", "remove", "athens", "--witness", witness), USAGE, "--witness"},
        {ARGS("voters", "--witness", witness), USAGE, "--witness"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct outcome outcome = doyen(cluster, "athens", rows[i].arguments);
        cr_expect_eq(outcome.code, rows[i].code, "row %zu: %d: %s", i, outcome.code, outcome.err);
        cr_expect(strstr(outcome.err, rows[i].says) != NULL, "row %zu: %s", i, outcome.err);
    }
    const struct outcome alone = doyen(cluster, "athens",
                                       ARGS("voters", "set", "w", "--witness", witness));
    cr_assert_eq(alone.code, REFUSED, "%s", alone.err);
    assert_text_has(alone.err, "no more than half of the voters");
    const struct outcome planned = doyen(
        cluster, "athens", ARGS("voters", "add", "w", "--witness", witness, "--dry-run"));
    cr_assert_eq(planned.code, DONE, "%s", planned.err);
    assert_text_has(planned.out, "would add w");
    add_witness(cluster, "athens");
    const struct outcome twice = doyen(cluster, "athens",
                                       ARGS("voters", "add", "v", "--witness", witness));
    cr_assert_eq(twice.code, REFUSED, "one witness, two voices: %s", twice.err);
}

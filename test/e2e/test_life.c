/* The whole life of a cluster under guard strict, as an operator sees it: it is founded with one
 * voter, grows, loses disks and hosts, lives with a witness, changes its timings, loses most of its
 * voters and comes back. A command under doyen run writes all the while, never two at a time. */
#include <string.h>
#include <sys/stat.h>

#include "fixture.h"
#include "written.h"

enum { DONE = 0, NODES = 5, VOTERS = 3, ABOVE = 1 << 20, LONG_MS = 6 * LIMIT_MS };

static const char *const names[NODES] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
static const char all[] = "athens byzantium cyrene delphi ephesus";

/* With the profile local a silent voter is replaced after 30 s. */
static const char *const arguments[] = {
    "--guard", "strict", "--voters", "athens", "--voters-target", "3", "--profile", "local", NULL};

struct life {
    struct cluster *cluster;
    struct process runs[NODES];
    const char *log; /* path: what the commands write */
};

/* --- What is there ---------------------------------------------------------------------------- */

static const char *state_of(const struct life *life, const char *name)
{
    return cluster_path(life->cluster, text_kept("%s.state", name));
}

static size_t index_of(const char *name)
{
    size_t i = 0;

    while (i < NODES && strcmp(names[i], name) != 0) {
        i++;
    }
    cr_assert_lt(i, NODES, "%s", name);
    return i;
}

static bool is_up(const struct life *life, const char *name)
{
    return process_is_running(&cluster_daemon(life->cluster, name)->process);
}

static bool acts(const struct life *life, const char *name)
{
    return is_up(life, name) &&
           json_is_true(json_object_get(cluster_members(life->cluster, name), "acting"));
}

static const char *who_acts(const struct life *life)
{
    for (size_t i = 0; i < NODES; i++) {
        if (acts(life, names[i])) {
            return names[i];
        }
    }
    return NULL;
}

static const json_t *voters_at(const struct life *life, const char *at)
{
    return cluster_document(life->cluster, at, "/v1/voters");
}

/* Three voters, and one can be spared. */
static bool is_sound(const struct life *life, const char *at)
{
    const json_t *voters = voters_at(life, at);

    return number_of(voters, "count") == VOTERS && number_of(voters, "voting") == VOTERS &&
           json_is_null(json_object_get(voters, "change"));
}

static bool is_voter(const struct life *life, const char *at, const char *name)
{
    return entry_of(voters_at(life, at), "voters", name) != NULL;
}

static bool is_retired(const struct life *life, const char *name)
{
    return strcmp(text_of(cluster_document(life->cluster, name, "/v1/status"), "voter"),
                  "retired") == 0;
}

/* A voter that is up and does not act, but for one; the witness is passed over. */
static const char *idle_voter(const struct life *life, const char *but)
{
    const char *acting = NULL;

    assert_soon((acting = who_acts(life)) != NULL);
    for (size_t i = 0; i < NODES; i++) {
        if (strcmp(names[i], acting) != 0 && strcmp(names[i], but) != 0 && is_up(life, names[i]) &&
            is_voter(life, acting, names[i])) {
            return names[i];
        }
    }
    cr_assert(false, "%s", daemons_text());
    return NULL;
}

/* --- What is done ----------------------------------------------------------------------------- */

static void start(struct life *life, const char *name)
{
    const size_t i = index_of(name);

    cluster_start(life->cluster, name, all, ARGS("--state-dir", state_of(life, name)));
    doyen_start(life->cluster, &life->runs[i], name,
                ARGS("run", "--", DOYEN_WRITER_PATH, life->log),
                cluster_path(life->cluster, text_kept("%s.run", name)));
}

/* At any node that is a member and not lost; what is not possible yet is asked again. */
static void wish(const struct life *life, const char *const *words)
{
    const char *at = NULL;

    assert_soon((at = who_acts(life)) != NULL && doyen(life->cluster, at, words).code == DONE);
}

static bool is_done_in(bool (*is_so)(const struct life *life, const char *at),
                       const struct life *life, uint64_t limit_ms)
{
    const uint64_t until_ms = clock_now_ms() + limit_ms;

    while (clock_now_ms() < until_ms) {
        const char *at = who_acts(life);
        if (at != NULL && is_so(life, at)) {
            return true;
        }
        clock_nap_ms(10 * LOOK_AGAIN_MS);
    }
    return false;
}

static void wait_until_sound(const struct life *life)
{
    cr_assert(is_done_in(is_sound, life, LONG_MS), "%s", daemons_text());
}

static bool writes_after(const struct life *life, unsigned long long at_ns)
{
    const struct written last = written_last(life->log);

    return last.at_ns > at_ns && is_up(life, last.node);
}

/* The command runs, on one node alone, and never did on two. Returns its epoch. */
static unsigned long long assert_runs(const struct life *life)
{
    const unsigned long long at_ns = written_last(life->log).at_ns;

    assert_soon(writes_after(life, at_ns));
    assert_no_overlap(life->log);
    return written_last(life->log).epoch;
}

/* --- The chapters ----------------------------------------------------------------------------- */

/* From one to three in one step, when there are three. */
static void grows(struct life *life)
{
    start(life, "athens");
    (void)assert_runs(life);
    start(life, "byzantium");
    start(life, "cyrene");
    wait_until_sound(life);
    (void)assert_runs(life);
}

static void loses_a_disk(struct life *life)
{
    const char *name = idle_voter(life, "");

    cluster_kill(life->cluster, name);
    cr_assert_eq(remove(text_kept("%s/voter", state_of(life, name))), 0);
    cluster_restart(life->cluster, name);
    wish(life, ARGS("voters", "replace", name));
    wait_until_sound(life);
    (void)assert_runs(life);
}

/* Another host takes its place by itself. Returns its name. */
static const char *loses_a_host(struct life *life)
{
    start(life, "delphi");
    const char *name = idle_voter(life, "delphi");
    cluster_kill(life->cluster, name);
    wait_until_sound(life);
    cr_assert(is_voter(life, who_acts(life), "delphi") && !is_voter(life, who_acts(life), name));
    (void)assert_runs(life);
    return name;
}

/* Of three hosts one goes, and a witness votes in its place. Returns the name of that host. */
static const char *lives_on_two_and_a_witness(struct life *life)
{
    const char *name = idle_voter(life, "");
    const struct daemon *witness = cluster_start_witness(
        life->cluster, "witness", cluster_path(life->cluster, "keys"), NO_ARGS);

    wish(life, ARGS("voters", "replace", name, "w", "--witness", witness->address));
    cr_assert_eq(cluster_terminate(life->cluster, name), 0);
    wait_until_sound(life);
    (void)assert_runs(life);
    return name;
}

static void loses_the_witness(struct life *life)
{
    cluster_kill(life->cluster, "witness");
    (void)assert_runs(life);
    start(life, "ephesus");
    wish(life, ARGS("voters", "replace", "w", "ephesus"));
    wait_until_sound(life);
    (void)assert_runs(life);
}

static void changes_its_timings(struct life *life)
{
    wish(life, ARGS("change", "profile=lan"));
    (void)assert_runs(life);
    wish(life, ARGS("change", "profile=local"));
    (void)assert_runs(life);
}

static bool nobody_acts(const struct life *life, const char *at)
{
    return !acts(life, at) && doyen(life->cluster, at, ARGS("lease")).code != DONE;
}

/* Two voters do not come back. Returns the one that is left. */
static const char *loses_two_for_good(struct life *life)
{
    const char *acting = NULL;

    assert_soon((acting = who_acts(life)) != NULL);
    const char *left = idle_voter(life, "");
    const char *other = idle_voter(life, left);
    cluster_kill(life->cluster, acting);
    cluster_kill(life->cluster, other);
    assert_soon(nobody_acts(life, left));
    return left;
}

static void recovers(struct life *life, const char *left, unsigned long long before)
{
    const struct daemon *daemon = cluster_daemon(life->cluster, left);
    const char *line[ARGUMENTS_MAX + 4] = {NULL};
    size_t count = 0;

    (void)cluster_terminate(life->cluster, left);
    for (; daemon->arguments[count + 1] != NULL; count++) {
        line[count] = daemon->arguments[count + 1];
    }
    line[count++] = "--recover-voters";
    line[count++] = "--yes-the-others-are-gone";
    line[count++] = "doyen";
    const struct outcome outcome = doyend(life->cluster, line);
    cr_assert_eq(outcome.code, DONE, "%s%s", outcome.out, outcome.err);
    cluster_restart(life->cluster, left);
    assert_soon(acts(life, left));
    cr_assert(assert_runs(life) > before + ABOVE);
}

Story(life, of_a_cluster_from_one_voter_to_a_recovery)
{
    struct life life = {.cluster = cluster_new(arguments)};

    life.log = cluster_path(life.cluster, "written");
    cr_assert_eq(mkdir(cluster_path(life.cluster, "keys"), 0700), 0);
    cluster_make_key(life.cluster, "keys/doyen.key");
    grows(&life);
    loses_a_disk(&life);
    const char *lost_host = loses_a_host(&life);
    const char *gone = lives_on_two_and_a_witness(&life);
    loses_the_witness(&life);
    changes_its_timings(&life);
    const unsigned long long before = assert_runs(&life);
    const char *left = loses_two_for_good(&life);
    recovers(&life, left, before);
    /* Two that voted long ago come back with their disks, and it grows to three again. */
    cluster_restart(life.cluster, lost_host);
    cluster_restart(life.cluster, gone);
    assert_soon(is_retired(&life, lost_host) && is_retired(&life, gone));
    wait_until_sound(&life);
    cr_assert(is_voter(&life, left, lost_host) && is_voter(&life, left, gone));
    cluster_kill(life.cluster, left);
    assert_soon(who_acts(&life) != NULL);
    (void)assert_runs(&life);
}

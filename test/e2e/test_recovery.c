/* More than half of the voters of guard strict are lost, and an operator gives them up: rule Z18.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "pty.h"

enum { DONE = 0, REFUSED = 1, USAGE = 64, VOTERS = 3, ABOVE = 1 << 20 };

static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static const char *const lan[] = {"--guard", "strict", "--voters", "athens,byzantium,cyrene", NULL};
static const char *const local[] = {"--guard",   "strict", "--voters", "athens,byzantium,cyrene",
                                    "--profile", "local",  NULL};

static bool acts(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

static size_t acting_count(struct cluster *cluster)
{
    size_t count = 0;

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        count += acts(cluster, cluster->daemons[i].name);
    }
    return count;
}

static bool has_members(struct cluster *cluster, const char *name, size_t count)
{
    return json_array_size(json_object_get(cluster_members(cluster, name), "members")) == count;
}

static bool stands(struct cluster *cluster, const char *name, const char *as)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return status != NULL && strcmp(text_of(status, "voter"), as) == 0;
}

static const char *state_of(struct cluster *cluster, const char *name)
{
    return cluster_path(cluster, text_kept("%s.state", name));
}

static const char *file_of(struct cluster *cluster, const char *name, const char *file)
{
    return text_kept("%s/%s", state_of(cluster, name), file);
}

static void start(struct cluster *cluster, const char *name)
{
    cluster_start(cluster, name, "athens byzantium cyrene",
                  ARGS("--state-dir", state_of(cluster, name)));
}

static struct cluster *form(const char *const *arguments)
{
    struct cluster *cluster = cluster_new(arguments);

    for (size_t i = 0; i < VOTERS; i++) {
        start(cluster, names[i]);
    }
    for (size_t i = 0; i < VOTERS; i++) {
        assert_soon(has_members(cluster, names[i], VOTERS));
    }
    assert_soon(acting_count(cluster) == 1);
    return cluster;
}

/* doyend as that daemon was started, and with these arguments besides. */
static const char *const *line_of(struct cluster *cluster, const char *name,
                                  const char *const *arguments)
{
    static const char *line[ARGUMENTS_MAX];
    const struct daemon *daemon = cluster_daemon(cluster, name);
    size_t count = 0;

    add_arguments(line, &count, daemon->arguments);
    add_arguments(line, &count, arguments);
    line[count] = NULL;
    return line;
}

static struct outcome recover(struct cluster *cluster, const char *name,
                              const char *const *arguments)
{
    return doyend(cluster, line_of(cluster, name, arguments) + 1);
}

#define RECOVER "--recover-voters", "--yes-the-others-are-gone", "doyen"

static void assert_recovered(struct cluster *cluster, const char *name)
{
    const struct outcome outcome = recover(cluster, name, ARGS(RECOVER));

    cr_assert_eq(outcome.code, DONE, "%d: %s%s", outcome.code, outcome.out, outcome.err);
    cr_assert_eq(access(file_of(cluster, name, "voter.old"), R_OK), 0);
    assert_text_has(outcome.out, "doyen voters set");
}

static void assert_refused(struct cluster *cluster, const char *name, const char *const *arguments,
                           const char *why)
{
    const struct outcome outcome = recover(cluster, name, arguments);

    cr_assert_eq(outcome.code, REFUSED, "%d: %s%s", outcome.code, outcome.out, outcome.err);
    cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
    assert_text_has(outcome.err, why);
}

static void wish_voters(struct cluster *cluster, const char *at, const char *list)
{
    assert_soon(doyen(cluster, at, ARGS("voters", "set", list)).code == DONE);
}

/* Two are lost, with their disks for all that anybody knows; two others take their places. */
static void goes_on_above(const char *const *arguments)
{
    struct cluster *cluster = form(arguments);
    const uint64_t epoch = cluster_epoch(cluster, "cyrene");

    cluster_kill(cluster, "athens");
    cluster_kill(cluster, "byzantium");
    assert_soon(acting_count(cluster) == 0);
    assert_refused(cluster, "cyrene", ARGS(RECOVER), "belongs to another daemon");
    (void)cluster_terminate(cluster, "cyrene");
    assert_refused(cluster, "cyrene",
                   ARGS("--recover-voters", "--yes-the-others-are-gone", "corinth"),
                   "the cluster is doyen, and not 'corinth'");
    assert_recovered(cluster, "cyrene");
    cluster_restart(cluster, "cyrene");
    assert_soon(acts(cluster, "cyrene"));
    const uint64_t later = cluster_epoch(cluster, "cyrene");
    cr_assert(later > epoch + ABOVE, "%llu after %llu", (unsigned long long)later,
              (unsigned long long)epoch);
    start(cluster, "delphi");
    start(cluster, "ephesus");
    assert_soon(has_members(cluster, "cyrene", VOTERS));
    wish_voters(cluster, "delphi", "cyrene,delphi,ephesus");
    cluster_kill(cluster, "cyrene");
    assert_soon(acts(cluster, "delphi") || acts(cluster, "ephesus"));
    cr_assert_eq(acting_count(cluster), 1);
    cr_assert(cluster_epoch(cluster, "delphi") > later);

    /* The two are not lost, and come back with their records. */
    cluster_restart(cluster, "athens");
    cluster_restart(cluster, "byzantium");
    assert_soon(has_members(cluster, "athens", 4) && has_members(cluster, "byzantium", 4));
    assert_soon(stands(cluster, "athens", "retired") && stands(cluster, "byzantium", "retired"));
    cr_assert_eq(acting_count(cluster), 1);
    cr_assert(cluster_epoch(cluster, "athens") > later);
}

Story(recovery, two_of_three_are_lost)
{
    goes_on_above(lan);
}

Story(recovery, two_of_three_are_lost_beside_the_fastest_timings)
{
    goes_on_above(local);
}

/* The operator erred: the others act. Who is older by the former history joins the later one. */
static void ends_the_others(const char *const *arguments)
{
    struct cluster *cluster = form(arguments);

    cluster_kill(cluster, "cyrene");
    assert_recovered(cluster, "cyrene");
    cluster_restart(cluster, "cyrene");
    assert_soon(acts(cluster, "cyrene") && has_members(cluster, "cyrene", VOTERS));
    assert_soon(has_members(cluster, "athens", VOTERS) && acting_count(cluster) == 1);
    cr_assert_eq(cluster_epoch(cluster, "athens"), cluster_epoch(cluster, "cyrene"));
    assert_soon(stands(cluster, "athens", "retired") && stands(cluster, "byzantium", "retired"));
    cr_assert(cluster_log_has(cluster, "athens", "lineage_descends"), "%s", daemons_text());
    wish_voters(cluster, "athens", "athens,byzantium,cyrene");
    assert_soon(stands(cluster, "athens", "votes") && stands(cluster, "byzantium", "votes"));
    cr_assert_eq(doyen(cluster, "athens", ARGS("voters", "remove", "cyrene")).code, DONE);
    assert_soon(stands(cluster, "cyrene", "retired"));
    cluster_kill(cluster, "cyrene");
    assert_soon(acts(cluster, "athens") || acts(cluster, "byzantium"));
    assert_refused(cluster, "cyrene", ARGS(RECOVER), "cyrene votes no more: its record is retired");
}

/* With a record that took the place of the lost one nothing can be recovered, nor founded (Z8i):
 * all wait, and are told what to do. */
Story(recovery, no_record_is_left)
{
    struct cluster *cluster = form(lan);

    cluster_kill(cluster, "cyrene");
    cr_assert_eq(remove(file_of(cluster, "cyrene", "voter")), 0);
    cluster_restart(cluster, "cyrene");
    assert_soon(stands(cluster, "cyrene", "no record") && has_members(cluster, "cyrene", VOTERS));
    assert_soon(access(file_of(cluster, "cyrene", "voter"), R_OK) == 0);
    for (size_t i = 0; i < VOTERS; i++) {
        cluster_kill(cluster, names[i]);
    }
    assert_refused(cluster, "cyrene", ARGS(RECOVER), "when it was: athens, byzantium\n");
    cr_assert_eq(remove(file_of(cluster, "athens", "voter")), 0);
    cr_assert_eq(remove(file_of(cluster, "byzantium", "voter")), 0);
    for (size_t i = 0; i < VOTERS; i++) {
        cluster_restart(cluster, names[i]);
    }
    for (size_t i = 0; i < VOTERS; i++) {
        assert_soon(strstr(doyen(cluster, names[i], ARGS("status")).out,
                           "where none is left, stop all, remove the files voter") != NULL);
    }
    for (size_t i = 0; i < VOTERS; i++) {
        cluster_kill(cluster, names[i]);
        (void)remove(file_of(cluster, names[i], "voter"));
    }
    for (size_t i = 0; i < VOTERS; i++) {
        cluster_restart(cluster, names[i]);
    }
    assert_soon(acting_count(cluster) == 1 && has_members(cluster, "cyrene", VOTERS));
    assert_soon(stands(cluster, "cyrene", "votes"));
}

Story(recovery, the_others_live_and_end)
{
    ends_the_others(lan);
}

Story(recovery, the_others_live_and_end_beside_the_fastest_timings)
{
    ends_the_others(local);
}

/* What it tells comes before it asks; another name changes nothing. */
Story(recovery, the_name_of_the_cluster_is_typed)
{
    static const char *const typed[] = {"corinth\r", "doyen\r"};
    static struct pty pty;
    struct cluster *cluster = form(lan);
    const uint64_t epoch = cluster_epoch(cluster, "cyrene");

    for (size_t i = 0; i < VOTERS; i++) {
        cluster_kill(cluster, names[i]);
    }
    assert_refused(cluster, "cyrene", ARGS("--recover-voters"), "--yes-the-others-are-gone doyen");
    for (size_t i = 0; i < 2; i++) {
        memset(&pty, 0, sizeof pty);
        cr_assert(
            pty_start(&pty, line_of(cluster, "cyrene", ARGS("--recover-voters")), NULL, 50, 200));
        assert_soon((pty_read(&pty), strstr(pty.output, "Type the name of the cluster") != NULL));
        assert_text_has(pty.output, "this one");
        assert_text_has(pty.output, "athens, byzantium");
        pty_type(&pty, typed[i]);
        assert_soon((pty_read(&pty), pty_has_ended(&pty)));
        cr_assert_eq(WEXITSTATUS(pty.status), i == 0 ? REFUSED : DONE, "%s", pty.output);
        pty_close(&pty);
        cr_assert_eq(access(file_of(cluster, "cyrene", "voter.old"), R_OK) == 0, i == 1);
    }
    cluster_restart(cluster, "cyrene");
    assert_soon(acts(cluster, "cyrene"));
    cr_assert(cluster_epoch(cluster, "cyrene") > epoch + ABOVE);
}

/* A record is needed, a sound one, of a cluster that was founded. */
Story(recovery, without_a_sound_record_it_is_refused)
{
    struct cluster *cluster = form(lan);

    for (size_t i = 0; i < VOTERS; i++) {
        cluster_kill(cluster, names[i]);
    }
    cr_assert_eq(remove(file_of(cluster, "athens", "voter")), 0);
    assert_refused(cluster, "athens", ARGS(RECOVER), "there is no voter's record in");
    cr_assert_eq(truncate(file_of(cluster, "byzantium", "voter"), 40), 0);
    assert_refused(cluster, "byzantium", ARGS(RECOVER), "is damaged, or no record of a voter");
    cr_assert_eq(rename(file_of(cluster, "cyrene", "voter"), file_of(cluster, "athens", "voter")),
                 0);
    assert_refused(cluster, "athens", ARGS(RECOVER), "is the record of cyrene, cluster doyen");
    assert_refused(cluster, "athens", ARGS(RECOVER, "--state-dir", cluster_path(cluster, "none")),
                   "there is no voter's record in");
    cr_assert_neq(access(cluster_path(cluster, "none"), F_OK), 0, "it was made");
    cr_assert_eq(rename(file_of(cluster, "athens", "voter"), file_of(cluster, "cyrene", "voter")),
                 0);
    cr_assert_eq(mkdir(file_of(cluster, "cyrene", "voter.old"), 0700), 0);
    assert_refused(cluster, "cyrene", ARGS(RECOVER), "voter.old: Is a directory: mend that");
    cr_assert_eq(rmdir(file_of(cluster, "cyrene", "voter.old")), 0);
    cr_assert_eq(remove(file_of(cluster, "athens", "voter")), -1, "it is cyrene's");
    cr_assert_eq(mkdir(file_of(cluster, "athens", "voter"), 0700), 0);
    assert_refused(cluster, "athens", ARGS(RECOVER), "it is no regular file: mend that");
    assert_recovered(cluster, "cyrene"); /* The record has stayed whole. */
    const struct outcome alone = recover(cluster, "cyrene",
                                         ARGS("--yes-the-others-are-gone", "doyen"));
    cr_assert_eq(alone.code, USAGE, "%s", alone.err);
}

/* The voters of guard strict, as operators meet them: rules Z1 and Z3. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

static const char *const strict[] = {"--guard", "strict", "--voters", "athens,byzantium,cyrene",
                                     NULL};

static const char *state_of(struct cluster *cluster, const char *name)
{
    return cluster_path(cluster, text_kept("%s.state", name));
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file, "%s", path);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

/* What the node says of itself as a voter; "" while it says nothing. */
static const char *voter_of(struct cluster *cluster, const char *name, const char *path)
{
    const json_t *document = cluster_document(cluster, name, path);

    return document == NULL ? "" : text_of(document, "voter");
}

static const char *const three[] = {"athens", "byzantium", "cyrene"};

static bool is_acting(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

static bool has_members(struct cluster *cluster, const char *name, size_t count)
{
    return json_array_size(json_object_get(cluster_members(cluster, name), "members")) == count;
}

static void start_voter(struct cluster *cluster, const char *name)
{
    cluster_start(cluster, name, "athens", ARGS("--state-dir", state_of(cluster, name)));
}

/* A cluster of the three voters, of which one acts. */
static struct cluster *voters_form(void)
{
    struct cluster *cluster = cluster_new(strict);

    for (size_t i = 0; i < 3; i++) {
        start_voter(cluster, three[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_soon(strcmp(voter_of(cluster, three[i], "/v1/status"), "votes") == 0);
    }
    assert_soon(is_acting(cluster, "athens") || is_acting(cluster, "byzantium") ||
                is_acting(cluster, "cyrene"));
    return cluster;
}

/* What this voter says of its own record. */
static const json_t *record_of(struct cluster *cluster, const char *name)
{
    const json_t *voters = json_object_get(cluster_document(cluster, name, "/v1/voters"), "voters");

    for (size_t i = 0; i < json_array_size(voters); i++) {
        const json_t *voter = json_array_get(voters, i);
        if (json_is_true(json_object_get(voter, "self"))) {
            return voter;
        }
    }
    return NULL;
}

static uint64_t promised_epoch(struct cluster *cluster, const char *name)
{
    return number_of(json_object_get(record_of(cluster, name), "promise"), "epoch");
}

/* Z1c, Z3a: all are killed at one moment, and nobody has forgotten what it promised. */
Story(voters, what_was_promised_survives_the_death_of_all)
{
    struct cluster *cluster = voters_form();
    const char *ids[3];
    uint64_t epochs[3];

    for (size_t i = 0; i < 3; i++) {
        ids[i] = text_kept("%s", text_of(record_of(cluster, three[i]), "record_id"));
        epochs[i] = promised_epoch(cluster, three[i]);
        cr_assert_geq(epochs[i], 1);
    }
    for (size_t i = 0; i < 3; i++) {
        cluster_kill(cluster, three[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        cluster_restart(cluster, three[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_soon(record_of(cluster, three[i]) != NULL);
        cr_assert_str_eq(text_of(record_of(cluster, three[i]), "record_id"), ids[i]);
        cr_assert_geq(promised_epoch(cluster, three[i]), epochs[i]);
    }
    assert_soon(is_acting(cluster, "athens") || is_acting(cluster, "byzantium") ||
                is_acting(cluster, "cyrene"));
}

/* Has a line that begins with `name` this word, too? */
static bool lines_have(const char *text, const char *name, const char *word)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *found = strstr(line, word);
        if (strncmp(line, name, strlen(name)) == 0 && found != NULL &&
            found < line + strcspn(line, "\n")) {
            return true;
        }
        if (line[strcspn(line, "\n")] == '\0') {
            return false;
        }
    }
    return false;
}

/* Z3b: after the founding a voter without its record stays without one, and the others go on. */
Story(voters, one_that_lost_its_disk_does_not_vote_again)
{
    struct cluster *cluster = voters_form();
    const char *record = text_kept("%s/voter", state_of(cluster, "cyrene"));

    cluster_kill(cluster, "cyrene");
    cr_assert_eq(remove(record), 0);
    cluster_restart(cluster, "cyrene");
    assert_soon(strcmp(voter_of(cluster, "cyrene", "/v1/status"), "no record") == 0);
    assert_soon(is_acting(cluster, "athens") || is_acting(cluster, "byzantium"));
    assert_soon(has_members(cluster, "cyrene", 3));
    cr_assert_str_eq(voter_of(cluster, "cyrene", "/v1/status"), "no record");
    assert_soon(access(record, F_OK) == 0); /* Retired: it founds nothing (Z8i). */

    /* H76: the others say so, and that none of them can be spared. */
    assert_soon(strstr(doyen(cluster, "athens", ARGS("status")).out,
                       "1 of 3 voters does not vote (no record): no further one can be lost") !=
                NULL);
    assert_soon(lines_have(doyen(cluster, "athens", ARGS("voters")).out, "cyrene", "no record"));
    assert_soon(lines_have(doyen(cluster, "athens", ARGS("voters")).out, "byzantium", "votes"));
    assert_soon(doyen(cluster, "athens", ARGS("coordinator")).code == 0);
    const struct outcome plan = doyen(cluster, "athens", ARGS("restart-plan"));
    cr_assert_eq(plan.code, 2, "%s%s", plan.out, plan.err);
    assert_text_has(plan.err, "voter cyrene does not vote (no record)");
    assert_text_has(plan.err, "wants 2 voters that vote and there are 2: nobody acts while one");
}

/* Each time all voters accept two views. */
static void go_and_come(struct cluster *cluster, const char *name)
{
    cluster_kill(cluster, name);
    assert_soon(has_members(cluster, "athens", 3));
    cluster_restart(cluster, name);
    assert_soon(has_members(cluster, "athens", 4));
}

/* H79, Z14: its disk is as it was before, and the coordinator has heard more of it since. */
Story(voters, one_whose_disk_is_put_back_is_told_and_does_not_vote)
{
    struct cluster *cluster = voters_form();
    const char *name = is_acting(cluster, "cyrene") ? "byzantium" : "cyrene";
    const char *record = text_kept("%s/voter", state_of(cluster, name));
    const char *backup = text_kept("%s.backup", record);

    cr_assert_eq(link(record, backup), 0); /* The voter puts another file in its place. */
    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    assert_soon(has_members(cluster, "athens", 4));
    go_and_come(cluster, "delphi");
    go_and_come(cluster, "delphi");
    /* That takes as long as what the voter said has to stand (T_lost). */
    cluster_signal(cluster, "delphi", SIGSTOP);
    assert_soon(has_members(cluster, "athens", 3));
    cluster_kill(cluster, name);
    cr_assert_eq(rename(backup, record), 0);
    cluster_restart(cluster, name);
    assert_soon(strcmp(voter_of(cluster, name, "/v1/status"), "old record") == 0);
    cr_assert_eq(cluster_log_count(cluster, name, "old_record"), 1);
    assert_text_has(doyen(cluster, name, ARGS("status")).out, "does not vote: old record");

    const char *other = is_acting(cluster, "athens") ? "byzantium" : "athens";
    cluster_signal(cluster, "delphi", SIGCONT);
    assert_soon(has_members(cluster, other, 4));
    assert_soon(strstr(doyen(cluster, other, ARGS("status")).out,
                       "1 of 3 voters does not vote (old record): no further one can be lost") !=
                NULL);
    assert_text_has(doyen(cluster, other, ARGS("status")).out, "remove its file voter");
    assert_soon(lines_have(doyen(cluster, other, ARGS("voters")).out, name, "old record"));

    /* What is said of it has an end. */
    cluster_kill(cluster, name);
    cr_assert_eq(remove(record), 0);
    cluster_restart(cluster, name);
    assert_soon(strcmp(voter_of(cluster, name, "/v1/status"), "no record") == 0);
    assert_soon(doyen(cluster, name, ARGS("voters", "replace", name)).code == 0);
    assert_soon(strcmp(voter_of(cluster, name, "/v1/status"), "votes") == 0);
}

/* Z3c: its next write fails; it says so, two of three are enough, and it votes when it can again.
 */
Story(voters, one_that_cannot_write_does_not_vote_until_it_can)
{
    struct cluster *cluster = voters_form();
    const char *blocked = text_kept("%s/voter.new", state_of(cluster, "cyrene"));

    cr_assert_eq(mkdir(blocked, 0700), 0); /* So that not even root can write there. */
    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    assert_soon(strcmp(voter_of(cluster, "cyrene", "/v1/status"), "cannot write") == 0);
    cr_assert(cluster_log_has(cluster, "cyrene", "this node does not vote until it can"));
    const json_t *disk = json_object_get(cluster_document(cluster, "cyrene", "/v1/voters"), "disk");
    cr_assert_geq(number_of(disk, "failures"), 1);
    assert_soon(has_members(cluster, "delphi", 4));
    assert_soon(is_acting(cluster, "athens") || is_acting(cluster, "byzantium"));
    cr_assert_eq(rmdir(blocked), 0);
    assert_soon(strcmp(voter_of(cluster, "cyrene", "/v1/status"), "votes") == 0);
    assert_soon(cluster_log_has(cluster, "cyrene", "is written again: this node votes"));
}

/* Z3b: it says so everywhere, and does not touch the file. */
Story(voters, a_damaged_record_is_said_in_every_answer_and_left_alone)
{
    struct cluster *cluster = cluster_new(strict);
    const char *state = state_of(cluster, "athens");
    const char *record = text_kept("%s/voter", state);

    cr_assert_eq(mkdir(state, 0700), 0);
    write_text(record, "doyenvot\5 and then nothing of use\n");
    cluster_start(cluster, "athens", "athens", ARGS("--state-dir", state));
    assert_soon(strcmp(voter_of(cluster, "athens", "/v1/status"), "damaged record") == 0);
    cr_assert_str_eq(voter_of(cluster, "athens", "/v1/members"), "damaged record");
    assert_text_has(doyen(cluster, "athens", ARGS("status")).out, "does not vote: damaged record");
    const struct outcome voters = doyen(cluster, "athens", ARGS("voters"));
    cr_assert_eq(voters.code, 0);
    assert_text_has(voters.out, "damaged record");
    assert_text_has(voters.out, "byzantium");
    cr_assert(cluster_log_has(cluster, "athens", "this node does not vote"));

    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    char *left = file_read(record, NULL);
    cr_assert_not_null(left);
    cr_assert_str_eq(left, "doyenvot\5 and then nothing of use\n");
    free(left);
}

/* It is sound, and whose it is and what to do are told; the file stays. */
Story(voters, a_record_of_another_cluster_is_named_as_that)
{
    static const char words[] = "does not vote: the record in its state directory is of athens, "
                                "cluster doyen: start it under that name, or choose another "
                                "--state-dir";
    struct cluster *cluster = cluster_new(strict);
    const char *state = state_of(cluster, "athens");

    cluster_start(cluster, "athens", "athens", ARGS("--state-dir", state, "--voters", "athens"));
    assert_soon(strcmp(voter_of(cluster, "athens", "/v1/status"), "votes") == 0);
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    cluster_start(cluster, "athens", "athens", ARGS("--state-dir", state, "--cluster", "another"));
    assert_soon(strcmp(voter_of(cluster, "athens", "/v1/status"), "foreign record") == 0);
    assert_text_has(doyen(cluster, "athens", ARGS("status")).out, words);
    assert_text_has(doyen(cluster, "athens", ARGS("voters")).out, "foreign record");
}

/* Z1b: a node under another name is no voter, and needs no place for a record. */
Story(voters, who_is_not_named_is_no_voter)
{
    struct cluster *cluster = cluster_new(strict);

    cluster_start(cluster, "delphi", "delphi", NO_ARGS);
    assert_soon(cluster_document(cluster, "delphi", "/v1/status") != NULL);
    cr_assert_str_eq(voter_of(cluster, "delphi", "/v1/status"), "");
    const json_t *document = cluster_document(cluster, "delphi", "/v1/voters");
    cr_assert_eq(json_array_size(json_object_get(document, "voters")), 3);
    cr_assert(json_is_null(json_object_get(document, "disk")));
}

Story(voters, without_guard_strict_there_are_none)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens");
    const struct outcome voters = doyen(cluster, "athens", ARGS("voters"));
    cr_assert_eq(voters.code, 0);
    cr_assert_str_eq(voters.out, "");
    assert_text_has(voters.err, "the guard is none, not strict");
}

/* Z1c */
Story(voters, a_voter_without_a_state_directory_does_not_start)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const struct outcome outcome = doyend(
        cluster, ARGS("--name", "athens", "--guard", "strict", "--voters", "athens"));

    cr_assert_eq(outcome.code, 78);
    assert_text_has(outcome.err, "add --state-dir");
}

/* The voters of guard strict, as operators meet them: rules Z1 and Z3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Z3b: it says so everywhere, and does not touch the file. */
Story(voters, a_damaged_record_is_said_in_every_answer_and_left_alone)
{
    struct cluster *cluster = cluster_new(strict);
    const char *state = state_of(cluster, "athens");
    const char *record = text_kept("%s/voter", state);

    cr_assert_eq(mkdir(state, 0700), 0);
    write_text(record, "doyenvot, and then nothing of use\n");
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
    cr_assert_str_eq(left, "doyenvot, and then nothing of use\n");
    free(left);
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

/* doyen report: one file with all that a daemon can say, for a bug report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixture.h"

enum { BLOCK_BYTES = 512, SIZE_AT = 124 };

/* The file of that name in the tar archive, with its length; NULL: it is not there. */
static const char *file_in(const char *tar, size_t tar_length, const char *name, size_t *length)
{
    for (size_t at = 0; at + BLOCK_BYTES <= tar_length && tar[at] != '\0';) {
        const size_t size = (size_t)strtoull(tar + at + SIZE_AT, NULL, 8);
        const char *slash = strrchr(tar + at, '/');

        if (slash != NULL && strcmp(slash + 1, name) == 0) {
            *length = size;
            return tar + at + BLOCK_BYTES;
        }
        at += BLOCK_BYTES + (size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }
    return NULL;
}

static const json_t *document_in(const char *tar, size_t tar_length, const char *name)
{
    size_t length = 0;
    const char *bytes = file_in(tar, tar_length, name, &length);

    cr_assert_not_null(bytes, "no %s", name);
    return document_kept(text_kept("%.*s", (int)length, bytes));
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "we");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    cr_assert_eq(fclose(file), 0);
}

Story(report, it_has_what_the_daemon_knows_and_a_recording_that_replays)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "it.tar");
    struct stat status;
    size_t tar_length = 0;
    size_t length = 0;

    cluster_make_key(cluster, "the.key");
    cluster_start(cluster, "athens", "athens", ARGS("--tag", "zone=eu"));
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    const struct outcome outcome = doyen(cluster, "athens", ARGS("report", path));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    cr_assert_str_empty(outcome.err);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);

    char *tar = file_read(path, &tar_length);
    cr_assert_not_null(tar);
    cr_assert_str_eq(text_of(document_in(tar, tar_length, "status.json"), "self"), "athens");
    cr_assert_eq(
        json_array_size(json_object_get(document_in(tar, tar_length, "peers.json"), "members")), 2);
    cr_assert_str_eq(text_of(document_in(tar, tar_length, "leader.json"), "leader"), "athens");
    cr_assert(json_is_null(
        json_object_get(document_in(tar, tar_length, "partitions.json"), "partitions")));
    cr_assert_eq(
        json_array_size(json_object_get(document_in(tar, tar_length, "roles.json"), "roles")), 0);
    const json_t *settings = json_object_get(document_in(tar, tar_length, "config.json"),
                                             "settings");
    cr_assert_str_eq(json_string_value(json_array_get(json_object_get(settings, "tag"), 0)),
                     "zone=eu");
    cr_assert_gt(
        json_array_size(json_object_get(document_in(tar, tar_length, "events.json"), "events")), 3);
    cr_assert_not_null(file_in(tar, tar_length, "metrics.txt", &length));
    cr_assert_not_null(file_in(tar, tar_length, "README", &length));

    const char *recording = file_in(tar, tar_length, "recording.rec", &length);
    cr_assert_not_null(recording);
    const char *copy = cluster_path(cluster, "it.rec");
    write_file(copy, recording, length);
    const struct outcome replay = doyen_replay(cluster, ARGS(copy));
    cr_assert_eq(replay.code, 0, "%s%s", replay.out, replay.err);
    assert_text_has(replay.out, "same state");
    assert_text_has(replay.out, "name=byzantium");
    free(tar);
}

/* A key must not leave the host with a report. */
Story(report, the_key_is_not_in_it)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "it.tar");
    size_t tar_length = 0;
    size_t key_length = 0;

    cluster_make_key(cluster, "the.key");
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert_eq(doyen(cluster, "athens", ARGS("report", path)).code, 0);
    char *tar = file_read(path, &tar_length);
    char *key = file_read(cluster->key, &key_length);
    cr_assert(tar != NULL && key != NULL);
    cr_assert_gt(key_length, 32);
    key[strcspn(key, "\n")] = '\0';
    cr_assert_null(memmem(tar, tar_length, key, strlen(key)));
    free(tar);
    free(key);
}

Story(report, a_file_is_never_written_over_and_its_name_says_what_it_is)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "it.tar.gz");

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert_eq(doyen(cluster, "athens", ARGS("report", path)).code, 0);
    const struct outcome again = doyen(cluster, "athens", ARGS("report", path));
    cr_assert_eq(again.code, 1);
    assert_text_has(again.err, "File exists: choose another FILE");
    const struct outcome odd = doyen(cluster, "athens",
                                     ARGS("report", cluster_path(cluster, "it.docx")));
    cr_assert_eq(odd.code, 64);
    assert_text_has(odd.err, "ends in .tar.gz");
    cr_assert_eq(doyen(cluster, "athens", ARGS("report")).code, 64);
}

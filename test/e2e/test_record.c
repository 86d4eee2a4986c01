/* --record and doyen-replay: what a real node was given, told again to the same end. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "forge/forge.h"

static const char *recording_of(struct cluster *cluster, const char *name)
{
    return cluster_path(cluster, text_kept("%s.rec", name));
}

/* Five nodes, `name` being recorded, with athens as their seed. */
static struct cluster *five_with_record_on(const char *name)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < 5; i++) {
        const bool recorded = strcmp(names[i], name) == 0;
        cluster_start(cluster, names[i], "athens",
                      recorded ? ARGS("--record", recording_of(cluster, name)) : NO_ARGS);
        assert_soon(strstr(cluster_view(cluster, names[i]), names[i]) != NULL);
    }
    assert_agreement(cluster, "athens byzantium cyrene delphi ephesus");
    return cluster;
}

Story(record, what_a_node_went_through_is_replayed_to_the_same_state)
{
    struct cluster *cluster = five_with_record_on("cyrene");

    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    cr_assert_eq(cluster_terminate(cluster, "delphi"), 0);
    assert_agreement(cluster, "byzantium cyrene ephesus");
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);

    const struct outcome outcome = doyen_replay(cluster, ARGS(recording_of(cluster, "cyrene")));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    assert_text_has(outcome.out, "cyrene of cluster doyen, recorded by doyend");
    assert_text_has(outcome.out, "-athens(dead)  <- commit from byzantium\n");
    assert_text_has(outcome.out, "-delphi(left)  <- commit from byzantium\n");
    assert_text_has(outcome.out, "phase=stopped reason=leave_done");
    assert_text_has(outcome.out, "same state\n");

    const char *recording = recording_of(cluster, "cyrene");
    const struct outcome messages = doyen_replay(cluster, ARGS("--messages", recording));
    cr_assert_eq(messages.code, 0, "%s", messages.err);
    assert_text_has(messages.out, "message      claim from=byzantium number=");
    assert_text_has(messages.out, "promise      epoch=2 to=byzantium\n");
    const struct outcome none = doyen_replay(cluster, ARGS("--message", "byzantium:0", recording));
    cr_assert_eq(none.code, 1);
    assert_text_has(none.err,
                    "no message 0 of byzantium: --messages shows those that there are; who was");
}

/* What is recorded was opened before; the key that opened it is not in the file. */
Story(record, the_key_is_not_in_it)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = recording_of(cluster, "athens");
    uint8_t key[FORGE_KEY_BYTES];
    size_t text_length = 0;
    size_t length = 0;

    cluster_make_key(cluster, "the.key");
    cluster_start(cluster, "athens", "athens", ARGS("--record", path));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    char *text = file_read(cluster->key, &text_length);
    char *bytes = file_read(path, &length);
    cr_assert(text != NULL && bytes != NULL);
    cr_assert(forge_read_key(cluster->key, key));
    cr_assert_null(memmem(bytes, length, key, sizeof key));
    text[strcspn(text, "\n")] = '\0';
    cr_assert_null(memmem(bytes, length, text, strlen(text)));
    cr_assert_not_null(memmem(bytes, length, "byzantium", strlen("byzantium")));
    free(text);
    free(bytes);
}

/* Nobody closes the file; what was written until then is there. */
Story(record, the_recording_of_a_killed_coordinator_goes_up_to_its_death)
{
    struct cluster *cluster = five_with_record_on("athens");

    cluster_kill(cluster, "ephesus");
    assert_agreement(cluster, "athens byzantium cyrene delphi");
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi");

    const struct outcome outcome = doyen_replay(cluster, ARGS(recording_of(cluster, "athens")));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    assert_text_has(outcome.out, "-ephesus(dead)");
    assert_text_has(outcome.out, "same state");
    assert_text_has(outcome.out, ", cut short\n");
}

/* The life after a crash must not write over what led to it. */
Story(record, a_restart_puts_the_recording_of_the_life_before_aside)
{
    struct cluster *cluster = five_with_record_on("cyrene");

    cluster_kill(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium delphi ephesus");
    cluster_restart(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium delphi ephesus cyrene");

    const char *path = recording_of(cluster, "cyrene");
    const struct outcome before = doyen_replay(cluster, ARGS(text_kept("%s.1", path), "--quiet"));
    cr_assert_eq(before.code, 0, "%s", before.err);
    cr_assert_eq(line_count(before.out), 1);
    const struct outcome now = doyen_replay(cluster, ARGS(path, "--json"));
    cr_assert_eq(now.code, 0, "%s", now.err);
    assert_text_has(now.out, "\"event\":\"view\"");
}

Story(record, a_file_that_is_no_recording_is_refused_in_one_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *letter = cluster_path(cluster, "a-letter");
    FILE *file = fopen(letter, "w");

    cr_assert_not_null(file);
    fputs("dear all\n", file);
    fclose(file);

    const struct outcome outcome = doyen_replay(cluster, ARGS(letter));
    cr_assert_eq(outcome.code, 65);
    cr_assert_eq(line_count(outcome.err), 1);
    assert_text_has(outcome.err, "is not a recording");
    cr_assert_eq(doyen_replay(cluster, ARGS(cluster_path(cluster, "not-there"))).code, 65);

    const struct outcome daemon = doyend(
        cluster, ARGS("--name", "athens", "--listen", cluster_daemon(cluster, "athens")->address,
                      "--control", cluster_daemon(cluster, "athens")->control, "--record", letter));
    cr_assert_eq(daemon.code, 1);
    assert_text_has(daemon.err, "is there and is not a recording: choose another --record");
}

Story(record, each_wrong_command_line_of_doyen_replay_is_refused_in_one_line)
{
    static const struct {
        const char *arguments[3];
        const char *words;
    } mistakes[] = {
        {{NULL}, "which recording?"},
        {{"a.rec", "b.rec"}, "leave out 'b.rec'"},
        {{"--message", "byzantium"}, "--message: 'byzantium' is no message"},
        {{"--message", ":12"}, "--message: ':12' is no message"},
        {{"--no-such-flag"}, "'--no-such-flag'; doyen-replay --help"},
        {{"--untli", "3"}, "did you mean '--until'"},
        {{"--until"}, "--until TIME"},
        {{"--until", "soon"}, "'soon'"},
        {{"-x"}, "'-x'"},
    };
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const struct outcome outcome = doyen_replay(cluster, mistakes[i].arguments);
        cr_assert_eq(outcome.code, 64, "%s", outcome.err);
        cr_assert_str_empty(outcome.out);
        cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
        assert_text_has(outcome.err, mistakes[i].words);
        assert_text_has(outcome.err, "doyen-replay --help");
    }
}

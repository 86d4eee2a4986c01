/* Who owns partitions among real daemons: rules P8 to P14 of docs/partitions.md. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "forging.h"
#include "http.h"

enum { DONE = 0, REFUSED = 1, PARTITIONS = 271, WILD_FRAMES = 500 };

static json_t *document_of(struct cluster *cluster, const char *name)
{
    return cluster_document(cluster, name, "/v1/partitions");
}

static size_t held_by(struct cluster *cluster, const char *name)
{
    const json_t *batches = json_object_get(document_of(cluster, name), "held");
    size_t held = 0;

    for (size_t i = 0; i < json_array_size(batches); i++) {
        held += json_array_size(json_object_get(json_array_get(batches, i), "partitions"));
    }
    return held;
}

/* What the table gives that member. */
static size_t share_of(struct cluster *cluster, const char *name)
{
    return number_of(entry_of(document_of(cluster, name), "members", name), "owned");
}

/* Does each of the members, of whom there are so many, own its share? */
static bool all_own(struct cluster *cluster, const char *const *names, size_t count)
{
    size_t held = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t each = held_by(cluster, names[i]);
        if (each == 0 || each != share_of(cluster, names[i])) {
            return false;
        }
        held += each;
    }
    return held == PARTITIONS;
}

static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi"};

/* P8, P9: who joins is handed its share, and a coordinator's goes to the others. */
Story(owners, follow_the_table)
{
    struct cluster *cluster = cluster_new(ARGS("--partitions", "271", "--profile", "local"));

    cluster_form(cluster, "athens byzantium cyrene");
    assert_soon(all_own(cluster, names, 3));
    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    assert_soon(all_own(cluster, names, 4));
    const json_t *listed = document_of(cluster, "athens");
    cr_assert_eq(number_of(entry_of(listed, "members", "delphi"), "held"), PARTITIONS / 4);
    cr_assert(json_is_null(
        json_object_get(entry_of(document_of(cluster, "delphi"), "members", "byzantium"), "held")));
    cluster_kill(cluster, "athens");
    assert_soon(all_own(cluster, names + 1, 3));
    const struct outcome table = doyen(cluster, "byzantium", ARGS("partitions"));
    cr_assert_eq(table.code, DONE);
    assert_text_has(table.out, "NAME       OWNS  KEEPS  HELD  PARTITIONS\n");
}

/* P8, P12: under strict, after the time for which a killed member's lease may last. */
Story(owners, are_replaced_under_guard_strict)
{
    struct cluster *cluster = cluster_new(ARGS("--partitions", "271", "--profile", "local",
                                               "--guard", "strict", "--voters",
                                               "athens,byzantium,cyrene"));

    for (size_t i = 0; i < 4; i++) {
        cluster_start(cluster, names[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(cluster, names[i])));
    }
    assert_soon(all_own(cluster, names, 4));
    cr_assert_str_eq(text_of(document_of(cluster, "delphi"), "owning_is"), "exclusive");
    cluster_kill(cluster, "delphi");
    assert_soon(all_own(cluster, names, 3));
}

/* P14: both steps, by the command. */
Story(owners, hand_over_in_two_steps)
{
    struct cluster *cluster = cluster_new(ARGS("--partitions", "271,1h", "--profile", "local"));

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_soon(json_array_size(json_object_get(document_of(cluster, "athens"), "incoming")) ==
                PARTITIONS);
    cr_assert_eq(held_by(cluster, "athens"), 0);
    cr_assert_eq(doyen(cluster, "athens", ARGS("partitions", "--ready")).code, DONE);
    assert_soon(held_by(cluster, "athens") == PARTITIONS);

    struct outcome hold = doyen(cluster, "athens", ARGS("partitions", "--hold"));
    cr_assert_eq(hold.code, DONE);
    assert_text_has(hold.out, " 0-270\n");
    assert_text_has(hold.err, " ms, advisory\n");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(json_array_size(json_object_get(document_of(cluster, "byzantium"), "incoming")) ==
                PARTITIONS / 2);
    cr_assert_eq(held_by(cluster, "athens"), PARTITIONS, "byzantium is not ready");
    hold = doyen(cluster, "athens", ARGS("partitions", "--hold"));
    cr_assert_eq(hold.code, DONE);
    cr_assert_eq(doyen(cluster, "byzantium", ARGS("partitions", "--ready")).code, DONE);
    assert_soon(json_array_size(json_object_get(document_of(cluster, "athens"), "stopping")) ==
                PARTITIONS / 2);
    cr_assert_eq(held_by(cluster, "byzantium"), 0, "it was promised to a program of athens");
    cr_assert_eq(doyen(cluster, "athens", ARGS("partitions", "--done")).code, DONE);
    assert_soon(all_own(cluster, names, 2));
}

/* What a POST of that path is answered with. */
static int status_of(struct cluster *cluster, const char *path)
{
    const int fd = dial_unix(cluster_daemon(cluster, "athens")->control);
    struct http_answer answer;

    cr_assert(fd >= 0);
    cr_assert(http_ask(fd, "POST", path, "Content-Length: 0\r\n", LIMIT_MS, &answer));
    const int status = answer.status;
    http_answer_deinit(&answer);
    close(fd);
    return status;
}

Story(owners, take_lists_of_partitions)
{
    static const char *const bad[] = {"",    "271", "0-271",      "5-3",   "-1",         "0-",
                                      "0,,", "a",   "4294967296", "0%201", "0-99999999", "0,"};
    struct cluster *cluster = cluster_new(ARGS("--partitions", "271,1h", "--profile", "local"));
    char path[80];

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_soon(json_array_size(json_object_get(document_of(cluster, "athens"), "incoming")) ==
                PARTITIONS);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(path, sizeof path, "/v1/partitions/ready?partitions=%s", bad[i]);
        cr_assert_eq(status_of(cluster, path), 400, "%s", path);
    }
    cr_assert_eq(held_by(cluster, "athens"), 0);
    cr_assert_eq(status_of(cluster, "/v1/partitions/ready?partitions=0-3,270"), 200);
    assert_soon(held_by(cluster, "athens") == 5);
}

/* What is asked of a node that cannot answer it. */
Story(owners, refuse_in_words)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    const struct outcome without = doyen(cluster, "athens", ARGS("partitions", "--hold"));
    cr_assert_eq(without.code, REFUSED);
    assert_text_has(without.err, "start doyend on all members with --partitions N");
    const struct outcome both = doyen(cluster, "athens", ARGS("partitions", "--hold", "--done"));
    cr_assert_eq(both.code, 64);
    assert_text_has(both.err, "give one of them");
    cr_assert_eq(doyen(cluster, "athens", ARGS("partitions", "--hold", "key")).code, 64);
}

/* P10: whatever is sent in the name of members, nobody falls, and in the end each owns its share.
 */
Story(owners, survive_wild_frames)
{
    struct cluster *cluster = cluster_new(ARGS("--partitions", "271", "--profile", "local"));

    cluster_form(cluster, "athens byzantium cyrene");
    assert_soon(all_own(cluster, names, 3));
    struct forger *forger = forging_begin(cluster);
    for (int i = 0; i < WILD_FRAMES; i++) {
        forger_wild_owners(forger, 1 + i % 2, 0);
        forger_wild_owners(forger, 0, 1 + i % 2);
    }
    assert_soon(all_own(cluster, names, 3));
    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    assert_soon(all_own(cluster, names, 4));
    forger_free(forger);
}

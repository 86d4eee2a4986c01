/* Partitions of real daemons: rules P1 to P7 of docs/partitions.md. */
#include <string.h>

#include "fixture.h"
#include "netns_story.h"

enum { DONE = 0, REFUSED = 1, PARTITIONS = 271 };

static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi"};

static json_t *table_of(struct cluster *cluster, const char *name)
{
    return cluster_document(cluster, name, "/v1/partitions");
}

static const json_t *member_of_table(const json_t *document, const char *name)
{
    return entry_of(document, "members", name);
}

/* Does each of the first `count`, from `first` on, have the table of so many members, the same one?
 */
static bool all_have_it(struct cluster *cluster, size_t first, size_t count, size_t members)
{
    const json_t *table = NULL;

    for (size_t i = first; i < first + count; i++) {
        const json_t *document = table_of(cluster, names[i]);
        if (document == NULL || !json_is_true(json_object_get(document, "settled")) ||
            json_array_size(json_object_get(document, "members")) != members) {
            return false;
        }
        if (table != NULL && !json_equal(table, json_object_get(document, "table"))) {
            return false;
        }
        table = json_object_get(document, "table");
    }
    return true;
}

static uint64_t moved(const json_t *document, const char *key)
{
    return number_of(json_object_get(document, "change"), key);
}

/* P2 to P4: who joins gets its share, and what one that is killed had goes to the others. */
Story(partitions, follow_who_comes_and_goes)
{
    struct cluster *cluster = cluster_new(ARGS("--partitions", "271", "--profile", "local"));

    cluster_form(cluster, "athens byzantium cyrene");
    assert_soon(all_have_it(cluster, 0, 3, 3));
    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    assert_soon(all_have_it(cluster, 0, 4, 4));
    const json_t *joined = table_of(cluster, "delphi");
    cr_assert_eq(moved(joined, "moved"), PARTITIONS / 4);
    cr_assert_eq(moved(joined, "least"), PARTITIONS / 4);
    cr_assert_eq(number_of(member_of_table(joined, "delphi"), "owned"), PARTITIONS / 4);

    const uint64_t left = number_of(member_of_table(joined, "athens"), "owned");
    cluster_kill(cluster, "athens");
    assert_soon(all_have_it(cluster, 1, 3, 3));
    cr_assert_eq(moved(table_of(cluster, "delphi"), "moved"), left);
    assert_soon(cluster_log_count(cluster, "delphi", "partitions") == 2);
}

/* What the command prints, and where a key is. */
Story(partitions, are_shown_by_the_command)
{
    struct cluster *cluster = cluster_new(ARGS("--partitions", "271", "--backups", "1"));

    cluster_form(cluster, "athens byzantium");
    assert_soon(all_have_it(cluster, 0, 2, 2));
    const struct outcome table = doyen(cluster, "byzantium", ARGS("partitions"));
    cr_assert_eq(table.code, DONE);
    assert_text_has(table.out, "NAME       OWNS  KEEPS  HELD  PARTITIONS\n");
    cr_assert_eq(line_count(table.out), 3);
    assert_text_has(table.err, "copies moved, the least is");

    const struct outcome here = doyen(cluster, "athens", ARGS("partitions", "a key/with &?%+"));
    const struct outcome there = doyen(cluster, "byzantium", ARGS("partitions", "a key/with &?%+"));
    cr_assert_eq(here.code, DONE);
    cr_assert_str_eq(here.out, there.out);
    cr_assert(strncmp(here.out, "84 ", 3) == 0, "%s", here.out);
    assert_text_has(here.out, "athens");
    assert_text_has(here.out, "byzantium");
}

/* P1: not a word without the option; and who was given another number says so. */
Story(partitions, are_for_those_who_were_given_the_same)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", ARGS("--partitions", "271"));
    assert_agreement(cluster, "athens byzantium");
    cluster_start(cluster, "cyrene", "athens", ARGS("--partitions", "272"));
    assert_agreement(cluster, "athens byzantium cyrene");

    const struct outcome without = doyen(cluster, "athens", ARGS("partitions"));
    cr_assert_eq(without.code, REFUSED);
    assert_text_has(without.err, "start doyend on all members with --partitions N");
    assert_soon(all_have_it(cluster, 1, 1, 1));
    assert_soon(cluster_log_has(cluster, "cyrene",
                                "keeps 271 partitions with 0 backups of each, and this node"));
    cr_assert_eq(cluster_log_count(cluster, "athens", "partitions"), 0);
}

/* P7: two parts, each with a table of its own; then the winner's goes on. */
Story(partitions, a_merge_keeps_the_winners_table)
{
    struct cluster *cluster = cluster_new(
        ARGS("--partitions", "271", "--profile", "local", "--faults"));

    cluster_form(cluster, "athens byzantium cyrene delphi");
    assert_soon(all_have_it(cluster, 0, 4, 4));
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(doyen(cluster, names[i], ARGS("fault", "drop", "delphi")).code, DONE);
    }
    cr_assert_eq(
        doyen(cluster, "delphi", ARGS("fault", "drop", "athens", "byzantium", "cyrene")).code,
        DONE);
    assert_soon(all_have_it(cluster, 0, 3, 3));
    assert_soon(all_have_it(cluster, 3, 1, 1));
    const json_t *winners = json_object_get(table_of(cluster, "athens"), "table");

    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(doyen(cluster, names[i], ARGS("fault", "clear")).code, DONE);
    }
    assert_soon(all_have_it(cluster, 0, 4, 4));
    const json_t *merged = json_object_get(table_of(cluster, "delphi"), "table");
    size_t kept = 0;
    for (size_t p = 0; p < PARTITIONS; p++) {
        kept += json_equal(json_array_get(winners, p), json_array_get(merged, p)) != 0;
    }
    cr_assert_eq(kept, PARTITIONS - PARTITIONS / 4);
    assert_soon(cluster_log_has(cluster, "delphi", "lost=204"));
}

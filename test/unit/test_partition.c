/* The placement of partitions, over many views that follow each other: what is balanced, what
 * moves, and where keys are (src/partition). */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "doyen/client.h"
#include "partition/place.h"

enum { WALK_MEMBERS_MAX = 50, ZONES_MAX = 8 };

/* A cluster, as a list of members that come and go at random. */
struct walk {
    struct random random;
    struct partition_table *table;
    struct partition_table *before;
    struct partition_work *work;
    struct partition_member members[WALK_MEMBERS_MAX];
    size_t count;
    uint16_t zones; /* that members are in, drawn at random */
    struct partition_change change;
    /* Computed apart: */
    uint32_t least; /* moves of any balanced table; zones are not looked at */
    uint32_t led;   /* rows with another owner */
};

static struct walk *walk_new(uint32_t partitions, uint32_t copies, uint16_t zones)
{
    struct walk *walk = calloc(1, sizeof *walk);

    cr_assert_not_null(walk);
    walk->table = malloc(sizeof *walk->table);
    walk->before = malloc(sizeof *walk->before);
    walk->work = malloc(partition_work_bytes());
    cr_assert(walk->table != NULL && walk->before != NULL && walk->work != NULL);
    walk->zones = zones;
    random_seed(&walk->random, partitions * 31 + copies * 7 + zones);
    partition_table_init(walk->table, partitions, copies);
    return walk;
}

static void walk_free(struct walk *walk)
{
    free(walk->table);
    free(walk->before);
    free(walk->work);
    free(walk);
}

static void join(struct walk *walk)
{
    cr_assert_lt(walk->count, (size_t)WALK_MEMBERS_MAX);
    walk->members[walk->count++] = (struct partition_member){
        .before = PARTITION_NOBODY,
        .zone = (uint16_t)random_between(&walk->random, 0, walk->zones - 1U)};
}

static void leave(struct walk *walk, size_t position)
{
    walk->count--;
    memmove(&walk->members[position], &walk->members[position + 1],
            (walk->count - position) * sizeof walk->members[0]);
}

static void leave_any(struct walk *walk)
{
    leave(walk, (size_t)random_between(&walk->random, 0, walk->count - 1));
}

/* Zones by number, as the placement wants them: below the count of members. */
static void number_zones(const struct walk *walk, struct partition_member *members)
{
    uint16_t numbers[ZONES_MAX];
    uint16_t next = 0;

    memset(numbers, 0xff, sizeof numbers);
    for (size_t i = 0; i < walk->count; i++) {
        const uint16_t zone = walk->members[i].zone;
        numbers[zone] = numbers[zone] == PARTITION_NOBODY ? next++ : numbers[zone];
        members[i] = (struct partition_member){.before = walk->members[i].before,
                                               .zone = numbers[zone]};
    }
}

static uint32_t copies_of(const struct walk *walk)
{
    return walk->count < walk->table->copies ? (uint32_t)walk->count : walk->table->copies;
}

static uint32_t kept_before(const struct walk *walk, uint16_t before)
{
    uint32_t kept = 0;

    for (uint32_t p = 0; before != PARTITION_NOBODY && p < walk->table->partitions; p++) {
        for (uint32_t i = 0; i < walk->table->copies; i++) {
            kept += walk->table->rows[p].copies[i] == before;
        }
    }
    return kept;
}

static int more_first(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;

    return (a < b) - (a > b);
}

/* What members lack of even shares, the larger of which are for those who keep most. */
static uint32_t least_moves(const struct walk *walk)
{
    const uint32_t total = walk->table->partitions * copies_of(walk);
    const uint32_t count = (uint32_t)walk->count;
    uint32_t kept[WALK_MEMBERS_MAX];
    uint32_t least = 0;

    for (uint32_t i = 0; i < count; i++) {
        kept[i] = kept_before(walk, walk->members[i].before);
    }
    qsort(kept, count, sizeof kept[0], more_first);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t share = total / count + (i < total % count);
        least += share > kept[i] ? share - kept[i] : 0;
    }
    return least;
}

static uint32_t other_owners(const struct walk *walk)
{
    uint32_t rows = 0;

    for (uint32_t p = 0; p < walk->table->partitions; p++) {
        const uint16_t owner = walk->table->rows[p].copies[0];
        const uint16_t before = walk->members[owner].before;
        rows += before == PARTITION_NOBODY || before != walk->before->rows[p].copies[0];
    }
    return rows;
}

static void place(struct walk *walk)
{
    struct partition_member members[WALK_MEMBERS_MAX];

    number_zones(walk, members);
    *walk->before = *walk->table;
    walk->least = least_moves(walk);
    walk->change = partition_place(walk->table, members, walk->count, walk->work);
    walk->led = other_owners(walk);
    for (size_t i = 0; i < walk->count; i++) {
        walk->members[i].before = (uint16_t)i;
    }
}

/* Most less least of what members keep: owners alone, or all copies. */
static uint32_t spread(const struct walk *walk, uint32_t copies)
{
    uint32_t kept[WALK_MEMBERS_MAX] = {0};
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;

    for (uint32_t p = 0; p < walk->table->partitions; p++) {
        for (uint32_t i = 0; i < copies; i++) {
            kept[walk->table->rows[p].copies[i]]++;
        }
    }
    for (size_t i = 0; i < walk->count; i++) {
        least = kept[i] < least ? kept[i] : least;
        most = kept[i] > most ? kept[i] : most;
    }
    return most - least;
}

/* Each row has as many different members as there are copies, and no more. */
static void assert_whole(const struct walk *walk)
{
    for (uint32_t p = 0; p < walk->table->partitions; p++) {
        const uint16_t *row = walk->table->rows[p].copies;
        for (uint32_t i = 0; i < PARTITION_COPIES_MAX; i++) {
            cr_assert_eq(row[i] < walk->count, i < copies_of(walk));
            for (uint32_t j = 0; j < i && i < copies_of(walk); j++) {
                cr_assert_neq(row[i], row[j]);
            }
        }
    }
}

static uint16_t zones_now(const struct walk *walk)
{
    struct partition_member members[WALK_MEMBERS_MAX];
    uint16_t count = 0;

    number_zones(walk, members);
    for (size_t i = 0; i < walk->count; i++) {
        count = members[i].zone >= count ? (uint16_t)(members[i].zone + 1) : count;
    }
    return count;
}

static void assert_apart(const struct walk *walk)
{
    for (uint32_t p = 0; p < walk->table->partitions; p++) {
        const uint16_t *row = walk->table->rows[p].copies;
        for (uint32_t i = 1; i < copies_of(walk); i++) {
            for (uint32_t j = 0; j < i; j++) {
                cr_assert_neq(walk->members[row[i]].zone, walk->members[row[j]].zone,
                              "partition %u has two copies in one zone", p);
            }
        }
    }
}

/* One change of members, as views bring them: one that comes, goes or is replaced, a merge, or half
 * of all that is lost. */
static void change_members(struct walk *walk)
{
    const uint64_t what = random_between(&walk->random, 0, 5);

    if (walk->count <= walk->table->copies || what <= 1) {
        if (walk->count < WALK_MEMBERS_MAX) {
            join(walk);
        }
    } else if (what == 2) {
        leave_any(walk);
    } else if (what == 3) {
        leave_any(walk);
        join(walk);
    } else if (what == 4) {
        for (uint64_t i = random_between(&walk->random, 2, 8);
             i > 0 && walk->count < WALK_MEMBERS_MAX; i--) {
            join(walk);
        }
    } else if (walk->count > 8) {
        for (size_t i = walk->count / 2; i > 0; i--) {
            leave_any(walk);
        }
    }
}

static void step(struct walk *walk)
{
    change_members(walk);
    place(walk);
}

/* --- One copy: balanced within one, and no move more than that needs --- */

static void walk_with_one_copy(uint32_t partitions, unsigned steps)
{
    struct walk *walk = walk_new(partitions, 1, 1);

    for (unsigned i = 0; i < steps; i++) {
        step(walk);
        assert_whole(walk);
        cr_assert_leq(spread(walk, 1), 1);
        cr_assert_eq(walk->change.least, walk->least);
        cr_assert_eq(walk->change.moved, walk->least, "%u members, step %u", (unsigned)walk->count,
                     i);
        cr_assert_eq(walk->change.moved, walk->change.led);
    }
    walk_free(walk);
}

Test(partition, one_copy_is_balanced_and_moves_as_little_as_can_be)
{
    walk_with_one_copy(271, 400);
    walk_with_one_copy(1000, 400);
    walk_with_one_copy(4096, 100);
}

Test(partition, who_joins_gets_its_share_and_nothing_else_moves)
{
    struct walk *walk = walk_new(1000, 1, 1);

    for (size_t count = 1; count <= WALK_MEMBERS_MAX; count++) {
        join(walk);
        place(walk);
        cr_assert_eq(walk->change.moved, count == 1 ? 1000 : 1000 / count);
    }
    walk_free(walk);
}

/* The oldest too, after which every position is another one. */
Test(partition, what_a_member_that_is_gone_kept_is_all_that_moves)
{
    for (size_t gone = 0; gone < 10; gone++) {
        struct walk *walk = walk_new(1000, 1, 1);
        for (size_t i = 0; i < 10; i++) {
            join(walk);
        }
        place(walk);
        leave(walk, gone);
        place(walk);
        cr_assert_eq(walk->change.moved, 100);
        walk_free(walk);
    }
}

Test(partition, the_first_member_keeps_all)
{
    struct walk *walk = walk_new(271, 3, 1);

    join(walk);
    place(walk);
    for (uint32_t p = 0; p < 271; p++) {
        cr_assert_eq(walk->table->rows[p].copies[0], 0);
        cr_assert_eq(walk->table->rows[p].copies[1], PARTITION_NOBODY);
    }
    walk_free(walk);
}

/* All who hold one view have to come to one table: what was placed before with the same work leaves
 * nothing behind. */
Test(partition, the_table_is_a_function_of_the_one_before_and_the_members_alone)
{
    struct walk *walk = walk_new(271, 3, 3);
    struct partition_table *again = malloc(sizeof *again);

    cr_assert_not_null(again);
    for (unsigned i = 0; i < 50; i++) {
        struct partition_member members[WALK_MEMBERS_MAX];
        change_members(walk);
        number_zones(walk, members);
        *again = *walk->table;
        memset(walk->work, 0xff, partition_work_bytes());
        const struct partition_change change = partition_place(again, members, walk->count,
                                                               walk->work);
        place(walk);
        cr_assert_arr_eq(again->rows, walk->table->rows, 271 * sizeof again->rows[0]);
        cr_assert_eq(change.moved, walk->change.moved);
    }
    free(again);
    walk_free(walk);
}

/* --- Backups --- */

static void walk_with_backups(uint32_t partitions, uint32_t copies, unsigned steps)
{
    struct walk *walk = walk_new(partitions, copies, 1);

    for (unsigned i = 0; i < steps; i++) {
        step(walk);
        assert_whole(walk);
        cr_assert_leq(spread(walk, copies_of(walk)), 1);
        cr_assert_leq(spread(walk, 1), 1);
        cr_assert_eq(walk->change.least, walk->least);
        cr_assert_geq(walk->change.moved, walk->least);
        cr_assert_leq(walk->change.moved, 2 * walk->least);
        cr_assert_eq(walk->change.led, walk->led);
    }
    walk_free(walk);
}

Test(partition, backups_are_balanced_and_move_at_most_twice_the_least)
{
    walk_with_backups(271, 2, 300);
    walk_with_backups(271, 3, 300);
    walk_with_backups(1000, 2, 100);
    walk_with_backups(1000, 3, 100);
}

/* Of five members the oldest goes, so that every position is another one. Counts the rows that it
 * owned, and of these the ones that their first backup owns now. */
static void lose_the_oldest(struct walk *walk, uint32_t *lost, uint32_t *promoted)
{
    for (size_t i = 0; i < 5; i++) {
        join(walk);
    }
    place(walk);
    leave(walk, 0);
    place(walk);
    *lost = 0;
    *promoted = 0;
    for (uint32_t p = 0; p < walk->table->partitions; p++) {
        const uint16_t *before = walk->before->rows[p].copies;
        if (before[0] == 0) {
            *lost += 1;
            *promoted += walk->table->rows[p].copies[0] == before[1] - 1;
        }
    }
}

/* Not all of them: others change places with their owner, so that owners are balanced. */
Test(partition, the_first_backup_of_an_owner_that_is_gone_becomes_the_owner)
{
    for (uint32_t copies = 2; copies <= PARTITION_COPIES_MAX; copies++) {
        struct walk *walk = walk_new(271, copies, 1);
        uint32_t lost;
        uint32_t promoted;
        lose_the_oldest(walk, &lost, &promoted);
        cr_assert_gt(2 * promoted, lost, "%u of %u", promoted, lost);
        walk_free(walk);
    }
}

Test(partition, a_backup_of_an_owner_that_is_gone_keeps_its_copy)
{
    struct walk *walk = walk_new(271, 2, 1);
    uint32_t lost;
    uint32_t promoted;

    lose_the_oldest(walk, &lost, &promoted);
    for (uint32_t p = 0; p < 271; p++) {
        const uint16_t *before = walk->before->rows[p].copies;
        const uint16_t *now = walk->table->rows[p].copies;
        if (before[0] == 0) {
            cr_assert(now[0] == before[1] - 1 || now[1] == before[1] - 1);
        }
    }
    walk_free(walk);
}

/* --- Zones --- */

static void walk_with_zones(uint32_t partitions, uint32_t copies, uint16_t zones, unsigned steps)
{
    struct walk *walk = walk_new(partitions, copies, zones);
    unsigned apart = 0;

    for (unsigned i = 0; i < steps; i++) {
        step(walk);
        assert_whole(walk);
        cr_assert_leq(spread(walk, 1), (uint32_t)(zones_now(walk) > 1 ? partitions : 1));
        if (zones_now(walk) >= copies_of(walk) && zones_now(walk) > 1) {
            apart++;
            assert_apart(walk);
        }
    }
    cr_assert_gt(apart, steps / 2);
    walk_free(walk);
}

Test(partition, no_row_has_two_copies_in_one_zone)
{
    walk_with_zones(271, 2, 3, 300);
    walk_with_zones(271, 3, 3, 300);
    walk_with_zones(271, 2, 8, 300);
    walk_with_zones(1000, 3, 5, 100);
}

/* Of three zones with 1, 2 and 3 members and two copies none gets more than each row once. */
Test(partition, a_zone_gets_by_its_members_and_no_row_twice)
{
    struct walk *walk = walk_new(600, 2, 3);
    uint32_t kept[3] = {0};

    for (size_t i = 0; i < 6; i++) {
        join(walk);
        walk->members[i].zone = (uint16_t)(i == 0 ? 0 : i < 3 ? 1 : 2);
    }
    place(walk);
    for (uint32_t p = 0; p < 600; p++) {
        for (size_t i = 0; i < 2; i++) {
            kept[walk->members[walk->table->rows[p].copies[i]].zone]++;
        }
    }
    cr_assert_eq(kept[0], 200);
    cr_assert_eq(kept[1], 400);
    cr_assert_eq(kept[2], 600);
    walk_free(walk);
}

/* --- Keys --- */

/* Each line: PARTITIONS KEY PARTITION, the key in hexadecimal, "-" for no byte. Computed apart from
 * this code. */
Test(partition, keys_are_where_the_vectors_say)
{
    FILE *file = fopen(VECTORS_DIR "/partition/keys.txt", "r");
    char line[400];
    unsigned count = 0;

    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t partitions;
        uint32_t expected;
        char hex[200];
        uint8_t key[100];
        size_t length = 0;
        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        cr_assert_eq(sscanf(line, "%" SCNu32 " %199s %" SCNu32, &partitions, hex, &expected), 3);
        for (; hex[0] != '-' && hex[2 * length] != '\0'; length++) {
            unsigned byte;
            cr_assert_eq(sscanf(&hex[2 * length], "%2x", &byte), 1);
            key[length] = (uint8_t)byte;
        }
        cr_assert_eq(partition_of(key, length, partitions), expected, "%s", line);
        cr_assert_eq(doyen_partition_of(key, length, partitions), expected, "%s", line);
        count++;
    }
    fclose(file);
    cr_assert_geq(count, 20);
}

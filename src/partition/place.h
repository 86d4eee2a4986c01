/* Which members keep which partitions: a pure function of the table before and of the members now.
 * All who go through the same views from the same table on hold the same one. Who joins, or passes
 * over a view, cannot know the table before: it has to be told.
 *
 * Copies are spread within one over the members, or, where there are at least as many zones as
 * copies, over those of each zone, and no row has two copies in one zone. Owners, the first of each
 * row, are spread within one too. What need not move stays: with one copy the number of moves is
 * the least that any balanced table needs, with more at most twice that, and who is the first
 * backup of an owner that is gone becomes the owner. */
#ifndef PARTITION_PLACE_H
#define PARTITION_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PARTITIONS_MAX = 4096,
    PARTITION_COPIES_MAX = 3, /* an owner and two backups */
    PARTITION_MEMBERS_MAX = 4096,
    PARTITION_NOBODY = UINT16_MAX,
};

/* The owner, then the backups, as positions in a list of members; PARTITION_NOBODY where there are
 * fewer members than copies. */
struct partition_row {
    uint16_t copies[PARTITION_COPIES_MAX];
};

struct partition_table {
    uint32_t partitions; /* 1 to PARTITIONS_MAX */
    uint32_t copies;     /* 1 to PARTITION_COPIES_MAX */
    struct partition_row rows[PARTITIONS_MAX];
};

struct partition_member {
    uint16_t before; /* its position among the members of the table before; PARTITION_NOBODY: new */
    uint16_t zone;   /* members of the same number are in one zone; below their count */
};

/* What a change costs. */
struct partition_change {
    uint32_t moved; /* copies that somebody keeps who did not keep them before */
    uint32_t least; /* what no table that is spread as well can go below */
    uint32_t led;   /* rows that have another owner */
};

/* What partition_place works with; some 200 kB, in which nothing stays. */
struct partition_work;
size_t partition_work_bytes(void);

/* Replaces the table by that of the new members, `count` of them and at least one. `work` is
 * partition_work_bytes() long, aligned as for malloc. */
struct partition_change partition_place(struct partition_table *table,
                                        const struct partition_member *members, size_t count,
                                        struct partition_work *work);

/* The table before there is any member: nobody keeps anything. */
void partition_table_init(struct partition_table *table, uint32_t partitions, uint32_t copies);

/* The partition of a key, the same in every language (proto/vectors/partition/keys.txt): FNV-1a of
 * its bytes, with the finish of base/hash.h, modulo `partitions`. */
uint32_t partition_of(const void *key, size_t length, uint32_t partitions);

#endif

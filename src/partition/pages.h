/* A table of partitions in pages: cut up, and put together again. */
#ifndef PARTITION_PAGES_H
#define PARTITION_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "partition/message.h"
#include "partition/place.h"

uint32_t pages_count(const struct partition_table *table);

/* What two tables that are the same have in common. */
uint64_t table_digest(const struct partition_table *table);

/* Is each row as partition_place leaves it among `members`: distinct members, as many as can be,
 * and nobody behind them? */
bool table_is_whole(const struct partition_table *table, uint32_t members);

/* Is each place one of a member's, or PARTITION_NOBODY, and nobody twice in a row? */
bool table_is_bounded(const struct partition_table *table, uint32_t members);

/* Puts page `page` of the table into the message, or leaves its values out if there is no such. */
void page_cut(const struct partition_table *table, uint32_t page,
              struct partition_message *message);

/* The pages of a table that have come so far. */
struct pages {
    struct view_id of;
    uint64_t digest;
    bool begun;
    bool come[PARTITION_PAGES_MAX];
    struct partition_table table;
};

void pages_begin(struct pages *pages, uint32_t partitions, uint32_t copies);

/* Takes a page of TABLE or PAGE; one of another table begins anew. Returns whether all have come
 * and are what the digest says; with another digest it begins anew. */
bool pages_take(struct pages *pages, const struct partition_message *message);

/* The first that is missing; pages_count() if none is. */
uint32_t pages_missing(const struct pages *pages);

#endif

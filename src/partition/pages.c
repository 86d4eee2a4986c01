#include "partition/pages.h"

#include <string.h>

#include "base/hash.h"

static uint32_t values_count(const struct partition_table *table)
{
    return table->partitions * table->copies;
}

static uint16_t *value_at(struct partition_table *table, uint32_t at)
{
    return &table->rows[at / table->copies].copies[at % table->copies];
}

uint32_t pages_count(const struct partition_table *table)
{
    return (values_count(table) + PARTITION_PAGE_VALUES - 1) / PARTITION_PAGE_VALUES;
}

/* Values on that page; 0: there is no such page. */
static uint32_t page_length(const struct partition_table *table, uint32_t page)
{
    const uint32_t from = page * PARTITION_PAGE_VALUES;
    const uint32_t all = values_count(table);

    if (from >= all) {
        return 0;
    }
    return all - from < PARTITION_PAGE_VALUES ? all - from : PARTITION_PAGE_VALUES;
}

uint64_t table_digest(const struct partition_table *table)
{
    uint64_t hash = hash_u64(hash_u64(HASH_START, table->partitions), table->copies);

    for (uint32_t p = 0; p < table->partitions; p++) {
        for (uint32_t i = 0; i < table->copies; i++) {
            hash = hash_u64(hash, table->rows[p].copies[i]);
        }
    }
    return hash_finish(hash);
}

static bool is_in_row_before(const struct partition_row *row, uint32_t at)
{
    for (uint32_t other = 0; other < at; other++) {
        if (row->copies[other] == row->copies[at]) {
            return true;
        }
    }
    return false;
}

bool table_is_bounded(const struct partition_table *table, uint32_t members)
{
    for (uint32_t p = 0; p < table->partitions; p++) {
        const struct partition_row *row = &table->rows[p];
        for (uint32_t i = 0; i < table->copies; i++) {
            if (row->copies[i] != PARTITION_NOBODY &&
                (row->copies[i] >= members || is_in_row_before(row, i))) {
                return false;
            }
        }
    }
    return true;
}

static bool row_is_full(const struct partition_row *row, uint32_t copies, uint32_t kept)
{
    for (uint32_t i = 0; i < copies; i++) {
        if ((row->copies[i] == PARTITION_NOBODY) != (i >= kept)) {
            return false;
        }
    }
    return true;
}

bool table_is_whole(const struct partition_table *table, uint32_t members)
{
    const uint32_t kept = members < table->copies ? members : table->copies;

    for (uint32_t p = 0; p < table->partitions; p++) {
        if (!row_is_full(&table->rows[p], table->copies, kept)) {
            return false;
        }
    }
    return table_is_bounded(table, members);
}

void page_cut(const struct partition_table *table, uint32_t page, struct partition_message *message)
{
    const uint32_t length = page_length(table, page);
    const uint32_t from = page * PARTITION_PAGE_VALUES;

    message->page = page;
    message->count = (uint16_t)length;
    for (uint32_t i = 0; i < length; i++) {
        message->values[i] =
            table->rows[(from + i) / table->copies].copies[(from + i) % table->copies];
    }
}

void pages_begin(struct pages *pages, uint32_t partitions, uint32_t copies)
{
    pages->begun = false;
    memset(pages->come, 0, sizeof pages->come);
    partition_table_init(&pages->table, partitions, copies);
}

uint32_t pages_missing(const struct pages *pages)
{
    const uint32_t count = pages_count(&pages->table);
    uint32_t page = 0;

    while (page < count && pages->come[page]) {
        page++;
    }
    return page;
}

bool pages_take(struct pages *pages, const struct partition_message *message)
{
    const bool same = pages->begun && pages->digest == message->digest &&
                      view_id_equal(&pages->of, &message->of);
    const uint32_t length = page_length(&pages->table, message->page);

    if (length == 0 || message->count != length) {
        return false;
    }
    if (!same) {
        pages_begin(pages, pages->table.partitions, pages->table.copies);
        pages->begun = true;
        pages->of = message->of;
        pages->digest = message->digest;
    }
    pages->come[message->page] = true;
    for (uint32_t i = 0; i < length; i++) {
        *value_at(&pages->table, message->page * PARTITION_PAGE_VALUES + i) = message->values[i];
    }
    if (pages_missing(pages) < pages_count(&pages->table)) {
        return false;
    }
    if (table_digest(&pages->table) != pages->digest) {
        pages_begin(pages, pages->table.partitions, pages->table.copies);
        return false;
    }
    return true;
}

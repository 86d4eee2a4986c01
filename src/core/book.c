#include "core/book.h"

#include <string.h>

void book_set_seeds(struct core *core, const struct address *addresses, uint32_t count)
{
    struct book *book = &core->book;

    if (count == 0) {
        return;
    }
    book->seed_count = count < SEEDS_MAX ? count : SEEDS_MAX;
    memcpy(book->seeds, addresses, book->seed_count * sizeof addresses[0]);
}

void book_remember(struct core *core, const struct address *address)
{
    struct book *book = &core->book;

    if (address_is_none(address) || address_equal(address, &core->self.address)) {
        return;
    }
    for (uint32_t i = 0; i < book->count; i++) {
        if (address_equal(&book->entries[i], address)) {
            return;
        }
    }
    if (book->count == BOOK_MAX) {
        book->count--;
        memmove(&book->entries[0], &book->entries[1], book->count * sizeof book->entries[0]);
    }
    book->entries[book->count++] = *address;
}

void book_renew(struct core *core, const struct address *address)
{
    struct book *book = &core->book;

    for (uint32_t i = 0; i < book->count; i++) {
        if (address_equal(&book->entries[i], address)) {
            book->count--;
            memmove(&book->entries[i], &book->entries[i + 1],
                    (book->count - i) * sizeof book->entries[0]);
            break;
        }
    }
    book_remember(core, address);
}

bool book_has_seed(const struct core *core, const struct address *address)
{
    for (uint32_t i = 0; i < core->book.seed_count; i++) {
        if (address_equal(&core->book.seeds[i], address)) {
            return true;
        }
    }
    return false;
}

static bool is_worth_asking(const struct core *core, const struct address *address)
{
    return !address_equal(address, &core->self.address) &&
           view_find_address(&core->view, address) == VIEW_NONE;
}

uint32_t book_next(struct core *core, bool with_seeds, struct address *out, uint32_t limit)
{
    struct book *book = &core->book;
    uint32_t count = 0;

    for (uint32_t i = 0; with_seeds && i < book->seed_count && count < limit; i++) {
        const struct address *next = &book->seeds[book->seed_cursor++ % book->seed_count];
        if (is_worth_asking(core, next)) {
            out[count++] = *next;
        }
    }
    for (uint32_t i = 0; i < book->count && count < limit; i++) {
        const struct address *next = &book->entries[book->cursor++ % book->count];
        if (is_worth_asking(core, next) && !(with_seeds && book_has_seed(core, next))) {
            out[count++] = *next;
        }
    }
    return count;
}

bool book_has_others(const struct core *core)
{
    for (uint32_t i = 0; i < core->book.seed_count; i++) {
        if (!address_equal(&core->book.seeds[i], &core->self.address)) {
            return true;
        }
    }
    return core->book.count > 0;
}

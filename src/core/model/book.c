#include "core/model/book.h"

#include <string.h>

void book_init(struct book *book, const struct address *self)
{
    book->self = *self;
    book->seed_count = 0;
    book->count = 0;
    book->cursor = 0;
    book->seed_cursor = 0;
}

void book_set_seeds(struct book *book, const struct address *addresses, uint32_t count)
{
    if (count == 0) {
        return;
    }
    book->seed_count = count < SEEDS_MAX ? count : SEEDS_MAX;
    memcpy(book->seeds, addresses, book->seed_count * sizeof addresses[0]);
}

void book_remember(struct book *book, const struct address *address)
{
    if (address_is_none(address) || address_equal(address, &book->self)) {
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

/* The same for one who has just gone: its entry is the latest again. */
static void renew(struct book *book, const struct address *address)
{
    for (uint32_t i = 0; i < book->count; i++) {
        if (address_equal(&book->entries[i], address)) {
            book->count--;
            memmove(&book->entries[i], &book->entries[i + 1],
                    (book->count - i) * sizeof book->entries[0]);
            break;
        }
    }
    book_remember(book, address);
}

void book_on_view_installed(struct book *book, const struct view *view, const struct view *former)
{
    for (uint32_t i = 0; i < former->member_count; i++) {
        if (!view_has(view, &former->members[i].id)) {
            renew(book, &former->members[i].address);
        }
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        if (!view_has(former, &view->members[i].id)) {
            book_remember(book, &view->members[i].address);
        }
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        book_remember(book, &view->gone[i].address);
    }
}

bool book_has_seed(const struct book *book, const struct address *address)
{
    for (uint32_t i = 0; i < book->seed_count; i++) {
        if (address_equal(&book->seeds[i], address)) {
            return true;
        }
    }
    return false;
}

bool book_has(const struct book *book, const struct address *address)
{
    for (uint32_t i = 0; i < book->count; i++) {
        if (address_equal(&book->entries[i], address)) {
            return true;
        }
    }
    return book_has_seed(book, address);
}

static bool is_worth_asking(const struct book *book, const struct view *view,
                            const struct address *address)
{
    return !address_equal(address, &book->self) &&
           (view == NULL || view_find_address(view, address) == VIEW_NONE);
}

uint32_t book_next(struct book *book, const struct view *view, bool with_seeds, struct address *out,
                   uint32_t limit)
{
    uint32_t count = 0;

    for (uint32_t i = 0; with_seeds && i < book->seed_count && count < limit; i++) {
        const struct address *next = &book->seeds[book->seed_cursor++ % book->seed_count];
        if (is_worth_asking(book, view, next)) {
            out[count++] = *next;
        }
    }
    for (uint32_t i = 0; i < book->count && count < limit; i++) {
        const struct address *next = &book->entries[book->cursor++ % book->count];
        if (is_worth_asking(book, view, next) && !(with_seeds && book_has_seed(book, next))) {
            out[count++] = *next;
        }
    }
    return count;
}

bool book_has_others(const struct book *book)
{
    for (uint32_t i = 0; i < book->seed_count; i++) {
        if (!address_equal(&book->seeds[i], &book->self)) {
            return true;
        }
    }
    return book->count > 0;
}

#include "core/model/book.h"

#include <string.h>

void book_init(struct book *book, const struct address *self)
{
    book->self = *self;
    book->seed_count = 0;
    book->count = 0;
    book->cursor = 0;
    book->seed_cursor = 0;
    memset(book->seed_standings, STANDING_UNKNOWN, sizeof book->seed_standings);
}

void book_set_seeds(struct book *book, const struct address *addresses, uint32_t count)
{
    if (count == 0) {
        return;
    }
    book->seed_count = count < SEEDS_MAX ? count : SEEDS_MAX;
    memcpy(book->seeds, addresses, book->seed_count * sizeof addresses[0]);
    memset(book->seed_standings, STANDING_UNKNOWN, sizeof book->seed_standings);
}

static void take_out(struct book *book, uint32_t entry)
{
    const uint32_t behind = --book->count - entry;

    memmove(&book->entries[entry], &book->entries[entry + 1], behind * sizeof book->entries[0]);
    memmove(&book->standings[entry], &book->standings[entry + 1], behind);
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
        take_out(book, 0);
    }
    book->standings[book->count] = STANDING_UNKNOWN;
    book->entries[book->count++] = *address;
}

/* The same for one who has just gone: its entry is the latest again. */
static void renew(struct book *book, const struct address *address)
{
    for (uint32_t i = 0; i < book->count; i++) {
        if (address_equal(&book->entries[i], address)) {
            take_out(book, i);
            break;
        }
    }
    book_remember(book, address);
}

void book_on_view_installed(struct book *book, const struct view *view, const struct view *former)
{
    memset(book->standings, STANDING_UNKNOWN, book->count);
    memset(book->seed_standings, STANDING_UNKNOWN, sizeof book->seed_standings);
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

/* O(1), but for the first time in a view. While there is none everybody is. */
static bool is_worth_asking(const struct book *book, const struct view *view,
                            const struct address *address, uint8_t *standing)
{
    const bool everybody = view == NULL || view_is_empty(view);

    if (*standing == STANDING_UNKNOWN && !everybody) {
        *standing = view_find_address(view, address) == VIEW_NONE ? STANDING_OTHER
                                                                  : STANDING_MEMBER;
    }
    return !address_equal(address, &book->self) && (everybody || *standing == STANDING_OTHER);
}

uint32_t book_next(struct book *book, const struct view *view, bool with_seeds, struct address *out,
                   uint32_t limit)
{
    uint32_t count = 0;

    for (uint32_t i = 0; with_seeds && i < book->seed_count && count < limit; i++) {
        const uint32_t at = book->seed_cursor++ % book->seed_count;
        const struct address *next = &book->seeds[at];
        if (is_worth_asking(book, view, next, &book->seed_standings[at])) {
            out[count++] = *next;
        }
    }
    for (uint32_t i = 0; i < book->count && count < limit; i++) {
        const uint32_t at = book->cursor++ % book->count;
        const struct address *next = &book->entries[at];
        if (is_worth_asking(book, view, next, &book->standings[at]) &&
            !(with_seeds && book_has_seed(book, next))) {
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

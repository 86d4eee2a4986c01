/* Addresses worth asking (M1). */
#include <criterion/criterion.h>

#include "core/model/book.h"
#include "view_builder.h"

static struct address numbered(uint32_t number)
{
    return (struct address){
        .family = 4, .port = 7420, .bytes = {10, 1, (uint8_t)(number >> 8), (uint8_t)number}};
}

static void begin(struct book *book)
{
    const struct address self = member_of('A').address;

    book_init(book, &self);
}

/* Would it be asked, in one round through all of the book? */
static bool asks(struct book *book, const struct view *view, const struct address *address)
{
    struct address next[BOOK_MAX];
    uint32_t count = book_next(book, view, false, next, BOOK_MAX);

    for (uint32_t i = 0; i < count; i++) {
        if (address_equal(&next[i], address)) {
            return true;
        }
    }
    return false;
}

/* H39: whoever was a member once, and is not any more, may be in another part. */
Test(book, knows_everyone_it_ever_met)
{
    struct book book;
    struct built_view none = view_of("");
    struct built_view all = view_of("A B C");
    struct built_view alone = view_of("A");
    const struct address b = member_of('B').address;

    begin(&book);
    book_on_view_installed(&book, &all.view, &none.view);
    cr_assert_not(asks(&book, &all.view, &b), "a member need not be looked for");
    cr_assert(asks(&book, &none.view, &b), "but it is by who was put out, and joins anew");
    book_on_view_installed(&book, &alone.view, &all.view);
    cr_assert(asks(&book, &alone.view, &b));
    book_on_view_installed(&book, &all.view, &alone.view);
    cr_assert_not(asks(&book, &all.view, &b), "it is one again");
    cr_assert(asks(&book, &none.view, &b), "a joiner asks everybody");
    view_built_free(&none);
    view_built_free(&all);
    view_built_free(&alone);
}

/* H26: a joiner that never met them learns of them from the view. */
Test(book, knows_whom_a_view_lists_as_gone)
{
    static const struct gone failed = {.reason = GONE_FAILED};
    struct book book;
    struct built_view none = view_of("");
    struct built_view view = view_of("A B C");
    const struct address c = member_of('C').address;

    begin(&book);
    view_remove(&view.view, 2, &failed);
    book_on_view_installed(&book, &view.view, &none.view);
    cr_assert(asks(&book, &view.view, &c));
    view_built_free(&none);
    view_built_free(&view);
}

Test(book, keeps_the_latest)
{
    struct book book;
    struct built_view view = view_of("A");

    begin(&book);
    for (uint32_t i = 0; i <= BOOK_MAX; i++) {
        const struct address address = numbered(i);
        book_remember(&book, &address);
    }
    const struct address first = numbered(0);
    const struct address second = numbered(1);
    const struct address last = numbered(BOOK_MAX);
    cr_assert_not(asks(&book, &view.view, &first));
    cr_assert(asks(&book, &view.view, &second));
    cr_assert(asks(&book, &view.view, &last));
    view_built_free(&view);
}

/* However many others there are. */
Test(book, has_the_seeds_besides)
{
    struct book book;
    struct built_view view = view_of("A");
    const struct address seed = numbered(BOOK_MAX + 1);
    struct address next[4];

    begin(&book);
    book_set_seeds(&book, &seed, 1);
    for (uint32_t i = 0; i <= BOOK_MAX; i++) {
        const struct address address = numbered(i);
        book_remember(&book, &address);
    }
    cr_assert_eq(book_next(&book, &view.view, true, next, 4), 4);
    cr_assert(address_equal(&next[0], &seed));
    cr_assert(book_has_seed(&book, &seed));
    view_built_free(&view);
}
